import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import PostalMime from 'postal-mime';
import { configSchema } from '../src/config.js';
import { startDispatcher } from '../src/dispatcher.js';
import { type MailServer, openMailServer } from './mail-server.js';
import {
  openReceiver,
  openTestEnvironment,
  type Receiver,
  type TestEnvironment,
  type WebhookFixture,
} from './test-environment.js';

const OWNER = 'owner@example.com';

let environment: TestEnvironment;
let receiver: Receiver;
let server: MailServer;
let dispatcher: RunningProcess;
let hook: WebhookFixture;

beforeEach(async () => {
  environment = await openTestEnvironment();
  receiver = await openReceiver((_received, response) => void response.writeHead(503).end());
  server = await openMailServer();
  hook = await environment.addWebhook(`${receiver.url}?key=s3cret`);
  receiver.verifyWith(hook);
  await environment.query(
    'UPDATE users SET email = $2, email_verified_at = now() WHERE id = $1',
    hook.userId,
    OWNER,
  );
  const config = readConfig(configSchema, {
    ...environment.settings,
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: 'Trading <no-reply@example.org>',
    MAIL_POLL_MS: '50',
  });
  dispatcher = await startDispatcher(config, createLogger('webhook-dispatcher', 'fatal'));
});
afterEach(async () => {
  await dispatcher.stop();
  await server.close();
  await receiver.close();
  expect(receiver.rejected).toEqual([]);
  await environment.close();
});

const notifications = () => environment.query("SELECT FROM notifications WHERE kind = 'webhook.deactivated'");

/** Emits two events whose attempts all fail. Resolves when there are notifications of `count` deactivations. */
async function failUntilDeactivated(count: number): Promise<void> {
  await environment.emit(hook.userId);
  await environment.emit(hook.userId);
  await eventually(async () => (await notifications()).length === count);
}
const reactivate = () =>
  environment.query(
    `UPDATE webhooks SET is_active = true, consecutive_failures = 0, consecutive_dead_letters = 0,
       deactivated_at = NULL, deactivation_reason = NULL WHERE id = $1`,
    hook.id,
  );
/** Waits until all queued mail is sent. */
const untilMailSent = () =>
  eventually(async () => (await environment.query('SELECT FROM mails WHERE sent_at IS NULL')).length === 0);
const receivedMails = async () => {
  await untilMailSent();
  return Promise.all(server.received.map(({ raw }) => PostalMime.parse(raw)));
};
const chooseNotifications = (value: object) =>
  environment.query(
    "INSERT INTO settings (id, user_id, key, value) VALUES (gen_random_uuid(), $1, 'notifications', $2)",
    hook.userId,
    JSON.stringify(value),
  );

describe('a webhook that was deactivated after failures', () => {
  it('is reported by a mail and a notification, and after a second deactivation that day only by a notification', async () => {
    await failUntilDeactivated(1);
    await eventually(() => server.received.length === 1);
    const [mail] = await receivedMails();
    expect(mail).toMatchObject({
      subject: 'A webhook was deactivated',
      from: { address: 'no-reply@example.org' },
      to: [{ address: OWNER }],
    });
    expect(mail?.html).toBeUndefined();
    expect(mail?.text).toContain(`PATCH /v1/webhooks/${hook.publicId} with {"is_active": true}`);
    expect(mail?.text).toContain(`Address       ${receiver.url}?…`);
    expect(mail?.text).toMatch(/^Failing {7}\d+ attempts in a row, since 20\d\d-.*Z$/m);
    expect(mail?.text).toMatch(/^Last attempt {2}20\d\d-.*Z: HTTP 503$/m);
    expect(mail?.text).toMatch(/^Waiting {7}(?:1 delivery|2 deliveries), in its dead letters$/m);
    expect(server.received[0]?.raw).not.toMatch(/s3cret|whsec_/);

    await reactivate();
    await failUntilDeactivated(2);
    expect(await receivedMails()).toHaveLength(1);
    expect(await environment.query('SELECT FROM mails')).toHaveLength(1);
  });

  it('is reported without the mail or the notification that its owner disabled, and without mail to an unverified address', async () => {
    await chooseNotifications({ email: { 'webhook.*': false } });
    await failUntilDeactivated(1);
    await environment.query("DELETE FROM settings WHERE key = 'notifications'");
    await environment.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', hook.userId);
    await reactivate();
    await failUntilDeactivated(2);
    expect(await environment.query('SELECT FROM mails')).toEqual([]);
    await chooseNotifications({ in_app: { 'webhook.deactivated': false } });
    await environment.query('UPDATE users SET email_verified_at = now() WHERE id = $1', hook.userId);
    await reactivate();
    await environment.emit(hook.userId);
    await environment.emit(hook.userId);
    await eventually(() => server.received.length === 1);
    expect(await notifications()).toHaveLength(2);
  });
});
