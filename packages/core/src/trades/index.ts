export { type AccountExposure, oldestReconciliationAge } from './account-exposures.queries.js';
export type { AccountState } from './account-state.queries.js';
export {
  type CancelAllResult,
  type CancelRequestedTrade,
  readCancelAllResult,
  requestCancelAll,
} from './cancel-all-trades.js';
export type { ClaimedSubmission } from './claim-submissions.js';
export { closePositions } from './close-positions.js';
export {
  cancelCopies,
  type NewCopyTrade,
  placeCopies,
} from './copy-orders.js';
export { FeeValuation, type ReadPriceAt } from './fee-valuation.service.js';
export {
  accountsWithUnconfirmedSales,
  type FreeBalances,
  loadFreeBalances,
  loadUncoveredBalances,
} from './free-balances.queries.js';
export { backfillLots } from './lots/backfill-lots.js';
export { bookCharges, bookPayments } from './lots/book-funding.js';
export { bookTrades, type LotBookKey, lockBooks, type TradeToBook } from './lots/book-trades.js';
export { connectionsOf, isRepeatedPayment } from './lots/connections.queries.js';
export { LotsService } from './lots.service.js';
export type { ListingRequest } from './order-listing.queries.js';
export { isListingComplete } from './order-listing.rules.js';
export {
  fillKey,
  type KnownTrade,
  type ReconcileAction,
  type ReconcileInput,
  type ReportedPosition,
  reconcile,
  type Shortfalls,
} from './reconcile.rules.js';
export { Reconciliation } from './reconciliation.service.js';
export type { StoredListing } from './store-order-listing.js';
export type { OrderReport } from './store-order-reports.js';
export { type InFlightOrder, SEND_DEADLINE_MS } from './takeover.queries.js';
export type { OrderFailure } from './trade-changes.js';
export { TradeExecution, type UnsentTrade } from './trade-execution.service.js';
export { createTradeSubmissionRelay, type TradeSubmissionRelayOptions } from './trade-submission-relay.js';
export { TradeExecutionModule, TradesModule } from './trades.module.js';
export { ACCOUNT_WORK_CHANNEL, notifyAccountWork } from './trades.queries.js';
export { TradesService } from './trades.service.js';
export type { TradeForExecution } from './trades-for-execution.queries.js';
