/**
 * Provides the test environment of the dispatcher: a database, users with webhooks, events, and verifying receivers.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EventType, encodeId } from '@trading-automation/contracts';
import { openPlatform, type Platform } from '@trading-automation/core';
import { generateSealingKeyPair, Sealer } from '@trading-automation/core/sealing';
import { createCoreDatabase } from '@trading-automation/core/testing';
import { appendEvent, inTransaction, newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { Webhook } from 'standardwebhooks';

export interface WebhookFixture {
  readonly id: string;
  readonly publicId: string;
  readonly userId: string;
  readonly secret: string;
}

/** Creates a database and the settings of a dispatcher on it. */
export async function openTestEnvironment() {
  const database = await createCoreDatabase();
  const platform = await openPlatform({
    world: 'test',
    databaseUrl: database.url,
    applicationName: 'dispatcher-spec',
    onListenerError: () => undefined,
  });
  const keys = await generateSealingKeyPair();
  const sealer = await Sealer.for(keys);
  const settings = {
    WORLD: 'test',
    DATABASE_URL: database.url,
    REDIS_URL: process.env.TEST_REDIS_URL ?? '',
    WEBHOOK_OPENING_KEYS: `${keys.id}.${keys.privateKey}`,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    QUEUE_PREFIX: `spec-${randomBytes(6).toString('hex')}`,
    RETRY_DELAYS_MS: '20,30,40,50',
    SWEEP_MS: '200',
    LOG_LEVEL: 'fatal',
  };

  const query = (text: string, ...params: unknown[]): Promise<Record<string, unknown>[]> =>
    platform.database.query(text, params);

  async function addWebhook(
    url: string,
    options: { userId?: string; events?: string[]; isActive?: boolean } = {},
  ): Promise<WebhookFixture> {
    const { userId = await addUser(platform), events = ['*'], isActive = true } = options;
    const id = newUuid();
    const secret = `whsec_${createHash('sha256').update(id).digest('base64')}`;
    await platform.database.query(
      `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed, is_active)
       VALUES ($1, $2, $3, $4, '', $5, $6)`,
      [id, userId, url, events, await sealer.seal(secret, `webhook/${id}`), isActive],
    );
    return { id, publicId: encodeId('whk', id), userId, secret };
  }

  return {
    platform,
    sealer,
    settings,
    addWebhook,
    query,
    /** Changes the secret and the URL of a webhook. */
    async change({ id }: WebhookFixture, secret: string, url: string): Promise<void> {
      const sealed = await sealer.seal(secret, `webhook/${id}`);
      await platform.database.query('UPDATE webhooks SET secret_sealed = $2, url = $3 WHERE id = $1', [
        id,
        sealed,
        url,
      ]);
    },
    /** Resolves when every event has been fanned out, including the events of the dispatcher's own deactivations. */
    untilFannedOut: () =>
      eventually(async () => {
        const [row] = await query(
          `SELECT FROM outbox_progress, outbox_sequence WHERE consumer = 'webhook-dispatcher' AND position = last_position
             AND NOT EXISTS (SELECT FROM outbox_events WHERE position IS NULL)`,
        );
        return row;
      }),
    /** Stores one event and returns its UUID. */
    async emit(userId: string, type: EventType = 'trade.created', data: object = {}): Promise<string> {
      const id = newUuid();
      await inTransaction(platform.database, (tx) =>
        appendEvent(tx, { id, userId, type, payload: payloadOf(id, type, data) }),
      );
      return id;
    },
    async close() {
      await platform.close();
      await database.drop();
    },
  };
}
export type TestEnvironment = Awaited<ReturnType<typeof openTestEnvironment>>;

async function addUser(platform: Platform): Promise<string> {
  const id = newUuid();
  await platform.database.query('INSERT INTO users (id) VALUES ($1)', [id]);
  return id;
}

function payloadOf(id: string, type: EventType, data: object): Buffer {
  const timestamp = new Date().toISOString();
  return Buffer.from(JSON.stringify({ event_id: encodeId('evt', id), type, timestamp, data }));
}

interface Received {
  readonly webhookId: string;
  readonly eventId: string;
  readonly attempt: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** When the request arrived, in milliseconds of \`performance.now()\`. */
  readonly at: number;
}

type Respond = (received: Received, response: ServerResponse) => void;

/** Starts a receiver. The `standardwebhooks` library verifies every request. By default, the response is 200. */
export async function openReceiver(initialRespond: Respond = (_received, response) => void response.end()) {
  const received: Received[] = [];
  const rejected: unknown[] = [];
  const secrets = new Map<string, string>();
  let respond = initialRespond;
  const server = createServer(async (request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const { headers } = request;
    const webhookId = String(headers['x-svc-webhook-id']);
    try {
      new Webhook(secrets.get(webhookId) ?? '').verify(body, headers as Record<string, string>);
    } catch (error) {
      rejected.push(error);
    }
    const eventId = String(headers['webhook-id']);
    const attempt = Number(headers['x-svc-attempt']);
    const current = { webhookId, eventId, attempt, body, headers, at };
    received.push(current);
    respond(current, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    /** The errors of the library for requests with an invalid signature or body. */
    rejected,
    /** Sets the secrets with which the requests of these webhooks are verified. */
    verifyWith: (...webhooks: WebhookFixture[]) => {
      for (const { publicId, secret } of webhooks) secrets.set(publicId, secret);
    },
    /** Changes how the receiver responds to later requests. */
    respondWith: (next: Respond) => {
      respond = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type Receiver = Awaited<ReturnType<typeof openReceiver>>;
