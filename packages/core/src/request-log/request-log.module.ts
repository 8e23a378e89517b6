import { Module } from '@nestjs/common';
import { ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { RequestLogService } from './request-log.service.js';

@Module({
  providers: [
    {
      provide: RequestLogService,
      useFactory: (platform: Platform, lists: ListReader) => new RequestLogService(platform, lists),
      inject: [Platform, ListReader],
    },
  ],
  exports: [RequestLogService],
})
export class RequestLogModule {}
