import {
  type EventType,
  encodeId,
  NOTIFICATION_MAILS_PER_DAY,
  NOTIFICATIONS_SETTING,
} from '@trading-automation/contracts';
import { appendEvent, inTransaction, newUuid } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import { NotificationRelay } from './notification-relay.service.js';

let core: CoreUnderTest;
let relay: NotificationRelay;
let userId: string;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  relay = new NotificationRelay(core.platform);
});
afterAll(() => core.close());
beforeEach(async () => {
  await core.rows('DELETE FROM mails');
  ({ userId } = await core.actor());
  await setAddress('owner@example.com');
});

const setAddress = (email: string | null, isVerified = true) =>
  core.rows(
    'UPDATE users SET email = $2, email_verified_at = CASE WHEN $3 THEN now() END WHERE id = $1',
    userId,
    email,
    isVerified,
  );
const setPreferences = (value: unknown) =>
  core.rows(
    `INSERT INTO settings (id, user_id, key, value) VALUES (gen_random_uuid(), $1, $2, $3)
     ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value`,
    userId,
    NOTIFICATIONS_SETTING,
    JSON.stringify(value),
  );
async function emit(type: EventType, data: object = { id: 'x_1' }): Promise<string> {
  const id = newUuid();
  const payload = Buffer.from(JSON.stringify({ event_id: encodeId('evt', id), type, data }));
  await inTransaction(core.platform.database, (tx) => appendEvent(tx, { id, userId, type, payload }));
  return id;
}
const mails = () => core.rows('SELECT recipient, subject, body, event_id FROM mails ORDER BY created_at, id');
const notificationKinds = async () =>
  (await core.rows('SELECT kind FROM notifications WHERE user_id = $1 ORDER BY created_at', userId)).map(
    ({ kind }) => kind,
  );
const advanceOneDay = () => core.rows("UPDATE mail_allowances SET since = since - interval '1 day'");

/**
 * Inserts a webhook with attempts of these HTTP statuses and `waiting` dead letters. Returns the record of its
 * deactivation event.
 */
async function insertFailingWebhook(statuses: readonly number[], waiting: number) {
  const id = newUuid();
  await core.rows(
    `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed)
     VALUES ($1, $2, 'https://example.com/hook', '{*}', '', 'sealed')`,
    id,
    userId,
  );
  const deliver = async (status: string) => {
    const deliveryId = newUuid();
    await core.rows(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, payload, status)
       VALUES ($1, $2, gen_random_uuid(), 'trade.filled', '', $3)`,
      deliveryId,
      id,
      status,
    );
    return deliveryId;
  };
  for (const [index, status] of statuses.entries()) {
    await core.rows(
      `INSERT INTO webhook_attempts (id, delivery_id, webhook_id, attempt, status, status_code, error,
         response_time_ms, attempted_at)
       VALUES (gen_random_uuid(), $1, $2, 1, $3, $4, $5, 1, timestamptz '2026-01-01T00:00:00Z' + $6 * interval '1 minute')`,
      await deliver(status === 200 ? 'SUCCEEDED' : 'DEAD'),
      id,
      status === 200 ? 'SUCCEEDED' : 'FAILED',
      status,
      status === 200 ? null : 'http_status',
      index,
    );
  }
  for (let n = 0; n < waiting; n++) {
    await core.rows(
      `INSERT INTO webhook_dead_letters (id, webhook_id, event_type, attempts) VALUES ($1, $2, 'trade.filled', 5)`,
      await deliver('DEAD'),
      id,
    );
  }
  return { id: encodeId('whk', id), url: 'https://example.com/hook?key=s3cret', consecutive_failures: 3 };
}

describe('mail about events', () => {
  it('reports a deactivation once, with the failures of the webhook', async () => {
    const webhook = await insertFailingWebhook([500, 200, 502, 503, 504], 4);
    const eventId = await emit('webhook.deactivated', webhook);
    await relay.drain();
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ recipient: 'owner@example.com', event_id: eventId });
    expect(mail?.body).toContain('3 attempts in a row, since 2026-01-01T00:02:00.000Z\n');
    expect(mail?.body).toContain('2026-01-01T00:04:00.000Z: HTTP 504\n');
    expect(mail?.body).toContain('4 deliveries, in its dead letters\n');
    expect(JSON.stringify(mail)).not.toContain('s3cret');
    expect(await notificationKinds()).toEqual(['webhook.deactivated']);
  });

  it('T15: reports a thousand deactivations of one webhook once a day, and counts another webhook separately', async () => {
    const webhook = await insertFailingWebhook([503], 1);
    const other = await insertFailingWebhook([503], 1);
    for (let n = 0; n < 500; n++) await emit('webhook.deactivated', webhook);
    const platforms = await Promise.all([core.openSecondPlatform(), core.openSecondPlatform()]);
    const relays = [relay, ...platforms.map((platform) => new NotificationRelay(platform))];
    const draining = Promise.all(relays.map((oneRelay) => oneRelay.drain()));
    for (let n = 0; n < 500; n++) await emit('webhook.deactivated', webhook);
    await draining;
    await emit('webhook.deactivated', other);
    await relay.drain();
    expect((await mails()).map(({ body }) => /whk_\w+/.exec(String(body))?.[0])).toEqual([
      webhook.id,
      other.id,
    ]);
    expect(await notificationKinds()).toHaveLength(1_001);
    await advanceOneDay();
    await emit('webhook.deactivated', webhook);
    await emit('webhook.deactivated', webhook);
    await relay.drain();
    expect(await mails()).toHaveLength(3);
  });

  it('goes only to a verified address', async () => {
    for (const email of ['new@example.com', null]) {
      await setAddress(email, false);
      await emit('key.created');
      await relay.drain();
    }
    await core.rows("UPDATE users SET pending_email = 'new@example.com' WHERE id = $1", userId);
    await emit('key.created');
    await relay.drain();
    expect(await mails()).toEqual([]);
    expect(await notificationKinds()).toHaveLength(3);
    expect(await core.rows('SELECT FROM mail_allowances WHERE user_id = $1', userId)).toEqual([]);
  });

  it('is limited to ten per type and day; the tenth mail says so, and the product still shows all events', async () => {
    const count = NOTIFICATION_MAILS_PER_DAY + 3;
    for (let n = 0; n < count; n++) {
      await emit('withdrawal.failed', { id: `wdr_${n}` });
      if (n % 4 === 0) await relay.drain();
    }
    await emit('key.created');
    await relay.drain();
    const bodies = (await mails()).map(({ body }) => String(body));
    expect(bodies.map((body) => /wdr_\d+/.exec(body)?.[0] ?? 'key')).toEqual([
      ...Array.from({ length: NOTIFICATION_MAILS_PER_DAY }, (_, n) => `wdr_${n}`),
      'key',
    ]);
    const last = bodies.filter((body) => body.includes('is reached. Until tomorrow'));
    expect(last).toEqual([bodies[NOTIFICATION_MAILS_PER_DAY - 1]]);
    expect(await notificationKinds()).toHaveLength(count + 1);
  });

  it('follows changed preferences of its recipient from the next event on', async () => {
    const subjectsFor = async (...types: EventType[]) => {
      const id = encodeId('whk', newUuid());
      for (const type of types) await emit(type, { id });
      await relay.drain();
      const subjects = (await mails()).map(({ subject }) => subject);
      await core.rows('DELETE FROM mails');
      return subjects;
    };
    const all = ['trade.filled', 'webhook.deactivated', 'key.created'] as const;
    expect(await subjectsFor(...all)).toEqual(['A webhook was deactivated', 'API key created']);
    await advanceOneDay();
    await setPreferences({
      in_app: { '*': false },
      email: { 'trade.*': true, 'webhook.deactivated': false },
    });
    expect(await subjectsFor(...all)).toEqual(['Trade filled', 'API key created']);
    await setPreferences({ email: { '*': false } });
    expect(await subjectsFor(...all)).toEqual(['API key created']);
    expect(await notificationKinds()).toEqual([...all, 'key.created', ...all]);
  });

  it('uses the defaults if an older setting is not a valid preference', async () => {
    for (const value of ['off', null, { email: { 'trade.filled': 'always' } }]) {
      await setPreferences(value);
      await emit('trade.filled');
      await emit('exchange.credentials_rejected');
    }
    await relay.drain();
    expect((await mails()).map(({ subject }) => subject)).toEqual(
      Array(3).fill('Exchange rejected the credentials'),
    );
    expect(await notificationKinds()).toHaveLength(6);
  });

  it('reports an event once, even if it is relayed again', async () => {
    await emit('key.created');
    await relay.drain();
    await advanceOneDay();
    await core.rows("UPDATE outbox_progress SET position = 0 WHERE consumer = 'notifications'");
    await relay.drain();
    const mailCount = (await core.rows('SELECT FROM mails WHERE user_id = $1', userId)).length;
    expect(mailCount).toBe(1);
  });

  it('is not sent about an event that is four days old, which the product still shows', async () => {
    const id = await emit('key.created');
    await core.rows("UPDATE outbox_events SET created_at = created_at - interval '4 days' WHERE id = $1", id);
    await relay.drain();
    expect(await mails()).toEqual([]);
    expect(await notificationKinds()).toEqual(['key.created']);
  });

  it('is also sent about events with malformed records', async () => {
    for (const data of [
      { id: 'whk_1' },
      { id: 'nonsense', url: 7, consecutive_failures: 'many' },
      { id: encodeId('whk', newUuid()), url: '\u0000', consecutive_failures: 1.5 },
      { id: encodeId('whk', newUuid()), consecutive_failures: 9e300 },
    ]) {
      await emit('webhook.deactivated', data);
    }
    await relay.drain();
    expect(await mails()).toHaveLength(4);
  });
});
