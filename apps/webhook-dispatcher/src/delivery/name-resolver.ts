/**
 * Resolves the addresses of a host name, for one attempt.
 *
 * 1. Uses c-ares instead of getaddrinfo: four hanging look-ups of the latter block the thread pool of the process, and
 *    with it every attempt.
 * 2. Sends one A and one AAAA query concurrently. Only a lost query is sent once more.
 * 3. Caches nothing. Each look-up has its own channel: it can be cancelled separately, and its source ports cannot be
 *    predicted from earlier ones.
 * 4. Ignores /etc/hosts and the search list of resolv.conf: they are meant for the machine, never for the URL of a
 *    customer.
 */
import { Resolver } from 'node:dns/promises';
import { isIPv6 } from 'node:net';

/** The timeout of the first round of queries; the second round waits twice as long. */
const ROUND_MS = 2_000;
const ROUNDS = 2;

export class NameResolver {
  /** @param servers `ip` or `ip:port` (`[ip]:port` for IPv6). Default: the name servers of the system. */
  constructor(private readonly servers?: readonly string[]) {
    if (servers !== undefined && !areNameServers(servers))
      throw new TypeError(
        `Name servers must be addresses, or address:port; got ${servers.join(', ') || 'an empty list'}.`,
      );
  }

  /**
   * Returns all addresses of the name, IPv4 first; an empty list if it has none or no server responds. An address
   * family without a response counts as empty: only returned addresses are ever connected to.
   */
  async addressesOf(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const resolver = this.open();
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal.removeEventListener('abort', cancel);
    return families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  }

  private open(): Resolver {
    const resolver = new Resolver({ timeout: ROUND_MS, tries: ROUNDS });
    if (this.servers !== undefined) resolver.setServers(this.servers);
    return resolver;
  }
}

/** Validated here because c-ares accepts any port number and ignores some trailing characters. */
const SERVER = /^(?:[\d.]+|\[[\da-fA-F:.]+\])(?::(\d{1,5}))?$/;

/** Whether a setting names valid name servers. */
export function areNameServers(servers: readonly string[]): boolean {
  try {
    new Resolver().setServers(servers);
  } catch {
    return false;
  }
  return servers.length > 0 && servers.every((server) => isIPv6(server) || portOf(server) <= 65_535);
}

/** Returns the port, 53 by default; NaN if the string is not a server. */
function portOf(server: string): number {
  const match = SERVER.exec(server);
  return match === null ? Number.NaN : Number(match[1] ?? 53);
}
