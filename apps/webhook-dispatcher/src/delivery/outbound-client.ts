/**
 * The one client of every outbound call, and the guard in it.
 *
 * 1. A URL is judged at each call, whatever was judged when it was registered. A name is looked up once; one refused
 *    address among its answers refuses the call, and the connection goes to an address that was judged: a second
 *    answer of the resolver is never asked for. SNI, certificate and Host stay those of the name. What the socket
 *    connects to is judged once more, apart from all this (egress-wall.ts).
 * 2. No redirect is followed, no proxy is taken from the environment, no cookie is kept. A connection is used again
 *    by attempts to the same URL alone, and shortly (connection-pool.ts).
 * 3. One wall clock runs from the look-up to the last byte. A 2xx that is in counts, whatever its body does then:
 *    the receiver has the event, and must not get it again. Nothing is ever sent twice in one call.
 * 4. At most 16 KiB of the answer are read, never decompressed, and 1 KiB kept, as text that Postgres takes.
 * 5. What went wrong is told by a closed set of codes. No address that a name resolved to is ever told.
 */
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import {
  type AttemptResult,
  checkWebhookUrl,
  type EgressPolicy,
  isAllowedAddress,
} from '@trading-automation/core/webhooks';
import type { Connection } from './connection.js';
import { ConnectionPool } from './connection-pool.js';
import { EgressFirewall } from './egress-firewall.js';
import { NameResolver } from './name-resolver.js';
import { errorCodeOf, OutboundError } from './outbound-errors.js';

export interface OutboundOptions extends EgressPolicy {
  /** The wall clock of one call. */
  readonly timeoutMs: number;
  /** Name servers, `ip` or `ip:port`; those of the system unless given. */
  readonly dnsServers?: readonly string[];
  /** How long a connection may wait for the next call to the same URL; 0 gives each call its own. 1 s unless given. */
  readonly idleMs?: number;
  /** PEM certificates of authorities, in place of the well-known ones. */
  readonly authorities?: readonly string[];
  /** All addresses of a name; asked from the name servers unless given. */
  readonly resolve?: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** The first guard's table, the product's unless given. The wall behind it is not affected. */
  readonly isAllowed?: (address: string) => boolean;
}

export interface OutboundPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const IDLE_MS = 1_000;
const READ_MAX_BYTES = 16 * 1024;
const KEPT_MAX_BYTES = 1024;
/** What localhost is, without asking anybody. */
const LOOPBACK = ['127.0.0.1', '::1'];

export class OutboundClient {
  private readonly pool: ConnectionPool;
  private readonly resolve: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  private readonly isAllowed: (address: string) => boolean;

  constructor(private readonly options: OutboundOptions) {
    const { idleMs = IDLE_MS, authorities } = options;
    const resolver = new NameResolver(options.dnsServers);
    this.resolve = options.resolve ?? ((name, signal) => resolver.addressesOf(name, signal));
    this.isAllowed = options.isAllowed ?? ((address) => isAllowedAddress(address, options));
    this.pool = new ConnectionPool({
      egressFirewall: new EgressFirewall(options),
      idleMs,
      secureContext: createSecureContext({
        minVersion: 'TLSv1.2',
        ...(authorities === undefined ? {} : { ca: [...authorities] }),
      }),
    });
  }

  /** Never throws: whatever happens is a result. */
  async post(call: OutboundPost): Promise<AttemptResult> {
    const startedAt = performance.now();
    const elapsedMs = () => Math.round(performance.now() - startedAt);
    const clock = new AbortController();
    const timer = setTimeout(() => clock.abort(new OutboundError('timeout')), this.options.timeoutMs);
    let connection: Connection | undefined;
    let isReusable = false;
    try {
      const { url, addresses } = await orAborted(this.resolveAndCheck(call.url, clock.signal), clock.signal);
      connection = await this.pool.acquire(url, addresses);
      // The client itself hears of the end of time only once it is connected.
      const sent = connection.post({ ...call, signal: clock.signal }, addresses);
      const answer = await orAborted(sent, clock.signal);
      const responseTimeMs = elapsedMs();
      const { bytes, isWhole } = await read(answer.body);
      isReusable = isWhole;
      return resultOf(answer.statusCode, bytes, responseTimeMs);
    } catch (error) {
      const code = clock.signal.aborted ? 'timeout' : errorCodeOf(error);
      if (code === 'reset' && connection?.isReused === true) this.pool.disableReuse(connection.url);
      return { error: code, responseTimeMs: elapsedMs() };
    } finally {
      clearTimeout(timer);
      if (isReusable && connection !== undefined) this.pool.release(connection);
      else connection?.destroy();
    }
  }

  /** Ends the connections that wait. Calls that are running end by themselves, and keep none. */
  close(): void {
    this.pool.close();
  }

  private async resolveAndCheck(
    text: string,
    signal: AbortSignal,
  ): Promise<{ url: URL; addresses: readonly string[] }> {
    const verdict = checkWebhookUrl(text, this.options);
    if ('code' in verdict) throw new OutboundError(verdict.code);
    const { url } = verdict;
    const addresses = await this.addressesOf(url.hostname.replace(/^\[(.*)\]$/, '$1'), signal);
    if (!addresses.every(this.isAllowed)) throw new OutboundError('blocked_address');
    return { url, addresses };
  }

  private async addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    if (/(?:^|\.)localhost\.?$/.test(host)) return LOOPBACK;
    const addresses = await this.resolve(host, signal).catch(() => []);
    if (addresses.length === 0) throw new OutboundError('dns_error');
    return addresses;
  }
}

function resultOf(statusCode: number, body: Buffer, responseTimeMs: number): AttemptResult {
  const isSuccess = statusCode >= 200 && statusCode < 300;
  const responseBody = excerptOf(body);
  return {
    statusCode,
    ...(isSuccess ? {} : { error: 'http_status' }),
    responseTimeMs,
    ...(responseBody === '' ? {} : { responseBody }),
  };
}

/** What came of the body before it ended, hung, broke off or grew too long. */
async function read(body: AsyncIterable<Buffer>): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  let isWhole = true;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length < READ_MAX_BYTES) continue;
      isWhole = false;
      break;
    }
  } catch {
    // The status is in and decides.
    isWhole = false;
  }
  return { bytes: Buffer.concat(chunks), isWhole };
}

/** Invalid bytes replaced, a character cut by the limit left out, and no U+0000, which Postgres doesn't store. */
function excerptOf(body: Buffer): string {
  const decoder = new TextDecoder('utf-8', { fatal: false });
  return decoder.decode(body.subarray(0, KEPT_MAX_BYTES), { stream: true }).replaceAll('\u0000', '');
}

/** What comes of the work, or of the signal if that is sooner. The work's own end is then nobody's concern. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
