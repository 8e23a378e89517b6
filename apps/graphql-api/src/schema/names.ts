/**
 * What GraphQL calls things that the contracts leave without a name, or that two of them share.
 *
 * A wire name is snake_case, a field camelCase; nothing else differs, so each follows from the other.
 */
import * as contracts from '@trading-automation/contracts';

/** `exchange_account_id` to `exchangeAccountId`. */
export function camelCase(wireName: string): string {
  return wireName.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `exchangeAccountId` to `exchange_account_id`. */
export function snakeCase(fieldName: string): string {
  return fieldName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function pascalCase(wireName: string): string {
  const camel = camelCase(wireName);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** The enums, by what they may say. One with dots in its words can't be an enum of GraphQL, and is a String. */
export const ENUMS: Readonly<Record<string, readonly string[]>> = {
  AnalyticsInterval: contracts.ANALYTICS_INTERVALS,
  ApiKeyPrefix: ['svc_live_', 'svc_test_'],
  BelowMinimumRule: contracts.BELOW_MINIMUM_RULES,
  BreachReaction: contracts.BREACH_REACTIONS,
  CancelReason: contracts.CANCEL_REASONS,
  CopierStatus: contracts.COPIER_STATUSES,
  CopierStatusReason: contracts.COPIER_STATUS_REASONS,
  CopierResync: ['EXITS'],
  CopierStopMode: ['PAUSED', 'CLOSE_ONLY'],
  CredentialKind: contracts.me.shape.credential.shape.kind.options,
  DeactivationReason: contracts.DEACTIVATION_REASONS,
  DeadLetterError: [...contracts.DELIVERY_ERRORS, 'webhook_inactive'],
  DeadLetterStatus: contracts.DEAD_LETTER_STATUSES,
  DecisionCode: contracts.DECISION_CODES,
  DecisionOutcome: contracts.DECISION_OUTCOMES,
  DeliveryError: contracts.DELIVERY_ERRORS,
  DeliveryStatus: contracts.DELIVERY_STATUSES,
  FillLiquidity: ['MAKER', 'TAKER'],
  NotificationResource: contracts.NOTIFICATION_RESOURCES,
  NotificationSeverity: contracts.NOTIFICATION_SEVERITIES,
  OrderBookMessageKind: ['SNAPSHOT', 'DELTA'],
  Permission: contracts.PERMISSIONS,
  ProfitSharePeriod: contracts.PROFIT_SHARE_PERIODS,
  RewardBasis: contracts.REWARD_BASES,
  RewardSourceKind: contracts.REWARD_SOURCES,
  RewardStatus: contracts.REWARD_STATUSES,
  ServiceStatus: ['ok', 'degraded'],
  SimulatedOutcome: ['COPIED', 'CLAMPED', 'SKIPPED'],
  SizingMode: contracts.SIZING_MODES,
  StrategyStatus: contracts.STRATEGY_STATUSES,
  StrategyVisibility: contracts.STRATEGY_VISIBILITIES,
  TimeInForce: contracts.TIMES_IN_FORCE,
  TradeOrigin: contracts.TRADE_ORIGINS,
  TradeSide: contracts.TRADE_SIDES,
  TradeStatus: contracts.TRADE_STATUSES,
  TradeSubStatus: contracts.TRADE_SUB_STATUSES,
  TradeType: contracts.TRADE_TYPES,
  TradingType: contracts.TRADING_TYPES,
  WithdrawalStatus: contracts.WITHDRAWAL_STATUSES,
  World: contracts.WORLDS,
  // Last: what a fill does to a lot, of trades and of signals, is the same four words.
  Intent: contracts.TRADE_INTENTS,
};

/** Types of answers that have no name of their own, by operation; and of members, by type and field. */
export const TYPES: Readonly<Record<string, string>> = {
  'auth.verifyEmail': 'EmailVerification',
  'events.get': 'Event',
  'events.list': 'Event',
  'events.stream': 'Event',
  'notifications.count': 'NotificationCount',
  'notifications.readAll': 'NotificationsRead',
  'settings.delete': 'SettingDeletion',
  'DeadLetterDetail.payload': 'Event',
};

/** Types that are one in GraphQL: what the second adds is an edge of the first, declared with the resolvers. */
export const TYPE_ALIASES: Readonly<Record<string, string>> = { TradeDetail: 'Trade' };

/** Whole numbers that may outgrow 32 bits. */
export const isLong = (wireName: string): boolean =>
  wireName === 'sequence' || wireName === 'previous_sequence' || wireName.endsWith('_ms');
