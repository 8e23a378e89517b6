export { type HeldAccount, holdAccount, holdOwnAccount } from './account-for-copying.service.js';
export {
  type AccountForTrade,
  accountOfFilter,
  lockAccountForTrade,
  lockAccountsOf,
  syncIfNever,
} from './account-for-trade.service.js';
export { AccountUpkeepModule } from './account-upkeep.module.js';
export { type AccountToUse, AccountUpkeep } from './account-upkeep.service.js';
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
