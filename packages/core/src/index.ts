/** The entry point of core: what all processes, or both APIs, use. Each feature also has its own entry point. */
export { requestFingerprint } from '@trading-automation/persistence';
export { migrate, openPlatform } from './database/index.js';
export {
  type Actor,
  anonymousUserId,
  authorise,
  CommandRunner,
  type IdempotencyContext,
  type ListQuery,
  type OperationCall,
  OperationPipeline,
  type OperationRequest,
  OperationsModule,
  type Outcome,
  type Page,
  type PageWithCursors,
  parseIdempotencyKey,
  querySchemaOf,
  type RequestIdempotency,
  ResponseReplayed,
  toDomainError,
  type UseCase,
} from './operations/index.js';
export {
  assertNoEviction,
  Batcher,
  HealthService,
  Platform,
  PlatformModule,
  QUEUE_INITIALIZATION,
  REDIS_BLOCK_TIMEOUT_SECONDS,
  REDIS_FAILOVER_OPTIONS,
  runHousekeeping,
  type ServerKeys,
  serverKeysSetting,
  startHeartbeat,
} from './platform/index.js';
