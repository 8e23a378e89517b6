import { ERRORS } from '@trading-automation/contracts';
import * as errors from './errors.js';

const CLASSES: Readonly<Record<number, new (...args: never[]) => Error>> = {
  400: errors.BadRequestError,
  401: errors.AuthenticationError,
  403: errors.PermissionDeniedError,
  404: errors.NotFoundError,
  405: errors.ApiError,
  409: errors.ConflictError,
  410: errors.ApiError,
  413: errors.ApiError,
  415: errors.ApiError,
  422: errors.UnprocessableError,
  429: errors.RateLimitError,
};
const errorWith = (status: number, body: unknown, headers = {}) =>
  errors.toApiError({
    status,
    headers: new Headers(headers),
    text: JSON.stringify(body),
    origin: 'https://api.example.com',
  });

describe('an API error', () => {
  it.each(Object.entries(ERRORS))(
    'with the code %s has the class of its status',
    (code, { status, meaning }) => {
      const error = errorWith(status, { success: false, error: { code, message: meaning } });
      const ErrorClass = CLASSES[status] ?? errors.InternalServerError;
      expect(error.constructor).toBe(ErrorClass);
      expect(error.name).toBe(ErrorClass.name);
      expect(error).toBeInstanceOf(errors.ApiError);
      expect(error).toBeInstanceOf(errors.TradingAutomationError);
      expect([error.status, error.code, error.message]).toEqual([status, code, meaning]);
    },
  );

  it('has the request id of the header, or else that of the body', () => {
    const body = { error: { code: 'not_found', message: 'No.', request_id: 'req_body' } };
    expect(errorWith(404, body, { 'x-request-id': 'req_header' }).requestId).toBe('req_header');
    expect(errorWith(404, body).requestId).toBe('req_body');
    expect(errorWith(404, {}).requestId).toBeUndefined();
  });

  it('has a message that lists each detail that has a field and a message', () => {
    const details = [
      { field: 'amount', code: 'too_small', message: 'It is below 0.001.' },
      { field: 'price', code: 'required' },
      { server_time: 1 },
    ];
    const error = errorWith(422, { error: { code: 'validation_failed', message: 'No.', details } });
    expect([error.summary, error.message]).toEqual(['No.', 'No. amount: It is below 0.001.']);
  });

  it('is also parsed from a GraphQL response', () => {
    const extensions = { code: 'payload_too_large', request_id: 'req_1' };
    expect(errorWith(413, { errors: [{ message: 'Too long.', extensions }] })).toMatchObject({
      code: 'payload_too_large',
      message: 'Too long.',
      requestId: 'req_1',
    });
  });
});
