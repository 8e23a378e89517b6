/**
 * Resolves the addresses of a host name, for one attempt.
 *
 * 1. It uses c-ares instead of getaddrinfo. Four look-ups that hang in getaddrinfo would block the thread pool of the
 *    process, and thereby every attempt.
 * 2. It sends one A and one AAAA query concurrently. A query without a response is sent once more.
 * 3. It caches nothing. Each look-up has its own channel, so it can be cancelled separately and its source ports cannot
 *    be predicted from earlier look-ups.
 * 4. It ignores /etc/hosts and the search list of resolv.conf. They are settings of the machine and must not affect the
 *    URLs of users.
 */
import { Resolver } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import type { DeliveryReason } from '@trading-automation/contracts';
import { lookUpReasonOf } from './outbound-errors.js';

/** The timeout of the first round of queries; the second round waits twice as long. */
const ROUND_MS = 2_000;
const ROUNDS = 2;

/** The result of a look-up: addresses, or the reason why there are none. */
export interface LookUp {
  readonly addresses: readonly string[];
  /** Set if and only if there are no addresses. */
  readonly failure?: DeliveryReason;
}

/** The reasons from the most to the least informative, because the two queries may fail for different reasons. */
const FAILURES: readonly DeliveryReason[] = [
  'dns_server_timeout',
  'dns_server_failure',
  'dns_no_address',
  'dns_name_not_found',
];

export class NameResolver {
  /** @param servers `ip` or `ip:port` (`[ip]:port` for IPv6). Default: the name servers of the system. */
  constructor(private readonly servers?: readonly string[]) {
    if (servers !== undefined && !areNameServers(servers))
      throw new TypeError(
        `Name servers must be addresses, or address:port; got ${servers.join(', ') || 'an empty list'}.`,
      );
  }

  /**
   * Looks up all addresses of the name, IPv4 first. The list is empty if the name has none or no server responds. If
   * only one of the two queries gets no response, its addresses are missing. That is safe, because the caller connects
   * only to returned addresses.
   */
  async lookUp(name: string, signal: AbortSignal): Promise<LookUp> {
    const resolver = this.createResolver();
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal.removeEventListener('abort', cancel);
    const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    if (addresses.length > 0) return { addresses };
    const failures = families.map((family) =>
      family.status === 'rejected' ? lookUpReasonOf(family.reason) : 'dns_no_address',
    );
    return { addresses, failure: FAILURES.find((reason) => failures.includes(reason)) ?? 'dns_error' };
  }

  private createResolver(): Resolver {
    const resolver = new Resolver({ timeout: ROUND_MS, tries: ROUNDS });
    if (this.servers !== undefined) resolver.setServers(this.servers);
    return resolver;
  }
}

/** Matches `ip`, `ip:port` and `[ip]:port`. c-ares itself accepts any port and ignores some trailing characters. */
const SERVER = /^(?:[\d.]+|\[[\da-fA-F:.]+\])(?::(\d{1,5}))?$/;

/** Returns whether a setting contains only valid name servers. */
export function areNameServers(servers: readonly string[]): boolean {
  try {
    new Resolver().setServers(servers);
  } catch {
    return false;
  }
  return servers.length > 0 && servers.every((server) => isIPv6(server) || portOf(server) <= 65_535);
}

/** Returns the port of a server, by default 53. Returns NaN if the string is not a server. */
function portOf(server: string): number {
  const match = SERVER.exec(server);
  return match === null ? Number.NaN : Number(match[1] ?? 53);
}
