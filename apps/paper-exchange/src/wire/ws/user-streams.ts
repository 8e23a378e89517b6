import type { Commit, Exchange } from '../../engine/exchange.js';
import type { Weather } from '../../weather/weather.js';
import { accountPosition, executionReport, listStatus } from './account-events.js';
import type { Peer } from './peer.js';
import { type Envelope, UserSubscription } from './user-subscription.js';

export interface UserStreamsOptions {
  readonly exchange: Exchange;
  readonly weather: Weather;
  readonly now: () => number;
}

/** Sends each account's subscribers the changes of its orders, lists and balances. */
export class UserStreams {
  private readonly byAccount = new Map<string, Set<UserSubscription>>();

  constructor(private readonly options: UserStreamsOptions) {
    options.exchange.onCommit((commit) => this.publish(commit));
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

  /** Sends the order reports of a commit in order, then the changed lists and balances. */
  private publish(commit: Commit): void {
    if (this.byAccount.size === 0) return;
    const { exchange, now } = this.options;
    const { state } = exchange;
    const at = now();
    for (const report of commit.reports) {
      this.send(report.order.accountId, () => executionReport(report, at));
    }
    for (const list of commit.lists) this.send(list.accountId, () => listStatus(state, list, at));
    for (const [accountId, assets] of commit.balances) {
      this.send(accountId, () => accountPosition(state, accountId, assets, at));
    }
  }

  private send(accountId: string, event: () => object): void {
    for (const subscription of this.byAccount.get(accountId) ?? []) subscription.push(event());
  }
}
