/**
 * The second egress check. It checks the address of a socket immediately before the socket connects. It is deliberately
 * independent of the first check, the egress guard: it has its own matcher and its own table, so that each check stops
 * what the other misses.
 *
 * IPv4 is allowed except for the special ranges. IPv6 is denied except for global unicast. Within global unicast, the
 * ranges that may contain an IPv4 address or have no public hosts are denied, too.
 *
 * The third check belongs to the network: see "What the deployment must add" in docs/security/egress.md.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { EgressPolicy } from '@trading-automation/core/webhooks';

const DENIED_IPV4 = subnets('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved and broadcast.
  ['224.0.0.0', 3],
]);
const GLOBAL_IPV6 = subnets('ipv6', [['2000::', 3]]);
const DENIED_IPV6 = subnets('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]);
const LOOPBACK_IPV4 = subnets('ipv4', [['127.0.0.0', 8]]);
const LOOPBACK_IPV6 = subnets('ipv6', [['::1', 128]]);

export class EgressFirewall {
  constructor(private readonly policy: EgressPolicy) {}

  /**
   * Returns true only for a plain public address, and for a loopback address if the policy allows loopback. Returns
   * false for any other address and for names.
   */
  permits(address: string): boolean {
    const { allowLoopback } = this.policy;
    if (isIPv4(address)) {
      return !DENIED_IPV4.check(address, 'ipv4') || (allowLoopback && LOOPBACK_IPV4.check(address, 'ipv4'));
    }
    // An address with a zone (`%`) is link-local.
    if (!isIPv6(address) || address.includes('%')) return false;
    const isPublic = GLOBAL_IPV6.check(address, 'ipv6') && !DENIED_IPV6.check(address, 'ipv6');
    return isPublic || (allowLoopback && LOOPBACK_IPV6.check(address, 'ipv6'));
  }
}

function subnets(family: 'ipv4' | 'ipv6', ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of ranges) list.addSubnet(network, bits, family);
  return list;
}
