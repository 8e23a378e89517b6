import type { Decimal, TradeSide, TradingType } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';
import { SimulatedLot } from './simulated-lot.js';

/** The only fill of an order: it fills the whole order immediately. */
export interface SimulatedFill {
  /** The trade that opened the leader's lot. */
  readonly lotTradeId: string;
  readonly symbol: string;
  readonly quote: string;
  readonly tradingType: TradingType;
  /** Whether the order adds to its lot. A lot whose entries sell is short. */
  readonly isEntry: boolean;
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly price: Decimal;
  /** The share of the value that is charged: of the received amount, on perpetuals in the settlement currency. */
  readonly feeRate: Decimal;
  /** On spot, a remainder below this step is removed from the lot, as in the lot book. 0 keeps every remainder. */
  readonly amountStep: Decimal;
}

interface PairHolding {
  /** Above 0 if the copier is long, below 0 if it is short. */
  net: BigDecimal;
  price: BigDecimal;
}

interface CashFlow {
  /** Receipts less payments. */
  flow: BigDecimal;
  fees: BigDecimal;
  /** Positive if received. */
  funding: BigDecimal;
}

const ZERO = new BigDecimal(0);
const DECIMALS = 18;

/**
 * Tracks the amount held of each lot and the result in each quote currency. An exit closes only its own lot, which holds at
 * least its amount.
 */
export class SimulatedPortfolio {
  private readonly lots = new Map<string, SimulatedLot>();
  private readonly holdings = new Map<string, PairHolding>();
  /** The value of all holdings at the last prices set, by quote currency; below 0 if shorts outweigh. */
  private readonly values = new Map<string, BigDecimal>();
  private readonly cashFlows = new Map<string, CashFlow>();
  private cost = ZERO;
  private openLotCount = 0;

  /** Sets the current price of a pair. */
  setPrice(symbol: string, quote: string, price: Decimal): void {
    const holding = this.holdingOf(symbol);
    const newPrice = new BigDecimal(price);
    this.addValue(quote, holding.net.times(newPrice.minus(holding.price)));
    holding.price = newPrice;
  }

  fill(fill: SimulatedFill): void {
    const { lotTradeId, symbol, quote, side } = fill;
    const lot = this.lots.get(lotTradeId) ?? new SimulatedLot(side);
    const [netBefore, heldBefore, costBefore] = [lot.net, lot.held, lot.cost];
    this.bookFill(lot, fill);
    const holding = this.holdingOf(symbol);
    const netChange = lot.net.minus(netBefore);
    holding.net = holding.net.plus(netChange);
    this.addValue(quote, netChange.times(holding.price));
    this.cost = this.cost.plus(lot.cost).minus(costBefore);
    this.openLotCount += Number(lot.held.gt(0)) - Number(heldBefore.gt(0));
    this.lots.set(lotTradeId, lot);
  }

  /** Pays or receives funding on what is held of the pair, at the rate that longs pay. */
  fund(symbol: string, quote: string, rate: Decimal, price: Decimal | null): void {
    const received = this.valueOfPair(symbol, price)
      .times(rate)
      .negated()
      .toDecimalPlaces(2 * DECIMALS);
    const cashFlow = this.cashFlowOf(quote);
    cashFlow.flow = cashFlow.flow.plus(received);
    cashFlow.funding = cashFlow.funding.plus(received);
  }

  /** Returns what the holding of the pair is worth at the price, by default the last price set; below 0 if it is short. */
  valueOfPair(symbol: string, price: Decimal | null = null): BigDecimal {
    const { net, price: last } = this.holdingOf(symbol);
    return net.times(price ?? last);
  }

  /** Returns the last price set; 0 before. */
  priceOf(symbol: string): BigDecimal {
    return this.holdings.get(symbol)?.price ?? ZERO;
  }

  heldOf(lotTradeId: string): BigDecimal {
    return this.lots.get(lotTradeId)?.held ?? ZERO;
  }

  /** Returns the sum of all lots of the pair; below 0 if shorts outweigh. */
  netOfPair(symbol: string): BigDecimal {
    return this.holdings.get(symbol)?.net ?? ZERO;
  }

  /** Returns the open amount of the lot; below 0 if it is short. */
  netOf(lotTradeId: string): BigDecimal {
    return this.lots.get(lotTradeId)?.net ?? ZERO;
  }

  /** Returns the number of open lots other than these. */
  openLotsExcept(...lotTradeIds: readonly string[]): number {
    return this.openLotCount - lotTradeIds.filter((id) => this.heldOf(id).gt(0)).length;
  }

  /** Returns the cost of all open lots other than these, of short lots the proceeds. */
  openCostExcept(...lotTradeIds: readonly string[]): BigDecimal {
    return lotTradeIds.reduce((cost, id) => cost.minus(this.lots.get(id)?.cost ?? 0), this.cost);
  }

  /** Returns receipts less payments, funding included. */
  flowOf(quote: string): BigDecimal {
    return this.cashFlowOf(quote).flow;
  }

  /** Returns what was entered of the lot in total, and its closed part. */
  tradedOf(lotTradeId: string): Pick<SimulatedLot, 'enteredAmount' | 'enteredValue' | 'closed'> {
    return this.lots.get(lotTradeId) ?? new SimulatedLot('BUY');
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

  /** Books the fill in its lot, and its payments. */
  private bookFill(lot: SimulatedLot, { quote, tradingType, isEntry, side, ...fill }: SimulatedFill): void {
    const { price, feeRate, amountStep } = fill;
    const amount = new BigDecimal(fill.amount);
    const value = amount.times(price);
    const fee = value.times(feeRate).toDecimalPlaces(2 * DECIMALS);
    const paysInBase = side === 'BUY' && tradingType !== 'perpetual';
    const quoteFee = paysInBase ? ZERO : fee;
    const paid = side === 'BUY' ? value.plus(quoteFee) : value.minus(quoteFee);
    const cashFlow = this.cashFlowOf(quote);
    cashFlow.flow = side === 'BUY' ? cashFlow.flow.minus(paid) : cashFlow.flow.plus(paid);
    cashFlow.fees = cashFlow.fees.plus(fee);
    if (isEntry) {
      const kept = new BigDecimal(1).minus(paysInBase ? feeRate : 0);
      lot.enter({ held: amount.times(kept).toDecimalPlaces(DECIMALS), cost: paid, amount, price });
    } else {
      lot.exit({ amount, price, value: paid, amountStep: tradingType === 'spot' ? amountStep : '0' });
    }
  }

  private addValue(quote: string, change: BigDecimal): void {
    this.values.set(quote, (this.values.get(quote) ?? ZERO).plus(change));
  }

  private holdingOf(symbol: string): PairHolding {
    const existing = this.holdings.get(symbol);
    if (existing !== undefined) return existing;
    const holding = { net: ZERO, price: ZERO };
    this.holdings.set(symbol, holding);
    return holding;
  }

  private cashFlowOf(quote: string): CashFlow {
    const existing = this.cashFlows.get(quote);
    if (existing !== undefined) return existing;
    const cashFlow = { flow: ZERO, fees: ZERO, funding: ZERO };
    this.cashFlows.set(quote, cashFlow);
    return cashFlow;
  }
}
