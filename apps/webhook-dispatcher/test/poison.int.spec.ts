/** Tests the fault F19: an invalid or undeliverable event ends with a reason, and delays no other event. */

import { encodeId } from '@trading-automation/contracts';
import { generateSealingKeyPair, Sealer } from '@trading-automation/core/sealing';
import { appendEvent, inTransaction, newUuid } from '@trading-automation/persistence';
import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { configSchema } from '../src/config.js';
import { startDispatcher } from '../src/dispatcher.js';
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
let poisoned: WebhookFixture;
let healthy: WebhookFixture;
let running: RunningProcess[] = [];

beforeEach(async () => {
  environment = await openTestEnvironment();
  receiver = await openReceiver();
  poisoned = await environment.addWebhook(receiver.url, { events: ['trade.created'] });
  healthy = await environment.addWebhook(receiver.url, { userId: poisoned.userId, events: ['trade.filled'] });
  receiver.verifyWith(poisoned, healthy);
});
afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
  running = [];
  await receiver.close();
  await environment.close();
});

async function start(settings: Record<string, string> = {}): Promise<void> {
  const config = readConfig(configSchema, { ...environment.settings, ...settings });
  running.push(await startDispatcher(config, logger));
}

/** Stores an event with any payload and type, which nothing validates. */
async function emitRaw(
  payload: string | Buffer,
  { type = 'trade.created', userId = poisoned.userId }: { type?: string; userId?: string } = {},
): Promise<string> {
  const id = newUuid();
  const bytes = Buffer.from(payload);
  await inTransaction(environment.platform.database, (tx) =>
    appendEvent(tx, { id, userId, type, payload: bytes }),
  );
  return id;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const deliveriesOf = ({ id }: WebhookFixture) =>
  environment.query(
    `SELECT d.status, d.attempts, l.last_error FROM webhook_deliveries d LEFT JOIN webhook_dead_letters l ON l.id = d.id
     WHERE d.webhook_id = $1 ORDER BY d.event_id, d.run`,
    id,
  );
const untilEnded = (hook: WebhookFixture, deliveries: number) =>
  eventually(async () => {
    const rows = await deliveriesOf(hook);
    return (
      rows.length === deliveries &&
      rows.every(({ status }) => status !== 'DUE' && status !== 'SENDING') &&
      rows
    );
  });
const bodiesOf = ({ publicId }: WebhookFixture) =>
  receiver.received.filter(({ webhookId }) => webhookId === publicId).map(({ body }) => body);

/** Emits twenty more events of the same user, and expects that the first attempt of each succeeds. */
async function expectLaterEventsDelivered(): Promise<void> {
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => environment.emit(healthy.userId, 'trade.filled')),
  );
  expect(await untilEnded(healthy, 20)).toEqual(
    Array(20).fill({ status: 'SUCCEEDED', attempts: 1, last_error: null }),
  );
  const received = receiver.received.filter(({ webhookId }) => webhookId === healthy.publicId);
  expect(received.map(({ eventId }) => eventId).sort()).toEqual(ids.map((id) => encodeId('evt', id)).sort());
}

describe('F19: a payload', () => {
  it.each([
    ['of 300 KiB', JSON.stringify({ data: 'x'.repeat(300 * 1024) })],
    ['with U+0000, raw and escaped', '{"data":"\u0000 \\u0000"}'],
    ['with half a surrogate pair', '{"data":"\\ud800"}'],
    ['with line breaks that look like the end of headers', '{"data":"\r\nx-evil: 1\r\n\r\n"}'],
    ['that is empty', ''],
    ['that is not JSON', 'not { json'],
  ])('%s is delivered unchanged and signed, and delays no other event', async (_payload, payload) => {
    await start();
    await emitRaw(payload);
    await expectLaterEventsDelivered();
    expect(await untilEnded(poisoned, 1)).toEqual([{ status: 'SUCCEEDED', attempts: 1, last_error: null }]);
    expect(bodiesOf(poisoned)).toEqual([payload]);
    // The library parses a verified body as JSON, so it rejects an invalid one only for its syntax.
    expect(receiver.rejected).toEqual(
      isJson(payload) || payload === '' ? [] : [expect.objectContaining({ name: 'SyntaxError' })],
    );
  });

  it('that is not text becomes a dead letter with the reason after five attempts if the receiver rejects it', async () => {
    receiver.respondWith(({ webhookId }, response) => {
      response.writeHead(webhookId === poisoned.publicId ? 400 : 200).end('\u0000\ud800');
    });
    await start();
    await emitRaw(Buffer.from([0xff, 0xfe, 0x00, 0xed, 0xa0, 0x80]));
    await expectLaterEventsDelivered();
    expect(await untilEnded(poisoned, 1)).toEqual([
      { status: 'DEAD', attempts: 5, last_error: 'http_status' },
    ]);
  });
});

describe('F19: an event', () => {
  it('whose type contains line breaks is delivered, and its type is in no header', async () => {
    await environment.query("UPDATE webhooks SET events = '{*}' WHERE id = $1", poisoned.id);
    await start();
    await emitRaw('{"data":1}', { type: 'trade.created\r\nx-evil: 1' });
    await expectLaterEventsDelivered();
    await eventually(() => bodiesOf(poisoned).includes('{"data":1}'));
    for (const { headers } of receiver.received) expect(JSON.stringify(headers)).not.toContain('evil');
    expect(receiver.rejected).toEqual([]);
  });

  it('of an unknown user has no delivery, and the fan-out continues', async () => {
    await start();
    await emitRaw('{"data":1}', { userId: newUuid() });
    await expectLaterEventsDelivered();
    expect(await deliveriesOf(poisoned)).toEqual([]);
  });

  it('cannot be deleted while it is undelivered, nor can its user or its payload', async () => {
    receiver.respondWith((_received, response) => void response.writeHead(500).end());
    await start({ RETRY_DELAYS_MS: '600000,20,20,20' });
    const id = await emitRaw('{"data":1}');
    await eventually(async () => (await environment.query('SELECT FROM webhook_attempts')).length === 1);
    await expect(environment.query('DELETE FROM users WHERE id = $1', poisoned.userId)).rejects.toMatchObject(
      {
        code: '23503',
      },
    );
    await expect(environment.query('DELETE FROM outbox_events WHERE id = $1', id)).rejects.toMatchObject({
      code: '23503',
    });
    await expect(
      environment.query('UPDATE outbox_events SET payload = NULL WHERE id = $1', id),
    ).rejects.toMatchObject({ code: '23502' });
  });

  it('whose row is missing becomes a dead letter after five attempts, and delays no other event', async () => {
    // Simulate a backup from which only some tables were restored.
    await environment.query(
      'ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_outbox_event_id_fkey',
    );
    receiver.respondWith((_received, response) => void response.writeHead(500).end());
    await start({ RETRY_DELAYS_MS: '300,20,20,20', ATTEMPT_TIMEOUT_MS: '200', LEASE_MS: '300' });
    const id = await emitRaw('{"data":1}');
    await eventually(async () => (await environment.query('SELECT FROM webhook_attempts')).length === 1);
    await environment.query('DELETE FROM outbox_events WHERE id = $1', id);
    receiver.respondWith((_received, response) => void response.end());
    await expectLaterEventsDelivered();
    expect(await untilEnded(poisoned, 1)).toEqual([{ status: 'DEAD', attempts: 5, last_error: 'internal' }]);
    expect(bodiesOf(poisoned)).toEqual(['{"data":1}']);
  });

  it('whose attempt was claimed by ten dispatchers that all died is not sent again; the attempt counts as failed', async () => {
    await environment.query("UPDATE webhooks SET events = '{reward.granted}' WHERE id = $1", poisoned.id);
    const id = await emitRaw('{"data":1}');
    // Ten dispatchers have claimed the attempt, and each died before it recorded a result.
    await environment.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, lease_id, lease_until, claims)
       VALUES ($1, $2, $3, 'trade.created', 'SENDING', $1, now() - interval '1 second', 10)`,
      newUuid(),
      poisoned.id,
      id,
    );
    await start({ RETRY_DELAYS_MS: '600000,20,20,20' });
    await expectLaterEventsDelivered();
    await eventually(async () => (await deliveriesOf(poisoned))[0]?.attempts === 1);
    expect(
      await environment.query(
        'SELECT status, error FROM webhook_attempts WHERE webhook_id = $1',
        poisoned.id,
      ),
    ).toEqual([{ status: 'FAILED', error: 'internal' }]);
    expect(bodiesOf(poisoned)).toEqual([]);
  });
});

describe('F19: a webhook', () => {
  it('whose secret cannot be opened receives nothing; its delivery becomes a dead letter and delays no other', async () => {
    const otherSealer = await Sealer.for(await generateSealingKeyPair());
    const sealed = await otherSealer.seal(poisoned.secret, `webhook/${poisoned.id}`);
    await environment.query('UPDATE webhooks SET secret_sealed = $2 WHERE id = $1', poisoned.id, sealed);
    await start();
    await environment.emit(poisoned.userId);
    await expectLaterEventsDelivered();
    expect(await untilEnded(poisoned, 1)).toEqual([{ status: 'DEAD', attempts: 5, last_error: 'internal' }]);
    expect(bodiesOf(poisoned)).toEqual([]);
  });

  it('with the sealed secret of another webhook receives nothing, because that secret cannot be opened for it', async () => {
    await environment.query(
      'UPDATE webhooks SET secret_sealed = (SELECT secret_sealed FROM webhooks WHERE id = $2) WHERE id = $1',
      poisoned.id,
      healthy.id,
    );
    await start();
    await environment.emit(poisoned.userId);
    await expectLaterEventsDelivered();
    expect(await untilEnded(poisoned, 1)).toEqual([{ status: 'DEAD', attempts: 5, last_error: 'internal' }]);
    expect(bodiesOf(poisoned)).toEqual([]);
  });

  it('whose stored URL is invalid or internal receives nothing; its delivery becomes a dead letter', async () => {
    const other = await environment.addWebhook('https://10.0.0.1/', {
      userId: poisoned.userId,
      events: ['trade.created'],
    });
    await environment.query("UPDATE webhooks SET url = 'no url' WHERE id = $1", poisoned.id);
    await start();
    await environment.emit(poisoned.userId);
    await expectLaterEventsDelivered();
    expect(await untilEnded(poisoned, 1)).toEqual([
      { status: 'DEAD', attempts: 5, last_error: 'invalid_url' },
    ]);
    expect(await untilEnded(other, 1)).toEqual([
      { status: 'DEAD', attempts: 5, last_error: 'blocked_address' },
    ]);
  });

  it('that was deleted before the first attempts receives nothing; its deliveries are discarded', async () => {
    for (let i = 0; i < 5; i++) await environment.emit(poisoned.userId);
    // Create the deliveries, then delete the webhook before the first attempt.
    await environment.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at)
       SELECT gen_random_uuid(), $1, id, type, 'DUE', now() FROM outbox_events`,
      poisoned.id,
    );
    await environment.query(
      'UPDATE webhooks SET is_active = false, deleted_at = now(), secret_sealed = NULL WHERE id = $1',
      poisoned.id,
    );
    await start();
    await expectLaterEventsDelivered();
    expect(await untilEnded(poisoned, 5)).toEqual(
      Array(5).fill({ status: 'DISCARDED', attempts: 0, last_error: null }),
    );
    expect(bodiesOf(poisoned)).toEqual([]);
  });
});
