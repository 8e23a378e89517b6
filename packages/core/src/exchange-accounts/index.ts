export {
  ACCOUNT_OWNERS_CHANNEL,
  lockOwnership,
  lockOwnerships,
  type OwnedAccount,
  type Ownership,
} from './account-ownership.queries.js';
export {
  AccountOwnership,
  type AccountStreamStatus,
  LEASE_RENEWAL_MS,
  type OwnershipOptions,
  purgeStaleOwners,
  SESSION_LOST_AFTER_MS,
  storeStreamStatuses,
} from './account-ownership.service.js';
export { AccountRights } from './account-rights.js';
export { AccountSyncModule } from './account-sync.module.js';
export {
  type AccountHoldings,
  AccountSyncService,
  type ConnectableAccount,
  type DueAccount,
  totalBalances,
} from './account-sync.service.js';
export { type Loans, netOfLoans } from './balance-detail.rules.js';
export { type CurrentBalances, currentBalances } from './current-balances.queries.js';
export { accountInactiveError } from './exchange-account.errors.js';
export { ExchangeAccountsModule } from './exchange-accounts.module.js';
export { CredentialsSealer, ExchangeAccountsService } from './exchange-accounts.service.js';
export {
  type LockedAccount,
  lockAccountShared,
  lockOwnAccountShared,
} from './lock-account.js';
export {
  type AccountForTrade,
  lockAccountForTrade,
  lockAccounts,
  lockAccountsOf,
  lockUnlockedAccounts,
  lockWallets,
  resolveAccountFilter,
  syncIfNeverSynced,
} from './lock-account-for-trade.js';
export { openPositionsOfWallets, sharedWallets } from './shared-wallets.queries.js';
export {
  type BalanceSnapshot,
  type BalanceUpdate,
  seenFillKey,
  seenOrderKey,
} from './store-balances.js';
export { VenueCatalogue } from './venue-catalogue.service.js';
export {
  callWorker,
  credentialsContext,
  serveWorkerCalls,
  shareUsedUp,
  type UserShares,
  WORKER_CALL_TIMES,
  type WorkerCallHandlers,
  type WorkerCallName,
  type WorkerCalls,
} from './worker-calls.js';
