import { isAddressAllowed } from './address-allowlist.js';

describe('an allow-list of addresses', () => {
  it.each([
    ['nothing listed', [], '203.0.113.9'],
    ['the address itself', ['203.0.113.9'], '203.0.113.9'],
    ['one of several', ['198.51.100.1', '203.0.113.9'], '203.0.113.9'],
    ['a range', ['203.0.113.0/24'], '203.0.113.255'],
    ['a range of one', ['203.0.113.9/32'], '203.0.113.9'],
    ['everything of a family', ['0.0.0.0/0'], '203.0.113.9'],
    ['an IPv4 address that came mapped into IPv6', ['203.0.113.9'], '::ffff:203.0.113.9'],
    ['a range that an IPv4 address came mapped for', ['203.0.113.0/24'], '::ffff:cb00:7109'],
    ['an entry that is mapped', ['::ffff:203.0.113.9'], '203.0.113.9'],
    ['a range that is mapped', ['::ffff:203.0.113.0/120'], '203.0.113.9'],
    ['an IPv6 address, however it is spelled', ['2001:db8:0:0::1'], '2001:DB8::1'],
    ['an IPv6 range', ['2001:db8::/32'], '2001:db8:ffff::1'],
  ])('allows %s', (_case, allowlist, address) => {
    expect(isAddressAllowed(allowlist, address)).toBe(true);
  });

  it.each([
    ['another address', ['203.0.113.9'], '203.0.113.8'],
    ['an address right below a range', ['203.0.113.128/25'], '203.0.113.127'],
    ['an address right above a range', ['203.0.113.0/25'], '203.0.113.128'],
    ['an IPv6 address if only IPv4 is listed', ['0.0.0.0/0'], '2001:db8::1'],
    ['an IPv4 address if only IPv6 is listed', ['::/0'], '203.0.113.9'],
    ['another IPv4 address that came mapped', ['203.0.113.9'], '::ffff:203.0.113.8'],
    ['an address outside a mapped range', ['::ffff:203.0.113.0/120'], '203.0.112.255'],
    ['an IPv6 address right outside a range', ['2001:db8::/33'], '2001:db8:8000::1'],
    ['what is no address', ['0.0.0.0/0', '::/0'], 'localhost'],
    ['nothing at all', ['0.0.0.0/0'], ''],
  ])('rejects %s', (_case, allowlist, address) => {
    expect(isAddressAllowed(allowlist, address)).toBe(false);
  });
});
