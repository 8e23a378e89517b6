import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { assertNoEviction, openPlatform, startHeartbeat } from '@trading-automation/core';
import { Mails } from '@trading-automation/core/mail';
import { NotificationRelay } from '@trading-automation/core/notifications';
import { Opener } from '@trading-automation/core/sealing';
import {
  DeliverySettings,
  WebhookDeliveries,
  WebhookFanOut,
  WebhookTests,
} from '@trading-automation/core/webhooks';
import { type Logger, nestLogger, type RunningProcess } from '@trading-automation/runtime';
import { AppModule } from './app.module.js';
import type { Config } from './config.js';
import { AttemptQueue } from './delivery/attempt-queue.js';
import { AttemptsProcessor } from './delivery/attempts.processor.js';
import { MailSender } from './delivery/mail-sender.js';
import { OutboundClient } from './delivery/outbound-client.js';
import { SmtpClient } from './delivery/smtp-client.js';
import { Sweeper } from './delivery/sweeper.js';
import { WebhookSender } from './delivery/webhook-sender.js';

const SERVICE = 'webhook-dispatcher';

/** Starts everything that sends; the answer ends it. */
export async function startDispatcher(config: Config, logger: Logger): Promise<RunningProcess> {
  await assertNoEviction(config.REDIS_URL);
  const platform = await openPlatform({
    world: config.WORLD,
    databaseUrl: config.DATABASE_URL,
    applicationName: SERVICE,
    poolSize: 16,
    onListenerError: (error) => logger.warn({ err: error }, 'notifications are interrupted'),
  });
  const sender = new WebhookSender(
    await Opener.with(config.WEBHOOK_OPENING_KEYS),
    new OutboundClient({
      allowLoopback: config.WEBHOOK_ALLOW_LOOPBACK,
      timeoutMs: config.ATTEMPT_TIMEOUT_MS,
    }),
    logger,
  );
  const module = AppModule.with({
    platform,
    logger,
    settings: new DeliverySettings(config.LEASE_MS, config.RETRY_DELAYS_MS),
    sender,
    redisUrl: config.REDIS_URL,
    queuePrefix: `${config.QUEUE_PREFIX}-${config.WORLD}`,
  });
  const app = await NestFactory.createApplicationContext(module, {
    logger: nestLogger(logger),
    abortOnError: false,
  });
  const onError = (error: unknown) => logger.error({ err: error }, 'a turn failed; it will be tried again');
  const queue = app.get(AttemptQueue);
  const processor = app.get(AttemptsProcessor);
  const fanOut = app.get(WebhookFanOut);
  const sweeper = new Sweeper(app.get(WebhookDeliveries), queue, logger, config.SWEEP_MS);

  processor.start(config.DELIVERY_CONCURRENCY);
  const unsubscribe = fanOut.subscribe((refs) => void queue.add(refs));
  const relay = fanOut.start(onError);
  const notifications = app.get(NotificationRelay).start(onError);
  const mail = startMail(config, app.get(Mails), logger);
  const tests = app.get(WebhookTests).serve({ send: (event) => sender.send(event), onError });
  sweeper.start();
  const stopHeartbeat = startHeartbeat(platform, SERVICE);

  return {
    async stop() {
      stopHeartbeat();
      unsubscribe();
      const intake = Promise.all(
        [relay, notifications, mail, sweeper, tests, { stop: () => processor.worker.close() }].map((part) =>
          part.stop(),
        ),
      );
      const isDrained = await Promise.race([
        intake.then(() => true),
        sleep(config.STOP_GRACE_MS, false, { ref: false }),
      ]);
      // Attempts that outlast the grace are cut: their leases end, and they are made again.
      if (isDrained) await app.close();
      else logger.warn('running attempts are cut; they will be made again');
      await queue.close();
      await platform.close();
    },
  };
}

/** Without a way to send it, mail waits in Postgres. */
function startMail(config: Config, mails: Mails, logger: Logger): { stop(): Promise<void> } {
  const { SMTP_URL: url, MAIL_FROM: from, MAIL_TIMEOUT_MS: timeoutMs } = config;
  if (url === undefined || from === undefined) {
    logger.warn('SMTP_URL is not set: mail waits until it is');
    return { stop: async () => undefined };
  }
  const sender = new MailSender(mails, new SmtpClient({ url, from, timeoutMs }), logger, config.MAIL_POLL_MS);
  sender.start();
  return sender;
}
