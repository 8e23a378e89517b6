import { Inject } from '@nestjs/common';
import { Resolver } from '@nestjs/graphql';
import { serviceOperations, type World } from '@trading-automation/contracts';
import { HealthService } from '@trading-automation/core';
import { Operation } from '../graphql/operation.js';

/** Which build answers, and for which world. */
export class Build {
  constructor(
    readonly version: string,
    readonly commit: string,
    readonly world: World,
  ) {}
}

@Resolver()
export class ServiceResolver {
  constructor(
    @Inject(Build) private readonly build: Build,
    @Inject(HealthService) private readonly healthService: HealthService,
  ) {}

  @Operation(serviceOperations.health)
  health() {
    return { status: 'ok' } as const;
  }

  @Operation(serviceOperations.detailedHealth)
  detailedHealth() {
    return this.healthService.detailed();
  }

  @Operation(serviceOperations.version)
  version() {
    const { version, commit, world } = this.build;
    return { version, commit, api: 'v1', world } as const;
  }
}
