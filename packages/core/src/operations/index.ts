/** Code that every operation uses: the pipeline of checks, commands, lists, ids, domain errors and events. */

export { type Actor, authorise, authoriseOperation, CREDENTIAL_PREFIXES, credentialId } from './actor.js';
export { CommandRunner, type IdempotencyContext, type Outcome, ResponseReplayed } from './command-runner.js';
export { decodeIdOrThrow, idNotFound, invalidState, limitReached } from './domain-errors.js';
export { emitEvent, emitEvents, eventPayload } from './emit-event.js';
export { anonymousUserId, parseIdempotencyKey } from './idempotency-key.js';
export {
  conditions,
  type ListQuery,
  ListReader,
  type Page,
  type PageWithCursors,
  parseInstant,
  querySchemaOf,
} from './list-reader.js';
export { loadByIds } from './load-by-ids.js';
export type { OperationCall } from './operation-call.js';
export {
  OperationPipeline,
  type OperationRequest,
  type RequestIdempotency,
} from './operation-pipeline.js';
export { OperationsModule } from './operations.module.js';
export { type StoredOutcome, StoredOutcomes } from './stored-outcome.js';
export { toDomainError } from './to-domain-error.js';
export { CreatedRecord, dataOfResult, type UseCase, useCaseOf, useCasesOf } from './use-case.js';
