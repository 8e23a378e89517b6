import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { Mails } from './mails.js';

/** For the dispatcher. Whoever queues mail needs no module: `queueMail`. */
@Module({
  providers: [
    { provide: Mails, useFactory: (platform: Platform) => new Mails(platform), inject: [Platform] },
  ],
  exports: [Mails],
})
export class MailModule {}
