/** OKX's records of orders, fills and positions: https://www.okx.com/docs-v5/en/ */
import type { TimeInForce, TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import { subtract, toBaseAmount } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { ForcedCause, VenueFill, VenueOrder, VenueOrderStatus, VenuePosition } from '../../port.js';

/** A decimal that is empty if it does not apply. */
const optionalDecimal = z
  .union([exactDecimal, z.literal('').transform(() => undefined)])
  .optional()
  .transform((value) => (value === '0' ? undefined : value));
const amount = optionalDecimal.transform((value) => value ?? '0');
const instant = z.coerce.number().transform((ms) => new Date(ms));

const order = z.object({
  instId: z.string(),
  ordId: z.string().min(1),
  clOrdId: z.string(),
  side: z.enum(['buy', 'sell']),
  ordType: z.string(),
  state: z.string(),
  cancelSource: z.string().optional(),
  category: z.string(),
  px: optionalDecimal,
  sz: amount,
  tgtCcy: z.string().optional(),
  accFillSz: amount,
  reduceOnly: z.enum(['true', 'false', '']),
  cTime: instant,
  uTime: instant,
});
type OkxOrder = z.output<typeof order>;

/** Returns undefined for an order of a market that the client did not load. */
export function readOkxOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(order, record);
  const symbol = symbolOfMarketId(ccxt, parsed.instId);
  if (symbol === undefined) return undefined;
  const type = typeOf(parsed);
  // The size of some market orders that other programs place is an amount of quote currency.
  const contracts = parsed.tgtCcy === 'quote_ccy' ? parsed.accFillSz : parsed.sz;
  return {
    exchangeOrderId: parsed.ordId,
    venueClientOrderId: parsed.clOrdId,
    symbol,
    side: parsed.side === 'buy' ? 'BUY' : 'SELL',
    type,
    timeInForce: TIMES_IN_FORCE[parsed.ordType] ?? 'GTC',
    price: type === 'LIMIT' ? parsed.px : undefined,
    status: statusOf(parsed),
    amount: toBaseAmount(ccxt, symbol, contracts),
    filledAmount: toBaseAmount(ccxt, symbol, parsed.accFillSz),
    reduceOnly: parsed.reduceOnly === 'true',
    cause: CAUSES_OF_ORDERS[parsed.category],
    createdAt: parsed.cTime,
    updatedAt: parsed.uTime,
  };
}

const TIMES_IN_FORCE: Readonly<Record<string, TimeInForce | undefined>> = {
  post_only: 'POST_ONLY',
  fok: 'FOK',
  ioc: 'IOC',
  optimal_limit_ioc: 'IOC',
};

const MARKET_TYPES = new Set(['market', 'optimal_limit_ioc']);

function typeOf({ ordType }: OkxOrder): TradeType {
  return MARKET_TYPES.has(ordType) ? 'MARKET' : 'LIMIT';
}

const ENDING_AT_ONCE = new Set(['ioc', 'fok', 'market', 'optimal_limit_ioc']);
/** The exchange cancelled a post-only order because it would have taken liquidity. */
const WOULD_TAKE = '31';

/** The exchange reports an order that ended under its own terms as cancelled. */
function statusOf({ state, ordType, cancelSource }: OkxOrder): VenueOrderStatus {
  if (state === 'live' || state === 'partially_filled') return 'OPEN';
  if (state === 'filled') return 'FILLED';
  return ENDING_AT_ONCE.has(ordType) || cancelSource === WOULD_TAKE ? 'EXPIRED' : 'CANCELLED';
}

const CAUSES_OF_ORDERS: Readonly<Record<string, ForcedCause | undefined>> = {
  full_liquidation: 'LIQUIDATION',
  partial_liquidation: 'LIQUIDATION',
  adl: 'ADL',
  delivery: 'SETTLEMENT',
};

/** The types of a fill in the account's bills. */
function causeOfFill(subType: string): ForcedCause | undefined {
  const number = Number(subType);
  if (number >= 100 && number <= 107) return 'LIQUIDATION';
  if (number >= 125 && number <= 128) return 'ADL';
  return number === 112 || number === 113 ? 'SETTLEMENT' : undefined;
}

const fill = z.object({
  instId: z.string(),
  tradeId: z.string().min(1),
  ordId: z.string().min(1),
  side: z.enum(['buy', 'sell']),
  fillPx: exactDecimal,
  fillSz: exactDecimal,
  // Negative if the account paid.
  fee: amount,
  feeCcy: z.string(),
  // Empty for orders of the exchange itself.
  execType: z.string(),
  subType: z.string(),
  fillTime: instant,
});
type OkxFill = z.output<typeof fill>;

/** Returns undefined for a fill of a market that the client did not load. */
export function readOkxFill(ccxt: CcxtClient, record: unknown): VenueFill | undefined {
  const parsed = parseResponse(fill, record);
  return toFill(ccxt, parsed, causeOfFill(parsed.subType));
}

const streamedFill = fill.omit({ fee: true, feeCcy: true, subType: true }).extend({
  fillFee: amount,
  fillFeeCcy: z.string(),
  category: z.string(),
});
const lastTrade = z.object({ tradeId: z.string(), fillSz: amount });

/** Returns the last fill in an order of the stream; undefined without one. */
export function readStreamedFill(ccxt: CcxtClient, record: unknown): VenueFill | undefined {
  const { tradeId, fillSz } = parseResponse(lastTrade, record);
  if (tradeId === '' || fillSz === '0') return undefined;
  const { fillFee: fee, fillFeeCcy: feeCcy, category, ...rest } = parseResponse(streamedFill, record);
  return toFill(ccxt, { ...rest, fee, feeCcy }, CAUSES_OF_ORDERS[category]);
}

function toFill(
  ccxt: CcxtClient,
  parsed: Omit<OkxFill, 'subType'>,
  cause: ForcedCause | undefined,
): VenueFill | undefined {
  const symbol = symbolOfMarketId(ccxt, parsed.instId);
  if (symbol === undefined) return undefined;
  return {
    exchangeFillId: parsed.tradeId,
    exchangeOrderId: parsed.ordId,
    symbol,
    side: parsed.side === 'buy' ? 'BUY' : 'SELL',
    price: parsed.fillPx,
    amount: toBaseAmount(ccxt, symbol, parsed.fillSz),
    fee: {
      amount: subtract('0', parsed.fee),
      currency: parsed.feeCcy === '' ? ccxt.market(symbol).quote : ccxt.safeCurrencyCode(parsed.feeCcy),
    },
    liquidity: parsed.execType === 'M' ? 'MAKER' : 'TAKER',
    cause,
    executedAt: parsed.fillTime,
  };
}

const position = z.object({
  instId: z.string(),
  instType: z.string(),
  posSide: z.string(),
  pos: amount,
  avgPx: optionalDecimal,
  markPx: optionalDecimal,
  liqPx: optionalDecimal,
  lever: optionalDecimal,
  mgnMode: z.string(),
  mmr: optionalDecimal,
  margin: amount,
  upl: amount,
});

/** Perpetuals that are settled in one of the two supported currencies. */
const SUPPORTED = /-(?:USDT|USDC)-SWAP$/;

/** Returns a position; its amount is zero if it is closed. */
export function readOkxPosition(ccxt: CcxtClient, record: unknown): VenuePosition {
  const parsed = parseResponse(position, record);
  const { instId, posSide, pos, margin, upl } = parsed;
  const symbol = SUPPORTED.test(instId) ? symbolOfMarketId(ccxt, instId) : undefined;
  const isShort = posSide === 'short' || pos.startsWith('-');
  const contracts = pos.replace('-', '');
  const isIsolated = parsed.mgnMode === 'isolated';
  return {
    symbol: symbol ?? instId,
    side: isShort ? 'SHORT' : 'LONG',
    amount: symbol === undefined ? contracts : toBaseAmount(ccxt, symbol, contracts),
    entryPrice: parsed.avgPx,
    markPrice: parsed.markPx,
    liquidationPrice: parsed.liqPx,
    leverage: parsed.lever,
    marginMode: isIsolated ? 'ISOLATED' : 'CROSS',
    unrealizedPnl: upl,
    maintenanceMargin: parsed.mmr,
    isolatedMargin: isIsolated ? subtract(margin, subtract('0', upl)) : undefined,
    // The other sides are those of the hedge mode.
    isSupported: symbol !== undefined && posSide === 'net',
  };
}
