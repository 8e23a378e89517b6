/** KuCoin's records of spot and margin: https://www.kucoin.com/docs-new/rest/spot-trading/introduction */
import type { TimeInForce } from '@trading-automation/contracts';
import { z } from 'zod';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { VenueFill, VenueOrder, VenueOrderStatus } from '../../port.js';
import { amount, identifier, milliseconds, optionalAmount } from './lists.js';

const order = z.object({
  id: z.string().min(1),
  symbol: z.string(),
  type: z.string(),
  side: z.enum(['buy', 'sell']),
  price: optionalAmount,
  /** Undefined for a market order whose amount is in quote currency. */
  size: optionalAmount,
  dealSize: amount,
  timeInForce: z.string(),
  postOnly: z.boolean(),
  clientOid: z.string().nullish(),
  active: z.boolean(),
  createdAt: milliseconds,
  lastUpdatedAt: milliseconds,
});
type SpotOrder = z.output<typeof order>;

/** Returns undefined for an order of a market that the client did not load. */
export function readSpotOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
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
    amount: parsed.size ?? parsed.dealSize,
    filledAmount: parsed.dealSize,
    createdAt: parsed.createdAt,
    updatedAt: parsed.lastUpdatedAt,
  };
}

function timeInForceOf({ timeInForce, postOnly }: SpotOrder): TimeInForce {
  if (postOnly) return 'POST_ONLY';
  return timeInForce === 'IOC' || timeInForce === 'FOK' ? timeInForce : 'GTC';
}

/** The exchange does not report why it ended a post-only order. */
function statusOf(parsed: SpotOrder, isLimit: boolean): VenueOrderStatus {
  if (parsed.active) return 'OPEN';
  if (parsed.dealSize !== '0' && parsed.dealSize === (parsed.size ?? parsed.dealSize)) return 'FILLED';
  const tif = timeInForceOf(parsed);
  return !isLimit || tif === 'IOC' || tif === 'FOK' ? 'EXPIRED' : 'CANCELLED';
}

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
  createdAt: milliseconds,
});

/** Returns undefined for a fill of a market that the client did not load. */
export function readSpotFill(ccxt: CcxtClient, record: unknown): VenueFill | undefined {
  const parsed = parseResponse(fill, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined) return undefined;
  return {
    exchangeFillId: parsed.tradeId,
    exchangeOrderId: parsed.orderId,
    symbol,
    side: parsed.side === 'buy' ? 'BUY' : 'SELL',
    price: parsed.price,
    amount: parsed.size,
    fee: { amount: parsed.fee, currency: ccxt.safeCurrencyCode(parsed.feeCurrency) },
    liquidity: parsed.liquidity === 'maker' ? 'MAKER' : 'TAKER',
    executedAt: parsed.createdAt,
  };
}
