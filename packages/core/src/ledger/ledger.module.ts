import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { Ledger } from './ledger.service.js';

@Module({
  providers: [
    { provide: Ledger, useFactory: (platform: Platform) => new Ledger(platform), inject: [Platform] },
  ],
  exports: [Ledger],
})
export class LedgerModule {}
