/** HTX's records of orders and fills: https://huobiapi.github.io/docs/spot/v1/en/#trading */
import type { TimeInForce } from '@trading-automation/contracts';
import { z } from 'zod';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { VenueFill, VenueOrder, VenueOrderStatus } from '../../port.js';
import {
  identifier,
  isOfMargin,
  kindOf,
  milliseconds,
  nonZeroAmount,
  optionalMilliseconds,
  orderType,
  sideOf,
} from './fields.js';
import { isMarked, withoutMark } from './ids.js';

const order = z.object({
  id: identifier,
  symbol: z.string(),
  'client-order-id': z.string().default(''),
  type: orderType,
  amount: exactDecimal,
  price: exactDecimal,
  state: z.string(),
  source: z.string().optional(),
  'created-at': milliseconds,
  'finished-at': optionalMilliseconds,
  'canceled-at': optionalMilliseconds,
  // The list of open orders has `filled`, all other answers have `field`.
  'field-amount': exactDecimal.optional(),
  'filled-amount': exactDecimal.optional(),
});

/** What calls and streams report of an order. */
export interface OrderTerms {
  readonly storedId: string;
  readonly type: string;
  readonly amount: string;
  readonly price: string | undefined;
  readonly state: string;
}

/** Returns undefined for an order of a margin account, or of a market that the client did not load. */
export function readHtxOrder(ccxt: CcxtClient, record: unknown): VenueOrder | undefined {
  const parsed = parseResponse(order, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined || isOfMargin(parsed.source)) return undefined;
  const filledAmount = parsed['field-amount'] ?? parsed['filled-amount'] ?? '0';
  const createdAt = parsed['created-at'];
  const endedAt = parsed['finished-at'] ?? parsed['canceled-at'];
  return {
    exchangeOrderId: parsed.id,
    symbol,
    ...termsOf({ ...parsed, storedId: parsed['client-order-id'] }),
    // The exchange counts market purchases of other programs in quote currency. Only what they received is known.
    amount: parsed.type === 'buy-market' ? filledAmount : parsed.amount,
    filledAmount,
    createdAt,
    // The exchange does not report when an open order was filled in part.
    updatedAt: endedAt ?? (filledAmount === '0' ? createdAt : venueTime(ccxt)),
  };
}

type Terms = Pick<
  VenueOrder,
  'venueClientOrderId' | 'side' | 'type' | 'timeInForce' | 'price' | 'amount' | 'status'
>;

export function termsOf({ storedId, type, amount, price, state }: OrderTerms): Terms {
  const isPurchase = isMarked(storedId, type);
  const isMarket = isPurchase || kindOf(type) === 'market';
  return {
    venueClientOrderId: isPurchase ? withoutMark(storedId) : storedId,
    side: sideOf(type),
    type: isMarket ? 'MARKET' : 'LIMIT',
    timeInForce: TIMES_IN_FORCE[kindOf(type)] ?? 'GTC',
    price: isMarket ? undefined : price,
    amount,
    status: statusOf(state, kindOf(type)),
  };
}

const TIMES_IN_FORCE: Readonly<Record<string, TimeInForce>> = {
  ioc: 'IOC',
  market: 'IOC',
  'limit-fok': 'FOK',
  'limit-maker': 'POST_ONLY',
};
const ENDS_AT_ONCE = new Set(['ioc', 'market', 'limit-fok']);

function statusOf(state: string, kind: string): VenueOrderStatus {
  if (state === 'filled') return 'FILLED';
  if (state !== 'canceled' && state !== 'partial-canceled') return 'OPEN';
  return ENDS_AT_ONCE.has(kind) ? 'EXPIRED' : 'CANCELLED';
}

const fill = z.object({
  id: identifier,
  'trade-id': identifier,
  'order-id': identifier,
  symbol: z.string(),
  type: orderType,
  source: z.string().optional(),
  price: exactDecimal,
  'filled-amount': exactDecimal,
  'filled-fees': exactDecimal,
  'fee-currency': z.string().min(1),
  'filled-points': nonZeroAmount,
  'fee-deduct-currency': z.string().optional(),
  role: z.enum(['maker', 'taker']),
  'created-at': milliseconds,
});

/** A fill, and the id of its record in lists. */
export interface ListedFill {
  readonly recordId: string;
  /** Undefined for a fill of a margin account, or of a market that the client did not load. */
  readonly fill: VenueFill | undefined;
}

export function readHtxFill(ccxt: CcxtClient, record: unknown): ListedFill {
  const parsed = parseResponse(fill, record);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined || isOfMargin(parsed.source)) return { recordId: parsed.id, fill: undefined };
  const fee = feeOf(ccxt, {
    fee: parsed['filled-fees'],
    currency: parsed['fee-currency'],
    deducted: parsed['filled-points'],
    deductedFrom: parsed['fee-deduct-currency'],
  });
  return {
    recordId: parsed.id,
    fill: {
      exchangeFillId: parsed['trade-id'],
      exchangeOrderId: parsed['order-id'],
      symbol,
      side: sideOf(parsed.type),
      price: parsed.price,
      amount: parsed['filled-amount'],
      fee,
      liquidity: parsed.role === 'maker' ? 'MAKER' : 'TAKER',
      executedAt: parsed['created-at'],
    },
  };
}

interface Fee {
  readonly fee: string;
  readonly currency: string;
  readonly deducted: string | undefined;
  readonly deductedFrom: string | undefined;
}

/** Fees are in what the order receives, or in the exchange's token or points if the account pays them with it. */
export function feeOf(ccxt: CcxtClient, { fee, currency, deducted, deductedFrom }: Fee): VenueFill['fee'] {
  if (fee === '0' && deducted !== undefined && deductedFrom)
    return { amount: deducted, currency: ccxt.safeCurrencyCode(deductedFrom) };
  return { amount: fee, currency: ccxt.safeCurrencyCode(currency) };
}
