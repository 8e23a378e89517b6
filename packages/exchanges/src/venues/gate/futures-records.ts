/** Gate's records of futures: orders, fills and positions. https://www.gate.com/docs/developers/apiv4/en/#futures */
import { z } from 'zod';
import { add, multiply, subtract, toBaseAmount } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { ForcedCause, VenueFill, VenueOrder, VenueOrderStatus, VenuePosition } from '../../port.js';
import { clientOrderIdOf } from './ids.js';
import { absolute, amount, identifier, milliseconds, nonZeroAmount, seconds } from './lists.js';
import { timeInForceOf } from './times-in-force.js';

/** The currency of the wallet, of fees and of funding. */
export const SETTLE = 'USDT';

const order = z.object({
  id: identifier,
  contract: z.string(),
  /** Negative for a sale. */
  size: amount,
  left: amount,
  price: nonZeroAmount,
  tif: z.string(),
  text: z.string(),
  status: z.string(),
  finish_as: z.string().optional(),
  is_reduce_only: z.boolean(),
  is_liq: z.boolean().optional(),
  create_time: seconds,
  create_time_ms: milliseconds.optional(),
  update_time: seconds.optional(),
  finish_time: seconds.optional(),
  finish_time_ms: milliseconds.optional(),
});
type FuturesOrder = z.output<typeof order>;

/** Returns undefined for an order of a market that the client did not load. */
export function readFuturesOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(order, record);
  const symbol = symbolOfMarketId(ccxt, parsed.contract);
  if (symbol === undefined) return undefined;
  const size = absolute(parsed.size);
  const created = parsed.create_time_ms ?? parsed.create_time;
  return {
    exchangeOrderId: parsed.id,
    venueClientOrderId: clientOrderIdOf(parsed.text),
    symbol,
    side: parsed.size.startsWith('-') ? 'SELL' : 'BUY',
    // An order without a price is a market order.
    type: parsed.price === undefined ? 'MARKET' : 'LIMIT',
    timeInForce: timeInForceOf(parsed.tif),
    price: parsed.price,
    status: statusOf(parsed),
    amount: toBaseAmount(ccxt, symbol, size),
    filledAmount: toBaseAmount(ccxt, symbol, subtract(size, absolute(parsed.left))),
    reduceOnly: parsed.is_reduce_only,
    cause: causeOf(parsed.text) ?? (parsed.is_liq === true ? 'LIQUIDATION' : undefined),
    createdAt: created,
    updatedAt: parsed.finish_time_ms ?? parsed.finish_time ?? parsed.update_time ?? created,
  };
}

const EXPIRED = new Set(['ioc', 'fok', 'poc']);

function statusOf({ status, left, tif, finish_as: reason }: FuturesOrder): VenueOrderStatus {
  if (status === 'open') return 'OPEN';
  if (left === '0') return 'FILLED';
  const endsAtOnce = tif === 'ioc' || tif === 'fok';
  return endsAtOnce || EXPIRED.has(reason ?? '') ? 'EXPIRED' : 'CANCELLED';
}

/** The beginnings of the `text` of orders that the exchange placed itself. */
const CAUSES: readonly (readonly [beginning: string, cause: ForcedCause])[] = [
  ['liq', 'LIQUIDATION'],
  ['hedge-liq', 'LIQUIDATION'],
  ['pm_liquidate', 'LIQUIDATION'],
  ['comb_margin_liquidate', 'LIQUIDATION'],
  ['scm_liquidate', 'LIQUIDATION'],
  ['auto_deleveraging', 'ADL'],
  ['clear', 'SETTLEMENT'],
];

function causeOf(text: string): ForcedCause | undefined {
  return CAUSES.find(([beginning]) => text.startsWith(beginning))?.[1];
}

const fill = z.object({
  id: identifier.optional(),
  trade_id: identifier.optional(),
  order_id: identifier,
  contract: z.string(),
  size: amount,
  price: amount,
  fee: amount,
  role: z.enum(['maker', 'taker']),
  text: z.string(),
  create_time: seconds,
  create_time_ms: milliseconds.optional(),
});

/** Returns undefined for a fill of a market that the client did not load. */
export function readFuturesFill(ccxt: CcxtClient, record: unknown): VenueFill | undefined {
  const parsed = parseResponse(fill, record);
  const symbol = symbolOfMarketId(ccxt, parsed.contract);
  if (symbol === undefined) return undefined;
  return {
    exchangeFillId: parseResponse(identifier, parsed.id ?? parsed.trade_id),
    exchangeOrderId: parsed.order_id,
    symbol,
    side: parsed.size.startsWith('-') ? 'SELL' : 'BUY',
    price: parsed.price,
    amount: toBaseAmount(ccxt, symbol, absolute(parsed.size)),
    fee: { amount: parsed.fee, currency: SETTLE },
    liquidity: parsed.role === 'maker' ? 'MAKER' : 'TAKER',
    cause: causeOf(parsed.text),
    executedAt: parsed.create_time_ms ?? parsed.create_time,
  };
}

const position = z.object({
  contract: z.string(),
  /** Negative for a short position. */
  size: amount,
  mode: z.string(),
  leverage: nonZeroAmount,
  cross_leverage_limit: nonZeroAmount,
  lever: nonZeroAmount,
  leverage_max: nonZeroAmount,
  entry_price: nonZeroAmount,
  mark_price: nonZeroAmount,
  liq_price: nonZeroAmount,
  margin: amount.optional(),
  // Accounts in the older margin mode report the rate alone.
  maintenance_margin: amount.optional(),
  maintenance_rate: amount.optional(),
  value: amount.optional(),
  unrealised_pnl: amount.optional(),
});
export type FuturesPosition = z.output<typeof position>;

export const parsePosition = (record: unknown): FuturesPosition => parseResponse(position, record);

/** Long and short positions of one market are separate. */
const isHedged = ({ mode }: FuturesPosition): boolean => mode !== 'single';

/** The leverage of a position. A leverage of zero means cross margin, which has a limit of its own. */
export function leverageOf({ leverage, cross_leverage_limit: cross, lever, leverage_max }: FuturesPosition) {
  return {
    leverage: leverage ?? cross ?? lever ?? leverage_max ?? '1',
    marginMode: leverage === undefined ? 'CROSS' : 'ISOLATED',
  } as const;
}

/** Returns the maintenance margin of a position; undefined if the record has neither it nor its rate. */
function maintenanceOf(parsed: FuturesPosition): string | undefined {
  const { maintenance_margin: margin, maintenance_rate: rate, value } = parsed;
  if (margin !== undefined || rate === undefined || value === undefined) return margin;
  return multiply(value, rate);
}

/** Returns a position; its amount is zero if it is closed. */
export function toPosition(ccxt: CcxtClient, parsed: FuturesPosition): VenuePosition {
  const symbol = symbolOfMarketId(ccxt, parsed.contract);
  const { leverage, marginMode } = leverageOf(parsed);
  const contracts = absolute(parsed.size);
  return {
    symbol: symbol ?? parsed.contract,
    side: parsed.size.startsWith('-') ? 'SHORT' : 'LONG',
    amount: symbol === undefined ? contracts : toBaseAmount(ccxt, symbol, contracts),
    entryPrice: parsed.entry_price,
    markPrice: parsed.mark_price,
    liquidationPrice: parsed.liq_price,
    leverage,
    marginMode,
    unrealizedPnl: parsed.unrealised_pnl,
    maintenanceMargin: maintenanceOf(parsed),
    isolatedMargin: isolatedMarginOf(parsed, marginMode),
    isSupported: symbol !== undefined && !isHedged(parsed),
  };
}

/** The exchange reports the margin of a position without its open result. */
function isolatedMarginOf(
  { margin, unrealised_pnl: result }: FuturesPosition,
  marginMode: VenuePosition['marginMode'],
): string | undefined {
  if (marginMode === 'CROSS' || margin === undefined || result === undefined) return undefined;
  return add(margin, result);
}
