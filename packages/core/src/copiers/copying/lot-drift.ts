import type { Decimal } from '@trading-automation/contracts';

/** Of a lot that the strategy left while the copier was paused; amounts in base currency. */
export interface LotDrift {
  readonly symbol: string;
  /** The strategy's trade that opened the lot. */
  readonly lotTradeId: string;
  readonly heldAmount: Decimal;
  /** What the copier would have sold by then. */
  readonly excessAmount: Decimal;
}
