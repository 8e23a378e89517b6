import { groupBy } from '../launch/group-by.mjs';
import { units } from './amounts.mjs';

/**
 * Compares the signals of strategies with what their leaders bought at the exchange.
 *
 * @typedef {{ id: string, strategyId: string, sequence: number, lotId: string, kind: string }} Signal
 * @typedef {{
 *   id: string, filledAmount: string, signalled: string | null, opened: string | null, closedBefore: string | null,
 *   isClosedAfterRewind: boolean,
 * }} Purchase a leader's order to buy. `filledAmount`: at the exchange; `signalled`: covered by signals; `opened`: of lots;
 *   `closedBefore`: sold by fills that were known before the purchase; `isClosedAfterRewind`: whether a fill that was
 *   reported late has rewound the lot book, and no open lot of the purchase is left
 */

/**
 * Signals are numbered without gaps, and they cover everything that leaders bought, except amounts that they had sold
 * again before the exchange reported the purchase.
 *
 * @param {{ signals: readonly Signal[], purchases: readonly Purchase[] }} record
 */
export function findLostSignals({ signals, purchases }) {
  /** @type {string[]} */
  const findings = [];
  for (const [strategy, ofStrategy] of groupBy(signals, ({ strategyId }) => strategyId)) {
    ofStrategy.forEach(({ sequence }, index) => {
      if (sequence !== index + 1) findings.push(`${strategy}: signal ${index + 1} has sequence ${sequence}`);
    });
  }
  for (const purchase of purchases) {
    const { id, filledAmount, signalled } = purchase;
    if (wasClosedBeforeSignal(purchase)) continue;
    if (units(signalled ?? '0') !== units(filledAmount))
      findings.push(`leader's trade ${id}: bought ${filledAmount}, covered by signals ${signalled ?? 0}`);
  }
  return findings;
}

/**
 * Returns whether known fills had already sold everything that the purchase opened, when its own fill was reported. Then
 * no signal was due, because nothing was left to copy. If a fill that was executed earlier is reported later, the lot
 * book is rewound, and other sales than before may close the purchase. In that case the function returns true if no open
 * lot of the purchase is left.
 *
 * @param {Purchase} purchase
 */
export function wasClosedBeforeSignal({ signalled, opened, closedBefore, isClosedAfterRewind }) {
  if (signalled !== null || opened === null) return false;
  return isClosedAfterRewind || (closedBefore !== null && units(opened) === units(closedBefore));
}
