/** Coinbase's records of orders and fills: https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api */
import type { Decimal, TimeInForce, TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import { divide } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { VenueFill, VenueOrder, VenueOrderStatus } from '../../port.js';

const instant = z.string().transform((text) => new Date(text));
const side = z.enum(['BUY', 'SELL']);

const terms = z.object({
  base_size: jsonDecimal.optional(),
  limit_price: jsonDecimal.optional(),
  stop_price: jsonDecimal.optional(),
  stop_trigger_price: jsonDecimal.optional(),
  post_only: z.boolean().optional(),
});
const order = z.object({
  order_id: z.string().min(1),
  client_order_id: z.string(),
  product_id: z.string(),
  side,
  status: z.string(),
  /** One member, whose name is the type and the time in force. */
  order_configuration: z.record(z.string(), terms),
  filled_size: jsonDecimal,
  created_time: instant,
  last_fill_time: instant.nullish(),
});

interface Configuration {
  readonly type: TradeType;
  readonly timeInForce: TimeInForce;
}

const CONFIGURATIONS: Readonly<Record<string, Configuration>> = {
  market_market_ioc: { type: 'MARKET', timeInForce: 'IOC' },
  market_market_fok: { type: 'MARKET', timeInForce: 'IOC' },
  sor_limit_ioc: { type: 'LIMIT', timeInForce: 'IOC' },
  limit_limit_fok: { type: 'LIMIT', timeInForce: 'FOK' },
};

/** Returns undefined for an order of a market that the client did not load. */
export function readCoinbaseOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(order, record);
  const symbol = symbolOfMarketId(ccxt, parsed.product_id);
  if (symbol === undefined) return undefined;
  const [[name, configuration] = ['', {}]] = Object.entries(parsed.order_configuration);
  const stopPrice = configuration.stop_price ?? configuration.stop_trigger_price;
  const { type, timeInForce } = CONFIGURATIONS[name] ?? restingConfiguration(configuration, stopPrice);
  return {
    exchangeOrderId: parsed.order_id,
    venueClientOrderId: parsed.client_order_id,
    symbol,
    side: parsed.side,
    type,
    timeInForce,
    price: type.endsWith('LIMIT') ? configuration.limit_price : undefined,
    stopPrice,
    status: statusOf(parsed.status, timeInForce),
    // A market order of another program may be for an amount of quote currency.
    amount: configuration.base_size ?? parsed.filled_size,
    filledAmount: parsed.filled_size,
    createdAt: parsed.created_time,
    updatedAt: parsed.last_fill_time ?? parsed.created_time,
  };
}

function restingConfiguration(
  { post_only }: z.output<typeof terms>,
  stop: Decimal | undefined,
): Configuration {
  if (stop !== undefined) return { type: 'STOP_LIMIT', timeInForce: 'GTC' };
  return { type: 'LIMIT', timeInForce: post_only === true ? 'POST_ONLY' : 'GTC' };
}

const ENDED: Readonly<Record<string, VenueOrderStatus>> = {
  FILLED: 'FILLED',
  EXPIRED: 'EXPIRED',
  FAILED: 'REJECTED',
};

/** The exchange reports an order that ended under its own terms as cancelled. */
function statusOf(status: string, timeInForce: TimeInForce): VenueOrderStatus {
  if (status === 'CANCELLED') return timeInForce === 'IOC' || timeInForce === 'FOK' ? 'EXPIRED' : 'CANCELLED';
  return ENDED[status] ?? 'OPEN';
}

/** Whether the exchange does not change an order with this status any more. */
export const isFinal = (status: string): boolean => status === 'CANCELLED' || ENDED[status] !== undefined;

const fill = z.object({
  trade_id: z.string().min(1),
  order_id: z.string().min(1),
  product_id: z.string(),
  side,
  price: jsonDecimal,
  size: jsonDecimal,
  commission: jsonDecimal,
  size_in_quote: z.boolean(),
  liquidity_indicator: z.string(),
  trade_time: instant,
});

/** Returns undefined for a fill of a market that the client did not load. */
export function readCoinbaseFill(ccxt: CcxtClient, record: unknown): VenueFill | undefined {
  const parsed = parseResponse(fill, record);
  const symbol = symbolOfMarketId(ccxt, parsed.product_id);
  if (symbol === undefined) return undefined;
  return {
    exchangeFillId: parsed.trade_id,
    exchangeOrderId: parsed.order_id,
    symbol,
    side: parsed.side,
    price: parsed.price,
    // Another program may have ordered an amount of quote currency.
    amount: parsed.size_in_quote ? divide(parsed.size, parsed.price) : parsed.size,
    fee: { amount: parsed.commission, currency: ccxt.market(symbol).quote },
    liquidity: parsed.liquidity_indicator === 'MAKER' ? 'MAKER' : 'TAKER',
    executedAt: parsed.trade_time,
  };
}
