import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { type Platform, PlatformModule, REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import { MailModule } from '@trading-automation/core/mail';
import { NotificationRelayModule } from '@trading-automation/core/notifications';
import {
  DeliverySettings,
  WebhookDeliveriesService,
  WebhookDeliveryModule,
} from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import { Admission } from './delivery/admission.js';
import {
  ATTEMPT_PRODUCERS,
  AttemptQueue,
  AttemptQueueConnection,
  LANES,
  LOGGER,
} from './delivery/attempt-queue.js';
import { AttemptRecorder } from './delivery/attempt-recorder.js';
import { AttemptRunner } from './delivery/attempt-runner.js';
import { MainLane, SlowLane } from './delivery/lanes.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import type { DeliveryCounters } from './metrics/delivery-counters.js';

/** Dependencies that are created before the Nest application, so that the start fails if one cannot be created. */
export interface AppModuleOptions {
  readonly platform: Platform;
  readonly logger: Logger;
  readonly settings: DeliverySettings;
  readonly sender: WebhookSender;
  readonly counters: DeliveryCounters;
  readonly redisUrl: string;
  readonly queuePrefix: string;
}

@Module({})
export class AppModule {
  static with(options: AppModuleOptions): DynamicModule {
    const { platform, logger, settings, sender, counters, redisUrl, queuePrefix } = options;
    const shared = {
      module: AppModule,
      global: true,
      providers: [
        { provide: LOGGER, useValue: logger },
        { provide: DeliverySettings, useValue: settings },
        { provide: WebhookSender, useValue: sender },
        { provide: AttemptQueueConnection, useFactory: () => connectAttemptQueue(redisUrl, logger) },
        AttemptQueue,
      ],
    };
    return {
      ...shared,
      exports: [LOGGER, DeliverySettings, WebhookSender, AttemptQueueConnection, AttemptQueue],
      imports: [
        PlatformModule.with(platform),
        // The connection of the workers of the lanes. Its commands wait for Redis without a time limit.
        BullModule.forRoot({
          connection: { url: redisUrl, maxRetriesPerRequest: null, ...REDIS_FAILOVER_OPTIONS },
          prefix: queuePrefix,
        }),
        BullModule.registerQueueAsync(
          ...LANES.map((lane) => ({
            name: ATTEMPT_PRODUCERS[lane],
            inject: [AttemptQueueConnection],
            useFactory: (connection: AttemptQueueConnection) => connection.queueOptions(lane),
          })),
        ),
        WebhookDeliveryModule,
        NotificationRelayModule,
        MailModule,
      ],
      providers: [
        ...shared.providers,
        {
          provide: Admission,
          useFactory: (deliveries: WebhookDeliveriesService, queue: AttemptQueue) =>
            new Admission(deliveries, queue, logger),
          inject: [WebhookDeliveriesService, AttemptQueue],
        },
        {
          provide: AttemptRunner,
          useFactory: (deliveries: WebhookDeliveriesService, queue: AttemptQueue) => {
            const recorder = new AttemptRecorder(deliveries, counters, logger, settings.leaseMs);
            return new AttemptRunner(deliveries, queue, sender, recorder);
          },
          inject: [WebhookDeliveriesService, AttemptQueue],
        },
        MainLane,
        SlowLane,
      ],
    };
  }
}

function connectAttemptQueue(redisUrl: string, logger: Logger): AttemptQueueConnection {
  return new AttemptQueueConnection(redisUrl, (error) =>
    logger.warn(
      { event: 'attempt_queue.unavailable', err: error },
      'The attempt queue lost its connection to Redis; reconnecting.',
    ),
  );
}
