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

interface Remembered {
  readonly secret: Promise<Uint8Array>;
  readonly forgottenAtMs: number;
}

export interface OpenedSecretsOptions {
  /** 20,000 unless given: some megabytes. */
  readonly countMax?: number;
  /** Ten minutes unless given. */
  readonly keptMs?: number;
  /** Milliseconds of a clock that is never set back; the process's unless given. */
  readonly nowMs?: () => number;
}

export class OpenedSecrets {
  /** In the order in which they were last used. */
  private readonly remembered = new Map<string, Remembered>();
  private readonly countMax: number;
  private readonly keptMs: number;
  private readonly nowMs: () => number;

  constructor(
    private readonly opener: Pick<Opener, 'open'>,
    { countMax = 20_000, keptMs = 600_000, nowMs = () => performance.now() }: OpenedSecretsOptions = {},
  ) {
    this.countMax = countMax;
    this.keptMs = keptMs;
    this.nowMs = nowMs;
  }

  /** The key that a webhook's sealed secret stands for. @throws where the box does not open, or holds no secret of ours */
  of(webhookId: string, secretSealed: string): Promise<Uint8Array> {
    const key = `${webhookId} ${secretSealed}`;
    const found = this.remembered.get(key);
    this.remembered.delete(key);
    const isFresh = found !== undefined && found.forgottenAtMs > this.nowMs();
    const entry = isFresh ? found : this.open(key, webhookId, secretSealed);
    this.remembered.set(key, entry);
    this.forgetBeyondMax();
    return entry.secret;
  }

  private open(key: string, webhookId: string, secretSealed: string): Remembered {
    const secret = this.opener.open(secretSealed, webhookSecretContext(webhookId)).then(webhookSecretBytes);
    const entry = { secret, forgottenAtMs: this.nowMs() + this.keptMs };
    secret.catch(() => {
      if (this.remembered.get(key) === entry) this.remembered.delete(key);
    });
    return entry;
  }

  private forgetBeyondMax(): void {
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > this.countMax && oldest !== undefined) this.remembered.delete(oldest);
  }
}
