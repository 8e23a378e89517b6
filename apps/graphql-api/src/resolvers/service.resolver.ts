import { Resolver } from '@nestjs/graphql';
import { serviceOperations } from '@trading-automation/contracts';
import { HealthService } from '@trading-automation/core';
import { BuildInfo } from '@trading-automation/core/api';
import { Operation } from '../graphql/operation.js';

@Resolver()
export class ServiceResolver {
  constructor(
    private readonly build: BuildInfo,
    private readonly healthService: HealthService,
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
    return this.build.version();
  }
}
