/** Kraken's records of spot orders and trades: https://docs.kraken.com/api-reference */
import type { Decimal, TimeInForce, TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { VenueFill, VenueOrder, VenueOrderStatus } from '../../port.js';
import { symbolOfPair } from './spot-names.js';

/** Unix seconds with a fraction, of which the exchange keeps four digits. */
const instant = z.coerce
  .number()
  .transform((seconds) => new Date(Math.floor(Math.round(seconds * 10_000) / 10)));
const side = z.enum(['buy', 'sell']).transform((each) => (each === 'buy' ? 'BUY' : 'SELL'));

const order = z.object({
  status: z.enum(['pending', 'open', 'closed', 'canceled', 'expired']),
  cl_ord_id: z.string().nullish(),
  opentm: instant,
  closetm: instant.optional(),
  descr: z.object({
    pair: z.string(),
    type: side,
    ordertype: z.string(),
    price: z.string(),
    price2: z.string(),
  }),
  vol: exactDecimal,
  vol_exec: exactDecimal,
  oflags: z.string(),
});
type KrakenOrder = z.output<typeof order>;

/** Returns undefined for an order of a market that the client did not load. */
export function readSpotOrder(ccxt: CcxtClient, id: string, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(order, record);
  const symbol = symbolOfPair(ccxt, parsed.descr.pair);
  if (symbol === undefined) return undefined;
  const { descr, opentm, closetm } = parsed;
  const type = typeOfOrder(descr.ordertype);
  const isStop = type.startsWith('STOP');
  return {
    exchangeOrderId: id,
    venueClientOrderId: parsed.cl_ord_id ?? '',
    symbol,
    side: descr.type,
    type,
    timeInForce: timeInForceOf(parsed, type),
    price: type.endsWith('LIMIT') ? priceOf(isStop ? descr.price2 : descr.price) : undefined,
    stopPrice: isStop ? priceOf(descr.price) : undefined,
    status: statusOf(parsed, type),
    amount: parsed.vol,
    filledAmount: parsed.vol_exec,
    createdAt: opentm,
    updatedAt: closetm ?? opentm,
  };
}

/** Returns the type that is nearest to an order of any type. */
export function typeOfOrder(ordertype: string): TradeType {
  if (ordertype === 'limit' || ordertype === 'iceberg') return 'LIMIT';
  if (ordertype === 'market' || ordertype === 'settle-position') return 'MARKET';
  return ordertype.endsWith('-limit') ? 'STOP_LIMIT' : 'STOP_MARKET';
}

/** The price of an order; undefined if the exchange writes 0, or a price that depends on the market. */
function priceOf(text: string): Decimal | undefined {
  const price = exactDecimal.safeParse(text).data;
  return price === '0' || text.startsWith('+') || text.startsWith('-') ? undefined : price;
}

/** The records do not contain the time in force, except that post-only orders have a flag. */
function timeInForceOf({ oflags }: KrakenOrder, type: TradeType): TimeInForce {
  if (type.endsWith('MARKET')) return 'IOC';
  return oflags.split(',').includes('post') ? 'POST_ONLY' : 'GTC';
}

function statusOf({ status, vol, vol_exec }: KrakenOrder, type: TradeType): VenueOrderStatus {
  if (status === 'open' || status === 'pending') return 'OPEN';
  if (vol === vol_exec) return 'FILLED';
  // The exchange ends what it cannot fill of a market order.
  return status === 'expired' || type === 'MARKET' ? 'EXPIRED' : 'CANCELLED';
}

const trade = z.object({
  ordertxid: z.string().min(1),
  pair: z.string(),
  time: instant,
  type: side,
  price: exactDecimal,
  fee: exactDecimal,
  vol: exactDecimal,
  maker: z.boolean(),
});

/** Returns undefined for a trade of a market that the client did not load. */
export function readSpotFill(ccxt: CcxtClient, id: string, record: unknown): VenueFill | undefined {
  const parsed = parseResponse(trade, record);
  const symbol = symbolOfPair(ccxt, parsed.pair);
  if (symbol === undefined) return undefined;
  return {
    exchangeFillId: id,
    exchangeOrderId: parsed.ordertxid,
    symbol,
    side: parsed.type,
    price: parsed.price,
    amount: parsed.vol,
    fee: { amount: parsed.fee, currency: ccxt.market(symbol).quote },
    liquidity: parsed.maker ? 'MAKER' : 'TAKER',
    executedAt: parsed.time,
  };
}
