/** The public truth: every shape, operation, event and error code, written once. */
export * from './access.js';
export * from './decimal.js';
export * from './errors.js';
export * from './events.js';
export * from './exchange-accounts.js';
export * from './ids.js';
export * from './operation.js';
export * from './operations.js';
export * from './service.js';
export * from './trade-pairs.js';
export * from './trades.js';
export * from './webhooks.js';
export * from './writer.js';
