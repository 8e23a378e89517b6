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

test('an error narrows by its class', () => {
  if (error instanceof NotFoundError) {
    expect(error.code).type.toBe<ErrorCode>();
    expect(error.status).type.toBe<number>();
    expect(error.details).type.toBe<readonly ErrorDetail[]>();
    expect(error.requestId).type.toBe<string | undefined>();
    expect(error.headers).type.toBe<Headers>();
  }
  if (error instanceof ConnectionError) expect(error).type.not.toHaveProperty('status');
});

test('all that the API refuses is one class, all that the SDK throws of it another', () => {
  expect<RateLimitError>().type.toBeAssignableTo<ApiError>();
  expect<ApiError>().type.toBeAssignableTo<TradingAutomationError>();
  expect<TimeoutError>().type.toBeAssignableTo<ConnectionError>();
  expect<ConnectionError>().type.toBeAssignableTo<TradingAutomationError>();
  expect<TradingAutomationError>().type.toBeAssignableTo<Error>();
});

test('one class is no other, also to the type checker', () => {
  expect<NotFoundError>().type.not.toBeAssignableTo<ConflictError>();
  expect<ConnectionError>().type.not.toBeAssignableTo<ApiError>();
});

test('a webhook that is not genuine says why, by a code', () => {
  if (error instanceof WebhookVerificationError) {
    expect(error.code).type.not.toBe<string>();
    expect(error.code).type.toBeAssignableTo<string>();
  }
});
