import { passkeysSetting } from './passkey-settings.js';

const isTaken = (rpId: string, ...origins: string[]) =>
  passkeysSetting.safeParse(JSON.stringify({ rpId, rpName: 'The product', origins })).success;

describe('the setting of passkeys', () => {
  it('takes the origins of its domain, and of those below it', () => {
    expect(isTaken('example.com', 'https://example.com', 'https://app.example.com:8443')).toBe(true);
    expect(isTaken('localhost', 'http://localhost:3000')).toBe(true);
  });

  it.each([
    ['none', 'example.com', []],
    ['one of another domain', 'example.com', ['https://example.com.evil.com']],
    ['one that only ends like the domain', 'example.com', ['https://notexample.com']],
    ['one in the clear', 'example.com', ['http://example.com']],
    ['one with a path', 'example.com', ['https://example.com/app']],
    ['one that is none', 'example.com', ['*']],
    ['a domain with a port', 'example.com:443', ['https://example.com']],
  ])('refuses %s', (_what, rpId, origins) => {
    expect(isTaken(rpId, ...origins)).toBe(false);
  });
});
