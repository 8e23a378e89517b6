/** Time for which a nonce is remembered, in milliseconds. It exceeds the 120 s in which a timestamp is accepted. */
export const NONCE_TTL_MS = 600_000;

/** Stores the nonces that a key has used. */
export interface ReplayWindow {
  /**
   * Records a nonce atomically.
   *
   * @returns true for the first claim, false for every later one within `ttlMs`
   * @throws if the storage is unavailable or full; the request must then be rejected
   */
  claim(publicKey: string, nonce: string, ttlMs: number): Promise<boolean>;
}

/** The window is full of unexpired nonces. None of them can be dropped, because its request could then be replayed. */
export class ReplayWindowFullError extends Error {
  override readonly name = 'ReplayWindowFullError';

  constructor(readonly nonceCountMax: number) {
    super(`The replay window is full: it has ${nonceCountMax} unexpired nonces.`);
  }
}

/**
 * A replay window in memory, for tests and for services with a single process. A restart loses all nonces: after it, a
 * request can be replayed until its timestamp expires, at most 120 s after it was first accepted. Services with several
 * processes, or with restarts that take less than 120 s, need a shared and durable window.
 */
export class InMemoryReplayWindow implements ReplayWindow {
  readonly #expiryMsByNonce = new Map<string, number>();
  readonly #nowMs: () => number;
  readonly #nonceCountMax: number;

  /**
   * @param options.nowMs returns Unix time in milliseconds. Use the clock that also checks timestamps. Default: the
   *   system clock.
   * @param options.nonceCountMax maximum number of nonces. Default: 100,000.
   */
  constructor(options: { readonly nowMs?: () => number; readonly nonceCountMax?: number } = {}) {
    this.#nowMs = options.nowMs ?? Date.now;
    this.#nonceCountMax = options.nonceCountMax ?? 100_000;
  }

  async claim(publicKey: string, nonce: string, ttlMs: number): Promise<boolean> {
    const nowMs = this.#nowMs();
    const key = `${publicKey}:${nonce}`;
    const expiryMs = this.#expiryMsByNonce.get(key);
    if (expiryMs !== undefined && expiryMs > nowMs) return false;

    if (this.#expiryMsByNonce.size >= this.#nonceCountMax) this.#deleteExpired(nowMs);
    if (this.#expiryMsByNonce.size >= this.#nonceCountMax) {
      throw new ReplayWindowFullError(this.#nonceCountMax);
    }
    this.#expiryMsByNonce.set(key, nowMs + ttlMs);
    return true;
  }

  #deleteExpired(nowMs: number): void {
    for (const [key, expiryMs] of this.#expiryMsByNonce) {
      if (expiryMs <= nowMs) this.#expiryMsByNonce.delete(key);
    }
  }
}
