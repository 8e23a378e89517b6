import { isAddressAllowed } from './address-allowlist.js';

describe('isAddressAllowed', () => {
  it.each([
    ['any address for an empty list', [], '203.0.113.9'],
    ['a listed address', ['203.0.113.9'], '203.0.113.9'],
    ['one of several listed addresses', ['198.51.100.1', '203.0.113.9'], '203.0.113.9'],
    ['an address in a listed range', ['203.0.113.0/24'], '203.0.113.255'],
    ['the address of a range that contains one address', ['203.0.113.9/32'], '203.0.113.9'],
    ['every IPv4 address for the range of all', ['0.0.0.0/0'], '203.0.113.9'],
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
    ['an address outside a mapped range', ['::ffff:203.0.113.0/120'], '203.0.112.255'],
    ['an IPv6 address right outside a range', ['2001:db8::/33'], '2001:db8:8000::1'],
    ['a string that is not an address', ['0.0.0.0/0', '::/0'], 'localhost'],
    ['an empty string', ['0.0.0.0/0'], ''],
  ])('rejects %s', (_case, allowlist, address) => {
    expect(isAddressAllowed(allowlist, address)).toBe(false);
  });
});
