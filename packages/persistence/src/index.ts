export { type AdvisoryLockOutcome, tryTransactionLock, withAdvisoryLock } from './advisory-lock.js';
export { DecimalColumn, RecordColumns } from './columns.js';
export { createDataSource, type Database, type PersistenceOptions, poolOf } from './data-source.js';
export {
  DatabaseUnavailable,
  isConnectionLost,
  isUniqueViolation,
  type LostOutcome,
  sqlStateOf,
} from './errors.js';
export { FairSlots, type Share, type SlotLimits } from './fair-slots.js';
export { type Heartbeat, readHeartbeats, recordHeartbeat, removeOldHeartbeats } from './heartbeat.js';
export { hydrate } from './hydrate.js';
export {
  createIdempotencyStore,
  type IdempotencyClaim,
  type IdempotencyStore,
  type IdempotentRequest,
  isReplayable,
  removeExpiredIdempotencyKeys,
  requestFingerprint,
  type StoredResponse,
  StoredResponseUnreadable,
} from './idempotency.js';
export { newUuid } from './ids.js';
export { allProperties, type InsertManyOptions, insertMany } from './insert-many.js';
export { type ListSource, listPage, type SortColumn } from './keyset-list.js';
export {
  createListener,
  isSessionLocked,
  type Listener,
  type ListenerOptions,
  type OnNotify,
} from './listener.js';
export { appendEvent, appendEvents, OUTBOX_CHANNEL, type OutboxEvent } from './outbox/append.js';
export type { RelayedEvent } from './outbox/fair-batch.js';
export { createRelay, type Relay, type RelayOptions } from './outbox/relay.js';
export { sequenceEvents } from './outbox/sequencer.js';
export {
  OUTBOX_SHARES_SQL,
  PERSISTENCE_SCHEMA_SQL,
  PROCESS_CALL_SHARES_SQL,
} from './persistence-schema.js';
export { insertPrepared, queryPrepared, selectPrepared } from './prepared.js';
export {
  CallFailed,
  type CallOwner,
  CallQueueFull,
  CallRefused,
  CallTimeout,
  type CallTimes,
  callProcess,
  callTimeoutMs,
  type ProcessCall,
  REPLY_MARGIN_MS,
} from './process-calls.js';
export { allColumns, leftJoined, type Selection, selectionOf } from './selection.js';
export { type CallContext, type CallHandler, type ServeOptions, serveCalls } from './serve-process-calls.js';
export { inTransaction, type TransactionOptions, type Tx } from './transaction.js';
