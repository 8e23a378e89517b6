import { Controller } from '@nestjs/common';
import { notificationOperations } from '@trading-automation/contracts';
import { NotificationsService } from '@trading-automation/core/notifications';
import { type Call, Operation } from '../http/operation.js';

const operations = notificationOperations;

@Controller()
export class NotificationsController {
  constructor(private readonly notifications: NotificationsService) {}

  @Operation(operations.list)
  list(call: Call<typeof operations.list>) {
    return this.notifications.list(call.actor, call.query);
  }

  @Operation(operations.count)
  count(call: Call<typeof operations.count>) {
    return this.notifications.count(call.actor);
  }

  @Operation(operations.read)
  read(call: Call<typeof operations.read>) {
    return this.notifications.read(call.actor, call.params.id);
  }

  @Operation(operations.readAll)
  readAll(call: Call<typeof operations.readAll>) {
    return this.notifications.readAll(call.actor);
  }

  @Operation(operations.delete)
  delete(call: Call<typeof operations.delete>) {
    return this.notifications.delete(call.actor, call.params.id);
  }
}
