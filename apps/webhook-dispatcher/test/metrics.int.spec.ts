/** Compares the metrics of a dispatcher with the rows in Postgres and the requests at the receivers. */

import { callProcess } from '@trading-automation/persistence';
import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { configSchema } from '../src/config.js';
import { startDispatcher } from '../src/dispatcher.js';
import { freePort, type Page, scrape } from './scrape.js';
import {
  openReceiver,
  openTestEnvironment,
  type Receiver,
  type TestEnvironment,
  type WebhookFixture,
} from './test-environment.js';

const logger = createLogger('webhook-dispatcher', 'fatal');
let environment: TestEnvironment;
let receiver: Receiver;
const running: RunningProcess[] = [];

beforeEach(async () => {
  environment = await openTestEnvironment();
  receiver = await openReceiver();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
  await receiver.close();
  await environment.close();
});

/** Starts a dispatcher and returns its metrics port. */
async function start(settings: Record<string, string> = {}): Promise<number> {
  const port = await freePort();
  const config = readConfig(configSchema, {
    ...environment.settings,
    METRICS_PORT: String(port),
    ...settings,
  });
  running.push(await startDispatcher(config, logger));
  return port;
}
const untilAttempts = (attempts: number) =>
  eventually(async () => (await environment.query('SELECT FROM webhook_attempts')).length >= attempts);
/**
 * Scrapes until the page fulfils `condition`, because an attempt is counted shortly after it is recorded.
 */
const pageWith = (port: number, condition: (page: Page) => boolean) =>
  eventually(async () => {
    const page = await scrape(port);
    return condition(page) && page;
  });
const sum = (values: Record<string, number>) =>
  Object.values(values).reduce((total, each) => total + each, 0);
const testCall = (hook: WebhookFixture) =>
  callProcess({
    dataSource: environment.platform.database,
    listener: environment.platform.listener,
    name: 'webhook.test',
    input: Buffer.from(hook.id),
    owner: { userId: hook.userId, accountId: hook.id },
    lane: 'webhook_test',
    startWithinMs: 5_000,
    operationMs: 5_000,
  });

describe('the metrics of a dispatcher', () => {
  it('count the same attempts by outcome as Postgres, including test events, and one first-attempt delay for each delivery', async () => {
    receiver.respondWith((received, response) => {
      const isBroken = received.webhookId === broken.publicId;
      response.writeHead(isBroken ? 500 : 200).end();
    });
    const healthy = await environment.addWebhook(receiver.url, { events: ['trade.*'] });
    const broken = await environment.addWebhook(receiver.url, {
      userId: healthy.userId,
      events: ['trade.*'],
    });
    const blocked = await environment.addWebhook('https://10.0.0.1/', {
      userId: healthy.userId,
      events: ['trade.*'],
    });
    receiver.verifyWith(healthy, broken, blocked);
    const port = await start();
    for (let i = 0; i < 3; i++) await environment.emit(healthy.userId);
    // Three attempts succeed. The other two webhooks are deactivated after ten failures. By then, further attempts may
    // be in flight.
    await eventually(
      async () =>
        (await environment.query("SELECT FROM webhook_deliveries WHERE status IN ('DUE', 'SENDING')"))
          .length === 0 && (await environment.query('SELECT FROM webhooks WHERE NOT is_active')).length === 2,
    );
    // A deactivation emits an event itself, which counts as undelivered until it is fanned out.
    await environment.untilFannedOut();
    await testCall(healthy);
    const recorded = await environment.query(
      'SELECT coalesce(error, $1) AS outcome, count(*)::int AS count FROM webhook_attempts GROUP BY 1',
      'succeeded',
    );
    const byOutcome = Object.fromEntries(
      recorded.map(({ outcome, count }) => [String(outcome), Number(count)]),
    );
    const page = await pageWith(
      port,
      (each) => sum(each.values('webhook_attempts_total')) === sum(byOutcome),
    );
    const attempts = page.values('webhook_attempts_total');
    for (const outcome of ['succeeded', 'http_status', 'blocked_address', 'timeout', 'internal']) {
      const counted = ['main', 'slow', 'test'].map((lane) => attempts[`${lane} ${outcome}`] ?? 0);
      expect([outcome, counted.reduce((total, each) => total + each, 0)]).toEqual([
        outcome,
        byOutcome[outcome] ?? 0,
      ]);
    }
    expect(attempts).toMatchObject({ 'main succeeded': 3, 'test succeeded': 1, 'slow succeeded': 0 });
    expect(attempts['slow http_status']).toBeGreaterThan(0);
    expect(sum(page.values('webhook_attempt_duration_seconds_count'))).toBe(sum(byOutcome));
    expect(page.values('webhook_first_attempt_delay_seconds_count')).toEqual({ '': 9 });
    expect(page.values('webhook_deactivations_total')).toEqual({ '': 2 });
    expect(page.values('webhook_superseded_attempts_total')).toEqual({ '': 0 });
    expect(page.values('webhook_deliveries_owed')).toEqual({
      due: 0,
      parked: 0,
      waiting: 0,
      sending: 0,
      overrun: 0,
    });
    expect(page.values('webhook_oldest_undelivered_age_seconds')).toEqual({ '': 0 });
    expect(receiver.rejected).toEqual([]);
  });

  it('show the parked deliveries, the deliveries in flight and the age of the oldest delivery', async () => {
    const pendingResponses: (() => void)[] = [];
    receiver.respondWith((_received, response) => void pendingResponses.push(() => response.end()));
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    const port = await start({ WEBHOOK_IN_FLIGHT_MAX: '2' });
    for (let i = 0; i < 6; i++) await environment.emit(hook.userId);
    await eventually(() => pendingResponses.length === 2);
    const heldPage = await pageWith(port, (page) => page.values('webhook_deliveries_owed').parked === 4);
    expect(heldPage.values('webhook_deliveries_owed')).toMatchObject({ sending: 2, parked: 4, overrun: 0 });
    expect(heldPage.values('webhook_oldest_undelivered_age_seconds')['']).toBeGreaterThan(0);
    expect(heldPage.values('webhook_oldest_due_age_seconds')['']).toBeGreaterThan(0);
    expect(Object.keys(heldPage.values('webhook_lane_jobs'))).toHaveLength(6);
    expect(heldPage.values('webhook_backlog_readable')).toEqual({ postgres: 1, redis: 1 });
    receiver.respondWith((_received, response) => void response.end());
    for (const respond of pendingResponses) respond();
    await untilAttempts(6);
    const page = await pageWith(
      port,
      (each) => each.values('webhook_attempts_total')['main succeeded'] === 6,
    );
    expect(page.values('webhook_deliveries_owed')).toMatchObject({ sending: 0, parked: 0 });
  });

  it('count the jobs that the sweeper adds for overdue deliveries, by cause', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    const port = await start();
    const ids = [await environment.emit(hook.userId), await environment.emit(hook.userId)];
    await untilAttempts(2);
    await environment.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, run, status, next_at)
       VALUES (gen_random_uuid(), $1, $2, 'trade.created', 1, 'DUE', now() - interval '1 hour')`,
      hook.id,
      ids[0],
    );
    await environment.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, run, status, attempts, lease_id, lease_until)
       VALUES (gen_random_uuid(), $1, $2, 'trade.created', 1, 'SENDING', 2, gen_random_uuid(), now() - interval '1 second')`,
      hook.id,
      ids[1],
    );
    await untilAttempts(4);
    const page = await pageWith(port, (each) => sum(each.values('webhook_sweeper_repairs_total')) >= 2);
    expect(page.values('webhook_sweeper_repairs_total')).toEqual({
      job: expect.any(Number),
      dispatcher: expect.any(Number),
    });
    for (const repairs of Object.values(page.values('webhook_sweeper_repairs_total')))
      expect(repairs).toBeGreaterThan(0);
    // Retries and replays (runs above 0) record no delay, because their event may be weeks old.
    expect(page.values('webhook_first_attempt_delay_seconds_count')).toEqual({ '': 2 });
  });

  it('contain no data of a user, webhook or event, and no URL', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    const port = await start();
    const id = await environment.emit(hook.userId, 'trade.created', { note: 'canary' });
    await untilAttempts(1);
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const secret of [
      hook.id,
      hook.publicId,
      hook.userId,
      hook.secret.slice(6),
      id,
      'canary',
      receiver.url,
    ])
      expect(text).not.toContain(secret);
  });

  it('are not served unless a port is set', async () => {
    const config = readConfig(configSchema, environment.settings);
    expect(config).not.toHaveProperty('METRICS_PORT');
    expect(config.METRICS_HOST).toBe('127.0.0.1');
  });
});
