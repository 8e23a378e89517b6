import type { Decimal, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

/** The only fill of an order: it fills the whole order immediately. */
export interface SimulatedFill {
  /** The trade that opened the leader's lot. */
  readonly lotTradeId: string;
  readonly symbol: string;
  readonly quote: string;
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly price: Decimal;
  /** The share that is deducted from the received amount. */
  readonly feeRate: Decimal;
  /** A remainder below this step is removed from the lot, as in the lot book. 0 keeps every remainder. */
  readonly amountStep: Decimal;
}

/** The open remainder of one entry order. */
interface OpenEntry {
  held: BigDecimal;
  cost: BigDecimal;
  /** The amount before the fee, and its price. */
  amount: BigDecimal;
  readonly price: Decimal;
}

/** The closed part of a lot. Results are in quote currency. */
interface ClosedPart {
  /** Before fees in base currency. */
  readonly amount: BigDecimal;
  /** What it cost before fees. */
  readonly entryValue: BigDecimal;
  /** The result before fees, and net of fees. */
  readonly gross: BigDecimal;
  readonly pnl: BigDecimal;
}

interface SimulatedLot {
  held: BigDecimal;
  cost: BigDecimal;
  /** What was bought in total: the amount before fees, and its value. */
  boughtAmount: BigDecimal;
  boughtValue: BigDecimal;
  closed: ClosedPart;
  /** Oldest first: entries are sold in this order. */
  readonly entries: OpenEntry[];
}

interface PairHolding {
  held: BigDecimal;
  price: BigDecimal;
}

interface CashFlow {
  /** Receipts less payments. */
  flow: BigDecimal;
  fees: BigDecimal;
  /** Positive if received. */
  funding: BigDecimal;
}

const DECIMALS = 18;

/**
 * Tracks the amount held of each lot and the result in each quote currency. The portfolio sells only what it bought.
 */
export class SimulatedPortfolio {
  private readonly lots = new Map<string, SimulatedLot>();
  private readonly holdings = new Map<string, PairHolding>();
  /** The value of all holdings at the last prices set, by quote currency. */
  private readonly values = new Map<string, BigDecimal>();
  private readonly cashFlows = new Map<string, CashFlow>();
  private cost = new BigDecimal(0);
  private openLotCount = 0;

  /** Sets the current price of a pair. */
  setPrice(symbol: string, quote: string, price: Decimal): void {
    const holding = this.holdingOf(symbol);
    const newPrice = new BigDecimal(price);
    this.addValue(quote, holding.held.times(newPrice.minus(holding.price)));
    holding.price = newPrice;
  }

  fill({ lotTradeId, symbol, quote, side, amount, price, feeRate, amountStep }: SimulatedFill): void {
    const cashFlow = this.cashFlowOf(quote);
    const value = new BigDecimal(amount).times(price);
    const fee = value.times(feeRate).toDecimalPlaces(2 * DECIMALS);
    cashFlow.fees = cashFlow.fees.plus(fee);
    const lot = this.lots.get(lotTradeId) ?? emptyLot();
    const [heldBefore, costBefore] = [lot.held, lot.cost];
    if (side === 'BUY') {
      cashFlow.flow = cashFlow.flow.minus(value);
      const held = new BigDecimal(amount).times(new BigDecimal(1).minus(feeRate)).toDecimalPlaces(DECIMALS);
      addEntry(lot, { held, cost: value, amount: new BigDecimal(amount), price });
    } else {
      cashFlow.flow = cashFlow.flow.plus(value).minus(fee);
      let removed = removeAmount(lot, new BigDecimal(amount), price);
      if (lot.held.lt(amountStep)) removed = addParts(removed, removeAmount(lot, lot.held, price));
      lot.closed = addParts(lot.closed, { ...removed, pnl: removed.pnl.plus(value).minus(fee) });
    }
    const holding = this.holdingOf(symbol);
    const heldChange = lot.held.minus(heldBefore);
    holding.held = holding.held.plus(heldChange);
    this.addValue(quote, heldChange.times(holding.price));
    this.cost = this.cost.plus(lot.cost).minus(costBefore);
    this.openLotCount += Number(lot.held.gt(0)) - Number(heldBefore.gt(0));
    this.lots.set(lotTradeId, lot);
  }

  /** Pays or receives funding on what is held of the pair, at the rate that longs pay. */
  fund(symbol: string, quote: string, rate: Decimal, price: Decimal | null): void {
    const holding = this.holdingOf(symbol);
    const received = holding.held
      .times(price ?? holding.price)
      .times(rate)
      .negated()
      .toDecimalPlaces(2 * DECIMALS);
    const cashFlow = this.cashFlowOf(quote);
    cashFlow.flow = cashFlow.flow.plus(received);
    cashFlow.funding = cashFlow.funding.plus(received);
  }

  /** Returns what the holding of the pair is worth at the price, by default the last price set. */
  valueOfPair(symbol: string, price: Decimal | null = null): BigDecimal {
    const { held, price: last } = this.holdingOf(symbol);
    return held.times(price ?? last);
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
    return this.openLotCount - Number(this.heldOf(lotTradeId).gt(0));
  }

  /** The cost of all open lots. */
  get openCost(): BigDecimal {
    return this.cost;
  }

  /** Returns receipts less payments, funding included. */
  flowOf(quote: string): BigDecimal {
    return this.cashFlowOf(quote).flow;
  }

  /** Returns what was bought of the lot in total, and its closed part. */
  tradedOf(lotTradeId: string): Pick<SimulatedLot, 'boughtAmount' | 'boughtValue' | 'closed'> {
    return this.lots.get(lotTradeId) ?? emptyLot();
  }

  fundingOf(quote: string): BigDecimal {
    return this.cashFlowOf(quote).funding;
  }

  feesOf(quote: string): BigDecimal {
    return this.cashFlowOf(quote).fees;
  }

  /** Returns the realised result plus the open result at the last prices set, net of fees and with funding. */
  resultOf(quote: string): BigDecimal {
    return this.flowOf(quote).plus(this.values.get(quote) ?? 0);
  }

  private addValue(quote: string, change: BigDecimal): void {
    this.values.set(quote, (this.values.get(quote) ?? new BigDecimal(0)).plus(change));
  }

  private holdingOf(symbol: string): PairHolding {
    const existing = this.holdings.get(symbol);
    if (existing !== undefined) return existing;
    const holding = { held: new BigDecimal(0), price: new BigDecimal(0) };
    this.holdings.set(symbol, holding);
    return holding;
  }

  private cashFlowOf(quote: string): CashFlow {
    const existing = this.cashFlows.get(quote);
    if (existing !== undefined) return existing;
    const cashFlow = { flow: new BigDecimal(0), fees: new BigDecimal(0), funding: new BigDecimal(0) };
    this.cashFlows.set(quote, cashFlow);
    return cashFlow;
  }
}

const NOTHING_CLOSED: ClosedPart = {
  amount: new BigDecimal(0),
  entryValue: new BigDecimal(0),
  gross: new BigDecimal(0),
  pnl: new BigDecimal(0),
};

const emptyLot = (): SimulatedLot => ({
  held: new BigDecimal(0),
  cost: new BigDecimal(0),
  boughtAmount: new BigDecimal(0),
  boughtValue: new BigDecimal(0),
  closed: NOTHING_CLOSED,
  entries: [],
});

const addParts = (a: ClosedPart, b: ClosedPart): ClosedPart => ({
  amount: a.amount.plus(b.amount),
  entryValue: a.entryValue.plus(b.entryValue),
  gross: a.gross.plus(b.gross),
  pnl: a.pnl.plus(b.pnl),
});

function addEntry(lot: SimulatedLot, entry: OpenEntry): void {
  lot.entries.push(entry);
  lot.held = lot.held.plus(entry.held);
  lot.cost = lot.cost.plus(entry.cost);
  lot.boughtAmount = lot.boughtAmount.plus(entry.amount);
  lot.boughtValue = lot.boughtValue.plus(entry.cost);
}

/** Removes an amount from the lot, oldest entries first. The result net of fees is that without proceeds: the cost. */
function removeAmount(lot: SimulatedLot, amount: BigDecimal, price: Decimal): ClosedPart {
  let part = NOTHING_CLOSED;
  let remaining = BigDecimal.min(amount, lot.held);
  while (remaining.gt(0)) {
    const entry = lot.entries[0]!;
    const removed = BigDecimal.min(remaining, entry.held);
    const shareOf = (whole: BigDecimal) =>
      removed.eq(entry.held)
        ? whole
        : whole
            .times(removed)
            .div(entry.held)
            .toDecimalPlaces(2 * DECIMALS);
    const [removedCost, removedAmount] = [shareOf(entry.cost), shareOf(entry.amount)];
    entry.held = entry.held.minus(removed);
    entry.cost = entry.cost.minus(removedCost);
    entry.amount = entry.amount.minus(removedAmount);
    lot.held = lot.held.minus(removed);
    lot.cost = lot.cost.minus(removedCost);
    remaining = remaining.minus(removed);
    if (entry.held.isZero()) lot.entries.shift();
    part = addParts(part, {
      amount: removedAmount,
      entryValue: removedAmount.times(entry.price),
      gross: removedAmount.times(new BigDecimal(price).minus(entry.price)),
      pnl: removedCost.negated(),
    });
  }
  return part;
}
