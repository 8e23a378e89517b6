/**
 * Hands on together what arrives one by one: whatever came while the last batch was at work is the next one.
 *
 * 1. One batch at a time, in the order of arrival.
 * 2. Nothing waits for more to come: a single item is handed on at once.
 * 3. `flush` gives back one result for each item, in their order; none at all where items have no results.
 * 4. A batch that fails is tried again item by item, so that one bad item takes no other with it.
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

  /** For items that have no results. */
  static of<Item>(flush: (items: readonly Item[]) => Promise<void>, sizeMax?: number): Batcher<Item> {
    const handOn = async (items: readonly Item[]): Promise<readonly undefined[]> => {
      await flush(items);
      return [];
    };
    return new Batcher(handOn, sizeMax);
  }

  /** Kept, with the item's result, when it was handed on; refused where even alone it could not be. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when nothing waits and nothing is at work. */
  async drain(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  private async run(): Promise<void> {
    // What arrives in this turn of the event loop goes together.
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
      else for (const each of batch) await this.flushBatch([each]);
    }
  }
}
