/**
 * The only HTTP transport to an exchange; it replaces ccxt's own.
 *
 * 1. The configured origin can replace every host. ccxt still sees the exchange's own addresses, by which it selects
 *    its error tables.
 * 2. The time limit covers connecting, sending and the whole response. Nothing is sent after the time limit, even if
 *    the process was stalled. The size of a response is limited to 64 MiB.
 * 3. No redirect is followed, and no request is sent twice.
 * 4. After a 429 or 418 with a retry time, nothing is sent from the same local address before that time. If the limit
 *    applies to one account, only that account's calls of the same kind wait: its orders, its other writes or its reads.
 *    If the exchange counts all calls of an account together, all of them wait.
 * 5. The transport records in the {@link Call} when sending starts and what the response was.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { type Call, createDeferred, currentCall, isTooLateToSend } from './call.js';

/** Thrown if it is certain that no part of the request reached the exchange. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  constructor(readonly reason: 'unreachable' | 'rate_limited') {
    super(reason);
  }
}

/** Thrown if the request was sent completely or partly and no complete response arrived. */
export class ResponseLost extends Error {
  override readonly name = 'ResponseLost';
}

/** Thrown for a redirect, a response larger than 64 MiB and a response that cannot be decompressed. */
export class ResponseUnusable extends Error {
  override readonly name = 'ResponseUnusable';
}

/** A request that ccxt has signed. */
export interface SignedRequest {
  readonly address: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: string | undefined;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
const PAUSE_MAX_MS = 600_000;
/** The longest ban that exchanges document. Requests during a ban prolong it. */
const BAN_MAX_MS = 3 * 86_400_000;
/** The status with which exchanges ban an address. */
const BANNED = 418;
const gunzipAsync = promisify(gunzip);

/** A response that may request a pause. */
export interface RateLimitResponse {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface TransportOptions {
  /** Replaces the scheme, host and port of every URL. */
  readonly origin?: string | undefined;
  readonly timeoutMs: number;
  /** Whether the body of a rate-limit response shows that the limit applies to one account only. */
  readonly isAccountLimit: (body: string) => boolean;
  /** Whether such a limit counts all calls of the account together. Default: false. */
  readonly countsAccountTogether?: boolean | undefined;
  /** Returns the pause that a response requests, in milliseconds. */
  readonly pauseOf?: ((response: RateLimitResponse) => number | undefined) | undefined;
  /** The local address of calls without an account. Default: the operating system chooses it. */
  readonly publicEgress: string | undefined;
  /** Called for each pause that the exchange requests for all calls from a local address. */
  readonly onPause: (forMs: number, egress: string | undefined) => void;
}

export class Transport {
  /** One for each local address; `''` is the address that the operating system chooses. */
  readonly #agents = new Map<string, Agent>();
  readonly #origin: string | undefined;
  /** The end of each pause, by account and kind of call. */
  readonly #accountsPausedUntil = new Map<string, number>();
  /** The end of each pause, by local address. */
  readonly #pausedUntil = new Map<string, number>();

  constructor(private readonly options: TransportOptions) {
    const { origin } = options;
    this.#origin = origin === undefined ? undefined : new URL(origin).origin;
  }

  async send({ address, method, headers, body }: SignedRequest): Promise<TransportResponse> {
    const call = currentCall();
    if (this.#isPaused(call) || isTooLateToSend(call)) throw new NotSent('rate_limited');
    call.isReleased = true;
    const url = new URL(address);
    const request = new InFlightRequest(call);
    this.#agentFor(this.#egressOf(call)).dispatch(
      {
        origin: this.#origin ?? url.origin,
        path: `${url.pathname}${url.search}`,
        method: method as Dispatcher.HttpMethod,
        headers: { 'user-agent': 'trading-automation', ...headers, 'accept-encoding': 'gzip' },
        body: body ?? null,
      },
      request,
    );
    const response = await request.response;
    const text = await textOf(response.headers, response.body);
    call.response = { status: response.status, body: text };
    const { status } = response;
    const plainHeaders = toPlainHeaders(response.headers);
    this.#applyRateLimit(call, { status, headers: plainHeaders, body: text });
    return { status, headers: plainHeaders, text };
  }

  #egressOf({ account }: Call): string | undefined {
    return account === undefined ? this.options.publicEgress : account.egress;
  }

  #agentFor(egress: string | undefined): Agent {
    const key = egress ?? '';
    const existing = this.#agents.get(key);
    if (existing !== undefined) return existing;
    const { timeoutMs } = this.options;
    const agent = new Agent({
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connections: 128,
      pipelining: 1,
      ...(egress === undefined ? {} : { localAddress: egress }),
    });
    this.#agents.set(key, agent);
    return agent;
  }

  #isPaused(call: Call): boolean {
    const now = Date.now();
    if (now < (this.#pausedUntil.get(this.#egressOf(call) ?? '') ?? 0)) return true;
    const key = this.#accountKeyOf(call);
    return key !== undefined && now < (this.#accountsPausedUntil.get(key) ?? 0);
  }

  #applyRateLimit(call: Call, response: RateLimitResponse): void {
    const { pauseOf = retryAfterOf } = this.options;
    const requestedMs = pauseOf(response) ?? 0;
    if (!(requestedMs > 0)) return;
    const forMs = Math.min(requestedMs, response.status === BANNED ? BAN_MAX_MS : PAUSE_MAX_MS);
    const until = Date.now() + forMs;
    // The limit of one account must not block all other accounts.
    const key = this.#accountKeyOf(call);
    if (key !== undefined && this.options.isAccountLimit(response.body)) {
      this.#pauseAccount(key, until);
      return;
    }
    const egress = this.#egressOf(call);
    this.#pausedUntil.set(egress ?? '', Math.max(this.#pausedUntil.get(egress ?? '') ?? 0, until));
    this.options.onPause(forMs, egress);
  }

  #pauseAccount(key: string, until: number): void {
    const now = Date.now();
    for (const [other, end] of this.#accountsPausedUntil)
      if (end <= now) this.#accountsPausedUntil.delete(other);
    this.#accountsPausedUntil.set(key, Math.max(this.#accountsPausedUntil.get(key) ?? 0, until));
  }

  /** Returns the key of the pauses that concern a call of an account. */
  #accountKeyOf({ account, isOrder, kind }: Call): string | undefined {
    if (account === undefined || this.options.countsAccountTogether === true) return account?.key;
    return `${isOrder === true ? 'order' : kind} ${account.key}`;
  }

  /** Closes every connection; calls in flight fail. */
  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }
}

/** Returns the milliseconds of `retry-after`, if the status is that of a rate limit. */
function retryAfterOf({ status, headers }: RateLimitResponse): number | undefined {
  return status === 429 || status === BANNED ? Number(headers['retry-after'] ?? 0) * 1_000 : undefined;
}

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * One request, and its response as it arrives. undici calls `onRequestStart` right before it writes the first byte.
 */
class InFlightRequest implements Dispatcher.DispatchHandler {
  readonly #settled = createDeferred<RawResponse>();
  readonly response = this.#settled.promise;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #isSent = false;
  #stop: () => void = () => undefined;

  constructor(private readonly call: Call) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#stop = () => controller.abort(new Error('The time limit of the call is reached.'));
    if (isTooLateToSend(this.call)) {
      this.#stop();
      return;
    }
    this.call.signal.addEventListener('abort', this.#stop, { once: true });
    this.#isSent = true;
    this.call.isSent = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (status >= 300 && status < 400) this.#reject(controller, 'a redirect');
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > RESPONSE_BYTES_MAX) this.#reject(controller, 'a response larger than 64 MiB');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    this.#settled.resolve({
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
    });
  }

  onResponseError(): void {
    this.#release();
    this.#settled.reject(this.#isSent ? new ResponseLost() : new NotSent('unreachable'));
  }

  #reject(controller: Dispatcher.DispatchController, reason: string): void {
    this.#settled.reject(new ResponseUnusable(reason));
    controller.abort(new Error(reason));
  }

  #release(): void {
    this.call.signal.removeEventListener('abort', this.#stop);
  }
}

async function textOf(headers: IncomingHttpHeaders, body: Buffer): Promise<string> {
  if (headers['content-encoding'] !== 'gzip') return body.toString('utf8');
  try {
    return (await gunzipAsync(body, { maxOutputLength: RESPONSE_BYTES_MAX })).toString('utf8');
  } catch {
    throw new ResponseUnusable('a response that cannot be decompressed');
  }
}

function toPlainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
