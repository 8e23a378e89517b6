export { AnalyticsModule } from './analytics.module.js';
export { AnalyticsService } from './analytics.service.js';
export { AnalyticsUpkeepModule } from './analytics-upkeep.module.js';
export { EquitySnapshots } from './equity-snapshots.service.js';
export { ResultDays } from './result-days.service.js';
