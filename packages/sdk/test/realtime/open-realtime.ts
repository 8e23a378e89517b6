/** Streams as tests read them. */
import type { DecimalForm } from '../../src/core/decimals.js';
import type { Client } from '../../src/index.js';
import { Realtime, type RealtimeOptions } from '../../src/realtime/index.js';

const opened: Realtime<never>[] = [];

/** Live data that comes back at once. */
export function openRealtime<D extends DecimalForm>(
  client: Client<D>,
  options: RealtimeOptions = {},
): Realtime<D> {
  const made = new Realtime<D>(client, { reconnectDelay: () => 1, ...options });
  opened.push(made as unknown as Realtime<never>);
  return made;
}

/** Ends what this test opened. */
export async function closeRealtime(): Promise<void> {
  await Promise.all(opened.splice(0).map((made) => made.close()));
}

/** The next items of a stream, which goes on. */
export async function take<T>(stream: AsyncIterator<T>, count: number): Promise<T[]> {
  const items: T[] = [];
  while (items.length < count) {
    const { done, value } = await stream.next();
    if (done) throw new Error(`it ended after ${items.length} of ${count}`);
    items.push(value);
  }
  return items;
}

/** What a stream throws, and how much came before it. */
export async function failureOf(stream: AsyncIterable<unknown>): Promise<{ error: unknown; items: number }> {
  let items = 0;
  try {
    for await (const _ of stream) items++;
  } catch (error) {
    return { error, items };
  }
  throw new Error(`it ended after ${items} without an error`);
}
