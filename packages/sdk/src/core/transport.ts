/**
 * Sends requests and retries transient failures.
 *
 * 1. Every attempt has its own signature and time limit. All attempts of a POST share one Idempotency-Key, so that it
 *    takes effect once.
 * 2. Credentials are sent only to the configured origin. Redirects are not followed, and no path can change the origin.
 * 3. Only a completely read response is returned. A truncated response is a connection error.
 * 4. The signature covers the request target as fetch sends it: as the class `URL` normalizes it.
 */
import type { ApiResponse } from './api-promise.js';
import { ServerClock } from './clock.js';
import { type Connection, validMaxRetries, validTimeout } from './connection.js';
import { Deadline } from './deadline.js';
import { ApiError, ConnectionError, toApiError, UnexpectedAnswerError } from './errors.js';
import type { Logger } from './log.js';
import { retryDelayMs } from './retry.rules.js';
import { hexOf } from './signer.js';
import { waitFor } from './wait.js';

/** Options of one call. They override those of the client. */
export interface RequestOptions {
  /** Aborts the call. The call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of each attempt in milliseconds. Default: the client's option `timeout`. */
  readonly timeout?: number | undefined;
  /** Maximum number of retries. Default: the client's option `maxRetries`. */
  readonly maxRetries?: number | undefined;
  /**
   * Makes a POST take effect once, even if it is sent several times. Default: a new key for each call. To repeat a call
   * after a crash, set a key that you store durably.
   */
  readonly idempotencyKey?: string | undefined;
  /** Additional headers. They cannot replace the credential. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Request {
  readonly method: string;
  /** The request target, including the query string. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default: the origin of the REST API. */
  readonly origin?: string;
  /** Throws the {@link ApiError} of a response that reports an error with a successful status. */
  readonly assertSuccess?: (response: ApiResponse) => void;
}

/** A response whose body the caller reads. */
export interface StreamedResponse {
  readonly response: Response;
  /** Must be called when the caller stops reading. */
  close(): void;
}

/** A validated request that every attempt sends. */
interface PreparedRequest {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Headers;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** A response whose body is unread and whose time limit is still running. */
interface PendingResponse {
  readonly origin: string;
  readonly response: Response;
  readonly deadline: Deadline;
}

/** The functions with which retries wait and get random numbers; tests replace them. */
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

  /** False if no address for GraphQL is configured, so that `graphqlURL` is `baseURL`. */
  get isGraphqlURLSet(): boolean {
    return this.#connection.isGraphqlURLSet;
  }

  get logger(): Logger {
    return this.#connection.logger;
  }

  /** The Accept header: JSON, with decimals in the form that the client reads. */
  get accept(): string {
    return this.#connection.headers.get('accept')!;
  }

  /** Returns the headers that authenticate this request only; an empty object without a credential. */
  async credentials(request: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
  }): Promise<Readonly<Record<string, string>>> {
    const { method, path, body } = request;
    return this.#connection.authorize({ method, path, body, nowMs: this.clock.nowMs() });
  }

  /** Sends a request and reads its complete response. @throws {ApiError} @throws {ConnectionError} */
  async send(request: Request, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.#attempts(request, options, async (prepared) => {
      const response = await readResponse(await this.#start(prepared));
      request.assertSuccess?.(response);
      return response;
    });
  }

  /**
   * Opens a streamed response. The time limit covers only the time until the headers arrive; the caller's signal covers
   * the whole stream.
   */
  async open(request: Request, options: RequestOptions = {}): Promise<StreamedResponse> {
    const { response, deadline } = await this.#attempts(request, options, (prepared) =>
      this.#start(prepared),
    );
    deadline.stopClock();
    return { response, close: () => deadline.end() };
  }

  async #attempts<T>(
    request: Request,
    options: RequestOptions,
    attempt: (prepared: PreparedRequest) => Promise<T>,
  ): Promise<T> {
    const { logger, isSigning } = this.#connection;
    const prepared = this.#prepare(request, options);
    const maxRetries = validMaxRetries(options.maxRetries ?? this.#connection.maxRetries);
    let isClockSynced = false;
    for (let retries = 0; ; retries++) {
      let failure: ApiError | ConnectionError;
      try {
        return await attempt(prepared);
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
        failure = error;
      }
      if (isSigning && !isClockSynced && failure instanceof ApiError && this.clock.syncFrom(failure)) {
        isClockSynced = true;
        // Not counted as a retry: the server rejected the timestamp and executed nothing.
        retries--;
        logger.warn(skewMessage(this.clock.skewMs));
        continue;
      }
      const delayMs = retryDelayMs({ retries, maxRetries, failure, random: this.retryTiming.random() });
      if (delayMs === undefined) throw failure;
      logger.info(
        `${prepared.method} ${withoutQuery(prepared.path)}: retrying in ${Math.round(delayMs)} ms (${retries + 1} of ${maxRetries})`,
        failure.message,
      );
      await this.retryTiming.wait(delayMs, prepared.signal);
    }
  }

  /** Makes one attempt. Returns when the headers of a successful response have arrived. */
  async #start(prepared: PreparedRequest): Promise<PendingResponse> {
    const { method, origin, path, body, signal, timeoutMs } = prepared;
    signal?.throwIfAborted();
    const headers = withCredentials(prepared.headers, await this.credentials(prepared));
    signal?.throwIfAborted();
    const deadline = new Deadline(timeoutMs, signal);
    const url = origin + path;
    try {
      const response = await this.#connection.fetch(url, {
        method,
        headers,
        ...(body === '' ? {} : { body }),
        redirect: 'manual',
        signal: deadline.signal,
      });
      this.logger.debug(
        `${method} ${withoutQuery(path)} ${response.status}`,
        response.headers.get('x-request-id'),
      );
      if (response.ok) return { origin, response, deadline };
      throw await readError(response, origin);
    } catch (error) {
      deadline.end();
      throw deadline.failure(error, origin);
    }
  }

  #prepare({ method, path, body, origin = this.baseURL }: Request, options: RequestOptions): PreparedRequest {
    if (!path.startsWith('/'))
      throw new TypeError(`path must start with /, such as /v1/me; got ${JSON.stringify(path)}.`);
    const { pathname, search } = new URL(origin + path);
    const headers = new Headers(this.#connection.headers);
    const requestHeaders = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' ? { 'idempotency-key': idempotencyKeyOf(options.idempotencyKey) } : {}),
      ...options.headers,
    };
    for (const [name, value] of Object.entries(requestHeaders)) headers.set(name, value);
    return {
      method,
      origin,
      path: pathname + search,
      body: body === undefined ? '' : JSON.stringify(body),
      headers,
      timeoutMs: validTimeout(options.timeout ?? this.#connection.timeout),
      signal: options.signal,
    };
  }
}

/** Returns the caller's Idempotency-Key or generates one; all attempts share it. */
function idempotencyKeyOf(key: string | undefined): string {
  if (key === '') throw new TypeError('idempotencyKey is empty. Omit it to have one generated.');
  // Not randomUUID, which is missing on pages without https.
  return key ?? hexOf(crypto.getRandomValues(new Uint8Array(16)));
}

/** Adds the credential. If there is one, drops every credential header (`x-api-key`, `x-svc-…`) of the caller. */
function withCredentials(callerHeaders: Headers, credentials: Readonly<Record<string, string>>): Headers {
  const credentialEntries = Object.entries(credentials);
  const headers = new Headers();
  callerHeaders.forEach((value, name) => {
    if (credentialEntries.length === 0 || !/^x-(api-key|svc-.+)$/.test(name)) headers.set(name, value);
  });
  for (const [name, value] of credentialEntries) headers.set(name, value);
  return headers;
}

async function readError(response: Response, origin: string): Promise<Error> {
  const { status, headers } = response;
  if (response.type !== 'opaqueredirect' && (status < 300 || status >= 400))
    return toApiError({ status, headers, text: await response.text(), origin });
  await response.body?.cancel();
  return new UnexpectedAnswerError(
    `${origin} redirects, and credentials are not sent to other origins.`,
    'Set baseURL or graphqlURL to the final origin.',
  );
}

/** Reads a complete response. @throws {ConnectionError} if it is truncated */
async function readResponse({ origin, response, deadline }: PendingResponse): Promise<ApiResponse> {
  try {
    const text = await response.text();
    const isJson = /[/+]json\b/i.test(response.headers.get('content-type') ?? '');
    return { response, text, json: isJson && text !== '' ? parseJson(text) : undefined };
  } catch (error) {
    throw deadline.failure(error, origin);
  } finally {
    deadline.end();
  }
}

/** Parses JSON. @throws {ConnectionError} if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse is dropped, because it quotes a part of the body.
    throw new ConnectionError('The response is truncated or not valid JSON.');
  }
}

function skewMessage(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return `The local clock is ${seconds} s ${skewMs < 0 ? 'ahead of' : 'behind'} the server's; signing with the server's time.`;
}

/** Removes the query, which may be private, from a path that is logged. */
function withoutQuery(path: string): string {
  return path.split('?', 1)[0]!;
}
