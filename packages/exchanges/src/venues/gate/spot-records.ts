/** Gate's records of spot orders and fills: https://www.gate.com/docs/developers/apiv4/en/#order */
import { z } from 'zod';
import { subtract } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { hasPurchaseMark } from '../../ccxt/market-purchases.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { VenueFill, VenueOrder, VenueOrderStatus } from '../../port.js';
import { clientOrderIdOf } from './ids.js';
import { amount, identifier, milliseconds, nonZeroAmount, seconds } from './lists.js';
import { timeInForceOf } from './times-in-force.js';

const order = z.object({
  id: identifier,
  text: z.string(),
  currency_pair: z.string(),
  type: z.string(),
  side: z.enum(['buy', 'sell']),
  amount,
  price: nonZeroAmount,
  time_in_force: z.string(),
  left: amount,
  filled_amount: amount.optional(),
  // Calls report `status`, the stream reports `event`.
  status: z.string().optional(),
  event: z.string().optional(),
  finish_as: z.string().optional(),
  create_time: seconds,
  update_time: seconds,
  create_time_ms: milliseconds.optional(),
  update_time_ms: milliseconds.optional(),
});
type SpotOrder = z.output<typeof order>;

/** Returns undefined for an order of a market that the client did not load. */
export function readSpotOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(order, record);
  const symbol = symbolOfMarketId(ccxt, parsed.currency_pair);
  if (symbol === undefined) return undefined;
  const { side, text, price } = parsed;
  const isPurchase = side === 'buy' && parsed.time_in_force === 'ioc' && hasPurchaseMark(text);
  const isMarket = isPurchase || !parsed.type.startsWith('limit');
  return {
    exchangeOrderId: parsed.id,
    venueClientOrderId: clientOrderIdOf(text, isPurchase),
    symbol,
    side: side === 'buy' ? 'BUY' : 'SELL',
    type: isMarket ? 'MARKET' : 'LIMIT',
    timeInForce: timeInForceOf(parsed.time_in_force),
    price: isMarket ? undefined : price,
    status: statusOf(parsed),
    ...amountsOf(parsed),
    createdAt: parsed.create_time_ms ?? parsed.create_time,
    updatedAt: parsed.update_time_ms ?? parsed.update_time,
  };
}

/** The exchange counts market purchases of other programs in quote currency. Only what they received is known. */
function amountsOf(parsed: SpotOrder): Pick<VenueOrder, 'amount' | 'filledAmount'> {
  if (parsed.type.startsWith('market') && parsed.side === 'buy') {
    const filledAmount = parsed.filled_amount ?? '0';
    return { amount: filledAmount, filledAmount };
  }
  return { amount: parsed.amount, filledAmount: subtract(parsed.amount, parsed.left) };
}

/** Why the exchange ends an order under the order's own terms. */
const EXPIRED = new Set(['ioc', 'fok', 'poc', 'small', 'depth_not_enough', 'trader_not_enough']);

function statusOf({ left, status, event, finish_as: reason, time_in_force }: SpotOrder): VenueOrderStatus {
  if (left === '0') return 'FILLED';
  const isOpen = status === undefined ? event !== 'finish' : status === 'open';
  if (isOpen) return 'OPEN';
  const endsAtOnce = time_in_force === 'ioc' || time_in_force === 'fok';
  return endsAtOnce || EXPIRED.has(reason ?? '') ? 'EXPIRED' : 'CANCELLED';
}

const fill = z.object({
  id: identifier,
  order_id: identifier,
  // The list of the fills of one pair may omit it.
  currency_pair: z.string().optional(),
  side: z.enum(['buy', 'sell']),
  role: z.enum(['maker', 'taker']),
  amount,
  price: amount,
  fee: amount,
  fee_currency: z.string().optional(),
  gt_fee: nonZeroAmount,
  create_time_ms: milliseconds,
});
type SpotFill = z.output<typeof fill>;

/**
 * Returns undefined for a fill of a market that the client did not load.
 * @param requestedPair the pair whose fills were requested
 */
export function readSpotFill(ccxt: CcxtClient, record: unknown, requestedPair = ''): VenueFill | undefined {
  const parsed = parseResponse(fill, record);
  const symbol = symbolOfMarketId(ccxt, parsed.currency_pair ?? requestedPair);
  if (symbol === undefined) return undefined;
  return {
    exchangeFillId: parsed.id,
    exchangeOrderId: parsed.order_id,
    symbol,
    side: parsed.side === 'buy' ? 'BUY' : 'SELL',
    price: parsed.price,
    amount: parsed.amount,
    fee: feeOf(ccxt, symbol, parsed),
    liquidity: parsed.role === 'maker' ? 'MAKER' : 'TAKER',
    executedAt: parsed.create_time_ms,
  };
}

/** Fees are in what the order receives, or in the exchange's token if the account pays them with it. */
function feeOf(
  ccxt: CcxtClient,
  symbol: string,
  { fee, fee_currency: currency, gt_fee: tokenFee, side }: SpotFill,
): VenueFill['fee'] {
  if (tokenFee !== undefined && fee === '0') return { amount: tokenFee, currency: 'GT' };
  const { base, quote } = ccxt.market(symbol);
  // The stream does not name the currency.
  const received = side === 'buy' ? base : quote;
  return { amount: fee, currency: currency ? ccxt.safeCurrencyCode(currency) : received };
}
