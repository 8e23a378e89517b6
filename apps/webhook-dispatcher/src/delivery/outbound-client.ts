/**
 * The one client of every outbound call, and the guard in it.
 *
 * 1. A URL is judged at each call, whatever was judged when it was registered. A name is looked up once; one refused
 *    address among its answers refuses the call, and the connection goes to an address that was judged: a second
 *    answer of the resolver is never asked for. SNI, certificate and Host stay those of the name.
 * 2. No redirect is followed, no proxy is taken from the environment, no cookie is kept, no connection is used twice.
 * 3. One wall clock runs from the look-up to the last byte. A 2xx that is in counts, whatever its body does then:
 *    the receiver has the event, and must not get it again.
 * 4. At most 16 KiB of the answer are read, and 1 KiB kept, as text that Postgres takes.
 * 5. What went wrong is told by a closed set of codes. No address that a name resolved to is ever told.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { DeliveryError } from '@trading-automation/contracts';
import {
  type AttemptResult,
  type EgressPolicy,
  isAllowedAddress,
  judgeUrl,
} from '@trading-automation/core/webhooks';
import { buildConnector, Client, type Dispatcher, request } from 'undici';
import { errorCodeOf } from './outbound-errors.js';

export interface OutboundOptions extends EgressPolicy {
  /** The wall clock of one call. */
  readonly timeoutMs: number;
  /** All addresses of a name; the system's resolver unless given. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Which addresses may be connected to; the product's table unless given. */
  readonly isAllowed?: (address: string) => boolean;
}

export interface OutboundPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const CONNECT_TIMEOUT_MS = 10_000;
const READ_MAX_BYTES = 16 * 1024;
const KEPT_MAX_BYTES = 1024;

/** Ends a call with one of the codes that its caller may see. */
class Refused extends Error {
  override readonly name = 'Refused';
  constructor(readonly code: DeliveryError) {
    super(code);
  }
}

export class OutboundClient {
  private readonly connectors = {
    'http:': buildConnector({ timeout: CONNECT_TIMEOUT_MS, keepAlive: false }),
    'https:': buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      keepAlive: false,
      maxCachedSessions: 0,
      // Said outright, so that no environment variable can turn it off.
      rejectUnauthorized: true,
    }),
  };

  constructor(private readonly options: OutboundOptions) {}

  /** Never throws: whatever happens is a result. */
  async post(call: OutboundPost): Promise<AttemptResult> {
    const startedAt = performance.now();
    const elapsedMs = () => Math.round(performance.now() - startedAt);
    const clock = new AbortController();
    const timer = setTimeout(() => clock.abort(new Refused('timeout')), this.options.timeoutMs);
    let client: Client | undefined;
    try {
      const { url, addresses } = await orAborted(this.vet(call.url), clock.signal);
      client = new Client(url.origin, { connect: this.connectTo(addresses), pipelining: 0 });
      const answer = await send(client, url, call, clock.signal);
      const responseTimeMs = elapsedMs();
      const responseBody = excerptOf(await read(answer.body));
      const isSuccess = answer.statusCode >= 200 && answer.statusCode < 300;
      return {
        statusCode: answer.statusCode,
        ...(isSuccess ? {} : { error: 'http_status' }),
        responseTimeMs,
        ...(responseBody === '' ? {} : { responseBody }),
      };
    } catch (error) {
      const code = clock.signal.aborted ? 'timeout' : codeOf(error);
      return { error: code, responseTimeMs: elapsedMs() };
    } finally {
      clearTimeout(timer);
      client?.destroy().catch(() => undefined);
    }
  }

  private async vet(text: string): Promise<{ url: URL; addresses: readonly string[] }> {
    const verdict = judgeUrl(text, this.options);
    if ('code' in verdict) throw new Refused(verdict.code);
    const { url } = verdict;
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const isAllowed =
      this.options.isAllowed ?? ((address: string) => isAllowedAddress(address, this.options));
    const addresses = isIP(host) === 0 ? await this.lookUp(host) : [host];
    if (!addresses.every(isAllowed)) throw new Refused('blocked_address');
    return { url, addresses };
  }

  private async lookUp(name: string): Promise<readonly string[]> {
    const { resolve = resolveBySystem } = this.options;
    const addresses = await resolve(name).catch(() => []);
    if (addresses.length === 0) throw new Refused('dns_error');
    return addresses;
  }

  /** Connects to the first of the vetted addresses that takes the connection. */
  private connectTo(addresses: readonly string[]): buildConnector.connector {
    return (options, callback) => {
      const connect = this.connectors[options.protocol === 'https:' ? 'https:' : 'http:'];
      const tryFrom = (index: number): void => {
        connect({ ...options, hostname: addresses[index] ?? '' }, (error, socket) => {
          if (error === null) callback(null, socket);
          else if (index + 1 < addresses.length && isUnreachable(error)) tryFrom(index + 1);
          else callback(error, null);
        });
      };
      tryFrom(0);
    };
  }
}

function send(
  client: Client,
  url: URL,
  { headers, body }: OutboundPost,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return request(url, {
    dispatcher: client,
    method: 'POST',
    headers,
    body,
    signal,
    // The wall clock is the only one.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** What came of the body before it ended, hung or grew too long. */
async function read(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= READ_MAX_BYTES) break;
    }
  } catch {
    // The status is in and decides; a body that breaks off is kept as far as it came.
  }
  return Buffer.concat(chunks);
}

/** Invalid bytes replaced, a character cut by the limit left out, and no U+0000, which Postgres doesn't store. */
function excerptOf(body: Buffer): string {
  const decoder = new TextDecoder('utf-8', { fatal: false });
  return decoder.decode(body.subarray(0, KEPT_MAX_BYTES), { stream: true }).replaceAll('\u0000', '');
}

async function resolveBySystem(name: string): Promise<readonly string[]> {
  const answers = await lookup(name, { all: true, order: 'ipv4first' });
  return answers.map(({ address }) => address);
}

function codeOf(error: unknown): DeliveryError {
  return error instanceof Refused ? error.code : errorCodeOf(error);
}

function isUnreachable(error: Error): boolean {
  return errorCodeOf(error) === 'connect_refused';
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
