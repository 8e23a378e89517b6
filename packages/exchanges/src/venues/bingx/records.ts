/** BingX's records of orders and fills: https://bingx-api.github.io/docs-v3/#/en/Spot/Trades%20Endpoints */
import type { TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { VenueFill, VenueOrder, VenueOrderStatus } from '../../port.js';
import { identifier, milliseconds, optionalDecimal, optionalId, paidFee, side } from './fields.js';

const order = z.object({
  symbol: z.string(),
  orderId: identifier,
  clientOrderID: optionalId,
  side,
  type: z.string(),
  status: z.string(),
  price: optionalDecimal,
  // Look-ups have the upper case letter, which the pages do not mention.
  StopPrice: optionalDecimal,
  stopPrice: optionalDecimal,
  origQty: optionalDecimal,
  executedQty: jsonDecimal,
  time: milliseconds,
  updateTime: milliseconds,
});

/** Returns undefined for an order of a market that the client did not load. */
export function readBingxOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(order, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined) return undefined;
  return {
    exchangeOrderId: parsed.orderId,
    venueClientOrderId: parsed.clientOrderID,
    symbol,
    side: parsed.side,
    ...termsOf({
      type: parsed.type,
      status: parsed.status,
      price: parsed.price,
      stopPrice: parsed.StopPrice === '0' ? parsed.stopPrice : parsed.StopPrice,
      ordered: parsed.origQty,
      filledAmount: parsed.executedQty,
    }),
    createdAt: parsed.time,
    updatedAt: parsed.updateTime,
  };
}

/** What calls and streams report of an order. Prices and amounts are 0 if the order has none. */
interface OrderTerms {
  readonly type: string;
  readonly status: string;
  readonly price: string;
  readonly stopPrice: string;
  readonly ordered: string;
  readonly filledAmount: string;
}

type Terms = Pick<
  VenueOrder,
  'type' | 'timeInForce' | 'price' | 'stopPrice' | 'status' | 'amount' | 'filledAmount'
>;

/** The exchange reports no time in force. */
export function termsOf({ ordered, filledAmount, ...terms }: OrderTerms): Terms {
  const type = typeOf(terms.type);
  return {
    type,
    timeInForce: type === 'MARKET' ? 'IOC' : 'GTC',
    // The price of a market order is that of its fills, or an estimate.
    price: type.endsWith('LIMIT') ? terms.price : undefined,
    stopPrice: type.startsWith('STOP') && terms.stopPrice !== '0' ? terms.stopPrice : undefined,
    status: statusOf(terms.status, type),
    // A purchase of another program may be for an amount of quote currency.
    amount: ordered === '0' ? filledAmount : ordered,
    filledAmount,
  };
}

/** Conditional orders of other programs count as stop orders: `TAKE_STOP_LIMIT`, `TRIGGER_MARKET`. */
function typeOf(type: string): TradeType {
  const isMarket = type.endsWith('MARKET');
  if (/STOP|TRIGGER/.test(type)) return isMarket ? 'STOP_MARKET' : 'STOP_LIMIT';
  return isMarket ? 'MARKET' : 'LIMIT';
}

const ENDED: Readonly<Record<string, VenueOrderStatus>> = {
  FILLED: 'FILLED',
  EXPIRED: 'EXPIRED',
  FAILED: 'REJECTED',
};

function statusOf(status: string, type: TradeType): VenueOrderStatus {
  if (status === 'CANCELED') return type === 'MARKET' ? 'EXPIRED' : 'CANCELLED';
  return ENDED[status] ?? 'OPEN';
}

const fill = z.object({
  symbol: z.string(),
  id: identifier,
  orderId: identifier,
  price: jsonDecimal,
  qty: jsonDecimal,
  commission: paidFee,
  commissionAsset: z.string().min(1),
  time: milliseconds,
  isBuyer: z.boolean(),
  isMaker: z.boolean(),
});

/** Returns undefined for a fill of a market that the client did not load. */
export function readBingxFill(ccxt: CcxtClient, record: unknown): VenueFill | undefined {
  const parsed = parseResponse(fill, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined) return undefined;
  return {
    exchangeFillId: parsed.id,
    exchangeOrderId: parsed.orderId,
    symbol,
    side: parsed.isBuyer ? 'BUY' : 'SELL',
    price: parsed.price,
    amount: parsed.qty,
    fee: { amount: parsed.commission, currency: ccxt.safeCurrencyCode(parsed.commissionAsset) },
    liquidity: parsed.isMaker ? 'MAKER' : 'TAKER',
    executedAt: parsed.time,
  };
}
