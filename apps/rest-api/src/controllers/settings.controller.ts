import { Controller } from '@nestjs/common';
import { settingOperations } from '@trading-automation/contracts';
import { SettingsService } from '@trading-automation/core/settings';
import { type Call, Operation } from '../http/operation.js';

const operations = settingOperations;

@Controller()
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Operation(operations.list)
  list(call: Call<typeof operations.list>) {
    return this.settings.list(call.actor, call.query);
  }

  @Operation(operations.get)
  get(call: Call<typeof operations.get>) {
    return this.settings.get(call.actor, call.params.key);
  }

  @Operation(operations.put)
  put(call: Call<typeof operations.put>) {
    return this.settings.put(call.actor, call.params.key, call.body);
  }

  @Operation(operations.delete)
  delete(call: Call<typeof operations.delete>) {
    return this.settings.delete(call.actor, call.params.key);
  }
}
