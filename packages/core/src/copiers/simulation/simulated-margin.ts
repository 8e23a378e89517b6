import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

/** The margin of a simulated account. */
export interface SimulatedMarginState {
  /** The lowest equity ÷ maintenance margin; null without a position. */
  readonly lowestRatio: Decimal | null;
  /** When the ratio first was below 1; null if it never was. */
  readonly liquidatedAt: Date | null;
}

const RATIO_DECIMALS = 8;
const NEVER: SimulatedMarginState = { lowestRatio: null, liquidatedAt: null };

/** Tracks the lowest margin ratio in each quote currency. Nothing is liquidated: the replay goes on below a ratio of 1. */
export class SimulatedMargin {
  private readonly states = new Map<
    string,
    { readonly lowest: BigDecimal; readonly liquidatedAt: Date | null }
  >();

  /** Records the margin at an instant. Calls must be in order of time. Without a position, there is no ratio. */
  record(quote: string, at: Date, equity: BigDecimal, maintenance: BigDecimal): void {
    if (maintenance.lte(0)) return;
    const ratio = equity.div(maintenance).toDecimalPlaces(RATIO_DECIMALS);
    const known = this.states.get(quote);
    this.states.set(quote, {
      lowest: known === undefined ? ratio : BigDecimal.min(known.lowest, ratio),
      liquidatedAt: known?.liquidatedAt ?? (ratio.lt(1) ? at : null),
    });
  }

  in(quote: string): SimulatedMarginState {
    const state = this.states.get(quote);
    if (state === undefined) return NEVER;
    return { lowestRatio: state.lowest.toString(), liquidatedAt: state.liquidatedAt };
  }
}
