import { Controller } from '@nestjs/common';
import { analyticsOperations } from '@trading-automation/contracts';
import { AnalyticsService } from '@trading-automation/core/analytics';
import { type Call, Operation } from '../http/operation.js';

const operations = analyticsOperations;

@Controller()
export class AnalyticsController {
  constructor(private readonly analytics: AnalyticsService) {}

  @Operation(operations.get)
  get(call: Call<typeof operations.get>) {
    return this.analytics.get(call.actor, call.query);
  }
}
