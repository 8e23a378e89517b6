export { Client, type ClientOptions } from './client.js';
export { ApiPromise, type WithResponse } from './core/api-promise.js';
export type { Fetch } from './core/connection.js';
export type { DecimalForm, DecimalInput, DecimalOf } from './core/decimals.js';
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  type ErrorDetail,
  GraphqlAddressError,
  type GraphqlFailure,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  TimeoutError,
  TradingAutomationError,
  UnexpectedAnswerError,
  UnprocessableError,
} from './core/errors.js';
export type { EventStreamOptions } from './core/event-stream.js';
export type { ServerSentEvent } from './core/event-stream-parser.js';
export type { VariablesAndOptions } from './core/graphql.js';
export type { GraphqlDocument, TypedDocument } from './core/graphql-document.js';
export type { ListQuery } from './core/list-query.js';
export type { Logger, LogLevel } from './core/log.js';
export { Page, PagePromise, type Pagination } from './core/page.js';
export type { Signer } from './core/signer.js';
export type { RequestOptions } from './core/transport.js';
export type { ErrorCode } from './generated/error-codes.js';
export type * from './generated/records.js';
export type { SettingOf } from './resources/settings.js';
export { TradeWaitError, type WaitOptions } from './resources/trades.js';
export type { TestWebhook, VerifyOptions } from './webhooks/webhook.js';
