import { SPECIAL_IPV4, SPECIAL_IPV6 } from '@trading-automation/core/testing';
import { isAllowedAddress } from '@trading-automation/core/webhooks';
import fc from 'fast-check';
import { EgressFirewall } from './egress-firewall.js';

const LIVE = { allowLoopback: false };
const DEVELOPMENT = { allowLoopback: true };
const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc
    .tuple(fc.constantFrom('10', '127', '169.254', '172.16', '172.32', '192.168', '100.64', '224'), fc.ipV4())
    .map(([start, tail]) => [...start.split('.'), ...tail.split('.')].slice(0, 4).join('.')),
  fc
    .tuple(
      fc.constantFrom(
        '::',
        '::ffff:',
        '64:ff9b::',
        '2001:db8:',
        '2002:',
        '2606:4700:',
        'fc00:',
        'fe80:',
        'ff02:',
      ),
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0, max: 0xffff }),
    )
    .map(
      ([start, high, low]) =>
        `${start}${start.endsWith('::') || start === '::ffff:' ? '' : ':'}${high.toString(16)}:${low.toString(16)}`,
    ),
);

describe('the egress firewall', () => {
  it('denies every address that the egress guard denies, and in addition only unassigned IPv6 addresses', () => {
    for (const policy of [LIVE, DEVELOPMENT]) {
      const firewall = new EgressFirewall(policy);
      fc.assert(
        fc.property(address, (text) => {
          if (firewall.permits(text)) expect(isAllowedAddress(text, policy)).toBe(true);
          else if (isAllowedAddress(text, policy)) expect(text).not.toMatch(/^[23][0-9a-f]{3}:|^[\d.]+$/i);
        }),
        { numRuns: 10_000 },
      );
    }
  });

  it.each([...SPECIAL_IPV4, ...SPECIAL_IPV6])(
    'denies both edges of the range $range, and permits the public addresses just outside of them',
    ({ first, last, neighbours }) => {
      const firewall = new EgressFirewall(LIVE);
      expect([first, last].map((edge) => firewall.permits(edge))).toEqual([false, false]);
      for (const outside of neighbours) expect([outside, firewall.permits(outside)]).toEqual([outside, true]);
    },
  );

  it('permits of IPv6 only the range of global unicast addresses, to its edges', () => {
    const firewall = new EgressFirewall(LIVE);
    const edges = ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::', '3ffe::', '4000::'];
    expect(edges.map((edge) => firewall.permits(edge))).toEqual([false, true, true, false]);
  });

  it.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001::1'])(
    'permits the public address %s',
    (text) => expect(new EgressFirewall(LIVE).permits(text)).toBe(true),
  );

  it.each([
    '',
    'localhost',
    'example.com',
    '127.1',
    '0x7f000001',
    '[::1]',
    'fe80::1%lo',
    '2606:4700::1111%eth0',
  ])('denies %j, which is not a plain address', (text) => {
    expect(new EgressFirewall(LIVE).permits(text)).toBe(false);
    expect(new EgressFirewall(DEVELOPMENT).permits(text)).toBe(false);
  });

  it('permits loopback addresses, but no other internal address, if the policy allows loopback', () => {
    const firewall = new EgressFirewall(DEVELOPMENT);
    const loopback = ['127.0.0.1', '127.9.9.9', '::1', '0:0:0:0:0:0:0:1'];
    expect(loopback.map((text) => firewall.permits(text))).toEqual([true, true, true, true]);
    expect(
      ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::', '::ffff:7f00:1', '64:ff9b::7f00:1'].map((text) =>
        firewall.permits(text),
      ),
    ).toEqual([false, false, false, false, false, false]);
  });
});
