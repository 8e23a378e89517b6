import errors from 'ccxt/js/src/base/errors';
import { ExchangeError } from '../port.js';
import { type Call, type CallKind, DeadlineExceeded, noDeadline } from './call.js';
import { CCXT_OUTCOMES, MalformedResponse, toExchangeError } from './failures.js';
import { NotSent, ResponseLost, ResponseUnusable } from './transport.js';

type ErrorName = keyof typeof CCXT_OUTCOMES;

const NAMES = Object.keys(errors) as ErrorName[];

function call(kind: CallKind, state: Partial<Call>): Call {
  return { kind, ...noDeadline(), isReleased: true, isSent: true, ...state };
}

const classify = (error: unknown, failedCall: Call) => {
  const { outcome, code } = toExchangeError(error, failedCall, []);
  return `${outcome}/${code}`;
};

const badRequest = { response: { status: 400, body: '' } };

describe('toExchangeError', () => {
  it('covers every error class of ccxt', () => {
    expect(Object.keys(CCXT_OUTCOMES).sort()).toEqual([...NAMES].sort());
  });

  it.each(NAMES)('never classifies %s as unknown for a read or an unsent write', (name) => {
    const error = new errors[name]('x');
    expect(classify(error, call('read', badRequest))).not.toMatch(/^unknown/);
    expect(classify(error, call('read', { isSent: false }))).not.toMatch(/^unknown/);
    expect(classify(error, call('write', { isSent: false }))).not.toMatch(/^unknown/);
  });

  it.each(NAMES)('classifies %s as unknown for a write with a 5xx response', (name) => {
    const failedCall = call('write', { response: { status: 503, body: '' } });
    expect(classify(new errors[name]('x'), failedCall)).toMatch(/^unknown/);
  });

  const BRANCHES: readonly [name: ErrorName, write: string, read: string][] = [
    ['NetworkError', 'unknown/no_answer', 'retryable/no_answer'],
    ['RequestTimeout', 'unknown/no_answer', 'retryable/no_answer'],
    ['OperationFailed', 'unknown/no_answer', 'retryable/no_answer'],
    ['ExchangeNotAvailable', 'unknown/no_answer', 'retryable/unreachable'],
    ['OnMaintenance', 'unknown/no_answer', 'retryable/unreachable'],
    ['RateLimitExceeded', 'unknown/rate_limited', 'retryable/rate_limited'],
    ['DDoSProtection', 'unknown/rate_limited', 'retryable/rate_limited'],
    ['BadResponse', 'unknown/bad_answer', 'retryable/bad_answer'],
    ['NullResponse', 'unknown/bad_answer', 'retryable/bad_answer'],
    ['InvalidNonce', 'retryable/refused', 'retryable/refused'],
    ['AuthenticationError', 'fatal/credentials_rejected', 'fatal/credentials_rejected'],
    ['PermissionDenied', 'fatal/credentials_rejected', 'fatal/credentials_rejected'],
    ['InsufficientFunds', 'rejected/insufficient_balance', 'rejected/insufficient_balance'],
    ['InvalidOrder', 'rejected/rule_violated', 'rejected/rule_violated'],
    ['BadRequest', 'rejected/rule_violated', 'rejected/rule_violated'],
    ['OrderNotFound', 'rejected/order_not_found', 'rejected/order_not_found'],
    ['OrderImmediatelyFillable', 'rejected/would_not_fit_book', 'rejected/would_not_fit_book'],
    ['OrderNotFillable', 'rejected/would_not_fit_book', 'rejected/would_not_fit_book'],
    ['DuplicateOrderId', 'rejected/duplicate_client_order_id', 'rejected/duplicate_client_order_id'],
    ['NotSupported', 'rejected/not_supported', 'rejected/not_supported'],
    ['ExchangeError', 'rejected/refused', 'rejected/refused'],
  ];
  it.each(BRANCHES)('classifies %s as %s for a write and as %s for a read', (name, write, read) => {
    expect(classify(new errors[name]('x'), call('write', badRequest))).toBe(write);
    expect(classify(new errors[name]('x'), call('read', badRequest))).toBe(read);
  });

  it('classifies a new class of ccxt like its parent class', () => {
    class NewlyInvented extends errors.InsufficientFunds {}
    expect(classify(new NewlyInvented('x'), call('write', badRequest))).toBe('rejected/insufficient_balance');
  });

  it('classifies a generic ExchangeError as a rejection only if the HTTP status is an error', () => {
    const failedCall = call('write', { response: { status: 200, body: '' } });
    expect(classify(new errors.ExchangeError('x'), failedCall)).toBe('unknown/bad_answer');
  });

  it.each([
    ['an exceeded time limit', new DeadlineExceeded(), 'unknown/no_answer', 'retryable/unreachable'],
    ['no connection', new NotSent('unreachable'), undefined, 'retryable/unreachable'],
    ['a rate-limit pause', new NotSent('rate_limited'), undefined, 'retryable/rate_limited'],
    ['an incomplete response', new ResponseLost(), 'unknown/no_answer', undefined],
    ['a redirect', new ResponseUnusable('a redirect'), 'unknown/bad_answer', undefined],
    ['a malformed response', new MalformedResponse('nonsense'), 'unknown/bad_answer', undefined],
    ['a bug in ccxt', new TypeError('x'), 'unknown/bad_answer', 'fatal/not_supported'],
  ])('classifies a write after %s by whether it was sent', (_what, error, sent, unsent) => {
    if (sent !== undefined) expect(classify(error, call('write', {}))).toBe(sent);
    if (unsent !== undefined) expect(classify(error, call('write', { isSent: false }))).toBe(unsent);
  });

  it('classifies a failed order as retryable if it was still waiting for the call budget', () => {
    const waiting = call('write', { isReleased: false, isSent: false });
    expect(classify(new DeadlineExceeded(), waiting)).toBe('retryable/rate_limited');
  });

  it("applies the venue's patterns to error texts that ccxt classifies too generally", () => {
    const failedCall = call('write', { response: { status: 400, body: '{"msg":"Duplicate order sent."}' } });
    const rejectionPatterns = [{ pattern: /Duplicate/, code: 'duplicate_client_order_id' as const }];
    expect(toExchangeError(new errors.InvalidOrder('x'), failedCall, rejectionPatterns).code).toBe(
      'duplicate_client_order_id',
    );
  });

  it('names the rule where the venue declares its words', () => {
    const failedCall = call('write', { response: { status: 400, body: '{"code":-4016,"msg":"x"}' } });
    const message = 'The price is too far from the market price.';
    const rejectionPatterns = [{ pattern: /-4016/, code: 'rule_violated' as const, message }];
    const error = toExchangeError(new errors.InvalidOrder('x'), failedCall, rejectionPatterns);
    expect(error).toMatchObject({ outcome: 'rejected', code: 'rule_violated', message });
  });

  it('names the code of the exchange only where the rule is not known', () => {
    const failedCall = call('write', { response: { status: 400, body: '{"code":-2010}' } });
    const messageOf = (error: Error) => toExchangeError(error, failedCall, []).message;
    expect(messageOf(new errors.ExchangeError('x'))).toBe(
      'The exchange rejected the request. Its error code is -2010.',
    );
    expect(messageOf(new errors.InsufficientFunds('x'))).toBe('The balance at the exchange is too small.');
  });

  it('names the code of the order, not of the request that contained it', () => {
    const body = '{"code":"1","data":[{"sCode":"51006","sMsg":"x"}],"msg":"All operations failed"}';
    const error = toExchangeError(
      new errors.InvalidOrder('x'),
      call('write', { response: { status: 200, body } }),
      [],
    );
    expect(error.message).toBe('The order breaks a rule of the exchange. Its error code is 51006.');
  });

  it('returns an error with the type and the code of a failure, but none of its text', () => {
    const failedCall = call('write', { response: { status: 400, body: '{"code":-1013,"msg":"a secret"}' } });
    const error = toExchangeError(new errors.InvalidOrder('https://x/?signature=abc'), failedCall, []);
    expect(error).toBeInstanceOf(ExchangeError);
    expect(error.message).toBe('The order breaks a rule of the exchange. Its error code is -1013.');
    expect(error.cause).toEqual({ type: 'InvalidOrder', status: 400, venueCode: '-1013' });
  });
});
