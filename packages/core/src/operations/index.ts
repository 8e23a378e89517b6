/** What every operation uses: transactions that run once per Idempotency-Key, lists, ids, refusals and events. */

export { type Actor, authorise, credentialId } from './actor.js';
export { announce, announceAll, eventPayload } from './announce.js';
export { AnswerReplayed, Commands, type OnceRequest, type Outcome } from './commands.js';
export { idempotencyKeyIn, userIdOfStranger } from './idempotency-key.js';
export {
  conditions,
  instantOf,
  type ListedPage,
  type ListQuery,
  Lists,
  type Page,
  querySchemaOf,
} from './lists.js';
export type { OperationCall } from './operation-call.js';
export {
  OperationPipeline,
  type OperationRequest,
  type RequestIdempotency,
} from './operation-pipeline.js';
export { OperationsModule } from './operations.module.js';
export { toRefusal } from './outage.js';
export { recordsByIds } from './records-by-ids.js';
export { limitReached, stateRefused, unknownId, uuidOf } from './refusals.js';
