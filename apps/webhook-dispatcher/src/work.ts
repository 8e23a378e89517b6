import type { INestApplicationContext } from '@nestjs/common';
import { Mails } from '@trading-automation/core/mail';
import { NotificationRelay } from '@trading-automation/core/notifications';
import { WebhookDeliveries, WebhookFanOut, WebhookTests } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { Config } from './config.js';
import { Admission } from './delivery/admission.js';
import { AttemptQueue } from './delivery/attempt-queue.js';
import { MainLane, SlowLane } from './delivery/lanes.js';
import { MailSender } from './delivery/mail-sender.js';
import { startSignsOfLife } from './delivery/signs-of-life.js';
import { SmtpClient } from './delivery/smtp-client.js';
import { Sweeper } from './delivery/sweeper.js';
import type { WebhookSender } from './delivery/webhook-sender.js';
import type { DeliveryCounters } from './metrics/delivery-counters.js';

export interface WorkParts {
  readonly config: Config;
  readonly sender: WebhookSender;
  readonly counters: DeliveryCounters;
  readonly logger: Logger;
}

export interface Work {
  /** Takes up nothing more; resolves once what was taken up is done, which may take as long as an attempt. */
  stop(): Promise<void>;
  /** Gives up what is not done. After `stop` was called. */
  end(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<unknown>;
}

/** Fans events out, sends what is owed, repairs what was forgotten, mails and notifies: all at once, from now on. */
export function startWork(app: INestApplicationContext, parts: WorkParts): Work {
  const { config, sender, counters, logger } = parts;
  const onError = (error: unknown) => logger.error({ err: error }, 'a turn failed; it will be tried again');
  const queue = app.get(AttemptQueue);
  const admission = app.get(Admission);
  const deliveries = app.get(WebhookDeliveries);
  const fanOut = app.get(WebhookFanOut);

  const endSignsOfLife = startSignsOfLife(deliveries, config.SILENCE_MS, logger);
  const lanes = startLanes(app, config);
  const unsubscribes = [
    fanOut.subscribe((refs) => void queue.add(refs.map((ref) => ({ ...ref, lane: 'main' })))),
    fanOut.subscribeParked((userIds) => admission.wake(userIds)),
  ];
  const sweeper = new Sweeper(deliveries, queue, admission, counters, logger, config.SWEEP_MS);
  sweeper.start();
  const tests = app.get(WebhookTests);
  const running: Stoppable[] = [
    ...lanes,
    sweeper,
    fanOut.start(onError),
    app.get(NotificationRelay).start(onError),
    startMail(app.get(Mails), parts),
    tests.serve({ send: counters.counting((event) => sender.send(event)), onError }),
  ];
  return {
    async stop() {
      for (const unsubscribe of unsubscribes) unsubscribe();
      await Promise.all(running.map((part) => part.stop()));
    },
    async end() {
      await admission.settle();
      await endSignsOfLife();
    },
  };
}

function startLanes(app: INestApplicationContext, config: Config): readonly Stoppable[] {
  const lanes = [app.get(MainLane), app.get(SlowLane)];
  for (const lane of lanes) {
    lane.start({
      places: config.DELIVERY_CONCURRENCY,
      besideMax: config.IN_FLIGHT_MAX,
      slowPlaces: config.SLOW_CONCURRENCY,
    });
  }
  return lanes;
}

/** Without a way to send it, mail waits in Postgres. */
function startMail(mails: Mails, { config, counters, logger }: WorkParts): Stoppable {
  const { SMTP_URL: url, MAIL_FROM: from, MAIL_TIMEOUT_MS: timeoutMs } = config;
  if (url === undefined || from === undefined) {
    logger.warn('SMTP_URL is not set: mail waits until it is');
    return { stop: async () => undefined };
  }
  const client = new SmtpClient({ url, from, timeoutMs });
  const sender = new MailSender(mails, client, counters, logger, config.MAIL_POLL_MS);
  sender.start();
  return sender;
}
