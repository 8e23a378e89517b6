/** How an order book is drawn. */
import { Exact, isZero, largestOf, smallestOf, total } from '../../format/decimals';

export type Level = readonly [price: string, amount: string];

export interface Row {
  readonly price: string;
  readonly amount: string;
  /** The amount of this level and of all better ones. */
  readonly total: string;
  /** The total as a share of the largest one that is shown, from 0 to 1. */
  readonly share: number;
}

export interface Ladder {
  /** Best price first. */
  readonly bids: readonly Row[];
  readonly asks: readonly Row[];
}

/** Returns the best levels of both sides with their totals. Both sides share one scale. */
export function ladderOf(
  book: { readonly bids: readonly Level[]; readonly asks: readonly Level[] },
  count: number,
): Ladder {
  const [bids, asks] = [book.bids.slice(0, count), book.asks.slice(0, count)];
  const largest = largestOf(amountOf(bids), amountOf(asks), 0);
  return { bids: rowsOf(bids, largest), asks: rowsOf(asks, largest) };
}

const amountOf = (levels: readonly Level[]) => total(levels.map(([, amount]) => amount));

function rowsOf(levels: readonly Level[], largest: Exact): Row[] {
  let sum = new Exact(0);
  return levels.map(([price, amount]) => {
    sum = sum.plus(amount);
    const share = isZero(largest) ? 0 : sum.div(largest).toNumber();
    return { price, amount, total: sum.toFixed(), share };
  });
}

export interface Spread {
  readonly amount: string;
  /** The spread as a share of the middle price. */
  readonly ratio: string;
  readonly middle: string;
}

/** Returns the distance between the best prices; undefined if a side is empty. */
export function spreadOf(book: {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}): Spread | undefined {
  const [bid, ask] = [book.bids[0]?.[0], book.asks[0]?.[0]];
  if (bid === undefined || ask === undefined) return undefined;
  const amount = new Exact(ask).minus(bid);
  const middle = new Exact(ask).plus(bid).div(2);
  return {
    amount: amount.toFixed(),
    ratio: amount.div(middle).round(8).toFixed(),
    middle: middle.toFixed(),
  };
}

/** A last level this many times as far as the one before it is left out of the drawing. */
const FAR = 5;

export interface DepthDrawing {
  /** SVG paths of the areas, in a box of 100 × 100. */
  readonly bids: string;
  readonly asks: string;
  readonly from: string;
  readonly to: string;
  readonly largest: string;
}

/**
 * Draws the totals over the price. Both sides reach equally far from the middle, as far as the nearer one, so that one order
 * far away does not flatten the drawing.
 */
export function depthOf(ladder: Ladder): DepthDrawing | undefined {
  const [bid, ask] = [ladder.bids[0], ladder.asks[0]];
  if (bid === undefined || ask === undefined) return undefined;
  const middle = new Exact(bid.price).plus(ask.price).div(2);
  const reach = smallestOf(reachOf(ladder.bids, middle), reachOf(ladder.asks, middle));
  if (isZero(reach)) return undefined;
  const from = middle.minus(reach);
  const x = (price: string) => new Exact(price).minus(from).div(reach).times(50).toNumber();
  const largest = largestOf(...[...ladder.bids, ...ladder.asks].map(({ total }) => total));
  return {
    bids: areaOf(ladder.bids, x, -1),
    asks: areaOf(ladder.asks, x, 101),
    from: from.toFixed(),
    to: middle.plus(reach).toFixed(),
    largest: largest.toFixed(),
  };
}

/** How far the last price is from the middle. One far from all others is left out. */
function reachOf(rows: readonly Row[], middle: Exact): Exact {
  const [previous, last] = [rows.at(-2), rows.at(-1)].map(
    (row) => row && new Exact(row.price).minus(middle).abs(),
  );
  const isFar = previous !== undefined && last?.gt(previous.times(FAR)) === true;
  return (isFar ? previous : last) ?? new Exact(0);
}

/**
 * Steps: the total of a level holds until the next worse price. The last one goes beyond the edge of the box, so that the
 * area has no line there.
 */
function areaOf(rows: readonly Row[], x: (price: string) => number, edge: number): string {
  const start = x(rows[0]?.price ?? '0');
  const steps = rows.map(({ share }, i) => {
    const next = rows[i + 1];
    const end = next === undefined ? edge : x(next.price);
    return `V${round(100 - share * 100)}H${round(end)}`;
  });
  return `M${round(start)} 100${steps.join('')}V100Z`;
}

const round = (value: number) => Math.round(value * 100) / 100;
