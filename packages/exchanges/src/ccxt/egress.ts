/** Chooses the local address of an account's connections. */
import { createHash } from 'node:crypto';

/**
 * Returns `assigned` while it is configured. Otherwise chooses an address by rendezvous hashing: equal keys get equal
 * addresses, and a change of the list moves only the accounts of removed addresses.
 */
export function chooseEgress(
  addresses: readonly string[],
  key: string,
  assigned: string | undefined,
): string | undefined {
  if (assigned !== undefined && addresses.includes(assigned)) return assigned;
  let best: { readonly address: string; readonly score: string } | undefined;
  for (const address of addresses) {
    const score = createHash('sha256').update(`${address} ${key}`).digest('hex');
    if (best === undefined || score > best.score) best = { address, score };
  }
  return best?.address;
}
