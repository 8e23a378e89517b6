import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.process>;

/** The prefix length of ::ffff:0:0/96, the IPv4-mapped range of IPv6. */
const MAPPED_BITS = 96;

/**
 * Returns true if the list contains `address` or a CIDR range that covers it; an empty list allows every address. An
 * IPv4 address and its IPv6-mapped form are equal, both in the list and in the request.
 */
export function isAddressAllowed(allowlist: readonly string[], address: string): boolean {
  if (allowlist.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return allowlist.some((entry) => {
    const [network, bits] = rangeOf(entry);
    return network.kind() === caller.kind() && caller.match(network, bits);
  });
}

/**
 * Returns true if every address that `inner` allows is also allowed by `outer`. Both are an address or a CIDR range, in
 * any notation that {@link isAddressAllowed} accepts.
 */
export function isRangeWithin(inner: string, outer: string): boolean {
  const [network, bits] = rangeOf(inner);
  const [outerNetwork, outerBits] = rangeOf(outer);
  return (
    network.kind() === outerNetwork.kind() && bits >= outerBits && network.match(outerNetwork, outerBits)
  );
}

function rangeOf(entry: string): [Address, number] {
  if (!entry.includes('/')) {
    const address = ipaddr.process(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  const [network, bits] = ipaddr.parseCIDR(entry);
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= MAPPED_BITS;
  return isMapped ? [network.toIPv4Address(), bits - MAPPED_BITS] : [network, bits];
}
