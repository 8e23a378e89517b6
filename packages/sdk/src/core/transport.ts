/**
 * Sends requests, and sends again what may be sent again.
 *
 * 1. Every attempt is made anew: its own signature, its own time limit. What makes a POST happen once, its
 *    Idempotency-Key, stays the same.
 * 2. Credentials go to the origin that was given and to no other: no redirect is followed, no path leads elsewhere.
 * 3. An answer counts when all of it was read: one that was cut off is no answer.
 * 4. What is signed is what fetch sends: the target as a URL writes it, not as the caller wrote it.
 */
import type { ApiResponse } from './api-promise.js';
import { ServerClock } from './clock.js';
import { type Connection, maxRetriesIn, timeoutIn } from './connection.js';
import { Deadline } from './deadline.js';
import { ApiError, ConnectionError, toApiError, UnexpectedAnswerError } from './errors.js';
import type { Logger } from './log.js';
import { retryDelayMs } from './retry.rules.js';
import { hexOf } from './signer.js';
import { waitFor } from './wait.js';

/** What one call may say differently. */
export interface RequestOptions {
  /** Ends the call when it is aborted, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each attempt, in place of the client's. */
  readonly timeout?: number | undefined;
  /** How often it is tried again, in place of the client's. */
  readonly maxRetries?: number | undefined;
  /**
   * Makes a POST happen once, however often it is sent: one is made for each call unless given. Give your own, kept
   * where it outlives the process, to repeat a call after a crash.
   */
  readonly idempotencyKey?: string | undefined;
  /** Further headers; they replace no credential. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Request {
  readonly method: string;
  /** Target, query string included. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Where it goes; the REST API unless given. */
  readonly origin?: string;
  /** Throws the {@link ApiError} of an answer that is a refusal in spite of its status. */
  readonly assertSuccess?: (answer: ApiResponse) => void;
}

/** An answer that has begun; its body is the caller's to read. */
export interface StreamedResponse {
  readonly response: Response;
  /** To be called when nothing more is read of it. */
  close(): void;
}

/** A request as each attempt sends it. */
interface PreparedRequest {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Headers;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** An answer whose time still runs. */
interface PendingResponse {
  readonly origin: string;
  readonly response: Response;
  readonly limit: Deadline;
}

/** What a test may put in place of time and chance. */
export interface RetryTiming {
  readonly wait: typeof waitFor;
  readonly random: () => number;
}

export class Transport {
  readonly clock = new ServerClock();
  readonly #connection: Connection;

  constructor(
    connection: Connection,
    readonly retryTiming: RetryTiming = { wait: waitFor, random: Math.random },
  ) {
    this.#connection = connection;
  }

  get baseURL(): string {
    return this.#connection.baseURL;
  }

  get graphqlURL(): string {
    return this.#connection.graphqlURL;
  }

  get logger(): Logger {
    return this.#connection.logger;
  }

  /** What an answer is asked to be: JSON, its decimals as the client reads them. */
  get accept(): string {
    return this.#connection.headers.get('accept')!;
  }

  /** The headers that tell who asks, good for this one request; none where there is no credential. */
  async credentials(request: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
  }): Promise<Readonly<Record<string, string>>> {
    const { method, path, body } = request;
    return this.#connection.authorize({ method, path, body, nowMs: this.clock.nowMs() });
  }

  /** The whole answer to a request. @throws {ApiError} @throws {ConnectionError} */
  async send(request: Request, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.#attempts(request, options, async (prepared) => {
      const answer = await readResponse(await this.#begin(prepared));
      request.assertSuccess?.(answer);
      return answer;
    });
  }

  /** The beginning of an answer that is a stream. Its time limit ends with its headers, the signal's reach does not. */
  async open(request: Request, options: RequestOptions = {}): Promise<StreamedResponse> {
    const { response, limit } = await this.#attempts(request, options, (prepared) => this.#begin(prepared));
    limit.stopClock();
    return { response, close: () => limit.end() };
  }

  async #attempts<T>(
    request: Request,
    options: RequestOptions,
    attempt: (prepared: PreparedRequest) => Promise<T>,
  ): Promise<T> {
    const { logger, isSigning } = this.#connection;
    const prepared = this.#prepare(request, options);
    const maxRetries = maxRetriesIn(options.maxRetries ?? this.#connection.maxRetries);
    let isClockRepaired = false;
    for (let retries = 0; ; retries++) {
      let failure: ApiError | ConnectionError;
      try {
        return await attempt(prepared);
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
        failure = error;
      }
      if (isSigning && !isClockRepaired && failure instanceof ApiError && this.clock.syncFrom(failure)) {
        isClockRepaired = true;
        // No retry: the server had judged the time alone, and done nothing.
        retries--;
        logger.warn(skewMessage(this.clock.skewMs));
        continue;
      }
      const delayMs = retryDelayMs({ retries, maxRetries, failure, random: this.retryTiming.random() });
      if (delayMs === undefined) throw failure;
      logger.info(
        `${prepared.method} ${withoutQuery(prepared.path)}: trying again in ${Math.round(delayMs)} ms (${retries + 1} of ${maxRetries})`,
        failure.message,
      );
      await this.retryTiming.wait(delayMs, prepared.signal);
    }
  }

  /** One attempt, up to the head of an answer that is a success. */
  async #begin(prepared: PreparedRequest): Promise<PendingResponse> {
    const { method, origin, path, body, signal, timeoutMs } = prepared;
    signal?.throwIfAborted();
    const headers = withCredentials(prepared.headers, await this.credentials(prepared));
    signal?.throwIfAborted();
    const limit = new Deadline(timeoutMs, signal);
    const url = origin + path;
    try {
      const response = await this.#connection.fetch(url, {
        method,
        headers,
        ...(body === '' ? {} : { body }),
        redirect: 'manual',
        signal: limit.signal,
      });
      this.logger.debug(
        `${method} ${withoutQuery(path)} ${response.status}`,
        response.headers.get('x-request-id'),
      );
      if (response.ok) return { origin, response, limit };
      throw await readError(response, origin);
    } catch (error) {
      limit.end();
      throw limit.failure(error, origin);
    }
  }

  #prepare({ method, path, body, origin = this.baseURL }: Request, options: RequestOptions): PreparedRequest {
    if (!path.startsWith('/')) throw new TypeError('A path begins with /, like /v1/me.');
    const { pathname, search } = new URL(origin + path);
    const headers = new Headers(this.#connection.headers);
    const own = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' ? { 'idempotency-key': keyOf(options.idempotencyKey) } : {}),
      ...options.headers,
    };
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    return {
      method,
      origin,
      path: pathname + search,
      body: body === undefined ? '' : JSON.stringify(body),
      headers,
      timeoutMs: timeoutIn(options.timeout ?? this.#connection.timeout),
      signal: options.signal,
    };
  }
}

/** The same for every attempt: made here where the caller gave none. */
function keyOf(given: string | undefined): string {
  if (given === '') throw new TypeError('idempotencyKey is empty: leave it out, and one is made.');
  // Not randomUUID, which a page without https has not.
  return given ?? hexOf(crypto.getRandomValues(new Uint8Array(16)));
}

/** A credential stands alone: what the caller put in its place is left out. */
function withCredentials(given: Headers, credentials: Readonly<Record<string, string>>): Headers {
  const own = Object.entries(credentials);
  const headers = new Headers();
  given.forEach((value, name) => {
    if (own.length === 0 || !/^x-(api-key|svc-.+)$/.test(name)) headers.set(name, value);
  });
  for (const [name, value] of own) headers.set(name, value);
  return headers;
}

async function readError(response: Response, origin: string): Promise<Error> {
  const { status, headers } = response;
  if (response.type !== 'opaqueredirect' && (status < 300 || status >= 400))
    return toApiError({ status, headers, text: await response.text(), origin });
  await response.body?.cancel();
  return new UnexpectedAnswerError(
    `${origin} redirects. Credentials are sent to no other address: give the right one.`,
  );
}

/** All of an answer. */
async function readResponse({ origin, response, limit }: PendingResponse): Promise<ApiResponse> {
  try {
    const text = await response.text();
    const isJson = /[/+]json\b/i.test(response.headers.get('content-type') ?? '');
    return { response, text, json: isJson && text !== '' ? jsonIn(text) : undefined };
  } catch (error) {
    throw limit.failure(error, origin);
  } finally {
    limit.end();
  }
}

/** @throws {ConnectionError} where it is none */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What JSON.parse says of it shows a piece of it.
    throw new ConnectionError('The answer was cut: it is no whole JSON.');
  }
}

function skewMessage(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return `this machine's clock is ${seconds} s ${skewMs < 0 ? 'ahead of' : 'behind'} the server's; signing by the server's time`;
}

/** What is asked for is the caller's own, and no log's. */
function withoutQuery(path: string): string {
  return path.split('?', 1)[0]!;
}
