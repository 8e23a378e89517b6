/** The entry point that assembles core; each feature has an entry point of its own. */
export { requestFingerprint } from '@trading-automation/persistence';
export { migrate, openPlatform } from './database/index.js';
export {
  type Actor,
  AnswerReplayed,
  authorise,
  Commands,
  idempotencyKeyIn,
  type ListedPage,
  type ListQuery,
  type OnceRequest,
  type OperationCall,
  OperationPipeline,
  type OperationRequest,
  OperationsModule,
  type Outcome,
  type Page,
  querySchemaOf,
  type RequestIdempotency,
  toRefusal,
  userIdOfStranger,
} from './operations/index.js';
export {
  assertNoEviction,
  Batcher,
  BLOCK_SECONDS,
  CoreModule,
  FAILOVER,
  HealthService,
  keepHouse,
  Platform,
  type ServerKeys,
  serverKeysSetting,
  startHeartbeat,
} from './platform/index.js';
