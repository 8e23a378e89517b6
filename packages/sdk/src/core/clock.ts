/** Estimates the server's time. A local clock may differ from it by more than a signature allows. */
import type { ApiError } from './errors.js';

export class ServerClock {
  private offsetMs = 0;

  /** @param localNowMs the local clock, Unix time in milliseconds */
  constructor(private readonly localNowMs: () => number = Date.now) {}

  /** Unix time in milliseconds. */
  nowMs(): number {
    return this.localNowMs() + this.offsetMs;
  }

  /** Milliseconds by which the server's clock is ahead of the local clock; 0 until the server reported its time. */
  get skewMs(): number {
    return this.offsetMs;
  }

  /**
   * Adopts the server's time from a `timestamp_out_of_window` error. Returns false for any other error, and if the
   * error contains no time.
   */
  syncFrom(error: ApiError): boolean {
    if (error.code !== 'timestamp_out_of_window') return false;
    const reported = error.details.find(({ server_time }) => Number.isSafeInteger(server_time))?.server_time;
    const serverMs = typeof reported === 'number' ? reported : Date.parse(error.headers.get('date') ?? '');
    if (Number.isNaN(serverMs)) return false;
    this.offsetMs = serverMs - this.localNowMs();
    return true;
  }
}
