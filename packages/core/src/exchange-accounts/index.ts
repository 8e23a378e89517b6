export { type HeldAccount, holdAccount, holdOwnAccount } from './account-for-copying.service.js';
export {
  type AccountForTrade,
  accountOfFilter,
  lockAccountForTrade,
  lockAccounts,
  lockAccountsOf,
  syncIfNever,
} from './account-for-trade.service.js';
export {
  ACCOUNT_OWNERS_CHANNEL,
  holdOwnership,
  holdOwnerships,
  type OwnedAccount,
  type Ownership,
} from './account-ownership.queries.js';
export {
  AccountOwnership,
  type AccountWatch,
  forgetOldOwners,
  LEASE_RENEWED_EVERY_MS,
  type OwnershipOptions,
  storeAccountWatches,
} from './account-ownership.service.js';
export { AccountUpkeepModule } from './account-upkeep.module.js';
export {
  type AccountToUse,
  AccountUpkeep,
  type BalanceReading,
  type HeardBalances,
  totalsOf,
} from './account-upkeep.service.js';
export { ExchangeAccountsModule } from './exchange-accounts.module.js';
export { ExchangeAccountsService, ExchangeSecrets } from './exchange-accounts.service.js';
export { VenueCatalogue } from './venue-catalogue.service.js';
export {
  callWorker,
  credentialsContext,
  serveWorkerCall,
  type WorkerCallName,
  type WorkerCalls,
} from './worker-calls.js';
