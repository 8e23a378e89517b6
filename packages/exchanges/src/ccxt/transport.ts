/**
 * The one way out to an exchange, given to ccxt in place of its own.
 *
 * 1. Every host can be replaced by the configured one; ccxt itself goes on seeing the exchange's own addresses, by
 *    which it chooses its error tables.
 * 2. The time limit spans connecting, sending and the whole answer, whose size is bounded. Nothing is sent after it.
 * 3. No redirect is followed, and nothing is sent twice.
 * 4. After an answer of 429 or 418 that names a time, nothing is sent to the exchange before it.
 * 5. The {@link Call} is told when sending begins and what was answered.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { type Call, currentCall, pending } from './call.js';

/** A failure on the way. `NotSent` is certain that the exchange has seen nothing of this request. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  constructor(readonly reason: 'unreachable' | 'rate_limited') {
    super(reason);
  }
}

/** The request, or a part of it, was sent; no whole answer came. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

/** An answer that this product doesn't take: a redirect, or one beyond the limits. */
export class AnswerUnusable extends Error {
  override readonly name = 'AnswerUnusable';
}

/** What ccxt hands to a fetch of the user's, as far as it is needed. */
interface FetchParams {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
}

/** What ccxt reads of an answer. */
interface FetchAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  text(): Promise<string>;
}

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const PAUSE_MAX_MS = 600_000;
const unzip = promisify(gunzip);

export interface TransportOptions {
  /** Scheme, host and port that stand in for those of every address. */
  readonly origin?: string | undefined;
  readonly timeoutMs: number;
}

export class Transport {
  readonly #agent: Agent;
  readonly #origin: string | undefined;
  #pausedUntil = 0;

  constructor({ origin, timeoutMs }: TransportOptions) {
    this.#origin = origin === undefined ? undefined : new URL(origin).origin;
    this.#agent = new Agent({
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connections: 128,
      pipelining: 1,
    });
  }

  readonly fetch = async (address: string, params: FetchParams): Promise<FetchAnswer> => {
    const call = currentCall();
    if (Date.now() < this.#pausedUntil || call.signal.aborted) throw new NotSent('rate_limited');
    call.isDispatched = true;
    const url = new URL(address);
    const exchange = new RequestOnWire(call);
    this.#agent.dispatch(
      {
        origin: this.#origin ?? url.origin,
        path: `${url.pathname}${url.search}`,
        method: params.method as Dispatcher.HttpMethod,
        headers: { ...params.headers, 'accept-encoding': 'gzip' },
        body: params.body ?? null,
      },
      exchange,
    );
    const { status, headers, body } = await exchange.answered;
    const text = await textOf(headers, body);
    call.answer = { status, body: text };
    this.#heedRateLimit(status, headers);
    return { status, statusText: '', headers: plain(headers), text: async () => text };
  };

  #heedRateLimit(status: number, headers: IncomingHttpHeaders): void {
    if (status !== 429 && status !== 418) return;
    const seconds = Number(headers['retry-after'] ?? 0);
    if (!(seconds > 0)) return;
    this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + Math.min(seconds * 1_000, PAUSE_MAX_MS));
  }

  /** Ends every connection; what is under way fails. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Collects one answer. `onRequestStart` comes right before the first byte is written: before it nothing was sent. */
class RequestOnWire implements Dispatcher.DispatchHandler {
  readonly #settled = pending<Answer>();
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
    if (this.call.signal.aborted) {
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
    this.#settled.reject(this.#isSent ? new AnswerLost() : new NotSent('unreachable'));
  }

  #refuse(controller: Dispatcher.DispatchController, what: string): void {
    this.#settled.reject(new AnswerUnusable(what));
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
    throw new AnswerUnusable('an answer that can not be unpacked');
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
