/** Helpers that open and read streams. */
import type { DecimalForm } from '../../src/core/decimals.js';
import type { Client } from '../../src/index.js';
import { Realtime, type RealtimeOptions } from '../../src/realtime/index.js';

const opened: Realtime<never>[] = [];

/** Creates a Realtime that reconnects immediately. */
export function openRealtime<D extends DecimalForm>(
  client: Client<D>,
  options: RealtimeOptions = {},
): Realtime<D> {
  const realtime = new Realtime<D>(client, { reconnectDelay: () => 1, ...options });
  opened.push(realtime as unknown as Realtime<never>);
  return realtime;
}

/** Closes the Realtime objects of the test. */
export async function closeRealtime(): Promise<void> {
  await Promise.all(opened.splice(0).map((realtime) => realtime.close()));
}

/** Reads the next items of a stream without closing it. */
export async function take<T>(stream: AsyncIterator<T>, count: number): Promise<T[]> {
  const items: T[] = [];
  while (items.length < count) {
    const { done, value } = await stream.next();
    if (done) throw new Error(`the stream ended after ${items.length} of ${count} items`);
    items.push(value);
  }
  return items;
}

/** Returns the error of a stream, and the number of items before it. */
export async function failureOf(stream: AsyncIterable<unknown>): Promise<{ error: unknown; items: number }> {
  let items = 0;
  try {
    for await (const _ of stream) items++;
  } catch (error) {
    return { error, items };
  }
  throw new Error(`the stream ended after ${items} items without an error`);
}
