import type { Weather } from '../../weather/weather.js';
import type { Peer } from './peer.js';

/** The maximum time for which an event is held back if no other event follows it. */
const HOLD_MAX_MS = 250;

/** Returns the message that contains an event; undefined for an event that the connection does not want. */
export type Envelope = (event: object) => object | undefined;

/** Sends the events of one account on one connection. The weather duplicates, reorders or drops some of them. */
export class UserSubscription {
  /** The message that is sent after the next one. */
  private held: object | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly accountId: string,
    private readonly peer: Peer,
    private readonly weather: Weather,
    private readonly envelope: Envelope,
  ) {}

  push(event: object): void {
    const message = this.envelope(event);
    if (message !== undefined) this.pushMessage(message);
  }

  private pushMessage(message: object): void {
    if (this.weather.applies('lose_event_rate')) return;
    if (this.held === undefined && this.weather.applies('reorder_event_rate')) {
      this.held = message;
      this.timer = setTimeout(() => this.flush(), HOLD_MAX_MS);
      this.timer.unref();
      return;
    }
    this.send(message);
    this.flush();
  }

  /** Sends a held event, then `eventStreamTerminated`. `at` is the current time in Unix milliseconds. */
  end(at: number): void {
    this.flush();
    const message = this.envelope({ e: 'eventStreamTerminated', E: at });
    if (message !== undefined) this.peer.send(message);
  }

  private flush(): void {
    clearTimeout(this.timer);
    const { held } = this;
    this.held = undefined;
    if (held !== undefined) this.send(held);
  }

  private send(message: object): void {
    const text = JSON.stringify(message);
    this.peer.send(text);
    if (this.weather.applies('duplicate_event_rate')) this.peer.send(text);
  }
}
