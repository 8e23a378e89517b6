import { newUuid } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import { WebhookBacklog } from './webhook-backlog.service.js';

let env: CoreUnderTest;
let backlog: WebhookBacklog;
let webhookId: string;

beforeEach(async () => {
  env = await CoreUnderTest.open();
  backlog = new WebhookBacklog(env.platform);
  webhookId = newUuid();
  const { userId } = await env.actor();
  await env.rows(
    `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed)
     VALUES ($1, $2, 'https://example.com', '{*}', '', 'sealed')`,
    webhookId,
    userId,
  );
});
afterEach(() => env.close());

/** Inserts an event that is `ageSeconds` old. `position` is null for an event that the sequencer has not reached. */
async function insertEvent(ageSeconds: number, position: number | null): Promise<string> {
  const id = newUuid();
  await env.rows(
    `INSERT INTO outbox_events (id, user_id, type, payload, created_at, position)
     VALUES ($1, $1, 'trade.created', '', now() - $2 * interval '1 second', $3)`,
    id,
    ageSeconds,
    position,
  );
  return id;
}

/** Inserts a delivery. `columns` contains SQL expressions; omitted columns have the database's defaults. */
async function insertDelivery(eventId: string, columns: Record<string, string>): Promise<void> {
  const names = Object.keys(columns);
  await env.rows(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type${names.map((name) => `, ${name}`).join('')})
     SELECT $1, $2, $3, 'trade.created'${names.map((name) => `, ${columns[name]}`).join('')}`,
    newUuid(),
    webhookId,
    eventId,
  );
}

const ago = (seconds: number) => `now() - interval '${seconds} seconds'`;
/** The columns of a delivery that became due `seconds` ago; if `seconds` is negative, it becomes due later. */
const due = (seconds: number, more: Record<string, string> = {}) => ({
  status: "'DUE'",
  next_at: ago(seconds),
  ...more,
});
/** The columns of a delivery in flight whose lease ended `leaseEndedSeconds` ago; if negative, it is still valid. */
const sending = (leaseEndedSeconds: number, more: Record<string, string> = {}) => ({
  status: "'SENDING'",
  lease_id: 'gen_random_uuid()',
  lease_until: ago(leaseEndedSeconds),
  ...more,
});
const storeFanOutProgress = (position: number) =>
  env.rows("INSERT INTO outbox_progress VALUES ('webhook-dispatcher', $1)", position);
const EMPTY_BACKLOG = {
  due: 0,
  parked: 0,
  waiting: 0,
  sending: 0,
  overrun: 0,
  oldestUndeliveredAgeSeconds: 0,
  oldestDueAgeSeconds: 0,
  oldestUnrelayedAgeSeconds: 0,
};
/** Matches a duration of `seconds`, or up to 30 s more, because time passes before the query. */
const about = (seconds: number) => ({
  asymmetricMatch: (value: unknown) => Number(value) >= seconds && Number(value) < seconds + 30,
});

describe('the backlog of webhooks', () => {
  it('is empty if every delivery has ended: as SUCCEEDED, FAILED, DEAD or DISCARDED', async () => {
    expect(await backlog.read()).toEqual(EMPTY_BACKLOG);
    const old = await insertEvent(90_000, 1);
    await storeFanOutProgress(1);
    for (const [run, status] of ['SUCCEEDED', 'FAILED', 'DEAD', 'DISCARDED'].entries())
      await insertDelivery(old, { status: `'${status}'`, run: String(run) });
    expect(await backlog.read()).toEqual(EMPTY_BACKLOG);
  });

  it('counts each due, parked, waiting or in-flight delivery once', async () => {
    const eventIds = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((position) => insertEvent(60, position)));
    await storeFanOutProgress(7);
    await insertDelivery(eventIds[0]!, due(0));
    await insertDelivery(eventIds[1]!, due(50));
    await insertDelivery(eventIds[2]!, due(40, { is_parked: 'true' }));
    await insertDelivery(eventIds[3]!, due(-600));
    await insertDelivery(eventIds[4]!, sending(-45));
    await insertDelivery(eventIds[5]!, sending(-45));
    await insertDelivery(eventIds[6]!, sending(1));
    expect(await backlog.read()).toMatchObject({ due: 2, parked: 1, waiting: 1, sending: 2, overrun: 1 });
  });

  it('reports the age of the oldest undelivered event, whatever the state of its delivery', async () => {
    const eventIds = [];
    for (const [index, age] of [5_000, 4_000, 3_000, 2_000].entries())
      eventIds.push(await insertEvent(age, index + 1));
    await storeFanOutProgress(4);
    const oldestAge = async () => (await backlog.read()).oldestUndeliveredAgeSeconds;
    await insertDelivery(eventIds[3]!, due(0));
    expect(await oldestAge()).toEqual(about(2_000));
    await insertDelivery(eventIds[2]!, due(-300));
    expect(await oldestAge()).toEqual(about(3_000));
    await insertDelivery(eventIds[1]!, due(10, { is_parked: 'true' }));
    expect(await oldestAge()).toEqual(about(4_000));
    await insertDelivery(eventIds[0]!, sending(-45));
    expect(await oldestAge()).toEqual(about(5_000));
    await insertEvent(6_000, null);
    expect(await oldestAge()).toEqual(about(6_000));
  });

  it('measures the age of a replay or a test event from the time of its request', async () => {
    const old = await insertEvent(90_000, 1);
    await storeFanOutProgress(1);
    await insertDelivery(old, due(0, { run: '1', created_at: ago(70) }));
    expect(await backlog.read()).toMatchObject({ oldestUndeliveredAgeSeconds: about(70) });
    await insertDelivery(newUuid(), sending(-45, { payload: "'{}'", created_at: ago(120) }));
    expect(await backlog.read()).toMatchObject({ oldestUndeliveredAgeSeconds: about(120) });
  });

  it('reports the age of the delivery that became due first, even if it is parked, but ignores future deliveries', async () => {
    const eventIds = await Promise.all([1, 2, 3].map((position) => insertEvent(9_000, position)));
    await storeFanOutProgress(3);
    await insertDelivery(eventIds[0]!, due(-600));
    expect(await backlog.read()).toMatchObject({ oldestDueAgeSeconds: 0 });
    await insertDelivery(eventIds[1]!, due(30));
    expect(await backlog.read()).toMatchObject({ oldestDueAgeSeconds: about(30) });
    await insertDelivery(eventIds[2]!, due(200, { is_parked: 'true' }));
    expect(await backlog.read()).toMatchObject({ oldestDueAgeSeconds: about(200) });
  });

  it('reports the age of the oldest event that is not fanned out, with or without a position', async () => {
    await insertEvent(500, 1);
    await insertEvent(400, 2);
    await storeFanOutProgress(1);
    expect(await backlog.read()).toMatchObject({ oldestUnrelayedAgeSeconds: about(400) });
    await insertEvent(450, null);
    expect(await backlog.read()).toMatchObject({ oldestUnrelayedAgeSeconds: about(450) });
    await env.rows('UPDATE outbox_events SET position = 3 WHERE position IS NULL');
    await env.rows('UPDATE outbox_progress SET position = 3');
    expect(await backlog.read()).toMatchObject({ oldestUnrelayedAgeSeconds: 0 });
  });

  it('includes every event if the fan-out never ran', async () => {
    await insertEvent(700, 1);
    expect(await backlog.read()).toMatchObject({
      oldestUnrelayedAgeSeconds: about(700),
      oldestUndeliveredAgeSeconds: about(700),
    });
  });
});
