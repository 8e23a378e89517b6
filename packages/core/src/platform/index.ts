/** Code that every process uses: the database handle, its LISTEN connection, the Redis policy, health and settings. */
export { Batcher } from './batcher.js';
export { FairGate, type FairGateLimits } from './fair-gate.js';
export { HealthService, startHeartbeat } from './health.service.js';
export { runHousekeeping } from './housekeeping.js';
export { jsonSetting } from './json-setting.js';
export { isInstanceConnected, newInstance, Platform, sessionLockOf } from './platform.js';
export { PlatformModule } from './platform.module.js';
export { type PullStream, PullStreamController } from './pull-stream.js';
export {
  assertNoEviction,
  QUEUE_INITIALIZATION,
  REDIS_BLOCK_TIMEOUT_SECONDS,
  REDIS_FAILOVER_OPTIONS,
} from './redis-policy.js';
export { isRandom, type ServerKeys, serverKeysSetting } from './server-keys.js';
export { assertMigratable, assertWorld, storeWorld } from './world.js';
