/**
 * Looks up the addresses of a name, for one attempt.
 *
 * 1. Asked by c-ares, not by getaddrinfo: four hanging look-ups of the latter hold the thread pool of the process,
 *    and with it everybody's attempts.
 * 2. One question for A and one for AAAA, at the same time. Only what got lost on the way is asked for once more.
 * 3. Nothing is remembered between look-ups, and each has a channel of its own: it can be given up without another's,
 *    and its questions leave from a port that nobody can guess from the last ones.
 * 4. /etc/hosts and the search list of resolv.conf are not consulted: what they say is meant for the machine, never
 *    for the URL of a customer.
 */
import { Resolver } from 'node:dns/promises';
import { isIPv6 } from 'node:net';

/** The wait for a name server; the second round waits twice as long. */
const ROUND_MS = 2_000;
const ROUNDS = 2;

export class NameResolver {
  /** `servers` are `ip` or `ip:port` (`[ip]:port` for IPv6); those of the system unless given. */
  constructor(private readonly servers?: readonly string[]) {
    if (servers !== undefined && !areNameServers(servers)) throw new TypeError('these are no name servers');
  }

  /**
   * All addresses of the name, IPv4 first; none where it has none or no server answers. A family that is not
   * answered for is taken as empty: only addresses that are told here are ever connected to.
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

/** c-ares takes a port of any size, and what follows an address it does not always read. */
const SERVER = /^(?:[\d.]+|\[[\da-fA-F:.]+\])(?::(\d{1,5}))?$/;

/** Whether a setting names servers that can be asked. */
export function areNameServers(servers: readonly string[]): boolean {
  try {
    new Resolver().setServers(servers);
  } catch {
    return false;
  }
  return servers.length > 0 && servers.every((server) => isIPv6(server) || portOf(server) <= 65_535);
}

/** 53 unless named; NaN of what is no server. */
function portOf(server: string): number {
  const match = SERVER.exec(server);
  return match === null ? Number.NaN : Number(match[1] ?? 53);
}
