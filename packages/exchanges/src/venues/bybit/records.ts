/** Bybit's records of orders, fills and positions: https://bybit-exchange.github.io/docs/v5/intro */
import type { TimeInForce, TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { ForcedCause, VenueFill, VenueOrder, VenueOrderStatus, VenuePosition } from '../../port.js';

/** A decimal that may be empty for "none". */
const optionalDecimal = z
  .union([exactDecimal, z.literal('').transform(() => undefined)])
  .optional()
  .transform((value) => (value === '0' ? undefined : value));
const instant = z.coerce.number().transform((ms) => new Date(ms));

const order = z.object({
  symbol: z.string(),
  orderId: z.string().min(1),
  orderLinkId: z.string(),
  side: z.enum(['Buy', 'Sell']),
  orderType: z.string(),
  timeInForce: z.string(),
  orderStatus: z.string(),
  rejectReason: z.string().optional(),
  createType: z.string().optional(),
  price: optionalDecimal,
  triggerPrice: optionalDecimal,
  qty: exactDecimal,
  cumExecQty: exactDecimal,
  reduceOnly: z.boolean(),
  createdTime: instant,
  updatedTime: instant,
});
type BybitOrder = z.output<typeof order>;

const OPEN = new Set(['New', 'PartiallyFilled', 'Untriggered', 'Triggered']);

/** Returns undefined for an order of a market that the client did not load. */
export function readBybitOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(order, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined) return undefined;
  const type = typeOf(parsed);
  return {
    exchangeOrderId: parsed.orderId,
    venueClientOrderId: parsed.orderLinkId,
    symbol,
    side: parsed.side === 'Buy' ? 'BUY' : 'SELL',
    type,
    timeInForce: timeInForceOf(parsed),
    price: type.endsWith('LIMIT') ? parsed.price : undefined,
    stopPrice: parsed.triggerPrice,
    status: statusOf(parsed),
    amount: parsed.qty,
    filledAmount: parsed.cumExecQty,
    reduceOnly: parsed.reduceOnly,
    cause: CAUSES_OF_ORDERS[parsed.createType ?? ''],
    createdAt: parsed.createdTime,
    updatedAt: parsed.updatedTime,
  };
}

function typeOf({ orderType, triggerPrice }: BybitOrder): TradeType {
  const isLimit = orderType === 'Limit';
  if (triggerPrice === undefined) return isLimit ? 'LIMIT' : 'MARKET';
  return isLimit ? 'STOP_LIMIT' : 'STOP_MARKET';
}

function timeInForceOf({ timeInForce }: BybitOrder): TimeInForce {
  if (timeInForce === 'PostOnly') return 'POST_ONLY';
  return timeInForce === 'IOC' || timeInForce === 'FOK' ? timeInForce : 'GTC';
}

/** The exchange reports an order that ended under its own terms as cancelled. */
function statusOf(parsed: BybitOrder): VenueOrderStatus {
  const { orderStatus, rejectReason, qty, cumExecQty } = parsed;
  if (OPEN.has(orderStatus)) return 'OPEN';
  if (orderStatus === 'Filled' || cumExecQty === qty) return 'FILLED';
  const endsAtOnce = ['IOC', 'FOK'].includes(timeInForceOf(parsed));
  if (endsAtOnce || rejectReason === 'EC_PostOnlyWillTakeLiquidity') return 'EXPIRED';
  return orderStatus === 'Rejected' ? 'REJECTED' : 'CANCELLED';
}

const CAUSES_OF_ORDERS: Readonly<Record<string, ForcedCause | undefined>> = {
  CreateByLiq: 'LIQUIDATION',
  CreateByTakeOver_PassThrough: 'LIQUIDATION',
  CreateByAdl_PassThrough: 'ADL',
  CreateBySettle: 'SETTLEMENT',
};

const CAUSES_OF_FILLS: Readonly<Record<string, ForcedCause | undefined>> = {
  BustTrade: 'LIQUIDATION',
  AdlTrade: 'ADL',
  Delivery: 'SETTLEMENT',
  Settle: 'SETTLEMENT',
};

const fill = z.object({
  symbol: z.string(),
  execId: z.string().min(1),
  orderId: z.string().min(1),
  orderLinkId: z.string(),
  side: z.enum(['Buy', 'Sell']),
  execType: z.string(),
  execPrice: exactDecimal,
  execQty: exactDecimal,
  execFee: exactDecimal,
  feeCurrency: z.string().optional(),
  isMaker: z.boolean(),
  execTime: instant,
});

/** Returns undefined for a record that is no fill, or of a market that the client did not load. */
export function readBybitFill(ccxt: CcxtClient, record: unknown): VenueFill | undefined {
  const parsed = parseResponse(fill, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined || parsed.execType === 'Funding') return undefined;
  return {
    exchangeFillId: parsed.execId,
    exchangeOrderId: parsed.orderId,
    symbol,
    side: parsed.side === 'Buy' ? 'BUY' : 'SELL',
    price: parsed.execPrice,
    amount: parsed.execQty,
    fee: { amount: parsed.execFee, currency: feeCurrencyOf(ccxt, symbol, parsed) },
    liquidity: parsed.isMaker ? 'MAKER' : 'TAKER',
    cause: CAUSES_OF_FILLS[parsed.execType],
    executedAt: parsed.execTime,
  };
}

/** Fees of derivatives are in the settlement currency; spot fees in what was received, rebates in what was paid. */
function feeCurrencyOf(ccxt: CcxtClient, symbol: string, parsed: z.output<typeof fill>): string {
  if (parsed.feeCurrency) return ccxt.safeCurrencyCode(parsed.feeCurrency);
  const { base, quote, contract } = ccxt.market(symbol);
  if (contract === true) return quote;
  return (parsed.side === 'Buy') === !parsed.execFee.startsWith('-') ? base : quote;
}

const position = z.object({
  symbol: z.string(),
  positionIdx: z.number(),
  side: z.string(),
  size: exactDecimal,
  avgPrice: optionalDecimal,
  entryPrice: optionalDecimal,
  markPrice: optionalDecimal,
  liqPrice: optionalDecimal,
  leverage: optionalDecimal,
  positionMM: optionalDecimal,
  unrealisedPnl: z.union([exactDecimal, z.literal('').transform(() => '0')]),
});

/** Returns a position; its amount is zero if it is closed. */
export function readBybitPosition(ccxt: CcxtClient, record: unknown): VenuePosition {
  const parsed = parseResponse(position, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  return {
    symbol: symbol ?? parsed.symbol,
    side: parsed.side === 'Sell' ? 'SHORT' : 'LONG',
    amount: parsed.size,
    entryPrice: parsed.avgPrice ?? parsed.entryPrice,
    markPrice: parsed.markPrice,
    liquidationPrice: parsed.liqPrice,
    leverage: parsed.leverage,
    // Accounts with isolated margin are refused. The mode of a single position is always 0.
    marginMode: 'CROSS',
    unrealizedPnl: parsed.unrealisedPnl,
    maintenanceMargin: parsed.positionMM,
    // Other indexes are the two sides of the hedge mode.
    isSupported: symbol !== undefined && parsed.positionIdx === 0,
  };
}
