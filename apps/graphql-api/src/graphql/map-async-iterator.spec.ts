import { mapAsyncIterator } from './map-async-iterator.js';

/** A source whose next event never comes, and which knows whether it was left. */
function silent() {
  const source = {
    isLeft: false,
    next: () => new Promise<IteratorResult<number>>(() => undefined),
    return: async () => {
      source.isLeft = true;
      return { done: true as const, value: undefined };
    },
  };
  return source;
}

describe('a mapped source', () => {
  it('gives each event turned into another, in their order, and ends with the source', async () => {
    const events = mapAsyncIterator(
      [1, 2, 3][Symbol.iterator]() as never,
      async (event: number) => event * 10,
    );
    const got: number[] = [];
    for await (const event of events) got.push(event);
    expect(got).toEqual([10, 20, 30]);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('is left at once, while its next event is waited for', async () => {
    const source = silent();
    const events = mapAsyncIterator(source, (event) => event);
    void events.next();
    expect(await events.return?.()).toEqual({ done: true, value: undefined });
    expect(source.isLeft).toBe(true);
  });

  it('is left by who gives up with an error, which is not lost', async () => {
    const source = silent();
    const failure = new Error('enough');
    await expect(mapAsyncIterator(source, (event) => event).throw?.(failure)).rejects.toBe(failure);
    expect(source.isLeft).toBe(true);
  });

  it('fails with what turning an event fails with', async () => {
    const failure = new Error('no');
    const events = mapAsyncIterator([1][Symbol.iterator]() as never, () => Promise.reject(failure));
    await expect(events.next()).rejects.toBe(failure);
  });
});
