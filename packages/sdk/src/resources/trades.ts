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

/** Statuses that a trade never leaves. */
const FINAL_STATUSES: readonly string[] = ['FILLED', 'CANCELLED', 'FAILED'];
const POLL_INTERVAL_MS = 1_000;

type TradeStatus = Trade['status'];

/** What is waited for, and how. */
export interface WaitOptions extends Omit<RequestOptions, 'timeout'> {
  /** The status, or any of several. Default: one that the trade never leaves, `FILLED`, `CANCELLED` or `FAILED`. */
  readonly status?: TradeStatus | readonly TradeStatus[];
  /** Milliseconds that may pass in all. Default: none; end it by `signal`. */
  readonly timeout?: number;
  /** Milliseconds between two looks at the trade. Default: 1,000. */
  readonly pollInterval?: number;
}

/** The trade did not come to the status that was waited for. */
export class TradeWaitError<D extends DecimalForm = DecimalForm> extends TradingAutomationError {
  override readonly name = 'TradeWaitError';

  constructor(
    /** `ended`: it is over, in another status. `timeout`: it may still come to it. */
    readonly reason: 'ended' | 'timeout',
    /** The trade as it was seen last. */
    readonly trade: TradeDetail<D>,
  ) {
    super(
      reason === 'ended'
        ? `Trade ${trade.id} ended as ${trade.status}.`
        : `Trade ${trade.id} is still ${trade.status}.`,
    );
  }
}

export class Trades<D extends DecimalForm> extends Resource<D> {
  /**
   * Your trades.
   *
   * @example
   * for await (const trade of client.trades.list({ status: 'FILLED' })) console.log(trade.symbol, trade.cost);
   */
  list(query: TradesListQuery = {}, options?: RequestOptions): PagePromise<Trade<D>> {
    return this.caller.list('trades.list', { query }, options);
  }

  /**
   * One trade, with its fills.
   *
   * @example
   * const { status, fills } = await client.trades.get(tradeId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<TradeDetail<D>> {
    return this.caller.call('trades.get', { params: { id } }, options);
  }

  /**
   * Places an order; answers once it is kept, before the exchange has seen it.
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
    return this.caller.call('trades.create', { body }, options);
  }

  /**
   * Cancels what is not filled yet, and answers with the trade as it is then.
   *
   * @example
   * const { status, filled_amount } = await client.trades.cancel(restingTradeId);
   */
  cancel(id: string, options?: RequestOptions): ApiPromise<TradeDetail<D>> {
    return this.caller.call('trades.cancel', { params: { id } }, options);
  }

  /**
   * What your trades came to, computed from your fills alone.
   *
   * @example
   * const { win_rate, net_pnl } = await client.trades.analytics({ interval: 'day' });
   */
  analytics(query: TradesAnalyticsQuery = {}, options?: RequestOptions): ApiPromise<Analytics<D>> {
    return this.caller.call('trades.analytics', { query }, options);
  }

  /**
   * Waits until a trade has come to a status, unless told otherwise to its end.
   *
   * @example
   * const trade = await client.trades.waitUntil(tradeId, { status: 'FILLED', timeout: 30_000 });
   * console.log(trade.filled_amount, trade.average_price);
   *
   * @throws {TradeWaitError} where it ends in another status, or the time is over
   */
  async waitUntil(
    id: string,
    { status = FINAL_STATUSES, timeout, pollInterval = POLL_INTERVAL_MS, ...options }: WaitOptions = {},
  ): Promise<TradeDetail<D>> {
    for (const [name, ms] of Object.entries({ timeout: timeout ?? 0, pollInterval }))
      if (!(ms >= 0)) throw new RangeError(`${name} is a number of milliseconds from 0 up.`);
    const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeout;
    for (;;) {
      const trade = await this.get(id, options);
      if ([status].flat().includes(trade.status)) return trade;
      if (FINAL_STATUSES.includes(trade.status)) throw new TradeWaitError('ended', trade);
      const remaining = deadline - performance.now();
      if (remaining <= 0) throw new TradeWaitError('timeout', trade);
      await waitFor(Math.min(pollInterval, remaining), options.signal);
    }
  }
}
