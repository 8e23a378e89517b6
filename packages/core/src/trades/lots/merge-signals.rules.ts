/**
 * Merges the signals of fills that are reported together, so that copiers respond with one order. An order that matches
 * several orders of the order book has several fills, but it is one action of the leader. The functions are pure.
 *
 * 1. Signals of one trade for one lot and one side are merged if no other signal changes that lot in between.
 * 2. The merged signal has the sum of the amounts, the average price weighted by amount, and the ids of the last fill.
 * 3. The average is rounded to the price tick of the pair. Its further digits would reveal the amounts of the fills to
 *    every reader of the signal: in lowest terms, the average has the amount as its denominator.
 */
import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal, roundToStep } from '../../values/index.js';
import type { NewSignal } from './signals.types.js';

export function mergeSignals(signals: readonly NewSignal[], priceTick: Decimal): readonly NewSignal[] {
  const actions: NewSignal[][] = [];
  const lastIndexByLot = new Map<string, number>();
  for (const signal of signals) {
    const action = actions[lastIndexByLot.get(signal.lotTradeId) ?? -1];
    if (action !== undefined && isSameAction(action[0]!, signal)) action.push(signal);
    else lastIndexByLot.set(signal.lotTradeId, actions.push([signal]) - 1);
  }
  return actions.map((action) => (action.length === 1 ? action[0]! : merged(action, priceTick)));
}

const isSameAction = (a: NewSignal, b: NewSignal) => a.sourceTradeId === b.sourceTradeId && a.side === b.side;

/** Merges the signals of one action, in order; at least two. */
function merged(action: readonly NewSignal[], priceTick: Decimal): NewSignal {
  const first = action[0]!;
  const last = action.at(-1)!;
  const sum = (amountOf: (signal: NewSignal) => BigDecimal | Decimal) =>
    action.reduce((total, signal) => total.plus(amountOf(signal)), new BigDecimal(0));
  const filled = sum(({ filledAmount }) => filledAmount);
  return {
    ...last,
    kind: first.kind === 'OPEN' ? 'OPEN' : last.kind,
    lotFirstSequence: first.lotFirstSequence,
    lotOpenedAt: first.lotOpenedAt,
    filledAmount: filled.toString(),
    lotAmountBefore: first.lotAmountBefore,
    exitAmount: sum(({ exitAmount }) => exitAmount).toString(),
    referencePrice: roundToStep(sum(notionalOf).div(filled), priceTick),
  };
}

const notionalOf = ({ filledAmount, referencePrice }: NewSignal) =>
  new BigDecimal(referencePrice).times(filledAmount);
