import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { DeliverySettings, WebhookDeliveries } from './webhook-deliveries.service.js';
import { WebhookFanOut } from './webhook-fan-out.js';
import { WebhookTests } from './webhook-tests.service.js';

/** For the dispatcher. The application gives {@link DeliverySettings}, globally. */
@Module({
  providers: [
    {
      provide: WebhookDeliveries,
      useFactory: (platform: Platform, settings: DeliverySettings) =>
        new WebhookDeliveries(platform, settings),
      inject: [Platform, DeliverySettings],
    },
    {
      provide: WebhookFanOut,
      useFactory: (platform: Platform) => new WebhookFanOut(platform),
      inject: [Platform],
    },
    {
      provide: WebhookTests,
      useFactory: (platform: Platform) => new WebhookTests(platform),
      inject: [Platform],
    },
  ],
  exports: [WebhookDeliveries, WebhookFanOut, WebhookTests],
})
export class WebhookDeliveryModule {}
