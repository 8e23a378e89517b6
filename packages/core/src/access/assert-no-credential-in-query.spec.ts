import { issueApiKey } from './api-key.js';
import { assertNoCredentialInQuery } from './assert-no-credential-in-query.js';

describe('assertNoCredentialInQuery', () => {
  const { key } = issueApiKey('test', new Uint8Array(32));

  it.each([
    ['a parameter api_key', `/v1/me?api_key=x`],
    ['a parameter name in another case', '/v1/me?ApiKey=x'],
    ['a percent-encoded parameter name', '/v1/me?%61pi_key=x'],
    ['a signature header as a parameter', '/v1/me?x-svc-sig=00'],
    ['a token', '/v1/trades?limit=1&token=x'],
    ['a parameter x-api-key without a value', '/v1/me?x-api-key'],
    ['a key in a parameter with another name', `/v1/me?cursor=${key}`],
    ['a percent-encoded key', `/v1/me?a=%73${key.slice(1)}`],
    ['the prefix of a key of the other world', '/v1/me?a=svc_live_'],
  ])('rejects a query that contains %s, and does not repeat it in the error', (_case, target) => {
    let rejection: unknown;
    try {
      assertNoCredentialInQuery(target);
    } catch (error) {
      rejection = error;
    }
    expect(rejection).toMatchObject({ code: 'credential_in_query', details: [] });
    expect(String(rejection)).not.toContain('svc_');
  });

  it.each([
    '/v1/me',
    '/v1/trades?limit=1&cursor=abc',
    '/v1/trade-pairs?exchange=token',
    '/v1/me?',
    '/v1/me?tokens=1',
  ])('accepts %s', (target) => {
    expect(() => assertNoCredentialInQuery(target)).not.toThrow();
  });
});
