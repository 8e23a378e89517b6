import type { Weather } from '../../weather/weather.js';
import type { Peer } from './peer.js';

/** In milliseconds: the maximum time for which an event is held back if no other event follows. */
const HELD_AT_MOST_MS = 250;

/** Sends the events of one account on one connection. Weather repeats, delays or drops some of them. */
export class UserSubscription {
  private held: object | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly id: number,
    readonly accountId: string,
    private readonly peer: Peer,
    private readonly weather: Weather,
  ) {}

  push(event: object): void {
    if (this.weather.strikes('lose_event_rate')) return;
    if (this.held === undefined && this.weather.strikes('reorder_event_rate')) {
      this.held = event;
      this.timer = setTimeout(() => this.flush(), HELD_AT_MOST_MS);
      this.timer.unref();
      return;
    }
    this.send(event);
    this.flush();
  }

  /** Sends held events, then `eventStreamTerminated`. `at` is the current time in milliseconds. */
  end(at: number): void {
    this.flush();
    this.peer.send({ subscriptionId: this.id, event: { e: 'eventStreamTerminated', E: at } });
  }

  private flush(): void {
    clearTimeout(this.timer);
    const { held } = this;
    this.held = undefined;
    if (held !== undefined) this.send(held);
  }

  private send(event: object): void {
    const message = JSON.stringify({ subscriptionId: this.id, event });
    this.peer.send(message);
    if (this.weather.strikes('duplicate_event_rate')) this.peer.send(message);
  }
}
