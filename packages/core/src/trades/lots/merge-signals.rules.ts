/**
 * Merges the signals of fills that are reported together, so that copiers respond with one order. An order that matches
 * several orders of the order book has several fills, but it is one action of the leader. The functions are pure.
 *
 * 1. Signals of one trade for one lot and one side are merged if no other signal changes that lot in between.
 * 2. The merged signal has the sum of the amounts, the average price weighted by amount, and the ids of the last fill.
 */
import { DECIMAL_SCALE } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';
import type { NewSignal } from './signals.types.js';

export function mergeSignals(signals: readonly NewSignal[]): readonly NewSignal[] {
  const merged: NewSignal[] = [];
  const lastIndexByLot = new Map<string, number>();
  for (const signal of signals) {
    const index = lastIndexByLot.get(signal.lotTradeId) ?? -1;
    const previous = merged[index];
    if (previous !== undefined && isSameAction(previous, signal)) {
      merged[index] = merge(previous, signal);
    } else {
      lastIndexByLot.set(signal.lotTradeId, merged.push(signal) - 1);
    }
  }
  return merged;
}

const isSameAction = (a: NewSignal, b: NewSignal) => a.sourceTradeId === b.sourceTradeId && a.side === b.side;

function merge(first: NewSignal, second: NewSignal): NewSignal {
  const filled = new BigDecimal(first.filledAmount).plus(second.filledAmount);
  const price = notionalOf(first).plus(notionalOf(second)).div(filled);
  return {
    ...second,
    kind: first.kind === 'OPEN' ? 'OPEN' : second.kind,
    lotFirstSequence: first.lotFirstSequence,
    lotOpenedAt: first.lotOpenedAt,
    filledAmount: filled.toString(),
    lotAmountBefore: first.lotAmountBefore,
    exitAmount: new BigDecimal(first.exitAmount).plus(second.exitAmount).toString(),
    referencePrice: price.toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_HALF_EVEN).toString(),
  };
}

const notionalOf = ({ filledAmount, referencePrice }: NewSignal) =>
  new BigDecimal(referencePrice).times(filledAmount);
