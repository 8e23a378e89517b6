import { accessOperations } from './access.js';
import { analyticsOperations } from './analytics.js';
import { browserSessionOperations } from './browser-sessions.js';
import { copierOperations } from './copiers.js';
import { deadLetterOperations } from './dead-letters.js';
import { emergencyStopOperations } from './emergency-stop.js';
import { eventOperations } from './event-log.js';
import { exchangeAccountOperations } from './exchange-accounts.js';
import { lotOperations } from './lots.js';
import { marketDataOperations } from './market-data.js';
import { notificationOperations } from './notifications.js';
import type { Operation } from './operation.js';
import { positionOperations } from './positions.js';
import { requestLogOperations } from './request-log.js';
import { rewardOperations } from './rewards.js';
import { serviceOperations } from './service.js';
import { settingOperations } from './settings.js';
import { simulationOperations } from './simulation.js';
import { strategyOperations } from './strategies.js';
import { tradePairOperations } from './trade-pairs.js';
import { tradeOperations } from './trades.js';
import { webhookOperations } from './webhooks.js';
import { withdrawalAddressOperations } from './withdrawal-addresses.js';
import { withdrawalOperations } from './withdrawals.js';

/** Every operation of the API. */
export const OPERATIONS: readonly Operation[] = [
  serviceOperations,
  accessOperations,
  browserSessionOperations,
  exchangeAccountOperations,
  tradePairOperations,
  marketDataOperations,
  tradeOperations,
  lotOperations,
  positionOperations,
  rewardOperations,
  withdrawalOperations,
  withdrawalAddressOperations,
  strategyOperations,
  copierOperations,
  simulationOperations,
  notificationOperations,
  settingOperations,
  analyticsOperations,
  emergencyStopOperations,
  eventOperations,
  webhookOperations,
  deadLetterOperations,
  requestLogOperations,
].flatMap((group): Operation[] => Object.values(group));

/** Removed namespaces: every path below them returns 410 `namespace_removed`. */
export const REMOVED_NAMESPACES = ['/v1/trading-bot', '/v1/market-maker'] as const;
