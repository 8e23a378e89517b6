import { signInProvidersSetting } from './provider-settings.js';

const X = { clientId: 'our-app', redirectUris: ['https://app.example.com/x'] };

const read = (setting: unknown) => signInProvidersSetting.safeParse(JSON.stringify(setting));

describe('signInProvidersSetting', () => {
  it('offers no provider by default', () => {
    expect(read({}).data).toEqual({});
  });

  it('has default addresses for Google, Apple and X', () => {
    const setting = { google: { clientIds: ['g'] }, apple: { clientIds: ['a'] }, x: X };
    expect(read(setting).data).toEqual({
      google: { clientIds: ['g'], issuer: 'https://accounts.google.com' },
      apple: { clientIds: ['a'], issuer: 'https://appleid.apple.com' },
      x: {
        clientId: 'our-app',
        redirectUris: ['https://app.example.com/x'],
        tokenUrl: 'https://api.x.com/2/oauth2/token',
        userInfoUrl: 'https://api.x.com/2/users/me',
      },
    });
  });

  it.each([
    ['an unknown provider', { facebook: { clientIds: ['f'] } }],
    ['an empty list of clients', { google: { clientIds: [] } }],
    ['an issuer with plain HTTP', { google: { clientIds: ['g'], issuer: 'http://accounts.example.com' } }],
    ['an issuer with a trailing slash', { google: { clientIds: ['g'], issuer: 'https://example.com/' } }],
    ['an issuer with a query', { apple: { clientIds: ['g'], issuer: 'https://example.com?a=b' } }],
    ['X without a client, whose tokens could belong to any app', { x: {} }],
    ['an address with a password', { x: { ...X, userInfoUrl: 'https://a:b@example.com/me' } }],
    ['an address with another scheme', { x: { ...X, userInfoUrl: 'file:///etc/passwd' } }],
    ['a malformed token', { telegram: { botToken: 'secret' } }],
  ])('is rejected with %s', (_case, setting) => {
    expect(read(setting).success).toBe(false);
  });

  it('allows plain HTTP only for loopback addresses', () => {
    const setting = { google: { clientIds: ['g'], issuer: 'http://127.0.0.1:4000' } };
    expect(read(setting).success).toBe(true);
  });

  it('is rejected if it is not JSON, without repeating its content', () => {
    const { error } = signInProvidersSetting.safeParse('{"telegram": 12345:secret}');
    expect(error?.issues).toMatchObject([{ message: 'expected JSON' }]);
    const wrong = read({ telegram: { botToken: 'the-secret' } });
    expect(JSON.stringify(wrong.error?.issues)).not.toContain('the-secret');
  });
});
