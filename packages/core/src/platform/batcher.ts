/**
 * Batches items: the items that arrive while a batch is in flight form the next batch, of at most `sizeMax` items.
 *
 * 1. One batch runs at a time, in order of arrival.
 * 2. A batch does not wait for more items: a single item is flushed immediately.
 * 3. `flush` returns one result for each item, in order, or an empty list if items have no results.
 * 4. A failed batch is retried item by item, so that one bad item does not fail the others.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class Batcher<Item, Result = undefined> {
  private waiting: Waiting<Item, Result>[] = [];
  private running: Promise<void> | null = null;

  constructor(
    private readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly sizeMax = 200,
  ) {}

  /** Creates a batcher for items without results. */
  static of<Item>(flush: (items: readonly Item[]) => Promise<void>, sizeMax?: number): Batcher<Item> {
    const flushAll = async (items: readonly Item[]): Promise<readonly undefined[]> => {
      await flush(items);
      return [];
    };
    return new Batcher(flushAll, sizeMax);
  }

  /** Resolves with the item's result once the item is flushed; rejects if the item fails even alone. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when no item is waiting or in flight. */
  async drain(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  private async run(): Promise<void> {
    // Items that arrive in this turn of the event loop form one batch.
    await nextTurn();
    while (this.waiting.length > 0) await this.flushBatch(this.waiting.splice(0, this.sizeMax));
    this.running = null;
  }

  private async flushBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.flush(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      const [only] = batch;
      if (only !== undefined && batch.length === 1) only.reject(error);
      else for (const waiting of batch) await this.flushBatch([waiting]);
    }
  }
}
