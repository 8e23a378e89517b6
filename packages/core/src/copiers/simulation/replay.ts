/**
 * Replays a strategy's signals as if the copier had been started just before the first of them.
 *
 * 1. `planCopy` decides, with the copier's current settings and its exchange's current rules. While the account can
 *    pay, live copying makes the same decisions on the same signals.
 * 2. Orders are filled in full, at the leader's price, once all signals of the leader's fill are planned. The fee is
 *    deducted from the received amount; on perpetuals, it is paid in the settlement currency.
 * 3. In each quote currency, on perpetuals the settlement currency, the account starts with its current equity in that currency. Its later equity is this
 *    amount plus the profit and loss of the copies.
 * 4. Each signal is judged and valued at its own price. Only lots that are still open in the end are valued at a later price.
 * 5. On perpetuals, entries may be short, and the account has no other position. What is free is the equity less the
 *    initial margins at the account's current leverage. Funding is paid at its times on what is held then. The account is
 *    never liquidated; the lowest margin ratio is reported.
 * 6. A reached loss limit stops the copier for the rest of the replay, as in live copying without a restart.
 * 7. Margin accounts are replayed like spot. The account holds no base asset but what it bought, so it cannot sell short.
 */
import {
  assetsOfSymbol,
  type CopierStatus,
  type Decimal,
  type DecisionCode,
} from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';
import { drawdownPercentOf } from '../planning/drawdown.rules.js';
import { perfectAmountOf } from '../planning/perfect-copy.rules.js';
import { planCopy } from '../planning/plan.rules.js';
import type { CopyInput, CopyPlan, CopyTerms, PerpetualAccount } from '../planning/plan.types.js';
import { plannedSignalOf } from '../planning/planned-signal.js';
import { type DueFunding, FundingFeed } from './funding-feed.js';
import { LossTracker } from './loss-tracker.js';
import { isEntry, PlacedOrders } from './placed-orders.js';
import type {
  ReplayCounts,
  ReplayedDecision,
  ReplayOptions,
  ReplayPair,
  ReplayResult,
  ReplaySignal,
} from './replay.types.js';
import { SimulatedMargin, type SimulatedMarginState } from './simulated-margin.js';
import { SimulatedPortfolio } from './simulated-portfolio.js';
import { SimulatedTracking } from './simulated-tracking.js';

export class Replay {
  private readonly copies = new SimulatedPortfolio();
  private readonly tracking = new SimulatedTracking(this.copies);
  private readonly losses = new LossTracker();
  private readonly margin: SimulatedMargin;
  private readonly funding: FundingFeed;
  private readonly orders = new PlacedOrders();
  private readonly lots = new Map<string, NonNullable<CopyPlan['lot']>>();
  private status: CopierStatus = 'ACTIVE';
  private startedSequence: number | null = null;
  private readonly tally = { COPIED: 0, CLAMPED: 0, SKIPPED: 0 };
  private readonly reasons = new Map<DecisionCode, number>();
  private readonly signalsByQuote = new Map<string, number>();

  constructor(private readonly options: ReplayOptions) {
    this.margin = new SimulatedMargin(this.copies, options.pairs);
    this.funding = new FundingFeed(options.funding ?? new Map());
  }

  /** Applies the next signal. Signals must be applied in the order of their sequences. */
  apply(signal: ReplaySignal): ReplayedDecision {
    const { settle: quote } = assetsOfSymbol(this.symbolOf(signal));
    this.startedSequence ??= signal.sequence - 1;
    if (!this.orders.areOfFill(signal)) this.fillOrders();
    lastOf(this.fundingSteps(signal.emittedAt));
    this.signalsByQuote.set(quote, (this.signalsByQuote.get(quote) ?? 0) + 1);
    this.setPrice(signal, quote);
    const input = this.inputOf(signal, quote);
    const plan = planCopy(input);
    this.stopOnBreach(input, quote);
    if (plan.lot !== null) this.lots.set(signal.lotTradeId, plan.lot);
    if (plan.order !== null)
      this.orders.add({ signal, symbol: this.symbolOf(signal), quote, order: plan.order });
    const { lotTradeId, side, referencePrice } = signal;
    const perfectAmount = perfectAmountOf(input, plan);
    const closedFraction = closedFractionOf(signal);
    this.tracking.record({ lotTradeId, side, quote, referencePrice, perfectAmount, closedFraction, plan });
    this.count(plan);
    return { signal, plan };
  }

  get counts(): ReplayCounts {
    const { COPIED: copied, CLAMPED: clamped, SKIPPED: skipped } = this.tally;
    return { copied, clamped, skipped, skippedByReason: Object.fromEntries(this.reasons) };
  }

  /** The quote currency with the most signals; in a tie, the first one that occurred. Null before the first signal. */
  get currency(): string | null {
    let most: string | null = null;
    for (const [quote, count] of this.signalsByQuote) {
      if (most === null || count > this.signalsByQuote.get(most)!) most = quote;
    }
    return most;
  }

  /** Books the funding that is due at or before an instant, one payment in each step, so that the caller can pause in between. */
  *fundingSteps(instant: Date): Generator<void, void> {
    for (const funding of this.funding.dueUntil(instant)) {
      this.fillOrders();
      this.fund(funding);
      yield;
    }
  }

  /** Returns the funding received, less the funding paid. */
  fundingIn(quote: string): Decimal {
    return this.copies.fundingOf(quote).toDecimalPlaces(18).toString();
  }

  marginIn(quote: string): SimulatedMarginState {
    this.fillOrders();
    return this.margin.in(quote);
  }

  resultIn(quote: string): ReplayResult {
    return lastOf(this.resultStepsIn(quote));
  }

  /** Computes the result in small steps, each of one lot, so that the caller can pause in between. */
  *resultStepsIn(quote: string): Generator<void, ReplayResult> {
    this.fillOrders();
    this.markOpenLots(quote);
    const format = (value: BigDecimal) => value.toDecimalPlaces(18).toString();
    return {
      fees: format(this.copies.feesOf(quote)),
      netPnl: format(this.copies.resultOf(quote)),
      tracking: yield* this.tracking.stepsIn(quote),
    };
  }

  private markOpenLots(quote: string): void {
    for (const [ofStrategy, { rules, mark }] of this.options.pairs) {
      const symbol = rules.symbol ?? ofStrategy;
      if (mark !== null && assetsOfSymbol(symbol).settle === quote) this.copies.setPrice(symbol, quote, mark);
    }
  }

  /** Returns the symbol of the pair on which the copier copies. */
  private symbolOf({ symbol }: Pick<ReplaySignal, 'symbol'>): string {
    return this.options.pairs.get(symbol)?.rules.symbol ?? symbol;
  }

  private termsOf({ symbol }: Pick<ReplaySignal, 'symbol'>): CopyTerms {
    return this.options.overriddenTerms?.get(symbol) ?? this.options.terms;
  }

  private fund({ symbol, at, rate, markPrice }: DueFunding): void {
    const { settle: quote } = assetsOfSymbol(symbol);
    this.copies.fund(symbol, quote, rate, markPrice);
    this.losses.record(quote, at, this.copies.resultOf(quote));
    this.recordMargin(quote, at, { symbol, markPrice });
  }

  private recordMargin(quote: string, at: Date, marked?: Pick<DueFunding, 'symbol' | 'markPrice'>): void {
    this.margin.record(quote, at, this.equityOf(quote), marked);
  }

  private equityOf(quote: string): BigDecimal {
    return new BigDecimal(this.options.startingEquity.get(quote) ?? '0').plus(this.copies.resultOf(quote));
  }

  private setPrice(signal: ReplaySignal, quote: string): void {
    const { referencePrice, emittedAt } = signal;
    // If a new day has begun, the result before the new price is the result at 00:00 UTC.
    this.losses.record(quote, emittedAt, this.copies.resultOf(quote));
    this.copies.setPrice(this.symbolOf(signal), quote, referencePrice);
    this.losses.record(quote, emittedAt, this.copies.resultOf(quote));
    this.recordMargin(quote, emittedAt);
  }

  private inputOf(signal: ReplaySignal, quote: string): CopyInput {
    const { copierId, pairs } = this.options;
    const terms = this.termsOf(signal);
    const equity = this.equityOf(quote);
    const pair = pairs.get(signal.symbol);
    const lot = this.lots.get(signal.lotTradeId);
    const closing = isEntry(signal) ? this.orders.closingLots() : [];
    return {
      signal: plannedSignalOf(signal),
      now: signal.emittedAt,
      copier: {
        id: copierId,
        status: this.status,
        // The signals of another user's strategy are rounded already.
        masksAmounts: false,
        maskedPendingAmount: '0',
        terms,
        startedAt: signal.lotOpenedAt,
        startedSequence: this.startedSequence ?? 0,
        lot:
          lot === undefined ? null : { ...lot, heldAmount: this.copies.heldOf(signal.lotTradeId).toString() },
        dayLossQuote: this.losses.dayLossOf(quote),
        drawdownPercent: this.drawdownOf(quote, equity.toString(), terms),
        openLotCount: this.copies.openLotsExcept(signal.lotTradeId, ...closing),
        openQuote: this.copies.openCostExcept(...closing).toString(),
      },
      account: {
        isActive: true,
        ...this.freeOf(signal, quote, { pair, closing }),
        perpetual: this.perpetualOf(signal, quote, closing),
        equity: equity.toString(),
        pair: pair?.rules ?? null,
      },
      bookMid: 'PAST',
    };
  }

  /** @param of - `closing`: the lots that orders of the same fill close; they release their margin */
  private freeOf(
    signal: ReplaySignal,
    quote: string,
    { pair, closing }: { readonly pair: ReplayPair | undefined; readonly closing: readonly string[] },
  ): Pick<CopyInput['account'], 'freeBase' | 'freeQuote'> {
    const isShortEntry = isEntry(signal) && signal.side === 'SELL';
    const symbol = this.symbolOf(signal);
    const held = isShortEntry ? new BigDecimal(0) : this.copies.netOfPair(symbol);
    const freeQuote =
      pair?.perpetual === undefined
        ? this.copies.flowOf(quote).plus(this.options.startingEquity.get(quote) ?? '0')
        : this.equityOf(quote).minus(this.margin.initialMarginIn(quote));
    const released = this.releasedMarginOf(symbol, pair?.perpetual?.leverage ?? null, closing);
    return { freeBase: held.toString(), freeQuote: BigDecimal.max(0, freeQuote.plus(released)).toString() };
  }

  /** Returns the initial margin that the exits of these lots free, if the leverage is known. */
  private releasedMarginOf(symbol: string, leverage: Decimal | null, closing: readonly string[]): BigDecimal {
    if (leverage === null) return new BigDecimal(0);
    const value = this.copies.valueOfPair(symbol).abs().minus(this.keptValueOf(symbol, closing));
    return BigDecimal.max(0, value).div(leverage).toDecimalPlaces(18, BigDecimal.ROUND_DOWN);
  }

  /** Returns the drawdown in percent; null if the copier has no drawdown limit. */
  private drawdownOf(quote: string, equity: Decimal, terms: CopyTerms): Decimal | null {
    const { sizing, maxDrawdownPercent } = terms;
    if (maxDrawdownPercent === null) return null;
    return drawdownPercentOf({
      drawdownQuote: this.losses.drawdownOf(quote),
      equity,
      capital: sizing.capital,
    });
  }

  private fillOrders(): void {
    for (const { signal, symbol, quote, order } of this.orders.take()) {
      const { lotTradeId, referencePrice, emittedAt } = signal;
      const pair = this.options.pairs.get(signal.symbol);
      this.copies.fill({
        lotTradeId,
        symbol,
        quote,
        tradingType: pair?.rules.tradingType ?? 'spot',
        isEntry: isEntry(signal),
        side: order.side,
        amount: order.amount,
        price: referencePrice,
        feeRate: pair?.feeRate ?? '0',
        amountStep: pair?.rules.amountStep ?? '0',
      });
      this.recordMargin(quote, emittedAt);
    }
  }

  /** @param closing - the lots that orders of the same fill close */
  private perpetualOf(
    signal: ReplaySignal,
    quote: string,
    closing: readonly string[],
  ): PerpetualAccount | undefined {
    const pair = this.options.pairs.get(signal.symbol);
    if (pair?.perpetual === undefined) return undefined;
    const symbol = this.symbolOf(signal);
    const net = this.copies.netOfPair(symbol);
    const left = BigDecimal.max(0, net.abs().minus(this.orders.exitingOf(symbol)));
    const isAgainst = signal.side === 'BUY' ? net.lt(0) : net.gt(0);
    return {
      netPosition: (isAgainst ? left.times(net.s) : net).toString(),
      leverage: pair.perpetual.leverage,
      // A replay values the position at the price of the signal.
      markPrice: null,
      notional: this.margin.notional
        .plus(this.keptValueOf(symbol, closing))
        .minus(this.copies.valueOfPair(symbol).abs())
        .toString(),
      marginRatio: this.margin.ratioIn(quote),
    };
  }

  /** Returns the notional of the pair without these lots, which are all of this pair. */
  private keptValueOf(symbol: string, closing: readonly string[]): BigDecimal {
    const net = closing.reduce(
      (kept, id) => kept.minus(this.copies.netOf(id)),
      this.copies.netOfPair(symbol),
    );
    return net.times(this.copies.priceOf(symbol)).abs();
  }

  private stopOnBreach({ copier: { dayLossQuote }, account: { equity } }: CopyInput, quote: string): void {
    const { terms, onBreach } = this.options;
    const drawdownPercent = this.drawdownOf(quote, equity!, terms);
    const hasReached = (value: Decimal | null, limit: Decimal | null) =>
      limit !== null && value !== null && new BigDecimal(value).gte(limit);
    const isBreached =
      hasReached(dayLossQuote, terms.maxDailyLossQuote) ||
      hasReached(drawdownPercent, terms.maxDrawdownPercent);
    if (isBreached && this.status === 'ACTIVE') this.status = onBreach === 'PAUSE' ? 'PAUSED' : 'CLOSE_ONLY';
  }

  private count({ outcome, code }: CopyPlan): void {
    this.tally[outcome] += 1;
    if (outcome === 'SKIPPED' && code !== null) this.reasons.set(code, (this.reasons.get(code) ?? 0) + 1);
  }
}

function lastOf<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

function closedFractionOf({ kind, exitAmount, lotAmountBefore }: ReplaySignal): BigDecimal {
  if (kind === 'CLOSE') return new BigDecimal(1);
  const before = new BigDecimal(lotAmountBefore);
  return before.gt(0) ? BigDecimal.min(1, new BigDecimal(exitAmount).div(before)) : new BigDecimal(0);
}
