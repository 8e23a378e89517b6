/**
 * The executions on Kraken's account stream: https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/executions
 *
 * Only the first message about an order contains its terms. The stream begins with those of all open orders.
 */
import type { Decimal, TimeInForce } from '@trading-automation/contracts';
import { z } from 'zod';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { StreamReport } from '../../ccxt/declaration.js';
import { MalformedResponse } from '../../ccxt/failures.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { VenueFill, VenueOrder, VenueOrderStatus } from '../../port.js';
import { symbolOfStreamName } from './spot-names.js';
import { typeOfOrder } from './spot-records.js';

const side = z.enum(['buy', 'sell']).transform((each) => (each === 'buy' ? 'BUY' : 'SELL'));

const execution = z.object({
  order_id: z.string().min(1),
  exec_type: z.string(),
  order_status: z.string().optional(),
  timestamp: z.string().transform((text) => new Date(text)),
  cum_qty: jsonDecimal.optional(),
});
const terms = z.object({
  cl_ord_id: z.string().optional(),
  symbol: z.string(),
  side,
  order_type: z.string(),
  order_qty: jsonDecimal,
  limit_price: jsonDecimal.optional(),
  triggers: z.object({ price: jsonDecimal }).optional(),
  time_in_force: z.string().optional(),
  post_only: z.boolean().optional(),
});
type Terms = z.output<typeof terms>;

const trade = z.object({
  exec_id: z.string().min(1),
  side,
  last_qty: jsonDecimal,
  last_price: jsonDecimal,
  liquidity_ind: z.enum(['m', 't']),
  fees: z.array(z.object({ asset: z.string(), qty: jsonDecimal })).min(1),
});

/** The number of orders whose terms are kept. */
const ORDERS_MAX = 10_000;

interface KnownOrder {
  readonly terms: Terms;
  readonly createdAt: Date;
  filled: Decimal;
}

/** Parses the executions of one stream. */
export class ExecutionReader {
  readonly #orders = new Map<string, KnownOrder>();

  constructor(private readonly ccxt: CcxtClient) {}

  /**
   * @param isSnapshot whether the record is part of the state at the start, which the caller reads by calls
   * @throws {MalformedResponse} if the record changes an order whose terms the stream has not reported
   */
  read(record: unknown, isSnapshot: boolean): readonly StreamReport[] {
    const update = parseResponse(execution, record);
    const known = this.#orderOf(update.order_id, record, update.timestamp);
    known.filled = update.cum_qty ?? known.filled;
    const symbol = symbolOfStreamName(this.ccxt, known.terms.symbol);
    if (isSnapshot || symbol === undefined) return [];
    const order = orderOf(update, known, symbol);
    const reports: StreamReport[] = order === undefined ? [] : [{ kind: 'order', order }];
    if (update.exec_type !== 'trade') return reports;
    return [{ kind: 'fill', fill: this.#fillOf(update, symbol, record) }, ...reports];
  }

  #orderOf(id: string, record: unknown, createdAt: Date): KnownOrder {
    const known = this.#orders.get(id);
    if (known !== undefined) return known;
    const { data } = terms.safeParse(record);
    if (data === undefined) throw new MalformedResponse('an order without its terms');
    const created = { terms: data, createdAt, filled: '0' };
    this.#orders.set(id, created);
    if (this.#orders.size > ORDERS_MAX) {
      const [oldest = ''] = this.#orders.keys();
      this.#orders.delete(oldest);
    }
    return created;
  }

  #fillOf(update: z.output<typeof execution>, symbol: string, record: unknown): VenueFill {
    const { exec_id, side: each, last_qty, last_price, liquidity_ind, fees } = parseResponse(trade, record);
    return {
      exchangeFillId: exec_id,
      exchangeOrderId: update.order_id,
      symbol,
      side: each,
      price: last_price,
      amount: last_qty,
      fee: { amount: fees[0]!.qty, currency: this.ccxt.safeCurrencyCode(fees[0]!.asset) },
      liquidity: liquidity_ind === 'm' ? 'MAKER' : 'TAKER',
      executedAt: update.timestamp,
    };
  }
}

/** Returns undefined if the order is not live yet. */
function orderOf(
  { order_id, order_status, timestamp }: z.output<typeof execution>,
  { terms: known, createdAt, filled }: KnownOrder,
  symbol: string,
): VenueOrder | undefined {
  if (order_status === undefined || order_status === 'pending_new') return undefined;
  const type = typeOfOrder(known.order_type);
  return {
    exchangeOrderId: order_id,
    venueClientOrderId: known.cl_ord_id ?? '',
    symbol,
    side: known.side,
    type,
    timeInForce: timeInForceOf(known),
    price: type.endsWith('LIMIT') ? known.limit_price : undefined,
    stopPrice: known.triggers?.price,
    status: statusOf(order_status, known),
    amount: known.order_qty,
    filledAmount: filled,
    createdAt,
    updatedAt: timestamp,
  };
}

function timeInForceOf({ time_in_force, post_only, order_type }: Terms): TimeInForce {
  if (post_only === true) return 'POST_ONLY';
  if (order_type === 'market') return 'IOC';
  return time_in_force === 'IOC' || time_in_force === 'FOK' ? time_in_force : 'GTC';
}

const STATUSES: Readonly<Record<string, VenueOrderStatus | undefined>> = {
  new: 'OPEN',
  partially_filled: 'OPEN',
  filled: 'FILLED',
  expired: 'EXPIRED',
};

/** The exchange reports an order that ended under its own terms as cancelled. */
function statusOf(status: string, known: Terms): VenueOrderStatus {
  if (status !== 'canceled') return STATUSES[status] ?? 'OPEN';
  return ['IOC', 'FOK'].includes(timeInForceOf(known)) ? 'EXPIRED' : 'CANCELLED';
}
