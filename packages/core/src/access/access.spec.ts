import { isAddressAllowed } from './address-allowlist.rules.js';
import { issueApiKey } from './api-key.js';
import { assertNoCredentialInQuery } from './assert-no-credential-in-query.js';

describe('isAddressAllowed', () => {
  it.each([
    ['any address for an empty list', [], '203.0.113.9'],
    ['a listed address', ['203.0.113.9'], '203.0.113.9'],
    ['one of several listed addresses', ['198.51.100.1', '203.0.113.9'], '203.0.113.9'],
    ['an address in a listed range', ['203.0.113.0/24'], '203.0.113.255'],
    ['the address of a range that contains one address', ['203.0.113.9/32'], '203.0.113.9'],
    ['every IPv4 address, if the range of all IPv4 addresses is listed', ['0.0.0.0/0'], '203.0.113.9'],
    ['the IPv6-mapped form of a listed IPv4 address', ['203.0.113.9'], '::ffff:203.0.113.9'],
    ['the IPv6-mapped form of an IPv4 address in a listed range', ['203.0.113.0/24'], '::ffff:cb00:7109'],
    ['an IPv4 address that is listed in IPv6-mapped form', ['::ffff:203.0.113.9'], '203.0.113.9'],
    [
      'an IPv4 address in a range that is listed in IPv6-mapped form',
      ['::ffff:203.0.113.0/120'],
      '203.0.113.9',
    ],
    ['a listed IPv6 address in another notation', ['2001:db8:0:0::1'], '2001:DB8::1'],
    ['an IPv6 address in a listed range', ['2001:db8::/32'], '2001:db8:ffff::1'],
  ])('allows %s', (_case, allowlist, address) => {
    expect(isAddressAllowed(allowlist, address)).toBe(true);
  });

  it.each([
    ['an address that is not listed', ['203.0.113.9'], '203.0.113.8'],
    ['an address right below a range', ['203.0.113.128/25'], '203.0.113.127'],
    ['an address right above a range', ['203.0.113.0/25'], '203.0.113.128'],
    ['an IPv6 address if only IPv4 is listed', ['0.0.0.0/0'], '2001:db8::1'],
    ['an IPv4 address if only IPv6 is listed', ['::/0'], '203.0.113.9'],
    ['the IPv6-mapped form of an IPv4 address that is not listed', ['203.0.113.9'], '::ffff:203.0.113.8'],
    [
      'an IPv4 address outside a range that is listed in IPv6-mapped form',
      ['::ffff:203.0.113.0/120'],
      '203.0.112.255',
    ],
    ['the neighbour of a listed IPv6 address', ['2001:db8::1'], '2001:db8::2'],
    ['the neighbour of a listed IPv4 address in IPv6-mapped form', ['::ffff:203.0.113.9'], '203.0.113.8'],
    ['an IPv6 address right outside a range', ['2001:db8::/33'], '2001:db8:8000::1'],
    ['a string that is not an address', ['0.0.0.0/0', '::/0'], 'localhost'],
    ['an empty string', ['0.0.0.0/0'], ''],
  ])('rejects %s', (_case, allowlist, address) => {
    expect(isAddressAllowed(allowlist, address)).toBe(false);
  });
});

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
