import type { Decimal, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

/** An order that was filled in full and immediately. */
export interface SimulatedFill {
  /** The trade that opened the leader's lot. */
  readonly lotTradeId: string;
  readonly symbol: string;
  readonly quote: string;
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly price: Decimal;
  /** Share of what is received; deducted from it. */
  readonly feeRate: Decimal;
  /** A remainder below this step is removed from the lot, as in the lot book. 0 keeps every remainder. */
  readonly amountStep: Decimal;
}

/** The open remainder of one entry order. */
interface Part {
  held: BigDecimal;
  cost: BigDecimal;
}

interface SimulatedLot {
  readonly quote: string;
  held: BigDecimal;
  cost: BigDecimal;
  /** Cost and proceeds of the amounts sold. */
  soldCost: BigDecimal;
  proceeds: BigDecimal;
  /** Oldest first, which is the order of sale. */
  readonly parts: Part[];
}

interface PairHolding {
  readonly quote: string;
  held: BigDecimal;
  price: BigDecimal;
}

interface CashFlow {
  /** Receipts less payments. */
  flow: BigDecimal;
  fees: BigDecimal;
}

const DECIMALS = 18;

/**
 * Tracks the holdings of each lot, and the result in each quote currency, of a portfolio that sells only what it
 * bought.
 */
export class SimulatedPortfolio {
  private readonly lots = new Map<string, SimulatedLot>();
  private readonly holdings = new Map<string, PairHolding>();
  private readonly cashFlows = new Map<string, CashFlow>();
  private cost = new BigDecimal(0);
  private lotsOpen = 0;

  /** Sets the current price of a pair. */
  mark(symbol: string, quote: string, price: Decimal): void {
    this.holdingOf(symbol, quote).price = new BigDecimal(price);
  }

  fill({ lotTradeId, symbol, quote, side, amount, price, feeRate, amountStep }: SimulatedFill): void {
    const cashFlow = this.cashFlowOf(quote);
    const value = new BigDecimal(amount).times(price);
    const fee = value.times(feeRate).toDecimalPlaces(2 * DECIMALS);
    cashFlow.fees = cashFlow.fees.plus(fee);
    const lot = this.lots.get(lotTradeId) ?? emptyLot(quote);
    const [heldBefore, costBefore] = [lot.held, lot.cost];
    if (side === 'BUY') {
      cashFlow.flow = cashFlow.flow.minus(value);
      const held = new BigDecimal(amount).times(new BigDecimal(1).minus(feeRate)).toDecimalPlaces(DECIMALS);
      add(lot, { held, cost: value });
    } else {
      cashFlow.flow = cashFlow.flow.plus(value).minus(fee);
      lot.soldCost = lot.soldCost.plus(take(lot, new BigDecimal(amount)));
      if (lot.held.lt(amountStep)) lot.soldCost = lot.soldCost.plus(take(lot, lot.held));
      lot.proceeds = lot.proceeds.plus(value).minus(fee);
    }
    const holding = this.holdingOf(symbol, quote);
    holding.held = holding.held.plus(lot.held).minus(heldBefore);
    this.cost = this.cost.plus(lot.cost).minus(costBefore);
    this.lotsOpen += Number(lot.held.gt(0)) - Number(heldBefore.gt(0));
    this.lots.set(lotTradeId, lot);
  }

  heldOf(lotTradeId: string): BigDecimal {
    return this.lots.get(lotTradeId)?.held ?? new BigDecimal(0);
  }

  /** Returns the amount held in all lots of the pair. */
  heldOfPair(symbol: string): BigDecimal {
    return this.holdings.get(symbol)?.held ?? new BigDecimal(0);
  }

  /** Returns the number of open lots other than this one. */
  openLotsExcept(lotTradeId: string): number {
    return this.lotsOpen - Number(this.heldOf(lotTradeId).gt(0));
  }

  /** Cost of everything that is held. */
  get openCost(): BigDecimal {
    return this.cost;
  }

  flowOf(quote: string): BigDecimal {
    return this.cashFlowOf(quote).flow;
  }

  /** Yields cost and result of what was sold of each lot in the currency, by the trade that opened the leader's lot. */
  *soldIn(quote: string): Generator<{ lotTradeId: string; cost: BigDecimal; pnl: BigDecimal }> {
    for (const [lotTradeId, lot] of this.lots) {
      if (lot.quote !== quote || lot.soldCost.isZero()) continue;
      yield { lotTradeId, cost: lot.soldCost, pnl: lot.proceeds.minus(lot.soldCost) };
    }
  }

  feesOf(quote: string): BigDecimal {
    return this.cashFlowOf(quote).fees;
  }

  /** Returns the realised result plus the open result at the last marked prices, net of fees. */
  resultOf(quote: string): BigDecimal {
    let result = this.flowOf(quote);
    for (const holding of this.holdings.values()) {
      if (holding.quote === quote) result = result.plus(holding.held.times(holding.price));
    }
    return result;
  }

  private holdingOf(symbol: string, quote: string): PairHolding {
    const known = this.holdings.get(symbol);
    if (known !== undefined) return known;
    const holding = { quote, held: new BigDecimal(0), price: new BigDecimal(0) };
    this.holdings.set(symbol, holding);
    return holding;
  }

  private cashFlowOf(quote: string): CashFlow {
    const known = this.cashFlows.get(quote);
    if (known !== undefined) return known;
    const cashFlow = { flow: new BigDecimal(0), fees: new BigDecimal(0) };
    this.cashFlows.set(quote, cashFlow);
    return cashFlow;
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

/** Removes the amount from the lot, oldest parts first. Returns its cost. */
function take(lot: SimulatedLot, amount: BigDecimal): BigDecimal {
  const before = lot.cost;
  let remaining = BigDecimal.min(amount, lot.held);
  while (remaining.gt(0)) {
    const part = lot.parts[0]!;
    const held = BigDecimal.min(remaining, part.held);
    const cost = held.eq(part.held)
      ? part.cost
      : part.cost
          .times(held)
          .div(part.held)
          .toDecimalPlaces(2 * DECIMALS);
    part.held = part.held.minus(held);
    part.cost = part.cost.minus(cost);
    lot.held = lot.held.minus(held);
    lot.cost = lot.cost.minus(cost);
    remaining = remaining.minus(held);
    if (part.held.isZero()) lot.parts.shift();
  }
  return before.minus(lot.cost);
}
