/**
 * The one way out to an exchange, given to ccxt in place of its own.
 *
 * 1. Every host can be replaced by the configured one; ccxt itself goes on seeing the exchange's own addresses, by
 *    which it chooses its error tables.
 * 2. The time limit spans connecting, sending and the whole answer, whose size is bounded. Nothing is sent after it,
 *    neither by a process that stood still meanwhile.
 * 3. No redirect is followed, and nothing is sent twice.
 * 4. After an answer of 429 or 418 that names a time, nothing is sent to the exchange before it; where the answer
 *    means one account alone, that account sends no order before it.
 * 5. The {@link Call} is told when sending begins and what was answered.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { type Call, createDeferred, currentCall, isOver } from './call.js';

/** A failure on the way. `NotSent` is certain that the exchange has seen nothing of this request. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  constructor(readonly reason: 'unreachable' | 'rate_limited') {
    super(reason);
  }
}

/** The request, or a part of it, was sent; no whole answer came. */
export class ResponseLost extends Error {
  override readonly name = 'ResponseLost';
}

/** An answer that this product doesn't take: a redirect, or one beyond the limits. */
export class ResponseUnusable extends Error {
  override readonly name = 'ResponseUnusable';
}

/** A request as ccxt has signed it. */
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

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const PAUSE_MAX_MS = 600_000;
const unzip = promisify(gunzip);

export interface TransportOptions {
  /** Scheme, host and port that stand in for those of every address. */
  readonly origin?: string | undefined;
  readonly timeoutMs: number;
  /** Whether a refusal for too many requests means one account alone. */
  readonly isAccountLimit: (body: string) => boolean;
  /** Told of each pause that the exchange asks all for. */
  readonly onPause: (forMs: number) => void;
}

export class Transport {
  readonly #agent: Agent;
  readonly #origin: string | undefined;
  readonly #accountsPausedUntil = new Map<string, number>();
  #pausedUntil = 0;

  constructor(private readonly options: TransportOptions) {
    const { origin, timeoutMs } = options;
    this.#origin = origin === undefined ? undefined : new URL(origin).origin;
    this.#agent = new Agent({
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connections: 128,
      pipelining: 1,
    });
  }

  async send({ address, method, headers, body }: SignedRequest): Promise<TransportResponse> {
    const call = currentCall();
    if (this.#isPaused(call) || isOver(call)) throw new NotSent('rate_limited');
    call.isDispatched = true;
    const url = new URL(address);
    const exchange = new RequestOnWire(call);
    this.#agent.dispatch(
      {
        origin: this.#origin ?? url.origin,
        path: `${url.pathname}${url.search}`,
        method: method as Dispatcher.HttpMethod,
        headers: { 'user-agent': 'trading-automation', ...headers, 'accept-encoding': 'gzip' },
        body: body ?? null,
      },
      exchange,
    );
    const answer = await exchange.answered;
    const text = await textOf(answer.headers, answer.body);
    call.response = { status: answer.status, body: text };
    this.#applyRateLimit(call, answer.status, answer.headers);
    return { status: answer.status, headers: plain(answer.headers), text };
  }

  #isPaused({ isOrder, account }: Call): boolean {
    const now = Date.now();
    if (now < this.#pausedUntil) return true;
    const until = isOrder === true && account ? this.#accountsPausedUntil.get(account.key) : undefined;
    return until !== undefined && now < until;
  }

  #applyRateLimit({ account, response }: Call, status: number, headers: IncomingHttpHeaders): void {
    if (status !== 429 && status !== 418) return;
    const seconds = Number(headers['retry-after'] ?? 0);
    if (!(seconds > 0)) return;
    const forMs = Math.min(seconds * 1_000, PAUSE_MAX_MS);
    const until = Date.now() + forMs;
    // One user's orders must not silence everybody else's.
    if (account !== undefined && this.options.isAccountLimit(response?.body ?? '')) {
      this.#pauseAccount(account.key, until);
      return;
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.options.onPause(forMs);
  }

  #pauseAccount(key: string, until: number): void {
    const now = Date.now();
    for (const [other, end] of this.#accountsPausedUntil)
      if (end <= now) this.#accountsPausedUntil.delete(other);
    this.#accountsPausedUntil.set(key, until);
  }

  /** Ends every connection; what is under way fails. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Collects one answer. `onRequestStart` comes right before the first byte is written: before it nothing was sent. */
class RequestOnWire implements Dispatcher.DispatchHandler {
  readonly #settled = createDeferred<RawResponse>();
  readonly answered = this.#settled.promise;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #isSent = false;
  #stop: () => void = () => undefined;

  constructor(private readonly call: Call) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#stop = () => controller.abort(new Error('the time limit was reached'));
    if (isOver(this.call)) {
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
    if (status >= 300 && status < 400) this.#refuse(controller, 'a redirect');
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > ANSWER_BYTES_MAX) this.#refuse(controller, 'too large an answer');
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

  #refuse(controller: Dispatcher.DispatchController, what: string): void {
    this.#settled.reject(new ResponseUnusable(what));
    controller.abort(new Error(what));
  }

  #release(): void {
    this.call.signal.removeEventListener('abort', this.#stop);
  }
}

async function textOf(headers: IncomingHttpHeaders, body: Buffer): Promise<string> {
  if (headers['content-encoding'] !== 'gzip') return body.toString('utf8');
  try {
    return (await unzip(body, { maxOutputLength: ANSWER_BYTES_MAX })).toString('utf8');
  } catch {
    throw new ResponseUnusable('an answer that can not be unpacked');
  }
}

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
