import type { Decimal } from '@trading-automation/contracts';

/**
 * What a copier still holds of a lot of its strategy, if the strategy reduced or closed that lot while the copier was
 * paused. Amounts are in base currency.
 */
export interface LotDrift {
  readonly symbol: string;
  /** The strategy's trade that opened the lot. */
  readonly lotTradeId: string;
  readonly heldAmount: Decimal;
  /** The amount that the copier would have sold if it had followed the exits. */
  readonly excessAmount: Decimal;
}
