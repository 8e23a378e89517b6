/**
 * Streams responses as server-sent events in the format of the HTML standard.
 *
 * 1. A client resumes after the id of the last event that it received. The stream starts with an `id` without an event,
 *    so that a client that received no event can resume, too.
 * 2. The next event is read from the stream only when the connection can accept data. At most 16 KiB and one event are
 *    therefore buffered for a slow reader. A reader that reads nothing for a minute is disconnected.
 * 3. The end of the stream ends the connection, even if the reader has stalled. The end of the connection closes
 *    the stream.
 */
import type { ServerResponse } from 'node:http';

/** The events of a stream, in order. */
export interface EventStream {
  /** The id of the event after which the stream starts. */
  readonly resumeAfter: string;
  /** Aborted when the stream has no more events to send. */
  readonly ended: AbortSignal;
  /** Can be iterated once; ends when `ended` is aborted. */
  events(): AsyncIterable<{ readonly id: string; readonly type: string; readonly data: string }>;
  close(): Promise<void>;
}

export interface StreamTiming {
  /** Interval of the heartbeats, and so the maximum time without data on a connection. */
  readonly heartbeatMs: number;
  /** A reader that reads nothing for this time is disconnected. */
  readonly stallMs: number;
  /** Time in which a reader can read buffered data after the stream has ended. */
  readonly lingerMs: number;
}

/** Time that a client waits before it reconnects. */
const RETRY_MS = 3_000;
const TIMING: StreamTiming = { heartbeatMs: 15_000, stallMs: 60_000, lingerMs: 1_000 };

/** `x-accel-buffering` forbids proxies to buffer. `connection: close` makes the connection end with the stream. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
  connection: 'close',
};

/**
 * Sends the stream on a response whose head is already written, until the stream or the response ends. Never rejects:
 * errors go to `onError`.
 */
export async function sendEvents(
  response: ServerResponse,
  stream: EventStream,
  onError: (error: unknown) => void,
  timing: StreamTiming = TIMING,
): Promise<void> {
  const heartbeat = setInterval(() => sendHeartbeat(response), timing.heartbeatMs);
  const end = () => {
    clearInterval(heartbeat);
    endSoon(response, timing.lingerMs);
  };
  const onClose = () => void stream.close();
  response.on('error', onClose);
  response.on('close', onClose);
  stream.ended.addEventListener('abort', end);
  try {
    if (response.destroyed || response.socket?.destroyed !== false) return;
    response.write(`retry: ${RETRY_MS}\nid: ${stream.resumeAfter}\n\n`);
    await pump(response, stream, timing.stallMs);
  } catch (error) {
    onError(error);
  } finally {
    end();
    await stream.close();
  }
}

async function pump(response: ServerResponse, stream: EventStream, stallMs: number): Promise<void> {
  for await (const { id, type, data } of stream.events()) {
    if (stream.ended.aborted) return;
    const canAcceptMore = response.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
    if (!canAcceptMore && !(await waitForDrain(response, stallMs))) return;
  }
}

/** Sends an SSE comment, which keeps the connection alive. If the connection is lost, the write closes the response. */
function sendHeartbeat(response: ServerResponse): void {
  if (!response.writableEnded && !response.writableNeedDrain) response.write(':\n\n');
}

/** Resolves to true when the response can accept data again. Resolves to false when it closes, or after `stallMs`. */
function waitForDrain(response: ServerResponse, stallMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDrained: boolean) => {
      clearTimeout(timer);
      response.off('drain', onDrain);
      response.off('close', onClose);
      resolve(isDrained);
    };
    const onDrain = () => settle(true);
    const onClose = () => settle(false);
    const timer = setTimeout(onClose, stallMs);
    response.on('drain', onDrain);
    response.on('close', onClose);
    if (response.destroyed) onClose();
  });
}

/** Ends the response. Destroys its connection after `lingerMs` if the reader has not read the buffered data by then. */
function endSoon(response: ServerResponse, lingerMs: number): void {
  if (response.writableEnded || response.destroyed) return;
  response.end();
  const timer = setTimeout(() => response.destroy(), lingerMs);
  response.once('close', () => clearTimeout(timer));
}
