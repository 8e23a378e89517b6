import { Controller } from '@nestjs/common';
import { emergencyStopOperations } from '@trading-automation/contracts';
import { EmergencyStopService } from '@trading-automation/core/emergency-stop';
import { type Call, Operation } from '../http/operation.js';

const operations = emergencyStopOperations;

@Controller()
export class EmergencyStopController {
  constructor(private readonly emergencyStop: EmergencyStopService) {}

  @Operation(operations.run)
  run(call: Call<typeof operations.run>) {
    return this.emergencyStop.run(call.actor);
  }
}
