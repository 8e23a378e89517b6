/** What every process stands on: the database handle, its notifications, Redis policy, health and settings readers. */
export { Batcher } from './batcher.js';
export { CoreModule } from './core.module.js';
export { HealthService, startHeartbeat } from './health.service.js';
export { keepHouse } from './housekeeping.js';
export { jsonSetting } from './json-setting.js';
export { Platform } from './platform.js';
export { PulledItems, type PullStream } from './pull-stream.js';
export { assertNoEviction, BLOCK_SECONDS, FAILOVER } from './redis-policy.js';
export { type ServerKeys, serverKeysSetting } from './server-keys.js';
