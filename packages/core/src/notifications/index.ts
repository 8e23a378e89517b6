export { NotificationRelay } from './notification-relay.service.js';
export { NotificationRelayModule, NotificationsModule } from './notifications.module.js';
export { NotificationsService } from './notifications.service.js';
