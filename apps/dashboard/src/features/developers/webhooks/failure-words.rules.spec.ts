import { failureWords, withTimeLimit } from './failure-words.rules';

describe('the words of a failure', () => {
  it('are the reason in plain words', () => {
    expect(failureWords({ reason: 'dns_name_not_found', statusCode: undefined })).toBe('DNS name not found');
    expect(failureWords({ reason: 'http2_only', statusCode: undefined })).toBe('HTTP/2 only');
    expect(failureWords({ reason: 'webhook_inactive', statusCode: undefined })).toBe('Webhook inactive');
  });

  it('contain the status of the response', () => {
    expect(failureWords({ reason: 'http_status', statusCode: 500 })).toBe('HTTP status 500');
    expect(failureWords({ reason: 'redirect_not_followed', statusCode: 301 })).toBe(
      'Redirect not followed, status 301',
    );
  });

  it('do not exist for an attempt that succeeded', () => {
    expect(failureWords({ reason: undefined, statusCode: 204 })).toBeUndefined();
  });
});

it('the time limit of an attempt has its value', () => {
  expect(withTimeLimit('The attempt reached its time limit. Respond at once.')).toBe(
    'The attempt reached its time limit of 30 s. Respond at once.',
  );
  expect(withTimeLimit('The host name does not exist.')).toBe('The host name does not exist.');
});
