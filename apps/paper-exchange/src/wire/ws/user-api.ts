import { z } from 'zod';
import type { Commit, Exchange } from '../../engine/exchange.js';
import { VENUE_ERRORS, VenueError } from '../../errors.js';
import type { Weather } from '../../weather/weather.js';
import { authenticateParams } from '../auth.js';
import type { RateLimits } from '../limits.js';
import { accountPosition, executionReport } from './account-events.js';
import type { Peer } from './peer.js';
import { UserSubscription } from './user-subscription.js';

const MAX_SUBSCRIPTIONS_PER_CONNECTION = 100;
const USER_DATA_WEIGHT = 2;

const Request = z.object({
  id: z.union([z.int(), z.string().max(36), z.null()]),
  method: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
});
type RequestParams = z.infer<typeof Request>['params'];

interface Connection {
  readonly peer: Peer;
  readonly subscriptions: Map<number, UserSubscription>;
  nextId: number;
}

export interface UserApiOptions {
  readonly exchange: Exchange;
  readonly weather: Weather;
  readonly limits: RateLimits;
  readonly now: () => number;
}

/** Serves the user data stream, which is a part of the venue's WebSocket API. */
export class UserApi {
  private readonly byAccount = new Map<string, Set<UserSubscription>>();

  constructor(private readonly options: UserApiOptions) {
    options.exchange.onCommit((commit) => this.publish(commit));
  }

  attach(peer: Peer): void {
    const connection: Connection = { peer, subscriptions: new Map(), nextId: 0 };
    peer.onMessage((message) => peer.send(this.handleRequest(connection, message)));
    peer.onClose(() => {
      for (const subscription of connection.subscriptions.values()) this.drop(connection, subscription);
    });
  }

  private handleRequest(connection: Connection, message: unknown): object {
    const { limits } = this.options;
    const { address } = connection.peer;
    const parsed = Request.safeParse(message);
    const id = parsed.success ? parsed.data.id : null;
    const isUserDataCall = parsed.success && parsed.data.method.startsWith('userDataStream.');
    const count = limits.charge(address, isUserDataCall ? USER_DATA_WEIGHT : 1);
    const rateLimits = limits
      .view()
      .slice(0, 1)
      .map((limit) => ({ ...limit, count }));
    try {
      limits.assertWeightLeft(address);
      if (!parsed.success) throw VENUE_ERRORS.invalidRequest();
      const result = this.call(connection, parsed.data.method, parsed.data.params);
      return { id, status: 200, result, rateLimits };
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      return { id, status: error.status, error: { code: error.code, msg: error.message }, rateLimits };
    }
  }

  private call(connection: Connection, method: string, params: RequestParams): object {
    switch (method) {
      case 'ping':
        return {};
      case 'time':
        return { serverTime: this.options.weather.venueTime() };
      case 'userDataStream.subscribe.signature':
        return this.subscribe(connection, params);
      case 'userDataStream.unsubscribe':
        return this.unsubscribe(connection, params);
      default:
        throw VENUE_ERRORS.invalidRequest();
    }
  }

  private subscribe(connection: Connection, params: RequestParams): object {
    const { exchange, weather } = this.options;
    const account = authenticateParams(exchange.state, params, weather.venueTime());
    if (connection.subscriptions.size >= MAX_SUBSCRIPTIONS_PER_CONNECTION)
      throw VENUE_ERRORS.invalidRequest();
    const subscription = new UserSubscription(connection.nextId++, account.id, connection.peer, weather);
    connection.subscriptions.set(subscription.id, subscription);
    const subscriptions = this.byAccount.get(account.id) ?? new Set();
    this.byAccount.set(account.id, subscriptions.add(subscription));
    return { subscriptionId: subscription.id };
  }

  /** Ends the subscription `subscriptionId`, or all subscriptions of the connection if the request has no id. */
  private unsubscribe(connection: Connection, params: RequestParams): object {
    const { subscriptionId } = params;
    for (const subscription of connection.subscriptions.values()) {
      if (subscriptionId !== undefined && subscription.id !== subscriptionId) continue;
      this.drop(connection, subscription);
      subscription.end(this.options.now());
    }
    return {};
  }

  private drop(connection: Connection, subscription: UserSubscription): void {
    connection.subscriptions.delete(subscription.id);
    const subscriptions = this.byAccount.get(subscription.accountId);
    subscriptions?.delete(subscription);
    if (subscriptions?.size === 0) this.byAccount.delete(subscription.accountId);
  }

  /** Sends the order reports of a commit in order, then the changed balances. */
  private publish(commit: Commit): void {
    const at = this.options.now();
    for (const report of commit.reports) {
      for (const subscription of this.byAccount.get(report.order.accountId) ?? []) {
        subscription.push(executionReport(report, at));
      }
    }
    for (const [accountId, assets] of commit.balances) {
      for (const subscription of this.byAccount.get(accountId) ?? []) {
        subscription.push(accountPosition(this.options.exchange.state, accountId, assets, at));
      }
    }
  }
}
