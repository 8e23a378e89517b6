import type { Decimal, TradeSide } from '@trading-automation/contracts';
import { Exact } from '../../values/index.js';

/** An order that was filled in full, at once. */
export interface VirtualFill {
  /** The trade that opened the leader's lot. */
  readonly lotTradeId: string;
  readonly symbol: string;
  readonly quote: string;
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly price: Decimal;
  /** Of what is received, and taken from it. */
  readonly feeRate: Decimal;
  /** What a sale leaves of a lot below it is nobody's any more, as in the books of fills; 0: all is kept. */
  readonly amountStep: Decimal;
}

/** What one order brought and what is left of it. */
interface Part {
  held: Exact;
  cost: Exact;
}

interface VirtualLot {
  readonly quote: string;
  held: Exact;
  cost: Exact;
  /** What was sold of it had been bought for, and brought. */
  soldCost: Exact;
  proceeds: Exact;
  /** Oldest first: that is the order in which they are sold. */
  readonly parts: Part[];
}

interface Stock {
  readonly quote: string;
  held: Exact;
  price: Exact;
}

interface Purse {
  /** What came in less what went out. */
  flow: Exact;
  fees: Exact;
}

const DECIMALS_KEPT = 18;

/** What somebody who only buys and sells what was bought has of each lot, and what came of it in each quote currency. */
export class VirtualBook {
  private readonly lots = new Map<string, VirtualLot>();
  private readonly stocks = new Map<string, Stock>();
  private readonly purses = new Map<string, Purse>();
  private cost = new Exact(0);
  private lotsOpen = 0;

  /** The price of a pair from now on. */
  mark(symbol: string, quote: string, price: Decimal): void {
    this.stockOf(symbol, quote).price = new Exact(price);
  }

  fill({ lotTradeId, symbol, quote, side, amount, price, feeRate, amountStep }: VirtualFill): void {
    const purse = this.purseOf(quote);
    const value = new Exact(amount).times(price);
    const fee = value.times(feeRate).toDecimalPlaces(2 * DECIMALS_KEPT);
    purse.fees = purse.fees.plus(fee);
    const lot = this.lots.get(lotTradeId) ?? emptyLot(quote);
    const [heldBefore, costBefore] = [lot.held, lot.cost];
    if (side === 'BUY') {
      purse.flow = purse.flow.minus(value);
      const held = new Exact(amount).times(new Exact(1).minus(feeRate)).toDecimalPlaces(DECIMALS_KEPT);
      add(lot, { held, cost: value });
    } else {
      purse.flow = purse.flow.plus(value).minus(fee);
      lot.soldCost = lot.soldCost.plus(take(lot, new Exact(amount)));
      if (lot.held.lt(amountStep)) lot.soldCost = lot.soldCost.plus(take(lot, lot.held));
      lot.proceeds = lot.proceeds.plus(value).minus(fee);
    }
    const stock = this.stockOf(symbol, quote);
    stock.held = stock.held.plus(lot.held).minus(heldBefore);
    this.cost = this.cost.plus(lot.cost).minus(costBefore);
    this.lotsOpen += Number(lot.held.gt(0)) - Number(heldBefore.gt(0));
    this.lots.set(lotTradeId, lot);
  }

  heldOf(lotTradeId: string): Exact {
    return this.lots.get(lotTradeId)?.held ?? new Exact(0);
  }

  /** Of all lots of the pair. */
  heldOfPair(symbol: string): Exact {
    return this.stocks.get(symbol)?.held ?? new Exact(0);
  }

  /** How many lots hold something, this one not among them. */
  openLotsBeside(lotTradeId: string): number {
    return this.lotsOpen - Number(this.heldOf(lotTradeId).gt(0));
  }

  /** What all that is held was bought for. */
  get openCost(): Exact {
    return this.cost;
  }

  flowOf(quote: string): Exact {
    return this.purseOf(quote).flow;
  }

  /** What was sold of each lot in the currency, by the trade that opened the leader's. */
  *soldIn(quote: string): Generator<{ lotTradeId: string; cost: Exact; pnl: Exact }> {
    for (const [lotTradeId, lot] of this.lots) {
      if (lot.quote !== quote || lot.soldCost.isZero()) continue;
      yield { lotTradeId, cost: lot.soldCost, pnl: lot.proceeds.minus(lot.soldCost) };
    }
  }

  feesOf(quote: string): Exact {
    return this.purseOf(quote).fees;
  }

  /** Realised, and open at the prices as they were marked last; net of fees. */
  resultOf(quote: string): Exact {
    let result = this.flowOf(quote);
    for (const stock of this.stocks.values()) {
      if (stock.quote === quote) result = result.plus(stock.held.times(stock.price));
    }
    return result;
  }

  private stockOf(symbol: string, quote: string): Stock {
    const known = this.stocks.get(symbol);
    if (known !== undefined) return known;
    const stock = { quote, held: new Exact(0), price: new Exact(0) };
    this.stocks.set(symbol, stock);
    return stock;
  }

  private purseOf(quote: string): Purse {
    const known = this.purses.get(quote);
    if (known !== undefined) return known;
    const purse = { flow: new Exact(0), fees: new Exact(0) };
    this.purses.set(quote, purse);
    return purse;
  }
}

const emptyLot = (quote: string): VirtualLot => ({
  quote,
  held: new Exact(0),
  cost: new Exact(0),
  soldCost: new Exact(0),
  proceeds: new Exact(0),
  parts: [],
});

function add(lot: VirtualLot, part: Part): void {
  lot.parts.push(part);
  lot.held = lot.held.plus(part.held);
  lot.cost = lot.cost.plus(part.cost);
}

/** Answers what it had been bought for. */
function take(lot: VirtualLot, amount: Exact): Exact {
  const before = lot.cost;
  let rest = Exact.min(amount, lot.held);
  while (rest.gt(0)) {
    const part = lot.parts[0]!;
    const held = Exact.min(rest, part.held);
    const cost = held.eq(part.held)
      ? part.cost
      : part.cost
          .times(held)
          .div(part.held)
          .toDecimalPlaces(2 * DECIMALS_KEPT);
    part.held = part.held.minus(held);
    part.cost = part.cost.minus(cost);
    lot.held = lot.held.minus(held);
    lot.cost = lot.cost.minus(cost);
    rest = rest.minus(held);
    if (part.held.isZero()) lot.parts.shift();
  }
  return before.minus(lot.cost);
}
