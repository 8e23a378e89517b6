import type { ExchangeError, VenueStream } from '@trading-automation/exchanges';
import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';

/** The jitter spreads the reconnections of a venue's streams. */
const BACKOFF: Backoff = { firstMs: 250, maxMs: 10_000, jitter: 0.5 };

export interface ReconnectingStreamOptions {
  /** Opens one connection, which calls the passed `onLost` when it ends. */
  readonly open: (onLost: (error: ExchangeError) => void) => VenueStream;
  readonly onLost: (error: ExchangeError) => void;
}

/** A stream of a venue that reconnects with an exponential backoff. */
export class ReconnectingStream {
  private stream: VenueStream | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private isClosed = false;

  constructor(private readonly options: ReconnectingStreamOptions) {
    this.open();
  }

  /** Resets the backoff, after a message proved that the connection works. */
  resetBackoff(): void {
    this.failures = 0;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.stream?.close();
  }

  private open(): void {
    this.stream = this.options.open((error) => {
      this.stream = undefined;
      if (this.isClosed) return;
      this.failures += 1;
      this.timer = setTimeout(() => this.open(), backoffMs(BACKOFF, this.failures));
      this.options.onLost(error);
    });
  }
}
