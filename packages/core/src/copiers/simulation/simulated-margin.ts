/** The margin account of a replay on perpetuals. */
import { assetsOfSymbol, type Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';
import type { ReplayedPerpetual, ReplayPair } from './replay.types.js';
import type { SimulatedPortfolio } from './simulated-portfolio.js';

/** The margin of a simulated account. */
export interface SimulatedMarginState {
  /** The lowest equity ÷ maintenance margin; null without a position. */
  readonly lowestRatio: Decimal | null;
  /** When the ratio first was below 1; null if it never was. */
  readonly liquidatedAt: Date | null;
}

interface RecordedMargin {
  readonly lowest: BigDecimal;
  readonly liquidatedAt: Date | null;
  /** See `ratioIn`. */
  readonly current: BigDecimal | null;
}

/** A price that one pair has instead of its last one. */
interface MarkedPair {
  readonly symbol: string;
  readonly markPrice: Decimal | null;
}

const RATIO_DECIMALS = 8;
const PRECISE_DECIMALS = 18;
const NEVER: SimulatedMarginState = { lowestRatio: null, liquidatedAt: null };

/**
 * Values the positions of a replay as an exchange does in one-way mode and cross margin: the lots of a pair are one net
 * position. Nothing is liquidated: the replay goes on below a margin ratio of 1.
 */
export class SimulatedMargin {
  private readonly recorded = new Map<string, RecordedMargin>();

  constructor(
    private readonly copies: SimulatedPortfolio,
    /** By the strategy's symbol. Pairs may be added while the replay runs. */
    private readonly pairs: ReadonlyMap<string, ReplayPair>,
  ) {}

  /**
   * Records the margin ratio at the last prices; if a pair is given, at its mark price. Calls must be in order of time.
   *
   * @param equity at the last prices
   */
  record(quote: string, at: Date, equity: BigDecimal, marked?: MarkedPair): void {
    let [markedEquity, maintenance, isAssumed] = [equity, new BigDecimal(0), false];
    for (const [symbol, perpetual] of this.perpetualsIn(quote)) {
      const last = this.copies.valueOfPair(symbol);
      const value = symbol === marked?.symbol ? this.copies.valueOfPair(symbol, marked.markPrice) : last;
      markedEquity = markedEquity.plus(value).minus(last);
      maintenance = maintenance.plus(value.abs().times(perpetual.maintenanceRate));
      isAssumed ||= perpetual.isMaintenanceAssumed;
    }
    const known = this.recorded.get(quote);
    if (maintenance.lte(0)) {
      if (known !== undefined) this.recorded.set(quote, { ...known, current: null });
      return;
    }
    const ratio = markedEquity.div(maintenance).toDecimalPlaces(PRECISE_DECIMALS);
    this.recorded.set(quote, {
      lowest: known === undefined ? ratio : BigDecimal.min(known.lowest, ratio),
      liquidatedAt: known?.liquidatedAt ?? (ratio.lt(1) ? at : null),
      current: isAssumed ? null : ratio,
    });
  }

  in(quote: string): SimulatedMarginState {
    const state = this.recorded.get(quote);
    if (state === undefined) return NEVER;
    const lowestRatio = state.lowest.toDecimalPlaces(RATIO_DECIMALS).toString();
    return { lowestRatio, liquidatedAt: state.liquidatedAt };
  }

  /** The notional of all positions at the last prices. As in live copying, those of all settlement currencies count. */
  get notional(): BigDecimal {
    let notional = new BigDecimal(0);
    for (const [symbol] of this.perpetualsIn(null))
      notional = notional.plus(this.copies.valueOfPair(symbol).abs());
    return notional;
  }

  /** Returns the margin ratio at the last record; null without a position, or if its maintenance margin is assumed. */
  ratioIn(quote: string): Decimal | null {
    return this.recorded.get(quote)?.current?.toString() ?? null;
  }

  /** Returns the initial margins of the positions that settle in the currency, if the leverage is known. */
  initialMarginIn(quote: string): BigDecimal {
    let margin = new BigDecimal(0);
    for (const [symbol, { leverage }] of this.perpetualsIn(quote)) {
      if (leverage === null) continue;
      margin = margin.plus(this.copies.valueOfPair(symbol).abs().div(leverage));
    }
    return margin.toDecimalPlaces(PRECISE_DECIMALS, BigDecimal.ROUND_UP);
  }

  /** Yields each perpetual with a position, once, although several symbols of the strategy may be copied on it. */
  private *perpetualsIn(quote: string | null): Generator<readonly [string, ReplayedPerpetual]> {
    const seen = new Set<string>();
    for (const [ofStrategy, { rules, perpetual }] of this.pairs) {
      const symbol = rules.symbol ?? ofStrategy;
      if (perpetual === undefined || seen.has(symbol) || this.copies.netOfPair(symbol).isZero()) continue;
      if (quote !== null && assetsOfSymbol(symbol).settle !== quote) continue;
      seen.add(symbol);
      yield [symbol, perpetual];
    }
  }
}
