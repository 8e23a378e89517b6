import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { MailQueue } from './mail-queue.service.js';

/** For the dispatcher. Whoever queues mail needs no module: `queueMail`. */
@Module({
  providers: [
    { provide: MailQueue, useFactory: (platform: Platform) => new MailQueue(platform), inject: [Platform] },
  ],
  exports: [MailQueue],
})
export class MailModule {}
