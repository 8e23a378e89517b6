import { Module } from '@nestjs/common';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { DeadLettersService } from './dead-letters.service.js';
import { WebhookSecrets } from './webhook-secret.js';
import { WebhooksService } from './webhooks.service.js';

/** Provides webhooks to an API. The application must provide {@link WebhookSecrets} globally. */
@Module({
  providers: [
    {
      provide: WebhooksService,
      useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner, secrets: WebhookSecrets) =>
        new WebhooksService(platform, lists, commands, secrets),
      inject: [Platform, ListReader, CommandRunner, WebhookSecrets],
    },
    {
      provide: DeadLettersService,
      useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
        new DeadLettersService(platform, lists, commands),
      inject: [Platform, ListReader, CommandRunner],
    },
  ],
  exports: [WebhooksService, DeadLettersService],
})
export class WebhooksModule {}
