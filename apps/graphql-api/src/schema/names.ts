/**
 * Defines GraphQL names for schemas that have no name in the contracts, or that share a name.
 *
 * Wire names are snake_case and field names are camelCase, so each can be converted to the other.
 */
import * as contracts from '@trading-automation/contracts';

/** Converts `exchange_account_id` to `exchangeAccountId`. */
export function camelCase(wireName: string): string {
  return wireName.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts `exchangeAccountId` to `exchange_account_id`. */
export function snakeCase(fieldName: string): string {
  return fieldName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function pascalCase(wireName: string): string {
  const camel = camelCase(wireName);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** Converts the name of a collection to the name of one record: `strategies` to `strategy`, `addresses` to `address`. */
export function singularOf(plural: string): string {
  return plural
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/(?<!s)s$/, '');
}

/** The values of each enum. Enums whose values contain dots are missing: in GraphQL, their fields are Strings. */
export const ENUMS: Readonly<Record<string, readonly string[]>> = {
  AnalyticsInterval: contracts.ANALYTICS_INTERVALS,
  ApiKeyPrefix: ['svc_live_', 'svc_test_'],
  ApproverKind: contracts.APPROVER_KINDS,
  BelowMinimumRule: contracts.BELOW_MINIMUM_RULES,
  BreachReaction: contracts.BREACH_REACTIONS,
  CancelReason: contracts.CANCEL_REASONS,
  CopierStatus: contracts.COPIER_STATUSES,
  CopierStatusReason: contracts.COPIER_STATUS_REASONS,
  CopierResync: ['EXITS'],
  CopierStopMode: ['PAUSED', 'CLOSE_ONLY'],
  CredentialKind: contracts.CREDENTIAL_KINDS,
  DeactivationReason: contracts.DEACTIVATION_REASONS,
  DeadLetterError: contracts.DEAD_LETTER_ERRORS,
  DeadLetterReason: contracts.DEAD_LETTER_REASONS,
  DeadLetterStatus: contracts.DEAD_LETTER_STATUSES,
  DecisionCode: contracts.DECISION_CODES,
  DecisionOutcome: contracts.DECISION_OUTCOMES,
  DeliveryError: contracts.DELIVERY_ERRORS,
  DeliveryReason: contracts.DELIVERY_REASONS,
  DeliveryStatus: contracts.DELIVERY_STATUSES,
  DeviceAuthorizationStatus: ['PENDING', 'APPROVED', 'DENIED', 'EXPIRED'],
  FillLiquidity: ['MAKER', 'TAKER'],
  NotificationResource: contracts.NOTIFICATION_RESOURCES,
  NotificationSeverity: contracts.NOTIFICATION_SEVERITIES,
  OrderBookMessageKind: ['SNAPSHOT', 'DELTA'],
  PairInactiveReason: contracts.PAIR_INACTIVE_REASONS,
  Permission: contracts.PERMISSIONS,
  ProfitSharePeriod: contracts.PROFIT_SHARE_PERIODS,
  RequestMethod: contracts.LOGGED_METHODS,
  RewardBasis: contracts.REWARD_BASES,
  RewardSourceKind: contracts.REWARD_SOURCES,
  LotStatus: contracts.LOT_STATUSES,
  MarginMode: contracts.MARGIN_MODES,
  PositionSide: contracts.POSITION_SIDES,
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
  VenueStage: contracts.VENUE_STAGES,
  SecretKind: contracts.SECRET_KINDS,
  InactiveReason: contracts.INACTIVE_REASONS,
  WithdrawalAddressStatus: contracts.WITHDRAWAL_ADDRESS_STATUSES,
  WithdrawalStatus: contracts.WITHDRAWAL_STATUSES,
  World: contracts.WORLDS,
  // One enum for trade intents and signal kinds, because both have the same four values.
  Intent: contracts.TRADE_INTENTS,
};

/** Names for types without a name: response types by operation id, and member types by type and field. */
export const TYPES: Readonly<Record<string, string>> = {
  'auth.verifyEmail': 'EmailVerification',
  'events.get': 'Event',
  'events.list': 'Event',
  'events.stream': 'Event',
  'LoggedRequest.credential': 'RequestCredential',
  'notifications.count': 'NotificationCount',
  'notifications.readAll': 'NotificationsRead',
  'settings.delete': 'SettingDeletion',
  'DeadLetterDetail.payload': 'Event',
};

/**
 * Maps a type of the contracts to the type that replaces it in GraphQL. Fields that only the replaced type has are
 * field resolvers of its replacement.
 */
export const TYPE_ALIASES: Readonly<Record<string, string>> = { TradeDetail: 'Trade' };

/** Returns whether an integer field may exceed 32 bits. */
export const isLong = (wireName: string): boolean =>
  wireName === 'sequence' || wireName === 'previous_sequence' || wireName.endsWith('_ms');
