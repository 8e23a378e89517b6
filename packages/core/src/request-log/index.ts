export { RequestLogModule } from './request-log.module.js';
export { RequestLogService } from './request-log.service.js';
export { clearOldRequests } from './request-log.slots.js';
export { RequestRecorder } from './request-recorder.js';
