/**
 * An order that takes several orders of the book has as many fills, and is one thing that the leader did: fills that
 * are told of together make one signal for each lot, so that copiers answer with one order. Pure.
 *
 * 1. Joined is what one trade did to one lot, on one side, with nothing else done to that lot in between.
 * 2. Amounts add up, and the price is their average; the last fill names the signal.
 */
import { DECIMAL_SCALE } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';
import type { NewSignal } from './signals.types.js';

export function mergeSignals(signals: readonly NewSignal[]): readonly NewSignal[] {
  const joined: NewSignal[] = [];
  const lastOfLot = new Map<string, number>();
  for (const signal of signals) {
    const at = lastOfLot.get(signal.lotTradeId);
    const before = at === undefined ? undefined : joined[at];
    if (at !== undefined && before !== undefined && isSameAction(before, signal)) {
      joined[at] = join(before, signal);
    } else {
      lastOfLot.set(signal.lotTradeId, joined.push(signal) - 1);
    }
  }
  return joined;
}

const isSameAction = (a: NewSignal, b: NewSignal) => a.sourceTradeId === b.sourceTradeId && a.side === b.side;

function join(first: NewSignal, second: NewSignal): NewSignal {
  const filled = new BigDecimal(first.filledAmount).plus(second.filledAmount);
  const price = worthOf(first).plus(worthOf(second)).div(filled);
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

const worthOf = ({ filledAmount, referencePrice }: NewSignal) =>
  new BigDecimal(referencePrice).times(filledAmount);
