import { Module } from '@nestjs/common';
import { Platform } from '../../platform/index.js';
import { SignalStreams } from './signal-streams.service.js';

/** Provides signal streams to an API. */
@Module({
  providers: [
    {
      provide: SignalStreams,
      useFactory: (platform: Platform) => new SignalStreams(platform),
      inject: [Platform],
    },
  ],
  exports: [SignalStreams],
})
export class SignalStreamsModule {}
