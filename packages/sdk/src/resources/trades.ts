import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { TradingAutomationError } from '../core/errors.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import { waitFor } from '../core/wait.js';
import type {
  Analytics,
  Trade,
  TradeCreate,
  TradeDetail,
  TradesAnalyticsQuery,
  TradesListQuery,
} from '../generated/records.js';

/** A trade never leaves these statuses. */
const FINAL_STATUSES: readonly string[] = ['FILLED', 'CANCELLED', 'FAILED'];
const POLL_INTERVAL_MS = 1_000;

type TradeStatus = Trade['status'];

/** Options of `client.trades.waitUntil`. */
export interface WaitOptions extends Omit<RequestOptions, 'timeout'> {
  /** The status to wait for, or several. Default: the final statuses `FILLED`, `CANCELLED` and `FAILED`. */
  readonly status?: TradeStatus | readonly TradeStatus[];
  /** Total time limit in milliseconds. Default: no limit; use `signal` to stop waiting. */
  readonly timeout?: number;
  /** Milliseconds between two reads of the trade. Default: 1,000. */
  readonly pollInterval?: number;
}

/** The trade did not reach the awaited status. */
export class TradeWaitError<D extends DecimalForm = DecimalForm> extends TradingAutomationError {
  override readonly name = 'TradeWaitError';

  constructor(
    /** `ended`: the trade has another final status. `timeout`: the trade may still reach the awaited status. */
    readonly reason: 'ended' | 'timeout',
    /** The trade as last read. */
    readonly trade: TradeDetail<D>,
  ) {
    super(
      reason === 'ended'
        ? `Trade ${trade.id} ended as ${trade.status}.`
        : `Trade ${trade.id} is still ${trade.status}.`,
    );
  }
}

/** Trades: each is one order at an exchange. */
export class Trades<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your trades.
   *
   * @example
   * for await (const trade of client.trades.list({ status: 'FILLED' })) console.log(trade.symbol, trade.cost);
   */
  list(query: TradesListQuery = {}, options?: RequestOptions): PagePromise<Trade<D>> {
    return this.operations.list('trades.list', { query }, options);
  }

  /**
   * Returns one trade with its fills.
   *
   * @example
   * const { status, fills } = await client.trades.get(tradeId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<TradeDetail<D>> {
    return this.operations.call('trades.get', { params: { id } }, options);
  }

  /**
   * Creates a trade. Returns once the trade is stored, before its order reaches the exchange.
   *
   * @example
   * const trade = await client.trades.create({
   *   exchange_account_id: accountId,
   *   trade_pair_id: pairId,
   *   type: 'LIMIT',
   *   side: 'BUY',
   *   price: '50000',
   *   amount: '0.001',
   * });
   * console.log(trade.id, trade.status);
   */
  create(body: TradeCreate, options?: RequestOptions): ApiPromise<TradeDetail<D>> {
    return this.operations.call('trades.create', { body }, options);
  }

  /**
   * Cancels the unfilled part of a trade. Returns the updated trade.
   *
   * @example
   * const { status, filled_amount } = await client.trades.cancel(restingTradeId);
   */
  cancel(id: string, options?: RequestOptions): ApiPromise<TradeDetail<D>> {
    return this.operations.call('trades.cancel', { params: { id } }, options);
  }

  /**
   * Returns the performance of your trades, computed from their fills.
   *
   * @example
   * const { win_rate, net_pnl } = await client.trades.analytics({ interval: 'day' });
   */
  analytics(query: TradesAnalyticsQuery = {}, options?: RequestOptions): ApiPromise<Analytics<D>> {
    return this.operations.call('trades.analytics', { query }, options);
  }

  /**
   * Polls a trade until it has a requested status; by default, until it has a final one. Returns the trade.
   *
   * @example
   * const trade = await client.trades.waitUntil(tradeId, { status: 'FILLED', timeout: 30_000 });
   * console.log(trade.filled_amount, trade.average_price);
   *
   * @throws {TradeWaitError} if the trade reaches another final status, or if the time limit passes
   * @throws {RangeError} if `timeout` or `pollInterval` is negative or not a number
   */
  async waitUntil(
    id: string,
    { status = FINAL_STATUSES, timeout, pollInterval = POLL_INTERVAL_MS, ...options }: WaitOptions = {},
  ): Promise<TradeDetail<D>> {
    for (const [name, ms] of Object.entries({ timeout: timeout ?? 0, pollInterval }))
      if (!(ms >= 0)) throw new RangeError(`${name} must be 0 or more milliseconds; got ${ms}.`);
    const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeout;
    for (;;) {
      const trade = await this.get(id, options);
      if ([status].flat().includes(trade.status)) return trade;
      if (FINAL_STATUSES.includes(trade.status)) throw new TradeWaitError('ended', trade);
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) throw new TradeWaitError('timeout', trade);
      await waitFor(Math.min(pollInterval, remainingMs), options.signal);
    }
  }
}
