/** What an order takes and brings, as far as the book on screen shows. */
import { Exact, floorTo, isZero, largestOf, smallestOf } from '../../format/decimals';
import { type Level, type Walk, walkBook } from './book-walk.rules';
import {
  amountStepOf,
  hasLimitPrice,
  hasStopPrice,
  type OrderType,
  type Pair,
  type Side,
} from './order.rules';

export interface Book {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

export interface PricedOrder {
  readonly type: OrderType;
  readonly side: Side;
  readonly price?: Exact | undefined;
  readonly stopPrice?: Exact | undefined;
}

const opposite = (book: Book | undefined, side: Side) => (side === 'BUY' ? book?.asks : book?.bids) ?? [];

const middleOf = ({ bids, asks }: Book) =>
  bids[0] && asks[0] ? new Exact(bids[0][0]).plus(asks[0][0]).div(2) : undefined;

/** The price by which the exchange values an order: its limit or stop price, otherwise the last price. */
export function valuationOf(
  { type, price, stopPrice }: PricedOrder,
  book: Book | undefined,
  last: string | null | undefined,
): Exact | undefined {
  if (hasLimitPrice(type)) return price;
  if (hasStopPrice(type)) return stopPrice;
  return last ? new Exact(last) : book && middleOf(book);
}

const isPerpetual = ({ trading_type }: Pair) => trading_type === 'perpetual';

/** The asset that an order pays with. A perpetual takes its margin and its fee from the settlement currency. */
export function paidAsset(side: Side, pair: Pair): string {
  if (isPerpetual(pair)) return pair.settle ?? pair.quote;
  return side === 'BUY' ? pair.quote : pair.base;
}

/** How a person states the size of an order. */
export type AmountMode = 'base' | 'quote';

/**
 * Returns the amount of base that a value in quote buys or sells, rounded down to the step. A market order walks the book, and
 * is never larger than the valuation allows, so that the exchange has the balance for it.
 */
export function amountForCost(
  order: PricedOrder,
  cost: Exact,
  pair: Pair,
  book: Book | undefined,
  valuation: Exact | undefined,
): Exact | undefined {
  const step = amountStepOf(pair, order.type);
  if (order.type === 'MARKET') {
    const walk = walkBook(opposite(book, order.side), { cost });
    if (walk.worstPrice !== undefined) {
      const wanted = walk.isComplete
        ? walk.amount
        : walk.amount.plus(cost.minus(walk.cost).div(walk.worstPrice));
      const byValue = order.side === 'BUY' && valuation?.gt(0) ? cost.div(valuation) : wanted;
      return floorTo(smallestOf(wanted, byValue), step);
    }
  }
  if (valuation === undefined || isZero(valuation)) return undefined;
  return floorTo(cost.div(valuation), step);
}

/** What a market buy by share leaves is for a price that rises before the order trades. */
const MARKET_BUY_SHARE = '0.995';

/**
 * Returns the amount that a share of the free balance buys or sells. On a perpetual, the value of the amount is that
 * share: the order could be placed without leverage.
 */
export function amountForShare(
  order: PricedOrder,
  share: string,
  free: Readonly<Record<string, string>>,
  pair: Pair,
  book: Book | undefined,
  valuation: Exact | undefined,
): Exact | undefined {
  const part = new Exact(free[paidAsset(order.side, pair)] ?? '0').times(share);
  if (order.side === 'SELL' && !isPerpetual(pair)) return floorTo(part, amountStepOf(pair, order.type));
  const spent = order.type === 'MARKET' ? part.times(MARKET_BUY_SHARE) : part;
  return amountForCost(order, spent, pair, book, valuation);
}

export interface Estimate {
  /** The expected price: the average of a market order, the limit price, or the stop price. */
  readonly price: Exact | undefined;
  /** What the order pays or brings before the fee, in quote. */
  readonly cost: Exact | undefined;
  readonly fee: { readonly amount: Exact; readonly asset: string; readonly rate: string } | undefined;
  /** Undefined for a perpetual, which exchanges no assets. */
  readonly received: { readonly amount: Exact; readonly asset: string } | undefined;
  /**
   * What the account must have: at least the valuation, as the API reserves it. Undefined for a perpetual: its margin
   * depends on the leverage and the position, so only the API checks it.
   */
  readonly needed: { readonly amount: Exact; readonly asset: string } | undefined;
  /** The part that trades at once; missing if the order waits for its stop price or there is no book. */
  readonly walk: Walk | undefined;
  /** The order trades at once, at least in part. */
  readonly isImmediate: boolean;
}

/** Estimates an order with an amount of base. */
export function estimateOf(
  order: PricedOrder,
  amount: Exact,
  pair: Pair,
  book: Book | undefined,
  valuation: Exact | undefined,
): Estimate {
  const walk = hasStopPrice(order.type) ? undefined : walkOf(order, amount, book);
  const isImmediate = walk?.amount.gt(0) ?? false;
  const price = order.type === 'MARKET' ? (walk?.averagePrice ?? valuation) : valuation;
  const cost = costOf(order, amount, walk, price);
  const rate = isImmediate || order.type !== 'LIMIT' ? pair.taker_fee : pair.maker_fee;
  const isContract = isPerpetual(pair);
  const gross = order.side === 'BUY' && !isContract ? amount : cost;
  const asset = isContract ? paidAsset(order.side, pair) : order.side === 'BUY' ? pair.base : pair.quote;
  const fee =
    rate === undefined || gross === undefined ? undefined : { amount: gross.times(rate), asset, rate };
  return {
    price,
    cost,
    fee,
    received: isContract ? undefined : gross && { amount: gross.minus(fee?.amount ?? 0), asset },
    needed: isContract ? undefined : neededOf(order, amount, pair, valuation, cost),
    walk,
    isImmediate,
  };
}

function walkOf({ type, side, price }: PricedOrder, amount: Exact, book: Book | undefined): Walk | undefined {
  const levels = opposite(book, side);
  if (levels.length === 0) return undefined;
  if (type === 'MARKET') return walkBook(levels, { amount });
  if (price === undefined) return undefined;
  return walkBook(levels, {
    amount,
    isAcceptable: (offered) => (side === 'BUY' ? offered.lte(price) : offered.gte(price)),
  });
}

/** A limit order trades what crosses at the book's prices and rests with the remainder at its own. */
function costOf(
  { type }: PricedOrder,
  amount: Exact,
  walk: Walk | undefined,
  price: Exact | undefined,
): Exact | undefined {
  if (price === undefined) return undefined;
  if (walk === undefined || isZero(walk.amount)) return amount.times(price);
  const rest = amount.minus(walk.amount);
  return walk.cost.plus(rest.times(type === 'MARKET' ? (walk.worstPrice ?? price) : price));
}

function neededOf(
  { side, type }: PricedOrder,
  amount: Exact,
  { base, quote }: Pair,
  valuation: Exact | undefined,
  cost: Exact | undefined,
): Estimate['needed'] {
  if (side === 'SELL') return { amount, asset: base };
  const reserved = valuation?.times(amount);
  if (reserved === undefined) return undefined;
  return { amount: type === 'MARKET' && cost ? largestOf(reserved, cost) : reserved, asset: quote };
}

/** Something that a person should know before the order is placed, although no rule forbids it. */
export function cautionsOf(
  order: PricedOrder & { readonly timeInForce: string },
  estimate: Estimate,
  book: Book | undefined,
): string[] {
  const best = opposite(book, order.side)[0]?.[0];
  const cautions: string[] = [];
  if (order.type === 'MARKET' && book !== undefined && !estimate.walk?.isComplete)
    cautions.push('The visible book is smaller than the order: the rest may trade at much worse prices.');
  if (order.type === 'LIMIT' && order.timeInForce === 'POST_ONLY' && estimate.isImmediate)
    cautions.push('This price trades at once, so the exchange refuses it as post-only.');
  if (order.type === 'LIMIT' && order.timeInForce === 'FOK' && best !== undefined && !estimate.isImmediate)
    cautions.push('No one offers this price now, so the order is cancelled at once.');
  if (order.stopPrice !== undefined && best !== undefined && isTriggered(order, best))
    cautions.push('The market has passed the stop price: the order triggers at once.');
  if (estimate.walk?.slippage?.gt('0.01'))
    cautions.push('The average price is more than 1 % worse than the best one.');
  return cautions;
}

const isTriggered = ({ side, stopPrice }: PricedOrder, best: string) =>
  side === 'BUY' ? (stopPrice?.lte(best) ?? false) : (stopPrice?.gte(best) ?? false);
