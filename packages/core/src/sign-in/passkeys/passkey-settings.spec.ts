import { passkeysSetting } from './passkey-settings.js';

const isAccepted = (rpId: string, ...origins: string[]) =>
  passkeysSetting.safeParse(JSON.stringify({ rpId, rpName: 'The product', origins })).success;

describe('passkeysSetting', () => {
  it('accepts the origins of its domain and of its subdomains', () => {
    expect(isAccepted('example.com', 'https://example.com', 'https://app.example.com:8443')).toBe(true);
    expect(isAccepted('localhost', 'http://localhost:3000')).toBe(true);
  });

  it.each([
    ['an empty list of origins', 'example.com', []],
    ['an origin of another domain', 'example.com', ['https://example.com.evil.com']],
    ['an origin whose host only ends like the domain', 'example.com', ['https://notexample.com']],
    ['an origin with plain HTTP', 'example.com', ['http://example.com']],
    ['an origin with a path', 'example.com', ['https://example.com/app']],
    ['a malformed origin', 'example.com', ['*']],
    ['a domain with a port', 'example.com:443', ['https://example.com']],
  ])('rejects %s', (_what, rpId, origins) => {
    expect(isAccepted(rpId, ...origins)).toBe(false);
  });
});
