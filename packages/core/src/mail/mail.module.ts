import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { MailQueue } from './mail-queue.service.js';

/** Provides the mail queue to the dispatcher. Queuing a mail needs no module, only `queueMail`. */
@Module({
  providers: [
    { provide: MailQueue, useFactory: (platform: Platform) => new MailQueue(platform), inject: [Platform] },
  ],
  exports: [MailQueue],
})
export class MailModule {}
