import { OrderBook, SelfTradePreventionMode, Side } from 'nodejs-order-book';

export type OrderSide = 'BUY' | 'SELL';
/**
 * A price in price steps (ticks) and the sum of the amounts at this price in amount steps (here called lots). Arrays
 * of levels start with the best price.
 */
export type Level = readonly [ticks: number, lots: number];

export interface BookOrder {
  readonly id: string;
  readonly side: OrderSide;
  readonly lots: number;
  /** The limit price; absent for a market order. */
  readonly ticks?: number;
  readonly timeInForce?: 'GTC' | 'IOC' | 'FOK';
  readonly isPostOnly?: boolean;
  /** Orders with the same owner never trade with each other. Orders without an owner trade with every order. */
  readonly owner?: string;
}

export interface BookFill {
  readonly makerId: string;
  readonly ticks: number;
  readonly lots: number;
}

export interface BookResult {
  readonly fills: readonly BookFill[];
  /** Why matching stopped. The fills before the stop remain valid. */
  readonly stoppedBy?: 'self-trade' | 'would-match' | 'not-fillable';
}

/** Error codes of the `nodejs-order-book` library. */
const STOPPED_BY: Record<number, BookResult['stoppedBy']> = {
  1106: 'not-fillable',
  1107: 'would-match',
  1202: 'self-trade',
};

/**
 * Matches the orders of one market by price, then by time. The library `nodejs-order-book` computes with JavaScript
 * numbers, which are exact only for safe integers. This class therefore rejects any other number.
 */
export class Book {
  private readonly book = new OrderBook();

  submit(order: BookOrder): BookResult {
    assertWhole(order.lots);
    if (order.ticks !== undefined) assertWhole(order.ticks);
    const options = {
      id: order.id,
      side: order.side === 'BUY' ? Side.BUY : Side.SELL,
      size: order.lots,
      ...(order.owner === undefined
        ? {}
        : { accountId: order.owner, stpMode: SelfTradePreventionMode.EXPIRE_TAKER }),
    };
    const result =
      order.ticks === undefined
        ? this.book.market(options)
        : this.book.limit({
            ...options,
            price: order.ticks,
            timeInForce: (order.timeInForce ?? 'GTC') as never,
            postOnly: order.isPostOnly ?? false,
          });
    // `done` also contains the new order once it is filled. `partial` is the new order if a part of it rests.
    const fills = result.done
      .filter((maker) => maker.id !== order.id)
      .map((maker) => ({ makerId: maker.id, ticks: priceOf(maker), lots: maker.size }));
    const { partial } = result;
    if (partial !== null && partial.id !== order.id) {
      fills.push({ makerId: partial.id, ticks: partial.price, lots: result.partialQuantityProcessed });
    }
    if (result.err === null) return { fills };
    const stoppedBy = STOPPED_BY[result.err.code];
    if (stoppedBy === undefined) throw result.err;
    return { fills, stoppedBy };
  }

  /** Cancels a resting order. Returns false if the book does not contain it. */
  cancel(id: string): boolean {
    return this.book.cancel(id) !== undefined;
  }

  levels(): { bids: Level[]; asks: Level[] } {
    const [asks, bids] = this.book.depth();
    return { bids, asks };
  }

  /** Returns the levels of the opposite side, with which an order of `side` would trade, best first. */
  opposite(side: OrderSide): Level[] {
    const { bids, asks } = this.levels();
    return side === 'BUY' ? asks : bids;
  }
}

function priceOf(maker: object): number {
  if ('price' in maker && typeof maker.price === 'number') return maker.price;
  throw new Error('A resting order has no price.');
}

function assertWhole(value: number): void {
  if (!Number.isSafeInteger(value) || value <= 0)
    throw new RangeError('Ticks and lots must be positive safe integers.');
}
