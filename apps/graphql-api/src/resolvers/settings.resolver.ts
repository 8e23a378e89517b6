import { Resolver } from '@nestjs/graphql';
import { settingOperations } from '@trading-automation/contracts';
import { SettingsService } from '@trading-automation/core/settings';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class SettingsResolver {
  constructor(private readonly settingStore: SettingsService) {}

  @Operation(settingOperations.list)
  settings(call: Call<typeof settingOperations.list>) {
    return this.settingStore.list(call.actor, call.query);
  }

  @Operation(settingOperations.get)
  setting(call: Call<typeof settingOperations.get>) {
    return this.settingStore.get(call.actor, call.params.key);
  }

  @Operation(settingOperations.put)
  putSetting(call: Call<typeof settingOperations.put>) {
    return this.settingStore.put(call.actor, call.params.key, call.body);
  }

  @Operation(settingOperations.delete)
  deleteSetting(call: Call<typeof settingOperations.delete>) {
    return this.settingStore.delete(call.actor, call.params.key);
  }
}
