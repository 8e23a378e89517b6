/**
 * An answer that goes on: server-sent events, as the HTML standard writes them.
 *
 * 1. Each event carries the id to resume after; an `id` without an event at the beginning lets a client that saw none
 *    resume as well.
 * 2. Events are taken from their source one by one, each when the connection has room: a slow reader keeps 16 KiB and
 *    one event waiting here, and one that takes nothing for a minute is cut off.
 * 3. The end of the source ends the connection, whether or not the reader reads; the end of the connection closes
 *    the source.
 */
import type { ServerResponse } from 'node:http';

/** What a stream sends, in order. */
export interface EventStream {
  /** The id after which the first event comes. */
  readonly resumeAfter: string;
  /** Aborted when nothing more is to be sent. */
  readonly ended: AbortSignal;
  /** To be read once; ends when `ended` is aborted. */
  events(): AsyncIterable<{ readonly id: string; readonly type: string; readonly data: string }>;
  close(): Promise<void>;
}

export interface StreamTiming {
  /** How long a connection is silent at most. */
  readonly heartbeatMs: number;
  /** How long a reader may take nothing of what waits for it. */
  readonly stallMs: number;
  /** How long a connection whose stream has ended may take to read the rest. */
  readonly lingerMs: number;
}

/** How long a client waits before it connects again. */
const RETRY_MS = 3_000;
const TIMING: StreamTiming = { heartbeatMs: 15_000, stallMs: 60_000, lingerMs: 1_000 };

/** Beside the headers of every answer. Proxies must hand events on one by one; the connection ends with its stream. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
  connection: 'close',
};

/** Sends the stream on a response whose head is written, until either ends. Never rejects: `onError` is told. */
export async function sendEvents(
  response: ServerResponse,
  stream: EventStream,
  onError: (error: unknown) => void,
  timing: StreamTiming = TIMING,
): Promise<void> {
  const beating = setInterval(() => beat(response), timing.heartbeatMs);
  const end = () => {
    clearInterval(beating);
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
    const hasRoom = response.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
    if (!hasRoom && !(await waitForDrain(response, stallMs))) return;
  }
}

/** A comment: it keeps the connection, and finds out that it is gone. */
function beat(response: ServerResponse): void {
  if (!response.writableEnded && !response.writableNeedDrain) response.write(':\n\n');
}

/** True once there is room again; false where there is none in time, or never will be. */
function waitForDrain(response: ServerResponse, stallMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (hasRoom: boolean) => {
      clearTimeout(timer);
      response.off('drain', onDrain);
      response.off('close', onClose);
      resolve(hasRoom);
    };
    const onDrain = () => settle(true);
    const onClose = () => settle(false);
    const timer = setTimeout(onClose, stallMs);
    response.on('drain', onDrain);
    response.on('close', onClose);
    if (response.destroyed) onClose();
  });
}

function endSoon(response: ServerResponse, lingerMs: number): void {
  if (response.writableEnded || response.destroyed) return;
  response.end();
  const cut = setTimeout(() => response.destroy(), lingerMs);
  response.once('close', () => clearTimeout(cut));
}
