/** What a copier holds, in numbers. */

import type { Lot } from '@trading-automation/sdk';
import { quoteOf } from '../../data/symbols';
import { Exact } from '../../format/decimals';

type OpenLot = Pick<Lot<'string'>, 'symbol' | 'side' | 'remaining_cost' | 'unrealized_pnl'>;

interface HeldValue {
  readonly currency: string;
  readonly value: string;
}

export interface Holdings {
  /** Number of pairs and sides that are open. */
  readonly positions: number;
  readonly lots: number;
  /** Value at the last prices, or the cost where no price is known; one sum for each currency, the largest first. */
  readonly values: readonly HeldValue[];
}

export function holdingsOf(lots: readonly OpenLot[]): Holdings {
  const sums = new Map<string, Exact>();
  const positions = new Set<string>();
  for (const { symbol, side, remaining_cost, unrealized_pnl } of lots) {
    positions.add(`${symbol} ${side}`);
    const result = new Exact(unrealized_pnl ?? 0);
    const value = new Exact(remaining_cost)[side === 'SELL' ? 'minus' : 'plus'](result);
    const currency = quoteOf(symbol);
    sums.set(currency, (sums.get(currency) ?? new Exact(0)).plus(value));
  }
  const values = [...sums]
    .sort(([, a], [, b]) => b.cmp(a))
    .map(([currency, value]) => ({ currency, value: value.toFixed() }));
  return { positions: positions.size, lots: lots.length, values };
}

/** "1 position", "3 positions". */
export const positionsWord = (count: number) => `${count} ${count === 1 ? 'position' : 'positions'}`;
