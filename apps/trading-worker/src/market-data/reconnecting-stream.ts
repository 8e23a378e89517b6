import type { ExchangeError, VenueStream } from '@trading-automation/exchanges';

const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 10_000;

export interface ReconnectingStreamOptions {
  /** Opens one connection; `onLost` is its end. */
  readonly open: (onLost: (error: ExchangeError) => void) => VenueStream;
  readonly onLost: (error: ExchangeError) => void;
}

/** A venue's stream that is opened again after each end, sooner or later the oftener it ends without having told anything. */
export class ReconnectingStream {
  private stream: VenueStream | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private isClosed = false;

  constructor(private readonly parts: ReconnectingStreamOptions) {
    this.open();
  }

  /** The connection works: the next end is the first again. */
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
      const pauseMs = Math.min(BACKOFF_MIN_MS * 2 ** this.failures, BACKOFF_MAX_MS);
      this.failures += 1;
      // Not all of a venue's streams come back at the same moment.
      this.timer = setTimeout(() => this.open(), pauseMs * (0.5 + Math.random() / 2));
      this.parts.onLost(error);
    });
  }
}
