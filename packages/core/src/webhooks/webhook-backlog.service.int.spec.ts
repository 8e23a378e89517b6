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

/** An event of `ageSeconds` ago; fanned out, where a position is given. */
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

/** A delivery; what is not said is as the database makes it. */
async function owe(eventId: string, columns: Record<string, string>): Promise<void> {
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
/** The database's clock has moved on by the time it is asked. */
const about = (seconds: number) => ({
  asymmetricMatch: (value: unknown) => Number(value) >= seconds && Number(value) < seconds + 30,
});

describe('the backlog of webhooks', () => {
  it('is nothing where nothing is owed, whatever was delivered, died or was discarded', async () => {
    expect(await backlog.read()).toEqual(NOTHING);
    const old = await event(90_000, 1);
    await fannedOut(1);
    for (const [run, status] of ['SUCCEEDED', 'FAILED', 'DEAD', 'DISCARDED'].entries())
      await owe(old, { status: `'${status}'`, run: String(run) });
    expect(await backlog.read()).toEqual(NOTHING);
  });

  it('tells what is due, parked, waiting and on its way, each delivery once', async () => {
    const of = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((position) => event(60, position)));
    await fannedOut(7);
    await owe(of[0]!, due(0));
    await owe(of[1]!, due(50));
    await owe(of[2]!, due(40, { is_parked: 'true' }));
    await owe(of[3]!, due(-600));
    await owe(of[4]!, sending(-45));
    await owe(of[5]!, sending(-45));
    await owe(of[6]!, sending(1));
    expect(await backlog.read()).toMatchObject({ due: 2, parked: 1, waiting: 1, sending: 2, overrun: 1 });
  });

  it('is as old as the oldest event that is owed, however it waits', async () => {
    const of = [];
    for (const [index, age] of [5_000, 4_000, 3_000, 2_000].entries()) of.push(await event(age, index + 1));
    await fannedOut(4);
    const ages = async () => (await backlog.read()).oldestUndeliveredAgeSeconds;
    await owe(of[3]!, due(0));
    expect(await ages()).toEqual(about(2_000));
    await owe(of[2]!, due(-300));
    expect(await ages()).toEqual(about(3_000));
    await owe(of[1]!, due(10, { is_parked: 'true' }));
    expect(await ages()).toEqual(about(4_000));
    await owe(of[0]!, sending(-45));
    expect(await ages()).toEqual(about(5_000));
    await event(6_000, null);
    expect(await ages()).toEqual(about(6_000));
  });

  it('counts a run that was asked for, and a test event, from when it was', async () => {
    const old = await event(90_000, 1);
    await fannedOut(1);
    await owe(old, due(0, { run: '1', created_at: ago(70) }));
    expect(await backlog.read()).toMatchObject({ oldestUndeliveredAgeSeconds: about(70) });
    await owe(newUuid(), sending(-45, { payload: "'{}'", created_at: ago(120) }));
    expect(await backlog.read()).toMatchObject({ oldestUndeliveredAgeSeconds: about(120) });
  });

  it('is overdue by the delivery that fell due first, a parked one too; one that is not due is not overdue', async () => {
    const of = await Promise.all([1, 2, 3].map((position) => event(9_000, position)));
    await fannedOut(3);
    await owe(of[0]!, due(-600));
    expect(await backlog.read()).toMatchObject({ oldestDueAgeSeconds: 0 });
    await owe(of[1]!, due(30));
    expect(await backlog.read()).toMatchObject({ oldestDueAgeSeconds: about(30) });
    await owe(of[2]!, due(200, { is_parked: 'true' }));
    expect(await backlog.read()).toMatchObject({ oldestDueAgeSeconds: about(200) });
  });

  it('tells the oldest event that is not fanned out, with a place in the order or without one', async () => {
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

  it('has everything before it where the fan-out never ran', async () => {
    await event(700, 1);
    expect(await backlog.read()).toMatchObject({
      oldestUnrelayedAgeSeconds: about(700),
      oldestUndeliveredAgeSeconds: about(700),
    });
  });
});
