/**
 * Maps each event of an async iterator. Implemented as a plain object, because `return()` of a generator waits until
 * its pending `next()` settles.
 */
export function mapAsyncIterator<T, R>(
  source: AsyncIterator<T>,
  map: (event: T) => R | Promise<R>,
): AsyncIterableIterator<R> {
  const end = { done: true, value: undefined } as const;
  return {
    async next() {
      const { done, value } = await source.next();
      return done === true ? end : { done: false, value: await map(value) };
    },
    async return() {
      await source.return?.();
      return end;
    },
    async throw(error) {
      await source.return?.();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
