import type { Decimal, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

/** An order that was filled in full, at once. */
export interface SimulatedFill {
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
  held: BigDecimal;
  cost: BigDecimal;
}

interface SimulatedLot {
  readonly quote: string;
  held: BigDecimal;
  cost: BigDecimal;
  /** What was sold of it had been bought for, and brought. */
  soldCost: BigDecimal;
  proceeds: BigDecimal;
  /** Oldest first: that is the order in which they are sold. */
  readonly parts: Part[];
}

interface PairHolding {
  readonly quote: string;
  held: BigDecimal;
  price: BigDecimal;
}

interface CashFlow {
  /** What came in less what went out. */
  flow: BigDecimal;
  fees: BigDecimal;
}

const DECIMALS_KEPT = 18;

/** What somebody who only buys and sells what was bought has of each lot, and what came of it in each quote currency. */
export class SimulatedPortfolio {
  private readonly lots = new Map<string, SimulatedLot>();
  private readonly holdings = new Map<string, PairHolding>();
  private readonly cashFlows = new Map<string, CashFlow>();
  private cost = new BigDecimal(0);
  private lotsOpen = 0;

  /** The price of a pair from now on. */
  mark(symbol: string, quote: string, price: Decimal): void {
    this.holdingOf(symbol, quote).price = new BigDecimal(price);
  }

  fill({ lotTradeId, symbol, quote, side, amount, price, feeRate, amountStep }: SimulatedFill): void {
    const purse = this.cashFlowOf(quote);
    const value = new BigDecimal(amount).times(price);
    const fee = value.times(feeRate).toDecimalPlaces(2 * DECIMALS_KEPT);
    purse.fees = purse.fees.plus(fee);
    const lot = this.lots.get(lotTradeId) ?? emptyLot(quote);
    const [heldBefore, costBefore] = [lot.held, lot.cost];
    if (side === 'BUY') {
      purse.flow = purse.flow.minus(value);
      const held = new BigDecimal(amount)
        .times(new BigDecimal(1).minus(feeRate))
        .toDecimalPlaces(DECIMALS_KEPT);
      add(lot, { held, cost: value });
    } else {
      purse.flow = purse.flow.plus(value).minus(fee);
      lot.soldCost = lot.soldCost.plus(take(lot, new BigDecimal(amount)));
      if (lot.held.lt(amountStep)) lot.soldCost = lot.soldCost.plus(take(lot, lot.held));
      lot.proceeds = lot.proceeds.plus(value).minus(fee);
    }
    const stock = this.holdingOf(symbol, quote);
    stock.held = stock.held.plus(lot.held).minus(heldBefore);
    this.cost = this.cost.plus(lot.cost).minus(costBefore);
    this.lotsOpen += Number(lot.held.gt(0)) - Number(heldBefore.gt(0));
    this.lots.set(lotTradeId, lot);
  }

  heldOf(lotTradeId: string): BigDecimal {
    return this.lots.get(lotTradeId)?.held ?? new BigDecimal(0);
  }

  /** Of all lots of the pair. */
  heldOfPair(symbol: string): BigDecimal {
    return this.holdings.get(symbol)?.held ?? new BigDecimal(0);
  }

  /** How many lots hold something, this one not among them. */
  openLotsBeside(lotTradeId: string): number {
    return this.lotsOpen - Number(this.heldOf(lotTradeId).gt(0));
  }

  /** What all that is held was bought for. */
  get openCost(): BigDecimal {
    return this.cost;
  }

  flowOf(quote: string): BigDecimal {
    return this.cashFlowOf(quote).flow;
  }

  /** What was sold of each lot in the currency, by the trade that opened the leader's. */
  *soldIn(quote: string): Generator<{ lotTradeId: string; cost: BigDecimal; pnl: BigDecimal }> {
    for (const [lotTradeId, lot] of this.lots) {
      if (lot.quote !== quote || lot.soldCost.isZero()) continue;
      yield { lotTradeId, cost: lot.soldCost, pnl: lot.proceeds.minus(lot.soldCost) };
    }
  }

  feesOf(quote: string): BigDecimal {
    return this.cashFlowOf(quote).fees;
  }

  /** Realised, and open at the prices as they were marked last; net of fees. */
  resultOf(quote: string): BigDecimal {
    let result = this.flowOf(quote);
    for (const stock of this.holdings.values()) {
      if (stock.quote === quote) result = result.plus(stock.held.times(stock.price));
    }
    return result;
  }

  private holdingOf(symbol: string, quote: string): PairHolding {
    const known = this.holdings.get(symbol);
    if (known !== undefined) return known;
    const stock = { quote, held: new BigDecimal(0), price: new BigDecimal(0) };
    this.holdings.set(symbol, stock);
    return stock;
  }

  private cashFlowOf(quote: string): CashFlow {
    const known = this.cashFlows.get(quote);
    if (known !== undefined) return known;
    const purse = { flow: new BigDecimal(0), fees: new BigDecimal(0) };
    this.cashFlows.set(quote, purse);
    return purse;
  }
}

const emptyLot = (quote: string): SimulatedLot => ({
  quote,
  held: new BigDecimal(0),
  cost: new BigDecimal(0),
  soldCost: new BigDecimal(0),
  proceeds: new BigDecimal(0),
  parts: [],
});

function add(lot: SimulatedLot, part: Part): void {
  lot.parts.push(part);
  lot.held = lot.held.plus(part.held);
  lot.cost = lot.cost.plus(part.cost);
}

/** Answers what it had been bought for. */
function take(lot: SimulatedLot, amount: BigDecimal): BigDecimal {
  const before = lot.cost;
  let rest = BigDecimal.min(amount, lot.held);
  while (rest.gt(0)) {
    const part = lot.parts[0]!;
    const held = BigDecimal.min(rest, part.held);
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
