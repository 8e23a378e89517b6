import { Resolver } from '@nestjs/graphql';
import { notificationOperations } from '@trading-automation/contracts';
import { NotificationsService } from '@trading-automation/core/notifications';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class NotificationsResolver {
  constructor(private readonly notificationsService: NotificationsService) {}

  @Operation(notificationOperations.list)
  notifications(call: Call<typeof notificationOperations.list>) {
    return this.notificationsService.list(call.actor, call.query);
  }

  @Operation(notificationOperations.count)
  notificationCount(call: Call<typeof notificationOperations.count>) {
    return this.notificationsService.count(call.actor);
  }

  @Operation(notificationOperations.read)
  readNotification(call: Call<typeof notificationOperations.read>) {
    return this.notificationsService.read(call.actor, call.params.id);
  }

  @Operation(notificationOperations.readAll)
  readAllNotifications(call: Call<typeof notificationOperations.readAll>) {
    return this.notificationsService.readAll(call.actor);
  }

  @Operation(notificationOperations.delete)
  deleteNotification(call: Call<typeof notificationOperations.delete>) {
    return this.notificationsService.delete(call.actor, call.params.id);
  }
}
