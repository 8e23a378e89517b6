/** Bitget's records of orders, fills and positions: https://www.bitget.com/api-doc/uta/trade/Get-Order-Details */
import type { TimeInForce, TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import { multiply, subtract } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { hasPurchaseMark, withoutPurchaseMark } from '../../ccxt/market-purchases.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { ForcedCause, VenueFill, VenueOrder, VenueOrderStatus, VenuePosition } from '../../port.js';
import { categoriesOf } from './client.js';

/** A decimal that is empty if it does not apply. */
const optionalDecimal = z
  .union([exactDecimal, z.literal('').transform(() => undefined)])
  .nullish()
  .transform((value) => (value === '0' || value === null ? undefined : value));
const amount = optionalDecimal.transform((value) => value ?? '0');
const instant = z.coerce.number().transform((ms) => new Date(ms));
/** Calls write categories in capital letters, streams in small ones. */
const category = z.string().transform((value) => value.toUpperCase());

/** Returns the symbol of a market that the client has loaded. Markets of several categories have the same names. */
function symbolOf(
  ccxt: CcxtClient,
  type: TradingType,
  { category: of, symbol: marketId }: { readonly category: string; readonly symbol: string },
): string | undefined {
  const symbol = symbolOfMarketId(ccxt, marketId);
  if (symbol === undefined) return undefined;
  return categoriesOf(type, symbol).some((each) => each === of) ? symbol : undefined;
}

const order = z.object({
  category,
  symbol: z.string(),
  orderId: z.string().min(1),
  clientOid: z.string(),
  side: z.enum(['buy', 'sell']),
  orderType: z.string(),
  timeInForce: z.string(),
  orderStatus: z.string(),
  cancelReason: z.string().nullish(),
  execType: z.string().nullish(),
  price: optionalDecimal,
  qty: amount,
  cumExecQty: amount,
  reduceOnly: z.string(),
  createdTime: instant,
  updatedTime: instant,
});
type BitgetOrder = z.output<typeof order>;

/** Returns undefined for an order of a market that the client did not load. */
export function readBitgetOrder(
  ccxt: CcxtClient,
  type: TradingType,
  record: unknown,
): VenueOrder | undefined {
  const parsed = parseResponse(order, record);
  const symbol = symbolOf(ccxt, type, parsed);
  if (symbol === undefined) return undefined;
  const { clientOid, side, timeInForce } = parsed;
  const isPurchase =
    type !== 'perpetual' && side === 'buy' && timeInForce === 'ioc' && hasPurchaseMark(clientOid);
  const isMarket = isPurchase || parsed.orderType === 'market';
  return {
    exchangeOrderId: parsed.orderId,
    venueClientOrderId: isPurchase ? withoutPurchaseMark(clientOid) : clientOid,
    symbol,
    side: side === 'buy' ? 'BUY' : 'SELL',
    type: isMarket ? 'MARKET' : 'LIMIT',
    timeInForce: isMarket ? 'GTC' : (TIMES_IN_FORCE[timeInForce] ?? 'GTC'),
    price: isMarket ? undefined : parsed.price,
    status: statusOf(parsed),
    // A market purchase of spot that another program placed has an amount of quote currency instead.
    amount: parsed.qty === '0' ? parsed.cumExecQty : parsed.qty,
    filledAmount: parsed.cumExecQty,
    reduceOnly: parsed.reduceOnly.toUpperCase() === 'YES',
    cause: CAUSES_OF_ORDERS[parsed.execType ?? ''],
    createdAt: parsed.createdTime,
    updatedAt: parsed.updatedTime,
  };
}

const TIMES_IN_FORCE: Readonly<Record<string, TimeInForce | undefined>> = {
  post_only: 'POST_ONLY',
  fok: 'FOK',
  ioc: 'IOC',
};

const OPEN = new Set(['live', 'new', 'partially_filled']);

/** The exchange reports an order that ended under its own terms as cancelled. */
function statusOf({ orderStatus, orderType, timeInForce, cancelReason }: BitgetOrder): VenueOrderStatus {
  if (OPEN.has(orderStatus)) return 'OPEN';
  if (orderStatus === 'filled') return 'FILLED';
  const endsAtOnce = orderType === 'market' || timeInForce === 'ioc' || timeInForce === 'fok';
  return endsAtOnce || cancelReason === 'post_only_fill_cancel' ? 'EXPIRED' : 'CANCELLED';
}

const CAUSES_OF_ORDERS: Readonly<Record<string, ForcedCause | undefined>> = {
  liquidation: 'LIQUIDATION',
  reduce: 'LIQUIDATION',
  delivery: 'SETTLEMENT',
};

/** The sides of a trade name its cause: https://www.bitget.com/api-doc/uta/enum */
function causeOf(tradeSide: string): ForcedCause | undefined {
  if (tradeSide.startsWith('dte_sys_adl_')) return 'ADL';
  if (tradeSide.startsWith('burst_') || tradeSide.startsWith('reduce_')) return 'LIQUIDATION';
  return tradeSide.startsWith('delivery_') ? 'SETTLEMENT' : undefined;
}

const fill = z.object({
  category,
  symbol: z.string(),
  execId: z.string().min(1),
  orderId: z.string().min(1),
  side: z.enum(['buy', 'sell']),
  tradeSide: z.string(),
  tradeScope: z.string(),
  execPrice: exactDecimal,
  execQty: exactDecimal,
  // Positive if the account paid.
  feeDetail: z.array(z.object({ feeCoin: z.string().nullable(), fee: amount })),
  // The list names the time of execution otherwise than the stream.
  createdTime: instant.optional(),
  execTime: instant.optional(),
});

/** Returns undefined for a fill of a market that the client did not load. */
export function readBitgetFill(ccxt: CcxtClient, type: TradingType, record: unknown): VenueFill | undefined {
  const parsed = parseResponse(fill, record);
  const symbol = symbolOf(ccxt, type, parsed);
  const executedAt = parsed.execTime ?? parsed.createdTime;
  if (symbol === undefined || executedAt === undefined) return undefined;
  const fee = parsed.feeDetail.find((each) => each.fee !== '0') ?? parsed.feeDetail[0];
  return {
    exchangeFillId: parsed.execId,
    exchangeOrderId: parsed.orderId,
    symbol,
    side: parsed.side === 'buy' ? 'BUY' : 'SELL',
    price: parsed.execPrice,
    amount: parsed.execQty,
    fee: {
      amount: fee?.fee ?? '0',
      currency: ccxt.safeCurrencyCode(fee?.feeCoin ?? ccxt.market(symbol).quote),
    },
    liquidity: parsed.tradeScope === 'maker' ? 'MAKER' : 'TAKER',
    cause: causeOf(parsed.tradeSide),
    executedAt,
  };
}

/** The fields that the list and the stream of positions have in common. */
const position = z.object({
  symbol: z.string(),
  posSide: z.string(),
  holdMode: z.string(),
  marginMode: z.string(),
  leverage: optionalDecimal,
  avgPrice: optionalDecimal,
  markPrice: optionalDecimal,
  unrealisedPnl: amount,
  // A fraction of the notional.
  mmr: optionalDecimal,
});
const listedPosition = position.extend({
  category,
  total: exactDecimal,
  liquidationPrice: optionalDecimal,
  positionBalance: amount,
});
const streamedPosition = position.extend({
  marginCoin: z.string(),
  size: exactDecimal,
  liqPrice: optionalDecimal,
  marginSize: amount,
});

export function readListedPosition(ccxt: CcxtClient, record: unknown): VenuePosition {
  const parsed = parseResponse(listedPosition, record);
  const { total: size, liquidationPrice: liqPrice, positionBalance: margin } = parsed;
  return toPosition(ccxt, parsed, { size, liqPrice, margin, category: parsed.category });
}

/** Returns a position; its amount is zero if it is closed. */
export function readStreamedPosition(ccxt: CcxtClient, record: unknown): VenuePosition {
  const parsed = parseResponse(streamedPosition, record);
  const { size, liqPrice, marginSize: margin, marginCoin } = parsed;
  return toPosition(ccxt, parsed, { size, liqPrice, margin, category: `${marginCoin}-FUTURES` });
}

interface PositionParts {
  readonly size: string;
  readonly liqPrice: string | undefined;
  readonly margin: string;
  readonly category: string;
}

function toPosition(
  ccxt: CcxtClient,
  parsed: z.output<typeof position>,
  { size, liqPrice, margin, category: of }: PositionParts,
): VenuePosition {
  const symbol = symbolOf(ccxt, 'perpetual', { category: of, symbol: parsed.symbol });
  const { markPrice, mmr, unrealisedPnl } = parsed;
  const isIsolated = parsed.marginMode === 'isolated';
  return {
    symbol: symbol ?? parsed.symbol,
    side: parsed.posSide === 'short' ? 'SHORT' : 'LONG',
    amount: size,
    entryPrice: parsed.avgPrice,
    markPrice,
    // The exchange reports zero or less for a position that will not be liquidated.
    liquidationPrice: liqPrice?.startsWith('-') === true ? undefined : liqPrice,
    leverage: parsed.leverage,
    marginMode: isIsolated ? 'ISOLATED' : 'CROSS',
    unrealizedPnl: unrealisedPnl,
    maintenanceMargin:
      markPrice === undefined || mmr === undefined ? undefined : multiply(multiply(size, markPrice), mmr),
    isolatedMargin: isIsolated ? subtract(margin, subtract('0', unrealisedPnl)) : undefined,
    isSupported: symbol !== undefined && parsed.holdMode === 'one_way_mode',
  };
}
