/**
 * Tests every operation that takes or calls a webhook URL, each with internal URLs: creating and changing a webhook, a
 * test event, a delivery, and the retry of a dead letter. For the last three, the URL is inserted into the table
 * directly, as if the check of the API had missed it. The canary listens on all addresses of this machine and must
 * count no connection. S1 to S10 are threats of docs/security/egress.md.
 */

import { createHash } from 'node:crypto';
import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { encodeId } from '@trading-automation/contracts';
import { OperationsModule, PlatformModule } from '@trading-automation/core';
import { Opener } from '@trading-automation/core/sealing';
import {
  DeadLettersService,
  WebhookSecrets,
  WebhooksModule,
  WebhooksService,
  WebhookTestsService,
} from '@trading-automation/core/webhooks';
import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { configSchema } from '../src/config.js';
import { OutboundClient } from '../src/delivery/outbound-client.js';
import { WebhookSender } from '../src/delivery/webhook-sender.js';
import { startDispatcher } from '../src/dispatcher.js';
import { ALL_ADDRESSES, type Canary, openCanary, openNameServer } from './network-fixtures.js';
import { actorOf } from './owner-api.js';
import { openTestEnvironment, type TestEnvironment, type WebhookFixture } from './test-environment.js';

@Module({})
class OwnerModule {}

const logger = createLogger('webhook-dispatcher', 'fatal');
let environment: TestEnvironment;
let canary: Canary;
let api: INestApplicationContext;
let webhooks: WebhooksService;
const running: { stop(): Promise<unknown> }[] = [];

beforeEach(async () => {
  environment = await openTestEnvironment();
  canary = await openCanary(ALL_ADDRESSES);
  const secrets: DynamicModule = {
    module: OwnerModule,
    global: true,
    providers: [{ provide: WebhookSecrets, useValue: new WebhookSecrets(environment.sealer, false) }],
    exports: [WebhookSecrets],
  };
  const serverKeys = [createHash('sha256').update('server key').digest()] as const;
  api = await NestFactory.createApplicationContext(
    {
      module: OwnerModule,
      imports: [
        PlatformModule.with(environment.platform),
        OperationsModule.with(environment.platform, serverKeys),
        secrets,
        WebhooksModule,
      ],
    },
    { logger: false, abortOnError: false },
  );
  webhooks = api.get(WebhooksService);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
  await api.close();
  await canary.close();
  await environment.close();
});

/** Starts a dispatcher that permits no internal address, as in production. */
async function start(): Promise<RunningProcess> {
  const config = readConfig(configSchema, { ...environment.settings, WEBHOOK_ALLOW_LOOPBACK: 'false' });
  const dispatcher = await startDispatcher(config, logger);
  running.push(dispatcher);
  return dispatcher;
}

/** List parameters for all items, oldest first. */
const ALL = { limit: 100, sort: 'created_at', order: 'asc', include: [] } as const;

/** Returns rows of threat id, URL and expected error code. `port` is the port of the canary. */
const threatUrls = (
  port: number,
): readonly (readonly [string, string, 'blocked_address' | 'invalid_url'])[] => [
  ['S1', `http://127.0.0.1:${port}/`, 'blocked_address'],
  ['S1', `http://10.0.0.1:${port}/`, 'blocked_address'],
  ['S1', 'http://169.254.169.254/latest/meta-data', 'blocked_address'],
  ['S1', `http://[::1]:${port}/`, 'blocked_address'],
  ['S1', 'http://[fd00:ec2::254]/latest/meta-data', 'blocked_address'],
  ['S2', `http://2130706433:${port}/`, 'blocked_address'],
  ['S2', `http://0x7f000001:${port}/`, 'blocked_address'],
  ['S2', `http://0177.0.0.1:${port}/`, 'blocked_address'],
  ['S2', `http://127.1:${port}/`, 'blocked_address'],
  ['S2', `http://0:${port}/`, 'blocked_address'],
  ['S2', `http://１２７.０.０.１:${port}/`, 'blocked_address'],
  ['S2', `http://①②⑦.0.0.1:${port}/`, 'blocked_address'],
  ['S2', `http://127.0.0.1.:${port}/`, 'blocked_address'],
  ['S2', `http://[::ffff:7f00:1]:${port}/`, 'blocked_address'],
  ['S2', `http://[64:ff9b::7f00:1]:${port}/`, 'blocked_address'],
  ['S4', `http://localhost:${port}/`, 'blocked_address'],
  ['S4', `http://canary.localhost:${port}/`, 'blocked_address'],
  ['S4', `http://db:${port}/`, 'blocked_address'],
  ['S4', 'http://metadata.google.internal/computeMetadata/v1/', 'blocked_address'],
  ['S9', 'gopher://127.0.0.1/', 'invalid_url'],
  ['S9', 'file:///etc/passwd', 'invalid_url'],
  ['S9', `http://a@127.0.0.1:${port}/`, 'invalid_url'],
  ['S9', `http://127.0.0.1:${port}#@example.com/`, 'invalid_url'],
  ['S9', `http://evil\\@127.0.0.1:${port}/`, 'blocked_address'],
  ['S9', `http://127.0.0.1:${port}\\@example.com/`, 'blocked_address'],
  ['S9', `http://12\t7.0.0.1:${port}/`, 'blocked_address'],
  ['S9', 'http://example.com:6379/', 'invalid_url'],
  ['S9', 'http://example.com:25/', 'invalid_url'],
];

/** Creates a webhook for each URL of `threatUrls`, all of one user, without checking the URL. */
async function storeUnchecked() {
  const rows: { name: string; hook: WebhookFixture; code: string }[] = [];
  for (const [id, url, code] of threatUrls(canary.port)) {
    const options = { events: ['trade.created'], ...(rows[0] && { userId: rows[0].hook.userId }) };
    rows.push({ name: `${id} ${url}`, hook: await environment.addWebhook(url, options), code });
  }
  return rows as [(typeof rows)[number], ...typeof rows];
}

const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'accepted',
    (error: { code?: string; details?: readonly { field: string; code: string }[] }) =>
      error.details?.map(({ field, code }) => `${error.code} ${field} ${code}`).join() ?? error,
  );
const expected = () =>
  threatUrls(canary.port).map(([id, url, code]) => [`${id} ${url}`, `validation_failed url ${code}`]);

describe('S1, S2, S4, S9: a URL that is internal or invalid', () => {
  it('cannot be the URL of a new webhook', async () => {
    const actor = actorOf(await environment.addWebhook('https://hooks.example.com/'));
    const results: unknown[] = [];
    for (const [id, url] of threatUrls(canary.port)) {
      const creation = webhooks.create(actor, { url, events: ['*'], description: '' });
      results.push([`${id} ${url}`, await errorOf(creation)]);
    }
    expect(results).toEqual(expected());
    expect((await webhooks.list(actor, ALL)).items).toHaveLength(1);
    expect(canary.connections).toBe(0);
  });

  it('cannot replace the URL of a webhook', async () => {
    const hook = await environment.addWebhook('https://hooks.example.com/');
    const results: unknown[] = [];
    for (const [id, url] of threatUrls(canary.port)) {
      results.push([`${id} ${url}`, await errorOf(webhooks.update(actorOf(hook), hook.publicId, { url }))]);
    }
    expect(results).toEqual(expected());
    expect((await webhooks.get(actorOf(hook), hook.publicId)).url).toBe('https://hooks.example.com/');
    expect(canary.connections).toBe(0);
  });

  it('is not called with a test event', async () => {
    const rows = await storeUnchecked();
    await start();
    const results: unknown[] = [];
    for (const { name, hook } of rows) {
      const { status, error, status_code, response_body } = await webhooks.test(actorOf(hook), hook.publicId);
      results.push([name, status, error, status_code, response_body]);
    }
    expect(results).toEqual(rows.map(({ name, code }) => [name, 'FAILED', code, undefined, null]));
    expect(canary.connections).toBe(0);
  });

  it('is called neither with an event nor for the retry of its dead letter, and no record shows its address', async () => {
    const rows = await storeUnchecked();
    const actor = actorOf(rows[0].hook);
    const deadLetters = api.get(DeadLettersService);
    await start();
    await environment.emit(actor.userId);
    const deadOf = async (run: number) => {
      const sql = `SELECT l.id, l.webhook_id, l.last_error_reason AS last_error FROM webhook_dead_letters l
         JOIN webhook_deliveries d ON d.id = l.id WHERE d.run = $1`;
      return eventually(async () => {
        const dead = await environment.query(sql, run);
        return dead.length === rows.length && new Map(dead.map((row) => [row.webhook_id, row]));
      });
    };
    const codesOf = (dead: Awaited<ReturnType<typeof deadOf>>) =>
      rows.map(({ name, hook }) => [name, dead.get(hook.id)?.last_error]);
    const first = await deadOf(0);
    expect(codesOf(first)).toEqual(rows.map(({ name, code }) => [name, code]));
    for (const { hook } of rows)
      await deadLetters.retry(actor, hook.publicId, encodeId('dlq', String(first.get(hook.id)?.id)));
    expect(codesOf(await deadOf(1))).toEqual(rows.map(({ name, code }) => [name, code]));
    for (const { name, hook, code } of rows) {
      const { items } = await webhooks.deliveries(actor, hook.publicId, ALL);
      expect([name, ...new Set(items.map(({ error }) => error))]).toEqual([name, code]);
      expect(items).toHaveLength(10);
      const dead = (await deadLetters.list(actor, hook.publicId, ALL)).items;
      // S10: the records show neither the URL nor its address. Ignore ids and times, which may contain any digits.
      const shown = JSON.stringify([items, dead], (name, value) => (/(?:id|_at)$/.test(name) ? null : value));
      expect(shown).not.toMatch(/127\.|10\.0|169\.254|::|localhost|7f00/);
    }
    expect(canary.connections).toBe(0);
  });
});

describe('S4, S10: a name that its name server resolves to an internal address', () => {
  it('is rejected when it is called, and the attempt does not show the address', async () => {
    const nameServer = await openNameServer(({ type }) => (type === 'A' ? ['127.0.0.1'] : []));
    running.push({ stop: () => nameServer.close() });
    const opener = await Opener.with(readConfig(configSchema, environment.settings).WEBHOOK_OPENING_KEYS);
    const client = new OutboundClient({
      allowLoopback: false,
      timeoutMs: 5_000,
      dnsServers: [nameServer.address],
    });
    const sender = new WebhookSender(opener, client, logger);
    const onError = (error: unknown) =>
      logger.error({ event: 'webhook_test.failed', err: error }, 'A test failed.');
    running.push(
      new WebhookTestsService(environment.platform).serve({ send: (event) => sender.send(event), onError }),
    );
    const hook = await environment.addWebhook(`http://127.0.0.1.nip.io:${canary.port}/hook`);
    const attempt = await webhooks.test(actorOf(hook), hook.publicId);
    expect(attempt).toMatchObject({ status: 'FAILED', error: 'blocked_address', response_body: null });
    expect(attempt.status_code).toBeUndefined();
    const { items } = await webhooks.deliveries(actorOf(hook), hook.publicId, ALL);
    expect(items).toEqual([attempt]);
    expect(JSON.stringify(attempt)).not.toContain('127.');
    expect(nameServer.questions).toHaveLength(2);
    expect(canary.connections).toBe(0);
  });
});
