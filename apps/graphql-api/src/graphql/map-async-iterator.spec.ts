import { mapAsyncIterator } from './map-async-iterator.js';

/** Creates a source that never yields an event and records whether it was closed. */
function silentSource() {
  const source = {
    isClosed: false,
    next: () => new Promise<IteratorResult<number>>(() => undefined),
    return: async () => {
      source.isClosed = true;
      return { done: true as const, value: undefined };
    },
  };
  return source;
}

describe('a mapped iterator', () => {
  it('yields each mapped event in order and ends when its source ends', async () => {
    const events = mapAsyncIterator(
      [1, 2, 3][Symbol.iterator]() as never,
      async (event: number) => event * 10,
    );
    const received: number[] = [];
    for await (const event of events) received.push(event);
    expect(received).toEqual([10, 20, 30]);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('closes immediately while its next event is pending', async () => {
    const source = silentSource();
    const events = mapAsyncIterator(source, (event) => event);
    void events.next();
    expect(await events.return?.()).toEqual({ done: true, value: undefined });
    expect(source.isClosed).toBe(true);
  });

  it('closes on throw() and rethrows the error', async () => {
    const source = silentSource();
    const failure = new Error('enough');
    await expect(mapAsyncIterator(source, (event) => event).throw?.(failure)).rejects.toBe(failure);
    expect(source.isClosed).toBe(true);
  });

  it('fails with the error that the mapping throws', async () => {
    const failure = new Error('no');
    const events = mapAsyncIterator([1][Symbol.iterator]() as never, () => Promise.reject(failure));
    await expect(events.next()).rejects.toBe(failure);
  });
});
