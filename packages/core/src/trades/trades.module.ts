import { Module } from '@nestjs/common';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { LotsService } from './lots.service.js';
import { Reconciliation } from './reconciliation.service.js';
import { TradeExecution } from './trade-execution.service.js';
import { TradesService } from './trades.service.js';

/** Provides TradesService and LotsService to the REST and GraphQL APIs. */
@Module({
  providers: [
    {
      provide: TradesService,
      useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
        new TradesService({ platform, lists, commands }),
      inject: [Platform, ListReader, CommandRunner],
    },
    {
      provide: LotsService,
      useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
        new LotsService({ platform, lists, commands }),
      inject: [Platform, ListReader, CommandRunner],
    },
  ],
  exports: [TradesService, LotsService],
})
export class TradesModule {}

/** Provides TradeExecution and Reconciliation to the trading worker. */
@Module({
  providers: [
    {
      provide: TradeExecution,
      useFactory: (platform: Platform) => new TradeExecution(platform),
      inject: [Platform],
    },
    {
      provide: Reconciliation,
      useFactory: (platform: Platform) => new Reconciliation(platform),
      inject: [Platform],
    },
  ],
  exports: [TradeExecution, Reconciliation],
})
export class TradeExecutionModule {}
