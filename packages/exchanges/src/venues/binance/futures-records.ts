/** Records of Binance's USD-M futures: https://developers.binance.com/docs/derivatives/usds-margined-futures */
import type { TimeInForce, TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import { toBaseAmount } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { ForcedCause, VenueFill, VenueOrder, VenueOrderStatus } from '../../port.js';

const id = z.union([z.number(), z.string().min(1)]).transform(String);
const instant = z.number().transform((ms) => new Date(ms));
/** Zero stands for a price that an order or position does not have. */
export const priceOrZero = exactDecimal.transform((value) => (value === '0' ? undefined : value));
const side = z.enum(['BUY', 'SELL']);

const order = z.object({
  symbol: z.string(),
  orderId: id,
  clientOrderId: z.string(),
  side,
  type: z.string(),
  timeInForce: z.string(),
  status: z.string(),
  price: priceOrZero,
  stopPrice: priceOrZero.optional(),
  origQty: exactDecimal,
  executedQty: exactDecimal,
  reduceOnly: z.boolean(),
  /** The response to a new order lacks it. */
  time: instant.optional(),
  updateTime: instant,
});

/** An order of a call, or of a message on the stream with the same names. */
type FuturesOrder = z.output<typeof order>;

/** Returns undefined for an order of a market that the client did not load. */
export function readFuturesOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  return toVenueOrder(ccxt, parseResponse(order, record));
}

function toVenueOrder(ccxt: CcxtClient, parsed: FuturesOrder): VenueOrder | undefined {
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined) return undefined;
  const type = typeOf(parsed);
  return {
    exchangeOrderId: parsed.orderId,
    venueClientOrderId: parsed.clientOrderId,
    symbol,
    side: parsed.side,
    type,
    timeInForce: timeInForceOf(parsed.timeInForce),
    price: type.endsWith('LIMIT') ? parsed.price : undefined,
    stopPrice: parsed.stopPrice,
    status: statusOf(parsed.status),
    amount: toBaseAmount(ccxt, symbol, parsed.origQty),
    filledAmount: toBaseAmount(ccxt, symbol, parsed.executedQty),
    reduceOnly: parsed.reduceOnly,
    cause: causeOfClientOrderId(parsed.clientOrderId),
    createdAt: parsed.time ?? parsed.updateTime,
    updatedAt: parsed.updateTime,
  };
}

function typeOf({ type, price, stopPrice }: FuturesOrder): TradeType {
  const isLimit = !type.includes('MARKET') && price !== undefined;
  if (stopPrice === undefined) return isLimit ? 'LIMIT' : 'MARKET';
  return isLimit ? 'STOP_LIMIT' : 'STOP_MARKET';
}

function timeInForceOf(timeInForce: string): TimeInForce {
  if (timeInForce === 'GTX' || timeInForce === 'RPI') return 'POST_ONLY';
  return timeInForce === 'IOC' || timeInForce === 'FOK' ? timeInForce : 'GTC';
}

const STATUSES: Readonly<Record<string, VenueOrderStatus>> = {
  FILLED: 'FILLED',
  CANCELED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
  // An order that would have traded with another order of the account.
  EXPIRED_IN_MATCH: 'EXPIRED',
  REJECTED: 'REJECTED',
};

/** Other statuses are those of orders that may still fill. */
const statusOf = (status: string): VenueOrderStatus => STATUSES[status] ?? 'OPEN';

/** The exchange names its own orders with reserved client order ids. */
function causeOfClientOrderId(clientOrderId: string): ForcedCause | undefined {
  if (clientOrderId.startsWith('autoclose-')) return 'LIQUIDATION';
  if (clientOrderId.startsWith('adl_autoclose')) return 'ADL';
  return clientOrderId.startsWith('settlement_autoclose-') ? 'SETTLEMENT' : undefined;
}

const fill = z.object({
  symbol: z.string(),
  id,
  orderId: id,
  side,
  price: exactDecimal,
  qty: exactDecimal,
  realizedPnl: exactDecimal,
  commission: exactDecimal,
  commissionAsset: z.string().min(1),
  maker: z.boolean(),
  time: instant,
});

/** A listed fill, and whether the exchange may have forced its order. */
export interface ListedFill {
  readonly fill: VenueFill;
  readonly mayBeForced: boolean;
}

/** Returns undefined for a fill of a market that the client did not load. */
export function readFuturesFill(ccxt: CcxtClient, record: unknown): ListedFill | undefined {
  const parsed = parseResponse(fill, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined) return undefined;
  return {
    // A forced order closes a position. It has a profit or a loss, unless the price is that of the entry; then it has no fee.
    mayBeForced: parsed.realizedPnl !== '0' || parsed.commission === '0',
    fill: {
      exchangeFillId: parsed.id,
      exchangeOrderId: parsed.orderId,
      symbol,
      side: parsed.side,
      price: parsed.price,
      amount: toBaseAmount(ccxt, symbol, parsed.qty),
      fee: { amount: parsed.commission, currency: ccxt.safeCurrencyCode(parsed.commissionAsset) },
      liquidity: parsed.maker ? 'MAKER' : 'TAKER',
      executedAt: parsed.time,
    },
  };
}

const orderUpdate = z
  .object({
    s: z.string(),
    i: id,
    c: z.string(),
    S: side,
    o: z.string(),
    f: z.string(),
    X: z.string(),
    p: priceOrZero,
    sp: priceOrZero,
    q: exactDecimal,
    z: exactDecimal,
    R: z.boolean(),
    T: instant,
    x: z.string(),
    t: id,
    l: exactDecimal,
    L: exactDecimal,
    n: exactDecimal.optional(),
    N: z.string().nullish(),
    m: z.boolean(),
  })
  .transform((update) => ({
    ...update,
    order: {
      symbol: update.s,
      orderId: update.i,
      clientOrderId: update.c,
      side: update.S,
      type: update.o,
      timeInForce: update.f,
      status: update.X,
      price: update.p,
      stopPrice: update.sp,
      origQty: update.q,
      executedQty: update.z,
      reduceOnly: update.R,
      updateTime: update.T,
    },
  }));

/** A message of the stream about an order, and the fill that led to it. */
export interface OrderUpdate {
  readonly order: VenueOrder;
  readonly fill: VenueFill | undefined;
}

/** Returns undefined for an order of a market that the client did not load. */
export function readOrderUpdate(ccxt: CcxtClient, record: unknown): OrderUpdate | undefined {
  const parsed = parseResponse(orderUpdate, record);
  const updated = toVenueOrder(ccxt, parsed.order);
  if (updated === undefined) return undefined;
  if (parsed.l === '0' || parsed.L === '0') return { order: updated, fill: undefined };
  const { symbol, cause, side: of } = updated;
  const { quote } = ccxt.market(symbol);
  return {
    order: updated,
    fill: {
      exchangeFillId: parsed.t,
      exchangeOrderId: parsed.i,
      symbol,
      side: of,
      price: parsed.L,
      amount: toBaseAmount(ccxt, symbol, parsed.l),
      // The message omits a fee of zero.
      fee: { amount: parsed.n ?? '0', currency: parsed.N ? ccxt.safeCurrencyCode(parsed.N) : quote },
      liquidity: parsed.m ? 'MAKER' : 'TAKER',
      cause,
      executedAt: parsed.T,
    },
  };
}
