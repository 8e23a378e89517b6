/**
 * Hands on together what arrives one by one: whatever came while the last batch was at work is the next one.
 *
 * 1. One batch at a time, in the order of arrival.
 * 2. Nothing waits for more to come: a single item is handed on at once.
 * 3. A batch that fails is tried again item by item, so that one bad item takes no other with it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Batcher<Item> {
  private waiting: Waiting<Item>[] = [];
  private running: Promise<void> | null = null;

  constructor(
    private readonly flush: (items: readonly Item[]) => Promise<void>,
    private readonly sizeMax = 200,
  ) {}

  /** Kept when the item was handed on; refused where even alone it could not be. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when nothing waits and nothing is at work. */
  async settle(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  private async run(): Promise<void> {
    // What arrives in this turn of the event loop goes together.
    await nextTurn();
    while (this.waiting.length > 0) await this.handOn(this.waiting.splice(0, this.sizeMax));
    this.running = null;
  }

  private async handOn(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.flush(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      const [only] = batch;
      if (only !== undefined && batch.length === 1) only.reject(error);
      else for (const each of batch) await this.handOn([each]);
    }
  }
}
