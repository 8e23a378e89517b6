/**
 * Rising nonces: some exchanges reject a request whose nonce is not above that of every earlier request of the key.
 *
 * 1. The requests of a key are sent one after another, because two that are on their way may change places.
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

/** Runs the work of each key one after another. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
