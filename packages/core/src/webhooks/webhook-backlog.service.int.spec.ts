import { newUuid } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import { WebhookBacklog } from './webhook-backlog.service.js';

let the: CoreUnderTest;
let backlog: WebhookBacklog;
let webhookId: string;

beforeEach(async () => {
  the = await CoreUnderTest.open();
  backlog = new WebhookBacklog(the.platform);
  webhookId = newUuid();
  const { userId } = await the.actor();
  await the.rows(
    `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed)
     VALUES ($1, $2, 'https://example.com', '{*}', '', 'sealed')`,
    webhookId,
    userId,
  );
});
afterEach(() => the.close());

/** Inserts an event that is `ageSeconds` old; it is fanned out if it has a position. */
async function event(ageSeconds: number, position: number | null): Promise<string> {
  const id = newUuid();
  await the.rows(
    `INSERT INTO outbox_events (id, user_id, type, payload, created_at, position)
     VALUES ($1, $1, 'trade.created', '', now() - $2 * interval '1 second', $3)`,
    id,
    ageSeconds,
    position,
  );
  return id;
}

/** Inserts a delivery; omitted columns have the database's defaults. */
async function insertDelivery(eventId: string, columns: Record<string, string>): Promise<void> {
  const names = Object.keys(columns);
  await the.rows(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type${names.map((name) => `, ${name}`).join('')})
     SELECT $1, $2, $3, 'trade.created'${names.map((name) => `, ${columns[name]}`).join('')}`,
    newUuid(),
    webhookId,
    eventId,
  );
}

const ago = (seconds: number) => `now() - interval '${seconds} seconds'`;
const due = (seconds: number, more: Record<string, string> = {}) => ({
  status: "'DUE'",
  next_at: ago(seconds),
  ...more,
});
const sending = (leaseEndedSeconds: number, more: Record<string, string> = {}) => ({
  status: "'SENDING'",
  lease_id: 'gen_random_uuid()',
  lease_until: ago(leaseEndedSeconds),
  ...more,
});
const fannedOut = (position: number) =>
  the.rows("INSERT INTO outbox_progress VALUES ('webhook-dispatcher', $1)", position);
const NOTHING = {
  due: 0,
  parked: 0,
  waiting: 0,
  sending: 0,
  overrun: 0,
  oldestUndeliveredAgeSeconds: 0,
  oldestDueAgeSeconds: 0,
  oldestUnrelayedAgeSeconds: 0,
};
/** Allows for the time that has passed on the database's clock. */
const about = (seconds: number) => ({
  asymmetricMatch: (value: unknown) => Number(value) >= seconds && Number(value) < seconds + 30,
});

describe('the backlog of webhooks', () => {
  it('is empty if nothing is undelivered, whatever was delivered, died or was discarded', async () => {
    expect(await backlog.read()).toEqual(NOTHING);
    const old = await event(90_000, 1);
    await fannedOut(1);
    for (const [run, status] of ['SUCCEEDED', 'FAILED', 'DEAD', 'DISCARDED'].entries())
      await insertDelivery(old, { status: `'${status}'`, run: String(run) });
    expect(await backlog.read()).toEqual(NOTHING);
  });

  it('counts due, parked, waiting and in-flight deliveries, each once', async () => {
    const of = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((position) => event(60, position)));
    await fannedOut(7);
    await insertDelivery(of[0]!, due(0));
    await insertDelivery(of[1]!, due(50));
    await insertDelivery(of[2]!, due(40, { is_parked: 'true' }));
    await insertDelivery(of[3]!, due(-600));
    await insertDelivery(of[4]!, sending(-45));
    await insertDelivery(of[5]!, sending(-45));
    await insertDelivery(of[6]!, sending(1));
    expect(await backlog.read()).toMatchObject({ due: 2, parked: 1, waiting: 1, sending: 2, overrun: 1 });
  });

  it('is as old as the oldest undelivered event, in any state', async () => {
    const of = [];
    for (const [index, age] of [5_000, 4_000, 3_000, 2_000].entries()) of.push(await event(age, index + 1));
    await fannedOut(4);
    const ages = async () => (await backlog.read()).oldestUndeliveredAgeSeconds;
    await insertDelivery(of[3]!, due(0));
    expect(await ages()).toEqual(about(2_000));
    await insertDelivery(of[2]!, due(-300));
    expect(await ages()).toEqual(about(3_000));
    await insertDelivery(of[1]!, due(10, { is_parked: 'true' }));
    expect(await ages()).toEqual(about(4_000));
    await insertDelivery(of[0]!, sending(-45));
    expect(await ages()).toEqual(about(5_000));
    await event(6_000, null);
    expect(await ages()).toEqual(about(6_000));
  });

  it('measures a requested run and a test event from the request', async () => {
    const old = await event(90_000, 1);
    await fannedOut(1);
    await insertDelivery(old, due(0, { run: '1', created_at: ago(70) }));
    expect(await backlog.read()).toMatchObject({ oldestUndeliveredAgeSeconds: about(70) });
    await insertDelivery(newUuid(), sending(-45, { payload: "'{}'", created_at: ago(120) }));
    expect(await backlog.read()).toMatchObject({ oldestUndeliveredAgeSeconds: about(120) });
  });

  it('is overdue by the delivery that was due first, parked or not; a future one does not count', async () => {
    const of = await Promise.all([1, 2, 3].map((position) => event(9_000, position)));
    await fannedOut(3);
    await insertDelivery(of[0]!, due(-600));
    expect(await backlog.read()).toMatchObject({ oldestDueAgeSeconds: 0 });
    await insertDelivery(of[1]!, due(30));
    expect(await backlog.read()).toMatchObject({ oldestDueAgeSeconds: about(30) });
    await insertDelivery(of[2]!, due(200, { is_parked: 'true' }));
    expect(await backlog.read()).toMatchObject({ oldestDueAgeSeconds: about(200) });
  });

  it('reports the oldest event that is not fanned out, with or without a position', async () => {
    await event(500, 1);
    await event(400, 2);
    await fannedOut(1);
    expect(await backlog.read()).toMatchObject({ oldestUnrelayedAgeSeconds: about(400) });
    await event(450, null);
    expect(await backlog.read()).toMatchObject({ oldestUnrelayedAgeSeconds: about(450) });
    await the.rows('UPDATE outbox_events SET position = 3 WHERE position IS NULL');
    await the.rows('UPDATE outbox_progress SET position = 3');
    expect(await backlog.read()).toMatchObject({ oldestUnrelayedAgeSeconds: 0 });
  });

  it('contains every event if the fan-out never ran', async () => {
    await event(700, 1);
    expect(await backlog.read()).toMatchObject({
      oldestUnrelayedAgeSeconds: about(700),
      oldestUndeliveredAgeSeconds: about(700),
    });
  });
});
