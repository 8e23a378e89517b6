/** Figures without a unit, such as ratios, and the sign of losses. */
import { formatAmount, signOf } from './numbers';

/** Formats a ratio such as Sharpe's with two digits; the minus is the typographic one. */
export const formatFigure = (value: string, locale?: string): string =>
  formatAmount(value, locale, 2).replace('-', '−');

/** The API sends losses as positive amounts. Returns a change, which is negative unless the loss is zero. */
export const asLoss = (amount: string | null): string | null =>
  amount === null || signOf(amount) === 0 ? amount : `-${amount}`;
