/**
 * A stream of server-sent events that reconnects automatically.
 *
 * 1. Each connection resumes after the last returned event (`Last-Event-ID`): no event is lost or repeated.
 * 2. Disconnects, silence and a busy server are retried without a limit. Permanent errors are thrown.
 * 3. The caller's signal ends the stream at any time: while it connects, reads or waits.
 */
import { backoffMs } from './backoff.js';
import { ApiError, ConnectionError, UnexpectedAnswerError } from './errors.js';
import { EventStreamParser, type ServerSentEvent } from './event-stream-parser.js';
import { isTransient } from './retry.rules.js';
import {
  parseJson,
  type Request,
  type RequestOptions,
  type StreamedResponse,
  type Transport,
} from './transport.js';
import { waitFor } from './wait.js';

/** The server sends data at least every 15 s. After three such intervals without data, the connection is dead. */
const SILENCE_MAX_MS = 45_000;
/** The reconnection delay until the server requests another one. */
const DEFAULT_RETRY_MS = 1_000;
const RETRY_MAX_MS = 30_000;

/** Options of an event stream. */
export interface EventStreamOptions extends Omit<RequestOptions, 'maxRetries' | 'idempotencyKey'> {
  /** Resume after this event. Default: start with the next new event. */
  readonly lastEventId?: string | undefined;
  /** Called each time a connection has opened. */
  readonly onOpen?: (() => void) | undefined;
  /** Called before each reconnect. `error` says why the connection failed; undefined if the server closed it. */
  readonly onCut?: ((error: unknown) => void) | undefined;
}

/** Streams the parsed JSON data of the events. */
export async function* streamEvents<T>(
  transport: Transport,
  request: Request,
  options: EventStreamOptions,
): AsyncGenerator<T, void, undefined> {
  for await (const { data } of streamMessages(transport, request, options)) yield parseJson(data) as T;
}

/** Streams all events. The `data` of an event is its JSON text, not parsed. */
export async function* streamMessages(
  transport: Transport,
  request: Request,
  options: EventStreamOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const { signal, onOpen, onCut } = options;
  let lastEventId = options.lastEventId;
  let retryMs = DEFAULT_RETRY_MS;
  for (let failures = 0; ; failures++) {
    let disconnectError: unknown;
    try {
      const opened = await open(transport, request, options, lastEventId);
      onOpen?.();
      for await (const message of messagesOf(opened, signal)) {
        failures = 0;
        retryMs = message.retryMs ?? retryMs;
        if (message.id !== '') lastEventId = message.id;
        if (message.data !== '') yield message;
      }
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof ConnectionError) || !isTransient(error))
        throw error;
      disconnectError = error;
    }
    onCut?.(disconnectError);
    transport.logger.info('The event stream disconnected; reconnecting.', disconnectError);
    const { wait, random } = transport.retryTiming;
    const backoff = { firstMs: retryMs, maxMs: RETRY_MAX_MS, jitter: 'extended' } as const;
    const delayMs = backoffMs(backoff, failures, random());
    await wait(
      Math.max(delayMs, (disconnectError instanceof ApiError && disconnectError.retryAfterMs) || 0),
      signal,
    );
  }
}

async function open(
  transport: Transport,
  request: Request,
  { signal, timeout, headers }: EventStreamOptions,
  lastEventId: string | undefined,
): Promise<StreamedResponse> {
  const opened = await transport.open(request, {
    signal,
    timeout,
    maxRetries: 0,
    headers: {
      accept: `text/event-stream, ${transport.accept}`,
      ...headers,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  const type = opened.response.headers.get('content-type') ?? 'no content type';
  if (opened.response.body !== null && type.startsWith('text/event-stream')) return opened;
  opened.close();
  await opened.response.body?.cancel();
  throw new UnexpectedAnswerError(`Expected an event stream; got ${type}.`);
}

/** Yields the messages of one connection until it ends. @throws {ConnectionError} if it drops or is silent too long */
export async function* messagesOf(
  { response, close }: StreamedResponse,
  signal?: AbortSignal,
  silenceMaxMs: number = SILENCE_MAX_MS,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  const parser = new EventStreamParser();
  try {
    for (;;) {
      const { done, value } = await readWithIdleTimeout(reader.read(), silenceMaxMs, signal);
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    close();
    // Not awaited: a dead connection may never confirm that it is closed.
    reader.cancel().catch(() => undefined);
  }
}

/**
 * Returns the result of a read. Throws after `silenceMaxMs` without data. Throws the signal's reason after an abort.
 */
async function readWithIdleTimeout<T>(
  read: Promise<T>,
  silenceMaxMs: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  const waiting = new AbortController();
  const end = () => waiting.abort();
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  const silence = waitFor(silenceMaxMs, waiting.signal).then(() => {
    throw new ConnectionError(`No data for ${silenceMaxMs / 1000} s.`);
  });
  try {
    return await Promise.race([read, silence]);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof ConnectionError
      ? error
      : new ConnectionError('The stream disconnected.', { cause: error });
  } finally {
    signal?.removeEventListener('abort', end);
    end();
    silence.catch(() => undefined);
    read.catch(() => undefined);
  }
}
