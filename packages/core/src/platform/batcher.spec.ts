import { Batcher } from './batcher.js';

describe('a batcher', () => {
  it('flushes one batch of limited size at a time, in order: items that arrive together, then items that arrive during the flush', async () => {
    const batches: number[][] = [];
    let running = 0;
    const batcher: Batcher<number> = Batcher.of(async (items) => {
      expect(++running).toBe(1);
      batches.push([...items]);
      if (batches.length === 1) void batcher.add(4);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
    }, 3);
    await Promise.all([1, 2].map((item) => batcher.add(item)));
    await batcher.drain();
    expect(batches).toEqual([[1, 2], [4]]);
    await Promise.all([5, 6, 7, 8].map((item) => batcher.add(item)));
    expect(batches.slice(2)).toEqual([[5, 6, 7], [8]]);
  });

  it('retries a failed batch item by item, so that only the bad item fails', async () => {
    const done: string[] = [];
    const batcher = Batcher.of<string>(async (items) => {
      if (items.includes('bad')) throw new Error('bad');
      done.push(...items);
    });
    const outcomes = await Promise.allSettled(['a', 'bad', 'c'].map((item) => batcher.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(done).toEqual(['a', 'c']);
    await expect(batcher.drain()).resolves.toBeUndefined();
  });

  it('returns the result of each item, even after an item-by-item retry', async () => {
    const double = new Batcher<number, number>(async (items) => {
      if (items.length > 1 && items.includes(0)) throw new Error('not together');
      return items.map((item) => item * 2);
    });
    expect(await Promise.all([1, 2, 3].map((item) => double.add(item)))).toEqual([2, 4, 6]);
    expect(await Promise.all([5, 0, 7].map((item) => double.add(item)))).toEqual([10, 0, 14]);
  });
});
