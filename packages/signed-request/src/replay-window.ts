/** How long a nonce is remembered: well past the 120 s in which one timestamp can be accepted. */
export const NONCE_TTL_MS = 600_000;

/** Remembers which nonces a key has used. */
export interface ReplayWindow {
  /**
   * Records a nonce in one atomic step.
   *
   * @returns true for the first claim, false for every later one within `ttlMs`
   * @throws when it can't tell (storage gone, memory full): the request is then refused, never let in
   */
  claim(publicKey: string, nonce: string, ttlMs: number): Promise<boolean>;
}

/** The window is full of nonces that still count; dropping one would let its request in again. */
export class ReplayWindowFullError extends Error {
  override readonly name = 'ReplayWindowFullError';

  constructor(readonly nonceCountMax: number) {
    super(`the replay window is full: ${nonceCountMax} nonces still count`);
  }
}

/**
 * A window in the memory of one process, for tests and for services that are a single process. It forgets all at
 * a restart: where there are several processes, or one that is back within two minutes, the window must be
 * shared and durable.
 */
export class InMemoryReplayWindow implements ReplayWindow {
  readonly #expiryMsByNonce = new Map<string, number>();
  readonly #nowMs: () => number;
  readonly #nonceCountMax: number;

  /**
   * @param options.nowMs the clock that timestamps are judged by; the system's when left out
   * @param options.nonceCountMax nonces held at most, 100,000 when left out
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

    if (this.#expiryMsByNonce.size >= this.#nonceCountMax) this.#forgetExpired(nowMs);
    if (this.#expiryMsByNonce.size >= this.#nonceCountMax) {
      throw new ReplayWindowFullError(this.#nonceCountMax);
    }
    this.#expiryMsByNonce.set(key, nowMs + ttlMs);
    return true;
  }

  #forgetExpired(nowMs: number): void {
    for (const [key, expiryMs] of this.#expiryMsByNonce) {
      if (expiryMs <= nowMs) this.#expiryMsByNonce.delete(key);
    }
  }
}
