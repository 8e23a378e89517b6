export { AnalyticsModule } from './analytics.module.js';
export { AnalyticsService } from './analytics.service.js';
export { AnalyticsMaintenanceModule } from './analytics-maintenance.module.js';
export { DailyRollups } from './daily-rollups.service.js';
export { EquitySnapshots } from './equity-snapshots.service.js';
