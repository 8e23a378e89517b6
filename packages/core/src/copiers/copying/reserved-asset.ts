import type { CopyOrder } from '../planning/plan.types.js';
import type { CopierRow } from './copy-inputs.queries.js';

/** Returns the asset that an order spends: on perpetuals the settlement currency, which is the margin. */
export const reservedAssetOf = (
  { side }: Pick<CopyOrder, 'side'>,
  { tradingType, quote, base }: Pick<CopierRow, 'tradingType' | 'quote' | 'base'>,
): string | null => (side === 'BUY' || tradingType === 'perpetual' ? quote : base);
