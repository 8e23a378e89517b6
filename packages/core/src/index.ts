/** The door that sets core up; each feature has a door of its own. */
export { requestFingerprint } from '@trading-automation/persistence';
export { Batcher } from './batcher.js';
export { AnswerReplayed, Commands, type OnceRequest, type Outcome } from './commands.js';
export { CoreModule } from './core.module.js';
export { migrate } from './data-source.js';
export { HealthService, startHeartbeat } from './health.service.js';
export { keepHouse } from './housekeeping.js';
export { idempotencyKeyIn, userIdOfStranger } from './idempotency-key.js';
export { type ListedPage, type ListQuery, type Page, querySchemaOf } from './lists.js';
export { toRefusal } from './outage.js';
export { openPlatform, Platform } from './platform.js';
export { assertNoEviction, BLOCK_SECONDS, FAILOVER } from './redis-policy.js';
export { type ServerKeys, serverKeysSetting } from './server-keys.js';
