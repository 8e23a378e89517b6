/**
 * Webhooks' signing secrets, opened once and remembered for a while: opening a sealed box takes about a millisecond of
 * a processor, signing takes five microseconds.
 *
 * 1. What is remembered belongs to one box of one webhook. A rotation or a repair makes another box, which is opened
 *    anew: a secret is never used after the row that names its box has changed.
 * 2. A secret is forgotten `keptMs` after it was opened, however often it is used, and so is the one that was used the
 *    longest ago where more than `countMax` are remembered.
 * 3. A box that does not open is tried again the next time.
 */
import type { Opener } from '@trading-automation/core/sealing';
import { webhookSecretBytes, webhookSecretContext } from '@trading-automation/core/webhooks';

interface CacheEntry {
  readonly secret: Promise<Uint8Array>;
  readonly expiresAtMs: number;
}

export interface SecretCacheOptions {
  /** 20,000 unless given: some megabytes. */
  readonly countMax?: number;
  /** Ten minutes unless given. */
  readonly ttlMs?: number;
  /** Milliseconds of a clock that is never set back; the process's unless given. */
  readonly nowMs?: () => number;
}

export class SecretCache {
  /** In the order in which they were last used. */
  private readonly entries = new Map<string, CacheEntry>();
  private readonly countMax: number;
  private readonly ttlMs: number;
  private readonly nowMs: () => number;

  constructor(
    private readonly opener: Pick<Opener, 'open'>,
    { countMax = 20_000, ttlMs = 600_000, nowMs = () => performance.now() }: SecretCacheOptions = {},
  ) {
    this.countMax = countMax;
    this.ttlMs = ttlMs;
    this.nowMs = nowMs;
  }

  /** The key that a webhook's sealed secret stands for. @throws where the box does not open, or holds no secret of ours */
  get(webhookId: string, secretSealed: string): Promise<Uint8Array> {
    const key = `${webhookId} ${secretSealed}`;
    const found = this.entries.get(key);
    this.entries.delete(key);
    const isFresh = found !== undefined && found.expiresAtMs > this.nowMs();
    const entry = isFresh ? found : this.open(key, webhookId, secretSealed);
    this.entries.set(key, entry);
    this.evictOverflow();
    return entry.secret;
  }

  private open(key: string, webhookId: string, secretSealed: string): CacheEntry {
    const secret = this.opener.open(secretSealed, webhookSecretContext(webhookId)).then(webhookSecretBytes);
    const entry = { secret, expiresAtMs: this.nowMs() + this.ttlMs };
    secret.catch(() => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    });
    return entry;
  }

  private evictOverflow(): void {
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.countMax && oldest !== undefined) this.entries.delete(oldest);
  }
}
