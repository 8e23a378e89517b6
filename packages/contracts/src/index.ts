/** The public API contract: every schema, operation, event and error code, each defined once. */
export * from './access.js';
export * from './analytics.js';
export * from './browser-sessions.js';
export { type CopierLimits, copierLimits, SIGNAL_AGE_DEFAULT_MS } from './copier-limits.js';
export * from './copier-pairs.js';
export * from './copier-sizing.js';
export * from './copiers.js';
export * from './dead-letters.js';
export * from './decimal.js';
export * from './decisions.js';
export {
  DEAD_LETTER_ERRORS,
  DEAD_LETTER_REASONS,
  DELIVERY_ERRORS,
  DELIVERY_REASONS,
  type DeliveryError,
  type DeliveryReason,
  deadLetterFailureOf,
  deliveryErrorOf,
  deliveryFailureOf,
} from './delivery-errors.js';
export { DETAIL_CODES, type DetailCode, isDetailCode } from './detail-codes.js';
export * from './emergency-stop.js';
export { errorDetailOf } from './error-details.js';
export * from './errors.js';
export {
  type EventCatalogue,
  type EventKind,
  eventCatalogueEntries,
  eventSampleText,
} from './event-catalogue.js';
export { EVENT_DEFINITIONS, eventDataOf } from './event-kinds.js';
export * from './event-log.js';
export * from './events.js';
export * from './exchange-accounts.js';
export * from './funding.js';
export type { IdentityProof } from './identity-proof.js';
export * from './ids.js';
export { DECIMAL_SCHEMAS, type JsonSchema, jsonSchemaOf, type SchemaDirection } from './json-schema.js';
export * from './lots.js';
export * from './market-data.js';
export {
  MAILED_BY_DEFAULT,
  MANDATORY_NOTIFICATIONS,
  NOTIFICATION_MAILS_PER_DAY,
  NOTIFICATIONS_SETTING,
  type NotificationPreferences,
  notificationPreferenceOf,
  notificationPreferences,
} from './notification-preferences.js';
export * from './notifications.js';
export * from './operation.js';
export * from './operations.js';
export { compileNullRemoval } from './optional-fields.js';
export * from './positions.js';
export { rejectEmptyRange } from './range.js';
export * from './realtime.js';
export * from './request-log.js';
export * from './rewards.js';
export * from './serializer.js';
export * from './service.js';
export * from './settings.js';
export * from './simulation.js';
export * from './stored-json.js';
export * from './stored-value.js';
export * from './strategies.js';
export * from './symbols.js';
export * from './trade-pairs.js';
export * from './trades.js';
export * from './webhooks.js';
export * from './withdrawal-addresses.js';
export * from './withdrawals.js';
