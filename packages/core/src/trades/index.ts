export {
  cancelCopies,
  type NewCopyTrade,
  placeCopies,
} from './copy-orders.service.js';
export { type FreeBalances, freeOf } from './free-balances.queries.js';
export { type BookChange, type BookKey, bookChanges, lockBooks } from './lots/book-changes.service.js';
export { bookOldFills } from './lots/book-old-fills.service.js';
export {
  fillKey,
  type KnownTrade,
  type ReconcileAction,
  type ReconcileInput,
  reconcile,
  type Shortfalls,
} from './reconcile.rules.js';
export { type AccountState, Reconciliation } from './reconciliation.service.js';
export { type AskedTrade, askToCancelAll, readStopped, type StoppedTrades } from './stop-trades.service.js';
export type { OrderReport } from './trade-changes.service.js';
export {
  type BegunSubmission,
  type Failure,
  TradeExecution,
  type TradeToWork,
  type UnsentTrade,
} from './trade-execution.service.js';
export { createTradeIntake, type TradeIntakeOptions } from './trade-intake.js';
export { TradeExecutionModule, TradesModule } from './trades.module.js';
export { ACCOUNT_WORK_CHANNEL, notifyWork } from './trades.queries.js';
export { TradesService } from './trades.service.js';
