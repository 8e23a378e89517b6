import { DomainError, ERRORS, type ErrorCode } from '@trading-automation/contracts';
import { isExpected, toErrorResponse } from './error-response.js';

describe('toErrorResponse', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])(
    'answers %s with its status, its words and the request id',
    (code) => {
      const answer = toErrorResponse(new DomainError(code), 'req-1');
      expect(answer.status).toBe(ERRORS[code].status);
      expect(answer.body).toEqual({
        success: false,
        error: { code, message: `${ERRORS[code].meaning} ${ERRORS[code].resolution}`, request_id: 'req-1' },
      });
    },
  );

  it('hides what an unexpected error says', () => {
    const answer = toErrorResponse(new Error('password authentication failed for user "svc"'), 'req-2');
    expect(answer.status).toBe(500);
    expect(answer.body.error.code).toBe('internal_error');
    expect(JSON.stringify(answer)).not.toContain('password');
  });

  it('asks the caller to wait, in whole seconds, where the code does', () => {
    expect(
      toErrorResponse(new DomainError('rate_limited', undefined, [], { retryAfterSeconds: 1.2 }), 'r')
        .headers,
    ).toEqual({
      'retry-after': '2',
    });
    expect(toErrorResponse(new DomainError('service_unavailable'), 'r').headers).toEqual({
      'retry-after': '5',
    });
    expect(toErrorResponse(new DomainError('not_found'), 'r').headers).toEqual({});
  });

  it('knows a refusal from a fault', () => {
    expect(isExpected(new DomainError('not_found'))).toBe(true);
    expect(isExpected(new DomainError('internal_error'))).toBe(false);
    expect(isExpected(new Error('boom'))).toBe(false);
  });

  it('says with every 401, and with nothing else, how to authenticate', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      const { status, headers } = toErrorResponse(new DomainError(code), 'r');
      expect({ code, challenge: headers['www-authenticate'] }).toEqual({
        code,
        challenge: status === 401 ? 'Bearer realm="api"' : undefined,
      });
    }
  });
});
