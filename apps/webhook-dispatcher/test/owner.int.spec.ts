/** What an owner does through an API, as receivers see it. */
import { createHash } from 'node:crypto';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { encodeId } from '@trading-automation/contracts';
import { CoreModule } from '@trading-automation/core';
import {
  DeadLettersService,
  WebhookSecrets,
  WebhooksModule,
  WebhooksService,
} from '@trading-automation/core/webhooks';
import { newUuid } from '@trading-automation/persistence';
import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { configSchema } from '../src/config.js';
import { startDispatcher } from '../src/dispatcher.js';
import { type Hook, openReceiver, openWorld, type Receiver, until, type World } from './harness.js';

@Module({})
class OwnerModule {}

let world: World;
let receiver: Receiver;
let api: INestApplicationContext;
let running: RunningProcess[] = [];

beforeEach(async () => {
  world = await openWorld();
  receiver = await openReceiver();
  const secrets: DynamicModule = {
    module: OwnerModule,
    global: true,
    providers: [{ provide: WebhookSecrets, useValue: new WebhookSecrets(world.sealer, true) }],
    exports: [WebhookSecrets],
  };
  const core = CoreModule.forApi(world.platform, [createHash('sha256').update('server key').digest()]);
  api = await NestFactory.createApplicationContext(
    { module: OwnerModule, imports: [core, secrets, WebhooksModule] },
    { logger: false, abortOnError: false },
  );
});

afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
  running = [];
  await api.close();
  await receiver.close();
  await world.close();
});

async function start(settings: Record<string, string> = {}): Promise<void> {
  const config = readConfig(configSchema, { ...world.environment, ...settings });
  running.push(await startDispatcher(config, createLogger('webhook-dispatcher', 'fatal')));
}

const actorOf = ({ userId }: Hook) => ({
  userId,
  credential: { kind: 'api_key', id: newUuid(), permissions: ['ADMIN'] } as const,
});
const attempts = () =>
  world.query(
    `SELECT d.run, a.attempt, a.status FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
     ORDER BY d.run, a.attempt`,
  );
/** The ids of the pending dead letters, once there is one. */
const pending = () =>
  until(async () => {
    const [row] = await world.query("SELECT id FROM webhook_dead_letters WHERE status = 'PENDING'");
    return row === undefined ? undefined : encodeId('dlq', String(row.id));
  });

describe('a dead letter that is retried', () => {
  it('is sent again at once, with the same event id and bytes, and may fail all over as another one', async () => {
    receiver.answer((_received, response) => void response.writeHead(500).end());
    const hook = await world.addHook(receiver.url, { events: ['trade.*'] });
    receiver.trust(hook);
    // No sweep comes to help: the retry itself is what is heard.
    await start({ SWEEP_MS: '600000' });
    await world.emit(hook.userId, 'trade.created', { text: 'Zürich \u2028' });
    const letters = api.get(DeadLettersService);
    const first = await pending();
    await letters.retry(actorOf(hook), hook.publicId, first);
    const second = await pending();
    expect(second).not.toBe(first);
    receiver.answer((_received, response) => void response.end());
    // Ten failures with two dead letters among them have deactivated it.
    await expect(letters.retry(actorOf(hook), hook.publicId, second)).rejects.toMatchObject({
      details: [{ state: 'INACTIVE' }],
    });
    await api.get(WebhooksService).update(actorOf(hook), hook.publicId, { is_active: true });
    await letters.retry(actorOf(hook), hook.publicId, second);
    await until(async () => (await attempts()).length === 11);
    expect(await attempts()).toEqual([
      ...[1, 2, 3, 4, 5].map((attempt) => ({ run: 0, attempt, status: 'FAILED' })),
      ...[1, 2, 3, 4, 5].map((attempt) => ({ run: 1, attempt, status: 'FAILED' })),
      { run: 2, attempt: 1, status: 'SUCCEEDED' },
    ]);
    expect(receiver.refused).toEqual([]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(1);
    expect(receiver.received.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1]);
  });

  it('while no dispatcher ran is sent once when one does', async () => {
    receiver.answer((_received, response) => void response.writeHead(500).end());
    const hook = await world.addHook(receiver.url);
    receiver.trust(hook);
    await start();
    await world.emit(hook.userId);
    const id = await pending();
    await running.pop()?.stop();
    receiver.answer((_received, response) => void response.end());
    await api.get(DeadLettersService).retry(actorOf(hook), hook.publicId, id);
    await start();
    await until(async () => (await attempts()).length === 6);
    expect((await attempts()).at(-1)).toEqual({ run: 1, attempt: 1, status: 'SUCCEEDED' });
    expect(receiver.received).toHaveLength(6);
    expect(receiver.refused).toEqual([]);
  });
});

describe('a webhook whose secret is rotated and whose URL is changed while an attempt waits', () => {
  it('gets every later attempt there, signed with the new secret alone', async () => {
    const old = await openReceiver((_received, response) => void response.writeHead(500).end());
    receiver.answer((_received, response) => void response.writeHead(500).end());
    const hook = await world.addHook(old.url);
    old.trust(hook);
    await start({ RETRY_DELAYS_MS: '20,60000,20,20' });
    await world.emit(hook.userId);
    await until(async () => (await attempts()).length === 2);
    const webhooks = api.get(WebhooksService);
    const { secret } = await webhooks.rotateSecret(actorOf(hook), hook.publicId);
    await webhooks.update(actorOf(hook), hook.publicId, { url: receiver.url });
    receiver.trust({ ...hook, secret });
    await world.query("UPDATE webhook_deliveries SET next_at = now() - interval '1 minute'");
    await running.pop()?.stop();
    await start({ QUEUE_PREFIX: `${world.environment.QUEUE_PREFIX}-2` });
    await pending();
    expect(old.received.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(receiver.received.map(({ attempt }) => attempt)).toEqual([3, 4, 5]);
    expect([old.refused, receiver.refused]).toEqual([[], []]);
    await old.close();
  });
});
