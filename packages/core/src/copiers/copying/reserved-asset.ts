import type { OfferedPair } from '../offered-pairs.queries.js';
import type { CopyOrder } from '../planning/plan.types.js';

/** Returns the asset that an order spends: on perpetuals the settlement currency, which is the margin. */
export const reservedAssetOf = (
  { side }: Pick<CopyOrder, 'side'>,
  { tradingType, quote, base }: Pick<OfferedPair, 'tradingType' | 'quote' | 'base'>,
): string => (side === 'BUY' || tradingType === 'perpetual' ? quote : base);
