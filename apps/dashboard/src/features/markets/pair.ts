import type { TradePair } from '@trading-automation/sdk';

export type Pair = TradePair<'string'>;
