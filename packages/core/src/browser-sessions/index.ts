export { BrowserSessionsModule } from './browser-sessions.module.js';
export { BrowserSessionsService } from './browser-sessions.service.js';
export { DeviceAuthorizationsService } from './device-authorizations.service.js';
