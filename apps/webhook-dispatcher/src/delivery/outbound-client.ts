/**
 * The only client for calls to the URLs of webhooks, with the egress guard.
 *
 * 1. The egress guard checks the URL at each call, in addition to the check when the webhook was created. It resolves
 *    the name only once and rejects the call if any address is denied. The connection goes to one of the checked
 *    addresses. SNI, certificate and Host use the name. The egress firewall (egress-firewall.ts) then checks the
 *    address of the socket.
 * 2. It follows no redirects, uses no proxy from the environment and stores no cookies. A connection is reused only
 *    for a short time and only by attempts to the same URL (connection-pool.ts).
 * 3. One time limit covers everything from the look-up to the last byte. A 2xx status is a success even if the body
 *    fails afterwards, because the receiver has the event and must not get it again. No call sends the event twice.
 * 4. At most 16 KiB of the response are read. At most 1 KiB is stored, decompressed, as text without U+0000
 *    (response-excerpt.ts).
 * 5. Failures are reported by a closed set of classes and reasons. No resolved address is ever reported.
 */
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { type DeliveryReason, deliveryErrorOf } from '@trading-automation/contracts';
import {
  type AttemptResult,
  checkWebhookUrl,
  type EgressPolicy,
  isAllowedAddress,
} from '@trading-automation/core/webhooks';
import type { Connection } from './connection.js';
import { ConnectionPool } from './connection-pool.js';
import { EgressFirewall } from './egress-firewall.js';
import { type LookUp, NameResolver } from './name-resolver.js';
import { lookUpReasonOf, OutboundError, reasonOf } from './outbound-errors.js';
import { excerptOf } from './response-excerpt.js';

export interface OutboundOptions extends EgressPolicy {
  /** The time limit of one call. */
  readonly timeoutMs: number;
  /** Name servers, as `ip` or `ip:port`. Default: the name servers of the system. */
  readonly dnsServers?: readonly string[];
  /**
   * How long a connection may stay idle until the next call to the same URL. If 0, a connection serves only one call.
   * Default: 1,000 ms.
   */
  readonly idleMs?: number;
  /** PEM certificates of the trusted authorities. Default: the authorities that Node.js trusts. */
  readonly authorities?: readonly string[];
  /** Returns all addresses of a name. By default, queries the name servers. */
  readonly resolve?: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Replaces the address table of the egress guard. It does not affect the egress firewall, the second check. */
  readonly isAllowed?: (address: string) => boolean;
}

export interface OutboundPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const IDLE_MS = 1_000;
const READ_MAX_BYTES = 16 * 1024;
/** The addresses of localhost, for which no name server is queried. */
const LOOPBACK = ['127.0.0.1', '::1'];

export class OutboundClient {
  private readonly pool: ConnectionPool;
  private readonly lookUp: (name: string, signal: AbortSignal) => Promise<LookUp>;
  private readonly isAllowed: (address: string) => boolean;

  constructor(private readonly options: OutboundOptions) {
    const { idleMs = IDLE_MS, authorities } = options;
    const resolver = new NameResolver(options.dnsServers);
    const { resolve } = options;
    this.lookUp =
      resolve === undefined
        ? (name, signal) => resolver.lookUp(name, signal)
        : (name, signal) => lookUpWith(resolve(name, signal));
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

  /** Sends one request. Never throws: every failure is a result. */
  async post(call: OutboundPost): Promise<AttemptResult> {
    const startedAt = performance.now();
    const elapsedMs = () => Math.round(performance.now() - startedAt);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new OutboundError('timeout')), this.options.timeoutMs);
    let connection: Connection | undefined;
    let isReusable = false;
    try {
      const { url, addresses } = await orAborted(
        this.resolveAndCheck(call.url, deadline.signal),
        deadline.signal,
      );
      connection = await this.pool.acquire(url, addresses);
      // undici ignores the signal while it connects, therefore `orAborted`.
      const sent = connection.post({ ...call, signal: deadline.signal }, addresses);
      const response = await orAborted(sent, deadline.signal);
      const responseTimeMs = elapsedMs();
      const { bytes, isWhole } = await read(response.body);
      isReusable = isWhole;
      const excerpt = await excerptOf(bytes, headerOf(response.headers['content-encoding']));
      return resultOf(response.statusCode, excerpt, responseTimeMs);
    } catch (cause) {
      const reason = deadline.signal.aborted ? timeoutReasonOf(connection) : reasonOf(cause);
      const error = deliveryErrorOf(reason);
      if (error === 'reset' && connection?.isReused === true) this.pool.disableReuse(connection.url);
      return { error, reason, responseTimeMs: elapsedMs() };
    } finally {
      clearTimeout(timer);
      if (isReusable && connection !== undefined) this.pool.release(connection);
      else connection?.destroy();
    }
  }

  /** Closes idle connections. Calls in flight run to their end and then close their connections. */
  close(): void {
    this.pool.close();
  }

  private async resolveAndCheck(
    rawUrl: string,
    signal: AbortSignal,
  ): Promise<{ url: URL; addresses: readonly string[] }> {
    const checked = checkWebhookUrl(rawUrl, this.options);
    if ('code' in checked) throw new OutboundError(checked.code);
    const { url } = checked;
    const addresses = await this.addressesOf(url.hostname.replace(/^\[(.*)\]$/, '$1'), signal);
    if (!addresses.every(this.isAllowed)) throw new OutboundError('blocked_address');
    return { url, addresses };
  }

  private async addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    if (/(?:^|\.)localhost\.?$/.test(host)) return LOOPBACK;
    const { addresses, failure } = await this.lookUp(host, signal);
    if (failure !== undefined) throw new OutboundError(failure);
    return addresses;
  }
}

async function lookUpWith(resolved: Promise<readonly string[]>): Promise<LookUp> {
  try {
    const addresses = await resolved;
    return addresses.length === 0 ? { addresses, failure: 'dns_no_address' } : { addresses };
  } catch (error) {
    return { addresses: [], failure: lookUpReasonOf(error) };
  }
}

/** Returns what the attempt was waiting for at its time limit. */
function timeoutReasonOf(connection: Connection | undefined): DeliveryReason {
  switch (connection?.phase) {
    case undefined:
      return 'timeout_in_dns';
    case 'connect':
      return 'timeout_in_connect';
    case 'tls_handshake':
      return 'timeout_in_tls_handshake';
    case 'response':
      return 'timeout_in_response';
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

function resultOf(statusCode: number, responseBody: string, responseTimeMs: number): AttemptResult {
  const isSuccess = statusCode >= 200 && statusCode < 300;
  const reason = REDIRECTS.includes(statusCode) ? 'redirect_not_followed' : 'http_status';
  return {
    statusCode,
    ...(isSuccess ? {} : { error: deliveryErrorOf(reason), reason }),
    responseTimeMs,
    ...(responseBody === '' ? {} : { responseBody }),
  };
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(',') : value;
}

/** Reads the body until it ends, stalls, breaks or exceeds the limit. */
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
    // The status has already arrived and determines the result.
    isWhole = false;
  }
  return { bytes: Buffer.concat(chunks), isWhole };
}

/** Returns the result of the work. If the signal is aborted first, throws its reason and ignores the result. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
