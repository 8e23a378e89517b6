import { DomainError, ERRORS, type ErrorCode } from '@trading-automation/contracts';
import { isExpected, toErrorResponse } from './error-response.js';

describe('toErrorResponse', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])(
    'responds to %s with its status, its message and the request id',
    (code) => {
      const response = toErrorResponse(new DomainError(code), 'req-1');
      expect(response.status).toBe(ERRORS[code].status);
      expect(response.body).toEqual({
        success: false,
        error: { code, message: `${ERRORS[code].meaning} ${ERRORS[code].resolution}`, request_id: 'req-1' },
      });
    },
  );

  it('hides the message of an unexpected error', () => {
    const response = toErrorResponse(new Error('password authentication failed for user "svc"'), 'req-2');
    expect(response.status).toBe(500);
    expect(response.body.error.code).toBe('internal_error');
    expect(JSON.stringify(response)).not.toContain('password');
  });

  it('adds Retry-After in whole seconds to the codes that require it', () => {
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

  it('treats domain errors as expected, except internal_error; every other error is unexpected', () => {
    expect(isExpected(new DomainError('not_found'))).toBe(true);
    expect(isExpected(new DomainError('internal_error'))).toBe(false);
    expect(isExpected(new Error('boom'))).toBe(false);
  });

  it('adds the authentication challenge only to status 401', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      const { status, headers } = toErrorResponse(new DomainError(code), 'r');
      expect({ code, challenge: headers['www-authenticate'] }).toEqual({
        code,
        challenge: status === 401 ? 'Bearer realm="api"' : undefined,
      });
    }
  });
});
