/** Kraken's records of futures orders and fills: https://docs.kraken.com/api-reference/order-management */
import type { TimeInForce, TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import { add, toBaseAmount } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { ForcedCause, VenueFill, VenueOrder, VenueOrderStatus } from '../../port.js';

export const isoInstant = z.string().transform((text) => new Date(text));
export const epochInstant = z.number().transform((ms) => new Date(ms));
const side = z.enum(['buy', 'sell']).transform((each) => (each === 'buy' ? 'BUY' : 'SELL'));
const price = jsonDecimal
  .nullish()
  .transform((value) => (value == null || value === '0' ? undefined : value));

/** Returns the symbol of a market; the exchange writes its name in capital or small letters. */
export const symbolOfInstrument = (ccxt: CcxtClient, id: string): string | undefined =>
  symbolOfMarketId(ccxt, id.toUpperCase());

const orderStatus = z.object({
  order: z.object({
    orderId: z.string().min(1),
    cliOrdId: z.string().nullish(),
    symbol: z.string(),
    side,
    quantity: jsonDecimal,
    filled: jsonDecimal,
    limitPrice: price,
    reduceOnly: z.boolean(),
    timestamp: isoInstant,
    lastUpdateTimestamp: isoInstant,
    priceTriggerOptions: z.object({ triggerPrice: price }).nullish(),
  }),
  status: z.string(),
  updateReason: z.string().nullish(),
  error: z.string().nullish(),
});
type OrderStatus = z.output<typeof orderStatus>;

/**
 * Returns an order as the call for the status of single orders reports it, without its time in force; undefined for an
 * order of a market that the client did not load.
 */
export function readOrderStatus(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(orderStatus, record);
  const { order } = parsed;
  const symbol = symbolOfInstrument(ccxt, order.symbol);
  if (symbol === undefined) return undefined;
  const stopPrice = order.priceTriggerOptions?.triggerPrice;
  const type = typeOf(order.limitPrice !== undefined, stopPrice !== undefined);
  return {
    exchangeOrderId: order.orderId,
    venueClientOrderId: order.cliOrdId ?? '',
    symbol,
    side: order.side,
    type,
    timeInForce: type.endsWith('MARKET') ? 'IOC' : 'GTC',
    price: order.limitPrice,
    stopPrice,
    status: statusOf(parsed),
    amount: toBaseAmount(ccxt, symbol, order.quantity),
    filledAmount: toBaseAmount(ccxt, symbol, order.filled),
    reduceOnly: order.reduceOnly,
    cause: parsed.updateReason === 'LIQUIDATION_ORDER' ? 'LIQUIDATION' : undefined,
    createdAt: order.timestamp,
    updatedAt: order.lastUpdateTimestamp,
  };
}

function typeOf(hasPrice: boolean, hasStop: boolean): TradeType {
  if (hasStop) return hasPrice ? 'STOP_LIMIT' : 'STOP_MARKET';
  return hasPrice ? 'LIMIT' : 'MARKET';
}

function statusOf({ status, updateReason, error, order }: OrderStatus): VenueOrderStatus {
  if (status === 'FULLY_EXECUTED' || order.filled === order.quantity) return 'FILLED';
  if (status === 'ENTERED_BOOK' || status === 'TRIGGER_PLACED') return 'OPEN';
  const endedAtOnce = `${error ?? ''} ${updateReason ?? ''}`.includes('IOC_WOULD_NOT_EXECUTE');
  if (status === 'CANCELLED')
    // The exchange takes away what an order could not fill at once.
    return updateReason === 'PARTIAL_FILL' || endedAtOnce ? 'EXPIRED' : 'CANCELLED';
  return endedAtOnce ? 'EXPIRED' : 'REJECTED';
}

const openOrder = z.object({
  order_id: z.string().min(1),
  cliOrdId: z.string().nullish(),
  symbol: z.string(),
  side,
  orderType: z.string(),
  limitPrice: price,
  stopPrice: price,
  unfilledSize: jsonDecimal.optional(),
  filledSize: jsonDecimal,
  reduceOnly: z.boolean(),
  receivedTime: isoInstant,
  lastUpdateTime: isoInstant,
});

/** Returns undefined for an order of a market that the client did not load. */
export function readOpenOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(openOrder, record);
  const symbol = symbolOfInstrument(ccxt, parsed.symbol);
  if (symbol === undefined) return undefined;
  const filledAmount = toBaseAmount(ccxt, symbol, parsed.filledSize);
  const unfilled = toBaseAmount(ccxt, symbol, parsed.unfilledSize ?? '0');
  return {
    exchangeOrderId: parsed.order_id,
    venueClientOrderId: parsed.cliOrdId ?? '',
    symbol,
    side: parsed.side,
    type: typeOf(parsed.limitPrice !== undefined, parsed.stopPrice !== undefined),
    timeInForce: parsed.orderType === 'post' ? 'POST_ONLY' : 'GTC',
    price: parsed.limitPrice,
    stopPrice: parsed.stopPrice,
    status: 'OPEN',
    amount: add(unfilled, filledAmount),
    filledAmount,
    reduceOnly: parsed.reduceOnly,
    createdAt: parsed.receivedTime,
    updatedAt: parsed.lastUpdateTime,
  };
}

/** The causes of fills. The exchange assigns the position of a bankrupt account to accounts that agreed to it. */
const CAUSES: Readonly<Record<string, ForcedCause | undefined>> = {
  liquidation: 'LIQUIDATION',
  partialLiquidation: 'LIQUIDATION',
  assignor: 'LIQUIDATION',
  unwindBankrupt: 'LIQUIDATION',
  unwindCounterparty: 'ADL',
};

interface FillTerms {
  readonly id: string;
  readonly orderId: string;
  readonly symbol: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly size: string;
  readonly fee: string;
  readonly type: string;
  readonly at: Date;
}

/** Fees are in the settlement currency. */
export function fillOf(ccxt: CcxtClient, terms: FillTerms): VenueFill {
  const { symbol, type } = terms;
  return {
    exchangeFillId: terms.id,
    exchangeOrderId: terms.orderId,
    symbol,
    side: terms.side,
    price: terms.price,
    amount: toBaseAmount(ccxt, symbol, terms.size),
    fee: { amount: terms.fee, currency: ccxt.market(symbol).quote },
    liquidity: type === 'maker' ? 'MAKER' : 'TAKER',
    cause: CAUSES[type],
    executedAt: terms.at,
  };
}

const historyOrder = z.object({
  uid: z.string().min(1),
  clientId: z.string().nullish(),
  tradeable: z.string(),
  direction: z.enum(['Buy', 'Sell']),
  quantity: jsonDecimal,
  filled: jsonDecimal,
  limitPrice: price,
  orderType: z.string(),
  reduceOnly: z.boolean(),
  timestamp: epochInstant,
  lastUpdateTimestamp: epochInstant,
});
const orderEvent = z.looseObject({ order: historyOrder, reason: z.string().optional() });
const historyElement = z.object({ timestamp: z.number(), event: z.record(z.string(), z.unknown()) });

/** An event of an order in the history. */
export interface OrderEvent {
  readonly kind: 'PLACED' | 'UPDATED' | 'CANCELLED' | 'REJECTED';
  readonly reason: string | undefined;
  readonly order: z.output<typeof historyOrder>;
}

const KINDS: Readonly<Record<string, OrderEvent['kind']>> = {
  OrderPlaced: 'PLACED',
  OrderUpdated: 'UPDATED',
  OrderCancelled: 'CANCELLED',
  OrderRejected: 'REJECTED',
};

/** Returns undefined for an event of another kind, such as a failed change. */
export function readOrderEvent(record: unknown): OrderEvent | undefined {
  const [[name, event] = ['', undefined]] = Object.entries(parseResponse(historyElement, record).event);
  const kind = KINDS[name];
  if (kind === undefined) return undefined;
  const { newOrder } = z.looseObject({ newOrder: z.unknown().optional() }).parse(event);
  const changed = newOrder === undefined ? event : { ...(event as object), order: newOrder };
  const { order, reason } = parseResponse(orderEvent, changed);
  return { kind, reason, order };
}

const TIMES_IN_FORCE: Readonly<Record<string, TimeInForce>> = {
  IoC: 'IOC',
  Post: 'POST_ONLY',
  FillOrKill: 'FOK',
  Market: 'IOC',
};

/**
 * Returns the order of which these are the events, oldest first. It is open until the history has its end, which may be
 * later than the exchange stops listing the order.
 * @param filledAmount the sum of its fills
 */
export function orderOfEvents(
  ccxt: CcxtClient,
  symbol: string,
  events: readonly [OrderEvent, ...OrderEvent[]],
  filledAmount: string,
): VenueOrder {
  const [{ order: first }] = events;
  const { kind, order: last } = events.at(-1)!;
  const type: TradeType = first.limitPrice === undefined ? 'MARKET' : 'LIMIT';
  const timeInForce = TIMES_IN_FORCE[first.orderType] ?? 'GTC';
  const amount = toBaseAmount(ccxt, symbol, first.quantity);
  const endsAtOnce = timeInForce === 'IOC' || timeInForce === 'FOK';
  const ended = endsAtOnce ? 'EXPIRED' : kind === 'REJECTED' ? 'REJECTED' : 'CANCELLED';
  const hasEnded = kind === 'CANCELLED' || kind === 'REJECTED';
  return {
    exchangeOrderId: first.uid,
    venueClientOrderId: first.clientId ?? '',
    symbol,
    side: first.direction === 'Buy' ? 'BUY' : 'SELL',
    type,
    timeInForce,
    price: first.limitPrice,
    stopPrice: undefined,
    status: filledAmount === amount ? 'FILLED' : hasEnded ? ended : 'OPEN',
    amount,
    filledAmount,
    reduceOnly: first.reduceOnly,
    createdAt: first.timestamp,
    updatedAt: last.lastUpdateTimestamp,
  };
}
