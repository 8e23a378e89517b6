import ipaddr from 'ipaddr.js';

/** True where `address` is one of the addresses or in one of the CIDR ranges; an empty list allows all. */
export function isAddressAllowed(allowlist: readonly string[], address: string): boolean {
  if (allowlist.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const given = ipaddr.process(address);
  return allowlist.some((entry) => {
    const [network, bits] = entry.includes('/')
      ? ipaddr.parseCIDR(entry)
      : ([ipaddr.process(entry), undefined] as const);
    if (network.kind() !== given.kind()) return false;
    return given.match(network, bits ?? (network.kind() === 'ipv4' ? 32 : 128));
  });
}
