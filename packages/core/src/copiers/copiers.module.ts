import { Module } from '@nestjs/common';
import { Commands, Lists } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { CopiersService } from './copiers.service.js';
import { FollowedStrategiesService } from './followed-strategies.service.js';
import { CopierSimulation } from './simulation/copier-simulation.service.js';

/** For an API. */
@Module({
  providers: [
    {
      provide: CopiersService,
      useFactory: (platform: Platform, lists: Lists, commands: Commands) =>
        new CopiersService(platform, lists, commands),
      inject: [Platform, Lists, Commands],
    },
    {
      provide: FollowedStrategiesService,
      useFactory: (commands: Commands) => new FollowedStrategiesService(commands),
      inject: [Commands],
    },
    {
      provide: CopierSimulation,
      useFactory: (platform: Platform, commands: Commands) => new CopierSimulation(platform, commands),
      inject: [Platform, Commands],
    },
  ],
  exports: [CopiersService, FollowedStrategiesService, CopierSimulation],
})
export class CopiersModule {}
