import { Controller } from '@nestjs/common';
import { copierOperations, simulationOperations } from '@trading-automation/contracts';
import { CopierSimulation, CopiersService } from '@trading-automation/core/copiers';
import { type Call, Operation } from '../http/operation.js';

const operations = { ...copierOperations, ...simulationOperations };

@Controller()
export class CopiersController {
  constructor(
    private readonly copiers: CopiersService,
    private readonly simulation: CopierSimulation,
  ) {}

  @Operation(operations.list)
  list(call: Call<typeof operations.list>) {
    return this.copiers.list(call.actor, call.query);
  }

  @Operation(operations.get)
  get(call: Call<typeof operations.get>) {
    return this.copiers.get(call.actor, call.params.id);
  }

  @Operation(operations.create)
  create(call: Call<typeof operations.create>) {
    return this.copiers.create(call.actor, call.body);
  }

  @Operation(operations.update)
  update(call: Call<typeof operations.update>) {
    return this.copiers.update(call.actor, call.params.id, call.body);
  }

  @Operation(operations.delete)
  delete(call: Call<typeof operations.delete>) {
    return this.copiers.delete(call.actor, call.params.id);
  }

  @Operation(operations.start)
  start(call: Call<typeof operations.start>) {
    return this.copiers.start(call.actor, call.params.id, call.body);
  }

  @Operation(operations.stop)
  stop(call: Call<typeof operations.stop>) {
    return this.copiers.stop(call.actor, call.params.id, call.body);
  }

  @Operation(operations.decisions)
  decisions(call: Call<typeof operations.decisions>) {
    return this.copiers.decisions(call.actor, call.params.id, call.query);
  }

  @Operation(operations.simulate)
  simulate(call: Call<typeof operations.simulate>) {
    return this.simulation.simulate(call.actor, call.params.id, call.body);
  }
}
