/**
 * Decides which hosts and addresses outbound calls may reach. One table decides whether a URL may be registered and
 * whether a process may connect to a resolved address.
 *
 * 1. Only the WHATWG parser parses a URL, and only the parsed URL is checked: `2130706433`, `0x7f.1` and full-width
 *    digits are checked as the addresses that they encode.
 * 2. Registration resolves no name. Each attempt checks every address that the name resolves to; one blocked address
 *    fails the attempt.
 * 3. Every IPv6 form that embeds an IPv4 address is blocked, even if the embedded address is public.
 * 4. Loopback is allowed only if it is configured, for development. That setting allows no other address.
 *
 * Sources: the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890), and the metadata address of one
 * large cloud, which lies in public space.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../values/index.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

const BLOCKED = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Contains all forms that embed an IPv4 address, except those in 2001::/23 and 2002::/16.
  '::/8',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

type Range = ReturnType<typeof ipaddr.parseCIDR>;
const loopback: readonly Range[] = LOOPBACK.map((range) => ipaddr.parseCIDR(range));
const blocked: readonly Range[] = BLOCKED.map((range) => ipaddr.parseCIDR(range));

/** Names that are never public, even if a resolver returns a public address. */
const BLOCKED_NAMES = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home.arpa',
  'test',
  'invalid',
  'onion',
];
const ALLOWED_PORTS = [80, 443, 8443];

export interface EgressPolicy {
  /** Allows 127.0.0.0/8, ::1 and localhost at any port. */
  readonly allowLoopback: boolean;
  /** Refuses http, as the live world does. Default: false. */
  readonly requireHttps?: boolean;
}

/** Returns whether a process may connect to the address. @param address an IP literal without brackets */
export function isAllowedAddress(address: string, { allowLoopback }: EgressPolicy): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (allowLoopback && isIn(parsed, loopback)) return true;
  return !isIn(parsed, blocked);
}

function isIn(address: ReturnType<typeof ipaddr.parse>, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

export type UrlCheck =
  | { readonly url: URL }
  | { readonly code: 'invalid_url' | 'blocked_address'; readonly message: string };

/** Checks a webhook's URL without resolving its name. */
export function checkWebhookUrl(text: string, policy: EgressPolicy): UrlCheck {
  const url = parseUrl(text);
  if (url === undefined) return invalid('url must be an absolute URL, such as https://example.com/hook.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return invalid('The scheme must be https or http.');
  if (policy.requireHttps === true && url.protocol !== 'https:')
    return invalid('The scheme must be https in the live world.');
  if (url.username !== '' || url.password !== '')
    return invalid('The URL must not contain a user name or password. Remove them.');
  if (url.hash !== '') return invalid('The URL must not contain a fragment (#…). Remove it.');
  const host = url.hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1');
  if (policy.allowLoopback && isLoopback(host)) return { url };
  if (isIP(host) !== 0 ? !isAllowedAddress(host, policy) : isBlockedName(host)) {
    return {
      code: 'blocked_address',
      message: 'The host is not public. Use a host that is reachable from the internet.',
    };
  }
  if (!isAllowedPort(url)) return invalid('The port must be 80, 443, 8443 or from 8000 to 8999.');
  return { url };
}

function invalid(message: string): UrlCheck {
  return { code: 'invalid_url', message };
}

function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isIP(host) !== 0 && isIn(ipaddr.parse(host), loopback);
}

/** Blocks names without a dot too, because they belong to a local network. */
function isBlockedName(host: string): boolean {
  return !host.includes('.') || BLOCKED_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

function isAllowedPort(url: URL): boolean {
  // The parser drops the default port of the scheme, and both default ports are allowed.
  if (url.port === '') return true;
  const port = Number(url.port);
  return ALLOWED_PORTS.includes(port) || (port >= 8000 && port <= 8999);
}
