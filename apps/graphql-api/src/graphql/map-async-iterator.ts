/**
 * The source with each of its events turned into another. A plain object and no generator: a generator that waits for its
 * next event would not hear of the end before that came.
 */
export function mapAsyncIterator<T, R>(
  source: AsyncIterator<T>,
  turn: (event: T) => R | Promise<R>,
): AsyncIterableIterator<R> {
  const end = { done: true, value: undefined } as const;
  return {
    async next() {
      const { done, value } = await source.next();
      return done === true ? end : { done: false, value: await turn(value) };
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
