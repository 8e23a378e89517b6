export { LedgerModule } from './ledger.module.js';
export {
  Ledger,
  type LedgerAccount,
  type LedgerBalance,
  type LedgerEntry,
  type LedgerFact,
} from './ledger.service.js';
export type { RewardToken } from './reward-token.js';
