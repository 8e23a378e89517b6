/** KuCoin's records of futures: https://www.kucoin.com/docs-new/rest/futures-trading/introduction */
import type { TimeInForce } from '@trading-automation/contracts';
import { z } from 'zod';
import { toBaseAmount } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { ForcedCause, VenueFill, VenueOrder, VenueOrderStatus, VenuePosition } from '../../port.js';
import { amount, identifier, milliseconds, nanoseconds, optionalAmount } from './lists.js';

const order = z.object({
  id: z.string().min(1),
  symbol: z.string(),
  type: z.string(),
  side: z.enum(['buy', 'sell']),
  price: optionalAmount,
  size: amount,
  filledSize: amount,
  timeInForce: z.string(),
  postOnly: z.boolean(),
  reduceOnly: z.boolean(),
  clientOid: z.string().nullish(),
  isActive: z.boolean(),
  createdAt: milliseconds,
  updatedAt: milliseconds,
});
type FuturesOrder = z.output<typeof order>;

/** Returns undefined for an order of a market that the client did not load. */
export function readFuturesOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(order, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined) return undefined;
  const isLimit = parsed.type.includes('limit');
  return {
    exchangeOrderId: parsed.id,
    venueClientOrderId: parsed.clientOid ?? '',
    symbol,
    side: parsed.side === 'buy' ? 'BUY' : 'SELL',
    type: isLimit ? 'LIMIT' : 'MARKET',
    timeInForce: timeInForceOf(parsed),
    price: isLimit ? parsed.price : undefined,
    status: statusOf(parsed, isLimit),
    amount: toBaseAmount(ccxt, symbol, parsed.size),
    filledAmount: toBaseAmount(ccxt, symbol, parsed.filledSize),
    reduceOnly: parsed.reduceOnly,
    createdAt: parsed.createdAt,
    updatedAt: parsed.updatedAt,
  };
}

function timeInForceOf({ timeInForce, postOnly }: FuturesOrder): TimeInForce {
  if (postOnly) return 'POST_ONLY';
  return timeInForce === 'IOC' ? 'IOC' : 'GTC';
}

/** The exchange does not report why it ended a post-only order. */
function statusOf(parsed: FuturesOrder, isLimit: boolean): VenueOrderStatus {
  if (parsed.isActive) return 'OPEN';
  if (parsed.filledSize === parsed.size) return 'FILLED';
  return !isLimit || timeInForceOf(parsed) === 'IOC' ? 'EXPIRED' : 'CANCELLED';
}

const CAUSES: Readonly<Record<string, ForcedCause | undefined>> = {
  liquid: 'LIQUIDATION',
  adl: 'ADL',
  settlement: 'SETTLEMENT',
};

const fill = z.object({
  tradeId: identifier,
  orderId: z.string().min(1),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  liquidity: z.enum(['maker', 'taker']),
  price: amount,
  size: amount,
  fee: amount,
  feeCurrency: z.string().min(1),
  tradeType: z.string(),
  createdAt: milliseconds,
  tradeTime: nanoseconds.optional(),
});

/** Returns undefined for a fill of a market that the client did not load. */
export function readFuturesFill(ccxt: CcxtClient, record: unknown): VenueFill | undefined {
  const parsed = parseResponse(fill, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined) return undefined;
  return {
    exchangeFillId: parsed.tradeId,
    exchangeOrderId: parsed.orderId,
    symbol,
    side: parsed.side === 'buy' ? 'BUY' : 'SELL',
    price: parsed.price,
    amount: toBaseAmount(ccxt, symbol, parsed.size),
    fee: { amount: parsed.fee, currency: ccxt.safeCurrencyCode(parsed.feeCurrency) },
    liquidity: parsed.liquidity === 'maker' ? 'MAKER' : 'TAKER',
    cause: CAUSES[parsed.tradeType],
    executedAt: parsed.tradeTime ?? parsed.createdAt,
  };
}

const position = z.object({
  symbol: z.string(),
  /** In contracts; negative for a short position. */
  currentQty: amount,
  crossMode: z.boolean(),
  positionSide: z.string().optional(),
  leverage: optionalAmount,
  realLeverage: optionalAmount,
  avgEntryPrice: optionalAmount,
  markPrice: optionalAmount,
  liquidationPrice: optionalAmount,
  unrealisedPnl: amount,
  /** The margin of the position with its open result. */
  maintMargin: optionalAmount,
  posMaint: amount,
});
export type FuturesPosition = z.output<typeof position>;

export const parsePosition = (record: unknown): FuturesPosition => parseResponse(position, record);

/** The side of a position in one-way mode. */
const ONE_WAY = 'BOTH';

/** Returns a position; its amount is zero if it is closed. */
export function toPosition(ccxt: CcxtClient, parsed: FuturesPosition): VenuePosition {
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  const contracts = parsed.currentQty.replace(/^-/, '');
  const isLinear = symbol !== undefined && ccxt.market(symbol).quote === 'USDT';
  return {
    symbol: symbol ?? parsed.symbol,
    side: parsed.currentQty.startsWith('-') ? 'SHORT' : 'LONG',
    amount: symbol === undefined ? contracts : toBaseAmount(ccxt, symbol, contracts),
    entryPrice: parsed.avgEntryPrice,
    markPrice: parsed.markPrice,
    liquidationPrice: parsed.liquidationPrice,
    leverage: parsed.leverage ?? parsed.realLeverage,
    marginMode: parsed.crossMode ? 'CROSS' : 'ISOLATED',
    unrealizedPnl: parsed.unrealisedPnl,
    maintenanceMargin: parsed.posMaint,
    isolatedMargin: parsed.crossMode ? undefined : parsed.maintMargin,
    isSupported: isLinear && (parsed.positionSide ?? ONE_WAY) === ONE_WAY,
  };
}
