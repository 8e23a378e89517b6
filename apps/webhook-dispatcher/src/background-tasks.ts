import type { INestApplicationContext } from '@nestjs/common';
import { MailQueue } from '@trading-automation/core/mail';
import { NotificationRelay } from '@trading-automation/core/notifications';
import {
  WebhookDeliveriesService,
  WebhookFanOut,
  WebhookTestsService,
} from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { Config } from './config.js';
import { Admission } from './delivery/admission.js';
import { AttemptQueue } from './delivery/attempt-queue.js';
import { startDispatcherHeartbeat } from './delivery/dispatcher-heartbeat.js';
import { MainLane, SlowLane } from './delivery/lanes.js';
import { MailSender } from './delivery/mail-sender.js';
import { OverdueDeliveries } from './delivery/overdue-deliveries.js';
import { SmtpClient } from './delivery/smtp-client.js';
import { Sweeper } from './delivery/sweeper.js';
import type { WebhookSender } from './delivery/webhook-sender.js';
import type { DeliveryCounters } from './metrics/delivery-counters.js';

export interface BackgroundTasksDependencies {
  readonly config: Config;
  readonly sender: WebhookSender;
  readonly counters: DeliveryCounters;
  readonly logger: Logger;
}

export interface BackgroundTasks {
  /** Stops taking new work. Resolves once the running work is done, which may take as long as an attempt. */
  drain(): Promise<void>;
  /** Stops the heartbeat and releases the leases of unfinished attempts. Call `drain` first. */
  close(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<unknown>;
}

/** Starts the fan-out, the deliveries, the sweeper, mail and notifications. */
export function startBackgroundTasks(
  app: INestApplicationContext,
  dependencies: BackgroundTasksDependencies,
): BackgroundTasks {
  const { config, sender, counters, logger } = dependencies;
  const onError = (error: unknown) =>
    logger.error(
      { event: 'background_task.failed', err: error },
      'A background task failed; it will be retried.',
    );
  const queue = app.get(AttemptQueue);
  const admission = app.get(Admission);
  const deliveries = app.get(WebhookDeliveriesService);
  const fanOut = app.get(WebhookFanOut);

  const stopHeartbeat = startDispatcherHeartbeat(deliveries, config.SILENCE_MS, logger);
  const lanes = startLanes(app, config);
  const unsubscribes = [
    fanOut.subscribe((refs) => void queue.add(refs.map((ref) => ({ ...ref, lane: 'main' })))),
    fanOut.subscribeParked((userIds) => admission.requestCheck(userIds)),
  ];
  const overdue = new OverdueDeliveries(deliveries, queue, counters, logger);
  const sweeper = new Sweeper(overdue, deliveries, admission, logger, config.SWEEP_MS);
  sweeper.start();
  const tests = app.get(WebhookTestsService);
  const running: Stoppable[] = [
    ...lanes,
    sweeper,
    fanOut.start(onError),
    app.get(NotificationRelay).start(onError),
    startMail(app.get(MailQueue), dependencies),
    tests.serve({ send: counters.countTestAttempts((event) => sender.send(event)), onError }),
  ];
  return {
    async drain() {
      for (const unsubscribe of unsubscribes) unsubscribe();
      await Promise.all(running.map((task) => task.stop()));
    },
    async close() {
      await admission.drain();
      await stopHeartbeat();
    },
  };
}

function startLanes(app: INestApplicationContext, config: Config): readonly Stoppable[] {
  const lanes = [app.get(MainLane), app.get(SlowLane)];
  for (const lane of lanes) {
    lane.start({
      concurrency: config.DELIVERY_CONCURRENCY,
      detachedMax: config.IN_FLIGHT_MAX,
      slowConcurrency: config.SLOW_CONCURRENCY,
    });
  }
  return lanes;
}

/** Starts sending mail. Without SMTP settings, mail waits in Postgres. */
function startMail(mails: MailQueue, { config, counters, logger }: BackgroundTasksDependencies): Stoppable {
  const { SMTP_URL: url, MAIL_FROM: from, MAIL_TIMEOUT_MS: timeoutMs } = config;
  if (url === undefined || from === undefined) {
    logger.warn({ event: 'mail.disabled' }, 'SMTP_URL is not set; until it is set, mail waits in Postgres.');
    return { stop: async () => undefined };
  }
  const client = new SmtpClient({ url, from, timeoutMs });
  const sender = new MailSender(mails, client, counters, logger, config.MAIL_POLL_MS);
  sender.start();
  return sender;
}
