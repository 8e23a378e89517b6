import type { ExchangeError, VenueStream } from '@trading-automation/exchanges';

const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 10_000;

export interface ReconnectingStreamOptions {
  /** Opens one connection; it ends with `onLost`. */
  readonly open: (onLost: (error: ExchangeError) => void) => VenueStream;
  readonly onLost: (error: ExchangeError) => void;
}

/** A stream of a venue that reconnects with an exponential backoff. */
export class ReconnectingStream {
  private stream: VenueStream | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private isClosed = false;

  constructor(private readonly parts: ReconnectingStreamOptions) {
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
    this.stream = this.parts.open((error) => {
      this.stream = undefined;
      if (this.isClosed) return;
      const backoffMs = Math.min(BACKOFF_MIN_MS * 2 ** this.failures, BACKOFF_MAX_MS);
      this.failures += 1;
      // The jitter spreads the reconnections of a venue's streams.
      this.timer = setTimeout(() => this.open(), backoffMs * (0.5 + Math.random() / 2));
      this.parts.onLost(error);
    });
  }
}
