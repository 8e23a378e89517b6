/**
 * Replays a strategy's signals as if the copier had been started just before the first of them.
 *
 * 1. `planCopy` decides, with the copier's current settings and its exchange's current rules. While the account can
 *    pay, live copying makes the same decisions on the same signals.
 * 2. Orders are filled in full, immediately, at the leader's price. The fee is deducted from the received amount.
 * 3. In each quote currency, the account starts with its current equity in that currency. Its later equity is this
 *    amount plus the profit and loss of the copies.
 * 4. Each signal is judged and valued at its own price. Only lots that are still open in the end are valued at a later price.
 * 5. On perpetuals, funding is paid at its times on what is held then. The account is never liquidated; the lowest margin
 *    ratio is reported.
 * 6. A reached loss limit stops the copier for the rest of the replay, as in live copying without a restart.
 */
import {
  assetsOfSymbol,
  type BreachReaction,
  type CopierStatus,
  type Decimal,
  type DecisionCode,
} from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';
import { drawdownPercentOf } from '../planning/drawdown.rules.js';
import { perfectAmountOf } from '../planning/perfect-copy.rules.js';
import { planCopy } from '../planning/plan.rules.js';
import type { CopyInput, CopyPair, CopyPlan, CopyTerms } from '../planning/plan.types.js';
import { plannedSignalOf, type SignalToPlan } from '../planning/planned-signal.js';
import type { Tracking } from '../tracking.rules.js';
import { type DueFunding, FundingFeed, type PastFunding } from './funding-feed.js';
import { LossTracker } from './loss-tracker.js';
import { SimulatedMargin, type SimulatedMarginState } from './simulated-margin.js';
import { SimulatedPortfolio } from './simulated-portfolio.js';
import { SimulatedTracking } from './simulated-tracking.js';

export interface ReplaySignal extends SignalToPlan {
  readonly sourceTradeId: string;
  /** When the signal was emitted. Its age is measured at this time. */
  readonly emittedAt: Date;
}

export interface ReplayPair {
  /** Its `lastPrice` is null: only the price of each signal is a price of that time. */
  readonly rules: CopyPair & { readonly lastPrice: null };
  /** Taker fee, as a share of the received amount. */
  readonly feeRate: Decimal;
  /** The price at which open lots are valued in the end; null for the price of the pair's last signal. */
  readonly mark: Decimal | null;
  /** The maintenance margin as a share of the notional; undefined if the pair is no perpetual. */
  readonly maintenanceRate?: Decimal | undefined;
}

export interface ReplayOptions {
  readonly copierId: string;
  readonly terms: CopyTerms;
  /** The terms of pairs with an override, by the strategy's symbol. */
  readonly overriddenTerms?: ReadonlyMap<string, CopyTerms>;
  readonly onBreach: BreachReaction;
  /** The account's equity, by quote currency. */
  readonly startingEquity: ReadonlyMap<string, Decimal>;
  /** The pairs on which the copier copies, by the strategy's symbol. Absent if the account's exchange offers none. */
  readonly pairs: ReadonlyMap<string, ReplayPair>;
  /** Past funding by symbol, oldest first. */
  readonly funding?: ReadonlyMap<string, readonly PastFunding[]>;
}

export interface ReplayedDecision {
  readonly signal: ReplaySignal;
  readonly plan: CopyPlan;
}

export interface ReplayCounts {
  readonly copied: number;
  readonly clamped: number;
  readonly skipped: number;
  readonly skippedByReason: Readonly<Partial<Record<DecisionCode, number>>>;
}

export interface ReplayResult {
  readonly fees: Decimal;
  readonly netPnl: Decimal;
  /** Null if the leader closed no lot that the copier was to copy. */
  readonly tracking: Tracking | null;
}

export class Replay {
  private readonly copies = new SimulatedPortfolio();
  private readonly tracking = new SimulatedTracking(this.copies);
  private readonly losses = new LossTracker();
  private readonly margin = new SimulatedMargin();
  private readonly funding: FundingFeed;
  private readonly lots = new Map<string, NonNullable<CopyPlan['lot']>>();
  private status: CopierStatus = 'ACTIVE';
  private startedSequence: number | null = null;
  private readonly tally = { COPIED: 0, CLAMPED: 0, SKIPPED: 0 };
  private readonly reasons = new Map<DecisionCode, number>();
  private readonly signalsByQuote = new Map<string, number>();

  constructor(private readonly options: ReplayOptions) {
    this.funding = new FundingFeed(options.funding ?? new Map());
  }

  /** Applies the next signal. Signals must be applied in the order of their sequences. */
  apply(signal: ReplaySignal): ReplayedDecision {
    const { quote } = assetsOfSymbol(this.symbolOf(signal));
    this.startedSequence ??= signal.sequence - 1;
    lastOf(this.fundingSteps(signal.emittedAt));
    this.signalsByQuote.set(quote, (this.signalsByQuote.get(quote) ?? 0) + 1);
    this.setPrice(signal, quote);
    const input = this.inputOf(signal, quote);
    const plan = planCopy(input);
    this.stopOnBreach(input, quote);
    this.fillOrder(signal, quote, plan);
    this.recordMargin(quote, signal.emittedAt);
    const { lotTradeId, referencePrice } = signal;
    const perfectAmount = perfectAmountOf(input, plan);
    const closedFraction = closedFractionOf(signal);
    this.tracking.record({ lotTradeId, quote, referencePrice, perfectAmount, closedFraction, plan });
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
      this.fund(funding);
      yield;
    }
  }

  /** Returns the funding received, less the funding paid. */
  fundingIn(quote: string): Decimal {
    return this.copies.fundingOf(quote).toDecimalPlaces(18).toString();
  }

  marginIn(quote: string): SimulatedMarginState {
    return this.margin.in(quote);
  }

  resultIn(quote: string): ReplayResult {
    return lastOf(this.resultStepsIn(quote));
  }

  /** Computes the result in small steps, each of one lot, so that the caller can pause in between. */
  *resultStepsIn(quote: string): Generator<void, ReplayResult> {
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
      if (mark !== null && assetsOfSymbol(symbol).quote === quote) this.copies.setPrice(symbol, quote, mark);
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
    const { quote } = assetsOfSymbol(symbol);
    this.copies.fund(symbol, quote, rate, markPrice);
    this.losses.record(quote, at, this.copies.resultOf(quote));
    this.recordMargin(quote, at, { symbol, markPrice });
  }

  /** Records the margin ratio at the last prices; if a pair is given, at its mark price. */
  private recordMargin(
    quote: string,
    at: Date,
    marked?: { readonly symbol: string; readonly markPrice: Decimal | null },
  ): void {
    let equity = new BigDecimal(this.options.startingEquity.get(quote) ?? '0').plus(
      this.copies.resultOf(quote),
    );
    let maintenance = new BigDecimal(0);
    for (const [ofStrategy, { rules, maintenanceRate }] of this.options.pairs) {
      const symbol = rules.symbol ?? ofStrategy;
      if (maintenanceRate === undefined || assetsOfSymbol(symbol).quote !== quote) continue;
      const last = this.copies.valueOfPair(symbol);
      const value = symbol === marked?.symbol ? this.copies.valueOfPair(symbol, marked.markPrice) : last;
      equity = equity.plus(value).minus(last);
      maintenance = maintenance.plus(value.abs().times(maintenanceRate));
    }
    this.margin.record(quote, at, equity, maintenance);
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
    const { copierId, startingEquity, pairs } = this.options;
    const terms = this.termsOf(signal);
    const start = new BigDecimal(startingEquity.get(quote) ?? '0');
    const equity = start.plus(this.copies.resultOf(quote));
    const lot = this.lots.get(signal.lotTradeId);
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
        openLotCount: this.copies.openLotsExcept(signal.lotTradeId),
        openQuote: this.copies.openCost.toString(),
      },
      account: {
        isActive: true,
        freeBase: this.copies.heldOfPair(this.symbolOf(signal)).toString(),
        freeQuote: BigDecimal.max(0, start.plus(this.copies.flowOf(quote))).toString(),
        equity: equity.toString(),
        pair: pairs.get(signal.symbol)?.rules ?? null,
      },
      bookMid: 'PAST',
    };
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

  private fillOrder(signal: ReplaySignal, quote: string, plan: CopyPlan): void {
    const { lotTradeId, referencePrice } = signal;
    if (plan.lot !== null) this.lots.set(lotTradeId, plan.lot);
    if (plan.order === null) return;
    const { side, amount } = plan.order;
    const pair = this.options.pairs.get(signal.symbol);
    this.copies.fill({
      lotTradeId,
      symbol: this.symbolOf(signal),
      quote,
      side,
      amount,
      price: referencePrice,
      feeRate: pair?.feeRate ?? '0',
      amountStep: pair?.rules.amountStep ?? '0',
    });
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
