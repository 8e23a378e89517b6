export { EmergencyStopModule } from './emergency-stop.module.js';
export { EmergencyStopService } from './emergency-stop.service.js';
