import { accessOperations } from './access.js';
import { exchangeAccountOperations } from './exchange-accounts.js';
import type { Operation } from './operation.js';
import { serviceOperations } from './service.js';
import { tradePairOperations } from './trade-pairs.js';
import { tradeOperations } from './trades.js';
import { webhookOperations } from './webhooks.js';

/** Every operation of the API. */
export const OPERATIONS: readonly Operation[] = [
  serviceOperations,
  accessOperations,
  exchangeAccountOperations,
  tradePairOperations,
  tradeOperations,
  webhookOperations,
].flatMap((group): Operation[] => Object.values(group));

/** Removed namespaces: whatever lies below answers 410 `namespace_removed`. */
export const REMOVED_NAMESPACES = ['/v1/trading-bot', '/v1/market-maker'] as const;
