/**
 * Rising nonces: some exchanges reject a request whose nonce is not above that of every earlier request of the key.
 *
 * 1. The requests of a key are sent one after another, because two that are on their way may change places. A request
 *    waits for its turn after it has waited for the call budget, so that no background read delays an exit.
 * 2. The source is shared by all processes that use the key.
 */

/** Returns nonces; each is above all that it returned for the key before, in any process. */
export interface NonceSource {
  /** @param key identifies the API key; not a secret */
  next(key: string): Promise<number>;
}

/** Nonces of one process: microseconds of the clock, and always higher than before. */
export class LocalNonces implements NonceSource {
  #last = 0;

  async next(): Promise<number> {
    this.#last = Math.max(this.#last + 1, Date.now() * 1_000);
    return this.#last;
  }
}

/** Lets one request of each key go at a time, in the order of asking. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Waits for the turn of a key; the result ends the turn. Ending it again has no effect. */
  async take(key: string): Promise<() => void> {
    const before = this.#last.get(key);
    let end!: () => void;
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last.set(key, turn);
    await before;
    return () => {
      if (this.#last.get(key) === turn) this.#last.delete(key);
      end();
    };
  }
}
