export { AnalyticsModule } from './analytics.module.js';
export { AnalyticsService } from './analytics.service.js';
