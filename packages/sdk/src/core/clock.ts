/** The server's time, as far as it is known: a machine's own clock may be wrong by more than a signature allows. */
import type { ApiError } from './errors.js';

export class ServerClock {
  private offsetMs = 0;

  /** @param localNowMs this machine's clock */
  constructor(private readonly localNowMs: () => number = Date.now) {}

  /** Unix time in milliseconds. */
  nowMs(): number {
    return this.localNowMs() + this.offsetMs;
  }

  /** How far the server's clock is ahead of this machine's, in milliseconds; 0 until it was learnt. */
  get skewMs(): number {
    return this.offsetMs;
  }

  /** Takes over the server's time from a refusal of a signature's time; false where it can't be read there. */
  syncFrom(refusal: ApiError): boolean {
    if (refusal.code !== 'timestamp_out_of_window') return false;
    const told = refusal.details.find(({ server_time }) => Number.isSafeInteger(server_time))?.server_time;
    const serverMs = typeof told === 'number' ? told : Date.parse(refusal.headers.get('date') ?? '');
    if (Number.isNaN(serverMs)) return false;
    this.offsetMs = serverMs - this.localNowMs();
    return true;
  }
}
