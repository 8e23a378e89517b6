import type { Weather } from '../../weather/weather.js';
import type { Peer } from './peer.js';

/** The maximum time for which an event is held back if no other event follows it. */
const HOLD_MAX_MS = 250;

/** Sends the events of one account on one connection. The weather duplicates, reorders or drops some of them. */
export class UserSubscription {
  /** The event that is sent after the next one. */
  private held: object | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly accountId: string,
    private readonly peer: Peer,
    private readonly weather: Weather,
    private readonly envelope: (event: object) => object,
  ) {}

  push(event: object): void {
    if (this.weather.applies('lose_event_rate')) return;
    if (this.held === undefined && this.weather.applies('reorder_event_rate')) {
      this.held = event;
      this.timer = setTimeout(() => this.flush(), HOLD_MAX_MS);
      this.timer.unref();
      return;
    }
    this.send(event);
    this.flush();
  }

  /** Sends a held event, then `eventStreamTerminated`. `at` is the current time in Unix milliseconds. */
  end(at: number): void {
    this.flush();
    this.peer.send(this.envelope({ e: 'eventStreamTerminated', E: at }));
  }

  private flush(): void {
    clearTimeout(this.timer);
    const { held } = this;
    this.held = undefined;
    if (held !== undefined) this.send(held);
  }

  private send(event: object): void {
    const message = JSON.stringify(this.envelope(event));
    this.peer.send(message);
    if (this.weather.applies('duplicate_event_rate')) this.peer.send(message);
  }
}
