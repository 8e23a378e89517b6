import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { DeliverySettings, WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookFanOut } from './webhook-fan-out.service.js';
import { WebhookTestsService } from './webhook-tests.service.js';

/** Provides delivery to the dispatcher. The application must provide {@link DeliverySettings} globally. */
@Module({
  providers: [
    {
      provide: WebhookDeliveriesService,
      useFactory: (platform: Platform, settings: DeliverySettings) =>
        new WebhookDeliveriesService(platform, settings),
      inject: [Platform, DeliverySettings],
    },
    {
      provide: WebhookFanOut,
      useFactory: (platform: Platform) => new WebhookFanOut(platform),
      inject: [Platform],
    },
    {
      provide: WebhookTestsService,
      useFactory: (platform: Platform) => new WebhookTestsService(platform),
      inject: [Platform],
    },
  ],
  exports: [WebhookDeliveriesService, WebhookFanOut, WebhookTestsService],
})
export class WebhookDeliveryModule {}
