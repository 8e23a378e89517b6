import { setTimeout as sleep } from 'node:timers/promises';
import type { Decimal } from '@trading-automation/contracts';
import { bookMidOf } from '@trading-automation/core/copiers';
import type { BestPrices } from '@trading-automation/exchanges';

/** The maximum age of a price that is used again. */
const AGE_MAX_MS = 1_000;
/**
 * The maximum time that copies wait for an order book. After it, entries are skipped. It is shorter than the time of the
 * worker call that reads order books at a start (`WORKER_CALL_TIMES`).
 */
const WAIT_MS = 2_500;
const RETRY_AFTER_MS = 250;

/** A monotonic clock. `sleep` also resolves when the signal is aborted. */
export interface Clock {
  nowMs(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const SYSTEM_CLOCK: Clock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};

interface KnownMid {
  readonly mid: Promise<Decimal | null>;
  readonly askedAtMs: number;
}

/**
 * Reads the middle between the best prices of order books, on demand. All copies of a pair that are planned within one
 * second share one request. A request that fails is repeated for up to 2.5 s.
 */
export class BookMids {
  private readonly known = new Map<string, KnownMid>();

  /** @param fetchBestPrices requests the best prices from an exchange */
  constructor(
    private readonly fetchBestPrices: (exchange: string, symbol: string) => Promise<BestPrices>,
    private readonly clock: Clock = SYSTEM_CLOCK,
  ) {}

  /** Returns null, after 2.5 s at the latest, if the order book is unavailable or one side has no orders. */
  read(exchange: string, symbol: string): Promise<Decimal | null> {
    const now = this.clock.nowMs();
    for (const [key, { askedAtMs }] of this.known) {
      if (now - askedAtMs < AGE_MAX_MS) break;
      this.known.delete(key);
    }
    const key = `${exchange} ${symbol}`;
    const known = this.known.get(key);
    if (known !== undefined) return known.mid;
    const mid = this.readUntil(exchange, symbol, now + WAIT_MS);
    this.known.set(key, { mid, askedAtMs: now });
    return mid;
  }

  private async readUntil(exchange: string, symbol: string, deadlineMs: number): Promise<Decimal | null> {
    const timeout = new AbortController();
    const isOver = this.clock.sleep(WAIT_MS, timeout.signal).then(() => null);
    const attempts = async () => {
      for (;;) {
        try {
          return bookMidOf(await this.fetchBestPrices(exchange, symbol));
        } catch {
          if (this.clock.nowMs() + RETRY_AFTER_MS >= deadlineMs) return null;
          await this.clock.sleep(RETRY_AFTER_MS, timeout.signal);
          if (timeout.signal.aborted) return null;
        }
      }
    };
    return Promise.race([attempts(), isOver]).finally(() => timeout.abort());
  }
}
