/** What an order would trade against the book that is on screen. */
import { Exact, isZero, smallestOf } from '../../format/decimals';

export type Level = readonly [price: string, amount: string];

export interface Walk {
  readonly amount: Exact;
  /** Sum of price × amount. */
  readonly cost: Exact;
  /** Missing if nothing trades. */
  readonly averagePrice: Exact | undefined;
  readonly worstPrice: Exact | undefined;
  /** How much worse the average price is than the best one, as a ratio; never negative. */
  readonly slippage: Exact | undefined;
  /** False: the levels that are known hold less than the order wants. */
  readonly isComplete: boolean;
}

/** What ends a walk: an amount of base, or a cost in quote, and the limit price if the order has one. */
export interface WalkLimit {
  readonly amount?: Exact;
  readonly cost?: Exact;
  readonly isAcceptable?: (price: Exact) => boolean;
}

/** Trades level by level, best price first. */
export function walkBook(levels: readonly Level[], limit: WalkLimit): Walk {
  let amount = new Exact(0);
  let cost = new Exact(0);
  let worstPrice: Exact | undefined;
  let isComplete = false;
  for (const [priceText, amountText] of levels) {
    const price = new Exact(priceText);
    if (limit.isAcceptable?.(price) === false) break;
    const offered = new Exact(amountText);
    const wanted = wantedAt(price, offered, amount, cost, limit);
    if (wanted.gt(0)) {
      amount = amount.plus(wanted);
      cost = cost.plus(wanted.times(price));
      worstPrice = price;
    }
    if (wanted.lt(offered)) {
      isComplete = true;
      break;
    }
  }
  isComplete ||= limit.amount !== undefined && amount.gte(limit.amount);
  const averagePrice = isZero(amount) ? undefined : cost.div(amount);
  return { amount, cost, averagePrice, worstPrice, slippage: slippageOf(levels, averagePrice), isComplete };
}

function wantedAt(price: Exact, offered: Exact, amount: Exact, cost: Exact, limit: WalkLimit): Exact {
  let wanted = offered;
  if (limit.amount !== undefined) wanted = smallestOf(wanted, limit.amount.minus(amount));
  if (limit.cost !== undefined) wanted = smallestOf(wanted, limit.cost.minus(cost).div(price));
  return wanted;
}

function slippageOf(levels: readonly Level[], averagePrice: Exact | undefined): Exact | undefined {
  const best = levels[0]?.[0];
  if (best === undefined || averagePrice === undefined) return undefined;
  return averagePrice.minus(best).div(best).abs();
}
