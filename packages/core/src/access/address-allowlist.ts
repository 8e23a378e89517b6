import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.process>;

/** The IPv4 range ::ffff:0:0/96 within IPv6. */
const MAPPED_BITS = 96;

/**
 * True where `address` is one of the addresses or in one of the CIDR ranges; an empty list allows all. An IPv4 address
 * is the same one when it is written as mapped into IPv6, on either side.
 */
export function isAddressAllowed(allowlist: readonly string[], address: string): boolean {
  if (allowlist.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const given = ipaddr.process(address);
  return allowlist.some((entry) => {
    const [network, bits] = rangeOf(entry);
    return network.kind() === given.kind() && given.match(network, bits);
  });
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
