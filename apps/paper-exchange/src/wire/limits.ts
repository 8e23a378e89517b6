import { VENUE_ERRORS, type VenueError } from '../errors.js';
import { FUTURES_WEIGHTS } from './futures/weights.js';
import { bySymbol, type Weight } from './weight.js';

const MINUTE_MS = 60_000;
const TEN_SECONDS_MS = 10_000;
const DAY_MS = 86_400_000;

export interface Limits {
  readonly weightPerMinute: number;
  readonly ordersPer10s: number;
  /** The limit of the second order window, which is a day on spot and a minute on futures. */
  readonly ordersPerDay?: number;
  readonly ordersPerMinute?: number;
}

/** The number of orders that an account has placed in the current windows. Only one of the last two is set. */
export interface OrderCounts {
  readonly in10s: number;
  readonly inDay?: number;
  readonly inMinute?: number;
}

const perMarket =
  (weight: number): Weight =>
  (params) => {
    const list = params.get('symbols');
    return weight * (list === null ? 1 : Math.min(50, list.split(',').length));
  };

/** The weight of each route (`METHOD path`), as the venue publishes it. Other routes have weight 1. */
const WEIGHTS: Readonly<Record<string, Weight>> = {
  ...FUTURES_WEIGHTS,
  'GET /api/v3/exchangeInfo': 20,
  'GET /api/v3/depth': (params) => {
    const limit = Number(params.get('limit') ?? 100);
    if (limit <= 100) return 5;
    return limit <= 500 ? 25 : 50;
  },
  'GET /api/v3/trades': 25,
  'GET /api/v3/aggTrades': 4,
  'GET /api/v3/historicalTrades': 25,
  'GET /api/v3/klines': 2,
  'GET /api/v3/uiKlines': 2,
  'GET /api/v3/avgPrice': 2,
  'GET /api/v3/ticker': perMarket(4),
  'GET /api/v3/ticker/tradingDay': perMarket(4),
  'GET /api/v3/ticker/price': bySymbol(2, 4),
  'GET /api/v3/ticker/bookTicker': bySymbol(2, 4),
  'GET /api/v3/ticker/24hr': (params) => (params.has('symbol') || params.has('symbols') ? 2 : 80),
  'GET /api/v3/account': 20,
  'GET /api/v3/account/commission': 20,
  'GET /api/v3/rateLimit/order': 40,
  'GET /sapi/v1/capital/config/getall': 10,
  'GET /sapi/v1/margin/account': 10,
  'GET /sapi/v1/margin/borrow-repay': 10,
  'GET /sapi/v1/margin/maxBorrowable': 50,
  'GET /sapi/v1/margin/maxTransferable': 50,
  'POST /sapi/v1/margin/order': 6,
  'GET /sapi/v1/margin/order': 10,
  'DELETE /sapi/v1/margin/order': 10,
  'GET /sapi/v1/margin/openOrders': 10,
  'GET /sapi/v1/margin/allOrders': 200,
  'GET /sapi/v1/margin/myTrades': 10,
  'GET /api/v3/orderList': 4,
  'GET /api/v3/openOrderList': 6,
  'GET /api/v3/allOrderList': 20,
  'POST /api/v3/order/test': (params) => (params.get('computeCommissionRates') === 'true' ? 20 : 1),
  'POST /api/v3/userDataStream': 2,
  'PUT /api/v3/userDataStream': 2,
  'DELETE /api/v3/userDataStream': 2,
  'GET /api/v3/order': 4,
  'GET /api/v3/openOrders': bySymbol(6, 80),
  'GET /api/v3/allOrders': 20,
  'GET /api/v3/myTrades': (params) => (params.has('orderId') ? 5 : 20),
};

/** Returns the weight of a request. `params` is called only if the weight depends on the parameters. */
export function weightOf(method: string, path: string, params: () => URLSearchParams): number {
  const weight = WEIGHTS[`${method} ${path}`] ?? 1;
  return typeof weight === 'number' ? weight : weight(params());
}

/** Counts per key in fixed windows of the clock, like the venue. At the start of each window, all counts are 0. */
class WindowCounter {
  private openAt = 0;
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly lengthMs: number,
    private readonly now: () => number,
  ) {}

  used(key: string): number {
    const openAt = Math.floor(this.now() / this.lengthMs) * this.lengthMs;
    if (openAt !== this.openAt) {
      this.counts.clear();
      this.openAt = openAt;
    }
    return this.counts.get(key) ?? 0;
  }

  add(key: string, amount: number): number {
    const used = this.used(key) + amount;
    this.counts.set(key, used);
    return used;
  }

  /** Returns the time until the window ends, rounded up to whole seconds. */
  secondsLeft(): number {
    return Math.ceil((this.openAt + this.lengthMs - this.now()) / 1_000);
  }
}

/** Applies the venue's limits: the request weight of each IP address, and the new orders of each account. */
export class RateLimits {
  private readonly weight: WindowCounter;
  private readonly orders10s: WindowCounter;
  private readonly ordersLong: WindowCounter;
  private readonly long: { readonly interval: 'DAY' | 'MINUTE'; readonly limit: number };

  constructor(
    private readonly limits: Limits,
    now: () => number,
  ) {
    const { ordersPerMinute, ordersPerDay = Number.POSITIVE_INFINITY } = limits;
    this.long =
      ordersPerMinute === undefined
        ? { interval: 'DAY', limit: ordersPerDay }
        : { interval: 'MINUTE', limit: ordersPerMinute };
    this.weight = new WindowCounter(MINUTE_MS, now);
    this.orders10s = new WindowCounter(TEN_SECONDS_MS, now);
    this.ordersLong = new WindowCounter(ordersPerMinute === undefined ? DAY_MS : MINUTE_MS, now);
  }

  /**
   * Charges the weight of a request to its address, even beyond the limit, as the venue does. Returns the weight that
   * the address has used in this window.
   */
  charge(address: string, weight: number): number {
    return this.weight.add(address, weight);
  }

  /** @throws VenueError -1003 (429) if the address has exceeded its limit. */
  assertWeightLeft(address: string): void {
    const { weightPerMinute } = this.limits;
    if (this.weight.used(address) > weightPerMinute) {
      throw VENUE_ERRORS.tooMuchWeight(weightPerMinute, this.weight.secondsLeft());
    }
  }

  /** Creates the error for a request that the weather rejects although it is within the limit. */
  simulatedLimitError(hasRetryAfter: boolean): VenueError {
    return VENUE_ERRORS.tooMuchWeight(this.limits.weightPerMinute, hasRetryAfter ? 1 : undefined);
  }

  /** @throws VenueError -1015 (429) if the account has reached its limit of new orders in one of the two windows. */
  assertOrderAllowed(accountId: string): void {
    const { ordersPer10s } = this.limits;
    const { interval, limit } = this.long;
    if (this.orders10s.used(accountId) >= ordersPer10s) {
      throw VENUE_ERRORS.tooManyOrders(`${ordersPer10s} orders per 10 SECOND`, this.orders10s.secondsLeft());
    }
    if (this.ordersLong.used(accountId) >= limit) {
      throw VENUE_ERRORS.tooManyOrders(`${limit} orders per 1 ${interval}`, this.ordersLong.secondsLeft());
    }
  }

  countOrder(accountId: string, count = 1): OrderCounts {
    const in10s = this.orders10s.add(accountId, count);
    const inLong = this.ordersLong.add(accountId, count);
    return this.long.interval === 'DAY' ? { in10s, inDay: inLong } : { in10s, inMinute: inLong };
  }

  /** Returns the limits that a response of the WebSocket API shows, with what is used of each. */
  usedView(usedWeight: number, orders?: OrderCounts): object[] {
    const [weight, in10s, inLong] = this.view();
    return orders === undefined
      ? [{ ...weight, count: usedWeight }]
      : [
          { ...in10s, count: orders.in10s },
          { ...inLong, count: orders.inDay ?? orders.inMinute },
          { ...weight, count: usedWeight },
        ];
  }

  /** Returns the limits of new orders, each with the number of orders that the account placed in its window. */
  orderView(accountId: string): object[] {
    const [in10s, inLong] = [this.orders10s.used(accountId), this.ordersLong.used(accountId)];
    return this.view()
      .slice(1)
      .map((limit, index) => ({ ...limit, count: index === 0 ? in10s : inLong }));
  }

  /** Returns the limits in the format of `exchangeInfo`. */
  view(): object[] {
    const { weightPerMinute, ordersPer10s } = this.limits;
    return [
      { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: weightPerMinute },
      { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: ordersPer10s },
      { rateLimitType: 'ORDERS', interval: this.long.interval, intervalNum: 1, limit: this.long.limit },
    ];
  }
}
