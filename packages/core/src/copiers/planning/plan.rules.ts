/**
 * Decides what a copier does about one signal of its strategy. Pure. Live copying, the simulation and the tests call
 * the same function.
 *
 * Entries
 * 1. The target of a lot is ratio × the filled amount of the leader's trade so far. Sent and forgone amounts are
 *    deducted, so that a signal that arrives late or repeatedly buys nothing twice.
 * 2. A skipped signal is final: its amount is forgone, and no later signal makes up for it. Two amounts are not forgone
 *    but carried to the lot's next entry: rounding remainders and, if the copier's settings allow it, amounts below the
 *    exchange's minimum.
 * 3. A fixed size is the size for the leader's whole order, and each fill of that order takes its share of the size.
 *    The first fill cannot take the whole size, because the leader's order may fill no further. If every fill took the
 *    whole size, an order filled in five parts would be copied at five times the size. For the same reason,
 *    `max_trade_quote` bounds all copies of a lot together.
 * 4. Amounts are rounded down and prices towards the leader's price; minimums are checked on the rounded values.
 *    Nothing is rounded earlier: ratios and remainders are fractions.
 * 5. An entry must be large enough to be sold again after the fee. Limits reduce a copy. If only the limit makes it too
 *    small, it is skipped with that limit as the reason. An insufficient balance never reduces the copy but skips it, because the user did not request a
 *    smaller copy.
 * 6. The copier's settings at the lot's first entry apply to the whole lot. Later changes do not affect it.
 *
 * Exits
 * 7. An exit sells the same share of the copier's lot as the leader's exit closed of the leader's lot; a CLOSE sells
 *    everything. Only a pause or the exchange itself can prevent an exit.
 * 8. An amount that is too small for an order is owed, and the next order of the lot sells it too. If an exit would leave a
 *    remainder that is too small to sell, it sells the remainder too.
 * 9. An exit never sells more than the lot holds, and on spot never more than is free.
 *
 * Perpetuals
 * 10. Every size and every limit is a notional. The margin matters only for what an entry reserves. The account's leverage
 *    bounds nothing and is never changed; `max_leverage` bounds the notionals of the account by its equity, at mark price.
 * 11. The entry of a reversal is planned while the order that closes the lot before is in flight. That lot does not count
 *    against the entry's limits; it counts again if the exchange does not accept the exit, until the exit is tried again.
 * 12. A SELL may be an entry, and its lot is a short. An exit is reduce-only where the net position of the account agrees.
 */
import { planEntry } from './entry-plan.rules.js';
import { planExit } from './exit-plan.rules.js';
import { maskEntry, maskExit } from './masked-plan.rules.js';
import type { CopyInput, CopyPlan } from './plan.types.js';

export function planCopy(input: CopyInput): CopyPlan {
  const { kind } = input.signal;
  const isExit = kind === 'REDUCE' || kind === 'CLOSE';
  const plan = isExit ? planExit(input) : planEntry(input);
  if (!input.copier.masksAmounts) return { ...plan, maskedTarget: null };
  return isExit ? maskExit(input, plan, planExit) : maskEntry(input, plan, planEntry);
}
