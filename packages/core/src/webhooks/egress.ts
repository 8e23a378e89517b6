/**
 * Where outbound calls may go. Two questions, one table: whether a URL may be registered, and whether an
 * address that a name resolved to may be connected to.
 *
 * 1. A URL is read by the WHATWG parser alone, and only its parsed parts are judged: `2130706433`, `0x7f.1` and
 *    full-width digits are the addresses that they mean.
 * 2. Registering looks nothing up. A name is judged again at each attempt, by every address it resolves to;
 *    one bad address refuses the attempt.
 * 3. Every IPv6 form that embeds an IPv4 address is refused whole, whatever it embeds.
 * 4. Loopback is open only where the configuration says so (development); nothing else is opened by it.
 *
 * Sources: the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890), and the metadata address of one
 * large cloud that lies in public space.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../values/index.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

const REFUSED = [
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
  '::/8',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
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
const refused: readonly Range[] = REFUSED.map((range) => ipaddr.parseCIDR(range));

/** Names that never lead outside, whatever a resolver says of them. */
const REFUSED_NAMES = [
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
  /** Opens 127.0.0.0/8, ::1 and localhost at any port. */
  readonly allowLoopback: boolean;
}

/** True where a connection to the address may be made. `address` is an IP literal without brackets. */
export function isAllowedAddress(address: string, { allowLoopback }: EgressPolicy): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (allowLoopback && isIn(parsed, loopback)) return true;
  return !isIn(parsed, refused);
}

function isIn(address: ReturnType<typeof ipaddr.parse>, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

export type UrlCheck =
  | { readonly url: URL }
  | { readonly code: 'invalid_url' | 'blocked_address'; readonly message: string };

/** Judges a webhook's URL by itself, without looking its name up. */
export function checkWebhookUrl(text: string, policy: EgressPolicy): UrlCheck {
  const url = parseUrl(text);
  if (url === undefined) return invalid('Expected an absolute URL, like https://example.com/hook.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return invalid('Only https and http URLs are called.');
  if (url.username !== '' || url.password !== '')
    return invalid('Leave user name and password out of the URL.');
  if (url.hash !== '') return invalid('Leave the fragment (#…) out of the URL.');
  const host = url.hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1');
  if (policy.allowLoopback && isLoopback(host)) return { url };
  if (isIP(host) !== 0 ? !isAllowedAddress(host, policy) : isRefusedName(host)) {
    return {
      code: 'blocked_address',
      message: 'The host is not reachable from the service; use a public one.',
    };
  }
  if (!isAllowedPort(url)) return invalid('Use port 80, 443, 8443 or one from 8000 to 8999.');
  return { url };
}

function invalid(message: string): UrlCheck {
  return { code: 'invalid_url', message };
}

function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isIP(host) !== 0 && isIn(ipaddr.parse(host), loopback);
}

/** A name without a dot is one of a local network. */
function isRefusedName(host: string): boolean {
  return !host.includes('.') || REFUSED_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

function isAllowedPort(url: URL): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return ALLOWED_PORTS.includes(port) || (port >= 8000 && port <= 8999);
}
