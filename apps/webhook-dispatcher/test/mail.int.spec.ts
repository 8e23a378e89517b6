import { queueMail } from '@trading-automation/core/mail';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { configSchema } from '../src/config.js';
import { startDispatcher } from '../src/dispatcher.js';
import { type MailServer, openMailServer } from './mail-server.js';
import {
  openReceiver,
  openTestEnvironment,
  type Receiver,
  type TestEnvironment,
} from './test-environment.js';

let environment: TestEnvironment;
let receiver: Receiver;
let userId: string;
const running: RunningProcess[] = [];
const servers: MailServer[] = [];
let log: { msg: string }[] = [];

beforeEach(async () => {
  environment = await openTestEnvironment();
  receiver = await openReceiver();
  userId = newUuid();
  await environment.query('INSERT INTO users (id) VALUES ($1)', userId);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
  await Promise.all(servers.splice(0).map((each) => each.close()));
  await receiver.close();
  await environment.close();
  log = [];
});

async function startServer(...options: Parameters<typeof openMailServer>): Promise<MailServer> {
  const server = await openMailServer(...options);
  servers.push(server);
  return server;
}
async function start(port: number | undefined, settings: Record<string, string> = {}): Promise<void> {
  const mail =
    port === undefined
      ? {}
      : { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Trading <no-reply@example.org>' };
  const config = readConfig(configSchema, {
    ...environment.settings,
    MAIL_POLL_MS: '50',
    ...mail,
    ...settings,
  });
  const logger = createLogger('webhook-dispatcher', 'info', {
    write: (line) => void log.push(JSON.parse(line)),
  });
  running.push(await startDispatcher(config, logger));
}
const stop = () => Promise.all(running.splice(0).map((each) => each.stop()));
const queue = (to: string) =>
  inTransaction(environment.platform.database, (tx) =>
    queueMail(tx, { userId, to, subject: 'Hello', text: 'Hi.\n' }),
  );
const recipientsOf = ({ received }: MailServer) => received.flatMap(({ recipients }) => recipients).sort();
const addresses = (count: number) => Array.from({ length: count }, (_, n) => `reader${n}@example.com`).sort();
const untilSent = (count: number) =>
  eventually(
    async () => (await environment.query('SELECT FROM mails WHERE sent_at IS NOT NULL')).length === count,
  );

describe('queued mail', () => {
  it('is sent only once while two dispatchers run, whether it was queued before or after their start', async () => {
    const server = await startServer();
    const readers = addresses(12);
    for (const to of readers.slice(0, 6)) await queue(to);
    await start(server.port);
    await start(server.port);
    for (const to of readers.slice(6)) await queue(to);
    await untilSent(12);
    await stop();
    expect(recipientsOf(server)).toEqual(readers);
    expect(await environment.query('SELECT FROM mails WHERE body IS NOT NULL')).toEqual([]);
  });

  it('waits while SMTP_URL is not set, which is logged once, and is sent after SMTP_URL was set', async () => {
    await queue('reader@example.com');
    await start(undefined);
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await environment.emit(hook.userId);
    await eventually(() => receiver.received.length === 1);
    await stop();
    expect(log.filter(({ msg }) => msg.includes('SMTP_URL'))).toHaveLength(1);
    expect(await environment.query('SELECT claims FROM mails')).toEqual([{ claims: 0 }]);
    const server = await startServer();
    await start(server.port);
    await untilSent(1);
    expect(recipientsOf(server)).toEqual(['reader@example.com']);
  });

  it('waits while the mail server is unavailable, and is sent once it is available again', async () => {
    const stopped = await openMailServer();
    await stopped.close();
    await queue('reader@example.com');
    await start(stopped.port);
    await eventually(
      async () => (await environment.query('SELECT FROM mails WHERE last_error IS NOT NULL')).length === 1,
    );
    expect(await environment.query('SELECT attempts, failed_at FROM mails')).toEqual([
      { attempts: 0, failed_at: null },
    ]);
    const server = await startServer({}, stopped.port);
    await environment.query('UPDATE mails SET next_at = clock_timestamp()');
    await untilSent(1);
    expect(recipientsOf(server)).toEqual(['reader@example.com']);
  });

  it('delays no webhook while the mail server does not respond', async () => {
    const server = await startServer({ onData: (stream) => void stream.resume() });
    for (const to of addresses(6)) await queue(to);
    await start(server.port, { MAIL_TIMEOUT_MS: '1000' });
    await eventually(
      async () => (await environment.query('SELECT FROM mails WHERE claims > 0')).length === 2,
    );
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    for (let n = 0; n < 20; n++) await environment.emit(hook.userId);
    await eventually(() => receiver.received.length === 20);
    expect(await environment.query('SELECT FROM mails WHERE sent_at IS NOT NULL')).toEqual([]);
  });

  it('is sent again with the same Message-ID if the dispatcher that claimed it died', async () => {
    const server = await startServer();
    await queue('reader@example.com');
    // Claim the mail as a dispatcher that then dies.
    await environment.query(
      "UPDATE mails SET claims = 1, next_at = clock_timestamp() + interval '300 milliseconds'",
    );
    await start(server.port);
    await untilSent(1);
    const [mail] = await environment.query('SELECT id, claims FROM mails');
    expect(mail).toMatchObject({ claims: 2 });
    expect(server.received[0]?.raw).toContain(`Message-ID: <${String(mail?.id)}@example.org>`);
  });
});

describe('an event', () => {
  it('of a notified type becomes one notification, even if it is emitted while no dispatcher runs; others become none', async () => {
    await start(undefined);
    await environment.emit(userId, 'trade.failed', { id: 'trd_1', symbol: 'BTC/USDT' });
    await environment.emit(userId, 'trade.created', { id: 'trd_1' });
    const notifications = () => environment.query('SELECT kind, severity, resource_id FROM notifications');
    await eventually(async () => (await notifications()).length > 0);
    await stop();
    await environment.emit(userId, 'reward.granted', { id: 'rwd_1' });
    await start(undefined);
    await eventually(async () => (await notifications()).length === 2);
    expect(await notifications()).toEqual([
      { kind: 'trade.failed', severity: 'WARNING', resource_id: 'trd_1' },
      { kind: 'reward.granted', severity: 'INFO', resource_id: 'rwd_1' },
    ]);
  });
});
