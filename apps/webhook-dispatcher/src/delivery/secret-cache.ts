/**
 * Caches opened signing secrets of webhooks, because opening a sealed secret takes about a millisecond of CPU time and
 * signing only five microseconds.
 *
 * 1. An entry belongs to one sealed secret of one webhook. A rotation stores another sealed secret, which has no entry
 *    yet. A secret is therefore never used after its row has changed.
 * 2. An entry expires `ttlMs` after the secret was opened, even if it is in use. Beyond `countMax` entries, the least
 *    recently used one is evicted.
 * 3. A failure to open a sealed secret is not cached.
 */
import type { Opener } from '@trading-automation/core/sealing';
import { webhookSecretBytes, webhookSecretContext } from '@trading-automation/core/webhooks';

interface CacheEntry {
  readonly secret: Promise<Uint8Array>;
  readonly expiresAtMs: number;
}

export interface SecretCacheOptions {
  /** The maximum number of entries. Default: 20,000, which take some megabytes. */
  readonly countMax?: number;
  /** The lifetime of an entry. Default: ten minutes. */
  readonly ttlMs?: number;
  /** Returns the time of a monotonic clock in milliseconds. Default: the clock of the process. */
  readonly nowMs?: () => number;
}

export class SecretCache {
  /** The entries by webhook and sealed secret, least recently used first. */
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

  /**
   * Returns the signing key in a sealed secret. Throws if the secret cannot be opened or is not the signing secret of
   * a webhook.
   */
  get(webhookId: string, secretSealed: string): Promise<Uint8Array> {
    const key = `${webhookId} ${secretSealed}`;
    const cached = this.entries.get(key);
    this.entries.delete(key);
    const isFresh = cached !== undefined && cached.expiresAtMs > this.nowMs();
    const entry = isFresh ? cached : this.open(key, webhookId, secretSealed);
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
