import { issueApiKey } from './api-key.js';
import { assertNoCredentialInQuery } from './assert-no-credential-in-query.js';

describe('a request target', () => {
  const { key } = issueApiKey('test', new Uint8Array(32));

  it.each([
    ['a key under a usual name', `/v1/me?api_key=x`],
    ['a name in another case', '/v1/me?ApiKey=x'],
    ['a name that is percent-encoded', '/v1/me?%61pi_key=x'],
    ['a signature header', '/v1/me?x-svc-sig=00'],
    ['a token', '/v1/trades?limit=1&token=x'],
    ['a name without value', '/v1/me?x-api-key'],
    ['a key under any name', `/v1/me?cursor=${key}`],
    ['a key that is percent-encoded', `/v1/me?a=%73${key.slice(1)}`],
    ['a key of the other world, cut short', '/v1/me?a=svc_live_'],
  ])('with %s in its query is rejected, and the error repeats nothing of it', (_case, target) => {
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
  ])('%s is accepted', (target) => {
    expect(() => assertNoCredentialInQuery(target)).not.toThrow();
  });
});
