import { Resolver } from '@nestjs/graphql';
import { emergencyStopOperations } from '@trading-automation/contracts';
import { EmergencyStopService } from '@trading-automation/core/emergency-stop';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class EmergencyStopResolver {
  constructor(private readonly stop: EmergencyStopService) {}

  @Operation(emergencyStopOperations.run)
  emergencyStop(call: Call<typeof emergencyStopOperations.run>) {
    return this.stop.run(call.actor);
  }
}
