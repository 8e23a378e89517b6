/**
 * A stream of events (server-sent events) that goes on over cuts.
 *
 * 1. Each connection begins after the last event that was handed out (`Last-Event-ID`): none is lost, none comes twice.
 * 2. A cut, a silence and a busy server are waited out, for as long as it takes; what waiting can't mend is thrown.
 * 3. The caller's signal ends it wherever it is: while it connects, reads or waits.
 */
import { ApiError, ConnectionError, UnexpectedAnswerError } from './errors.js';
import { EventStreamParser, type ServerSentEvent } from './event-stream-parser.js';
import { isTransient } from './retry.rules.js';
import {
  jsonIn,
  type Request,
  type RequestOptions,
  type StreamedResponse,
  type Transport,
} from './transport.js';
import { waitFor } from './wait.js';

/** The server lets itself be heard every 15 s: three times that in silence, and the connection is dead. */
const SILENCE_MAX_MS = 45_000;
const RETRY_MS = 1_000;
const WAIT_MAX_MS = 30_000;

/** Where the stream begins, and how it ends. */
export interface EventStreamOptions extends Omit<RequestOptions, 'maxRetries' | 'idempotencyKey'> {
  /** Begin after this event; at the present unless given. */
  readonly lastEventId?: string | undefined;
  /** Told each time a connection stands. */
  readonly onOpen?: (() => void) | undefined;
  /** Told each time a connection was cut, or could not be made, before it is tried again; undefined where the server ended it. */
  readonly onCut?: ((error: unknown) => void) | undefined;
}

/** The events' data, read from JSON. */
export async function* streamEvents<T>(
  transport: Transport,
  request: Request,
  options: EventStreamOptions,
): AsyncGenerator<T, void, undefined> {
  for await (const { data } of streamMessages(transport, request, options)) yield jsonIn(data) as T;
}

/** The events as they came. */
export async function* streamMessages(
  transport: Transport,
  request: Request,
  options: EventStreamOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const { signal, onOpen, onCut } = options;
  let last = options.lastEventId;
  let retryMs = RETRY_MS;
  for (let failures = 0; ; failures++) {
    let cut: unknown;
    try {
      const opened = await open(transport, request, options, last);
      onOpen?.();
      for await (const message of messagesOf(opened, signal)) {
        failures = 0;
        retryMs = message.retryMs ?? retryMs;
        if (message.id !== '') last = message.id;
        if (message.data !== '') yield message;
      }
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof ConnectionError) || !isTransient(error))
        throw error;
      cut = error;
    }
    onCut?.(cut);
    transport.logger.info('the stream was cut; it is taken up again', cut);
    const { wait, random } = transport.retryTiming;
    const ownMs = Math.min(retryMs * 2 ** failures, WAIT_MAX_MS) * (1 + random() / 2);
    await wait(Math.max(ownMs, (cut instanceof ApiError && cut.retryAfterMs) || 0), signal);
  }
}

async function open(
  transport: Transport,
  request: Request,
  { signal, timeout, headers }: EventStreamOptions,
  last: string | undefined,
): Promise<StreamedResponse> {
  const opened = await transport.open(request, {
    signal,
    timeout,
    maxRetries: 0,
    headers: {
      accept: `text/event-stream, ${transport.accept}`,
      ...headers,
      ...(last === undefined ? {} : { 'last-event-id': last }),
    },
  });
  const type = opened.response.headers.get('content-type') ?? 'nothing';
  if (opened.response.body !== null && type.startsWith('text/event-stream')) return opened;
  opened.close();
  await opened.response.body?.cancel();
  throw new UnexpectedAnswerError(`Not a stream of events, but ${type}.`);
}

/** The messages of one connection, until it ends. @throws {ConnectionError} where it is cut or silent for too long */
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
    // Not waited for: a connection that is dead may never say that it is closed.
    reader.cancel().catch(() => undefined);
  }
}

/** What was read, unless silence or the caller comes first. */
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
    throw new ConnectionError(`Nothing was heard for ${silenceMaxMs / 1000} s.`);
  });
  try {
    return await Promise.race([read, silence]);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof ConnectionError
      ? error
      : new ConnectionError('The stream was cut.', { cause: error });
  } finally {
    signal?.removeEventListener('abort', end);
    end();
    silence.catch(() => undefined);
    read.catch(() => undefined);
  }
}
