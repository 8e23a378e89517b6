import type { FuturesExchange } from '../../../engine/futures/futures-exchange.js';
import type { Weather } from '../../../weather/weather.js';
import type { Peer } from '../../ws/peer.js';
import { type Envelope, UserSubscription } from '../../ws/user-subscription.js';
import { futuresUserEvent } from './futures-user-events.js';

interface FuturesUserStreamsOptions {
  readonly futures: FuturesExchange;
  readonly weather: Weather;
  readonly now: () => number;
}

/** Sends each account's subscribers the changes of its futures orders, wallet, positions and settings. */
export class FuturesUserStreams {
  private readonly byAccount = new Map<string, Set<UserSubscription>>();

  constructor(private readonly options: FuturesUserStreamsOptions) {
    const { futures, now } = options;
    futures.onCommit(({ events }) => {
      if (this.byAccount.size === 0) return;
      for (const event of events) {
        const subscriptions = this.byAccount.get(event.accountId);
        if (subscriptions === undefined) continue;
        const message = futuresUserEvent(futures.state, event, now());
        for (const subscription of subscriptions) subscription.push(message);
      }
    });
  }

  /** Subscribes a connection to an account. `envelope` returns the message that contains an event. */
  subscribe(accountId: string, peer: Peer, envelope: Envelope): UserSubscription {
    const subscription = new UserSubscription(accountId, peer, this.options.weather, envelope);
    const subscriptions = this.byAccount.get(accountId) ?? new Set();
    this.byAccount.set(accountId, subscriptions.add(subscription));
    return subscription;
  }

  drop(subscription: UserSubscription): void {
    const subscriptions = this.byAccount.get(subscription.accountId);
    subscriptions?.delete(subscription);
    if (subscriptions?.size === 0) this.byAccount.delete(subscription.accountId);
  }
}
