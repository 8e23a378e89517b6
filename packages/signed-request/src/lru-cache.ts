/** A map of at most `sizeMax` entries that evicts the least recently used one. */
export class LruCache<Key, Value> {
  // A Map iterates in insertion order, so its first key is the least recently used.
  readonly #entries = new Map<Key, Value>();

  constructor(private readonly sizeMax: number) {}

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#putLast(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#putLast(key, value);
    if (this.#entries.size <= this.sizeMax) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  #putLast(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}
