import {
  ApiError,
  ConflictError,
  ConnectionError,
  type ErrorCode,
  type ErrorDetail,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  TradingAutomationError,
} from '@trading-automation/sdk';
import { WebhookVerificationError } from '@trading-automation/sdk/webhooks';
import { expect, test } from 'tstyche';

const error: unknown = undefined;

test('instanceof narrows an error to its class', () => {
  if (error instanceof NotFoundError) {
    expect(error.code).type.toBe<ErrorCode>();
    expect(error.status).type.toBe<number>();
    expect(error.details).type.toBe<readonly ErrorDetail[]>();
    expect(error.requestId).type.toBe<string | undefined>();
    expect(error.headers).type.toBe<Headers>();
  }
  if (error instanceof ConnectionError) expect(error).type.not.toHaveProperty('status');
});

test('all API errors extend ApiError, and all errors extend TradingAutomationError', () => {
  expect<RateLimitError>().type.toBeAssignableTo<ApiError>();
  expect<ApiError>().type.toBeAssignableTo<TradingAutomationError>();
  expect<TimeoutError>().type.toBeAssignableTo<ConnectionError>();
  expect<ConnectionError>().type.toBeAssignableTo<TradingAutomationError>();
  expect<TradingAutomationError>().type.toBeAssignableTo<Error>();
});

test('error classes are not assignable to each other', () => {
  expect<NotFoundError>().type.not.toBeAssignableTo<ConflictError>();
  expect<ConnectionError>().type.not.toBeAssignableTo<ApiError>();
});

test('the code of a WebhookVerificationError has a closed list of values', () => {
  if (error instanceof WebhookVerificationError) {
    expect(error.code).type.not.toBe<string>();
    expect(error.code).type.toBeAssignableTo<string>();
  }
});
