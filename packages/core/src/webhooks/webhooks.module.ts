import { Module } from '@nestjs/common';
import { Commands, Lists } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { DeadLettersService } from './dead-letters.service.js';
import { WebhookSecrets } from './webhook-secret.js';
import { WebhooksService } from './webhooks.service.js';

/** For an API. The application gives {@link WebhookSecrets}, globally. */
@Module({
  providers: [
    {
      provide: WebhooksService,
      useFactory: (platform: Platform, lists: Lists, commands: Commands, secrets: WebhookSecrets) =>
        new WebhooksService(platform, lists, commands, secrets),
      inject: [Platform, Lists, Commands, WebhookSecrets],
    },
    {
      provide: DeadLettersService,
      useFactory: (platform: Platform, lists: Lists, commands: Commands) =>
        new DeadLettersService(platform, lists, commands),
      inject: [Platform, Lists, Commands],
    },
  ],
  exports: [WebhooksService, DeadLettersService],
})
export class WebhooksModule {}
