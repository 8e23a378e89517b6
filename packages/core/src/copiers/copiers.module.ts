import { Module } from '@nestjs/common';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { CopierTermsService } from './copier-terms.service.js';
import { CopiersService } from './copiers.service.js';
import { CopierSimulation } from './simulation/copier-simulation.service.js';
import { StrategyChangesService } from './strategy-changes.service.js';

/** Provides the use cases of copiers to an API. */
@Module({
  providers: [
    {
      provide: CopiersService,
      useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
        new CopiersService(platform, lists, commands),
      inject: [Platform, ListReader, CommandRunner],
    },
    {
      provide: CopierTermsService,
      useFactory: (commands: CommandRunner) => new CopierTermsService(commands),
      inject: [CommandRunner],
    },
    {
      provide: StrategyChangesService,
      useFactory: (commands: CommandRunner) => new StrategyChangesService(commands),
      inject: [CommandRunner],
    },
    {
      provide: CopierSimulation,
      useFactory: (platform: Platform) => new CopierSimulation(platform),
      inject: [Platform],
    },
  ],
  exports: [CopiersService, CopierTermsService, StrategyChangesService, CopierSimulation],
})
export class CopiersModule {}
