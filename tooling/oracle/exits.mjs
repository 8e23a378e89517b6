import { greatest, least, ZERO } from './fraction.mjs';

/**
 * What a copier does about an exit of its leader: rules 4, 8, 13, 24 and 32 of docs/trading/rules.md. On a perpetual, an exit needs no
 * free balance of the base currency, so `freeBase` is the held amount.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 *
 * @typedef {{
 *   pair: import('./entries.mjs').Pair, isCopying: boolean, isFinal: boolean, exit: Fraction, leaderLot: Fraction,
 *   held: Fraction, owed: Fraction, rest: Fraction, freeBase: Fraction, price: Fraction, canReduceOnly?: boolean,
 * }} Exit `isCopying`: the copier is ACTIVE or CLOSE_ONLY; `exit`: what the leader sold of its lot, which was `leaderLot` before; `held`: the
 *   copier's open amount of the lot; `owed`: what earlier exits of the lot that wait have to sell; `rest`: what the step left of the last exit; `price`: the newest price;
 *   `canReduceOnly`: the lot can be closed by a reduce-only order, to which the minimum notional does not apply
 *
 * @typedef {{ outcome: 'COPIED' | 'SKIPPED' | 'PENDING', code?: string, target: Fraction, sent: Fraction, amount: Fraction }} ExitPlan
 *   `sent`: the part of the order's `amount` that belongs to this exit; fills belong to older exits first
 */

/**
 * @param {Exit} exit
 * @returns {ExitPlan}
 */
export function planExit({ canReduceOnly = false, ...planned }) {
  const { pair, isCopying, isFinal, exit, leaderLot, held, owed, rest, freeBase, price } = planned;
  if (!isCopying) return { outcome: 'SKIPPED', code: 'NOT_ACTIVE', target: ZERO, sent: ZERO, amount: ZERO };
  if (!held.isPositive)
    return { outcome: 'SKIPPED', code: 'NOT_HELD', target: ZERO, sent: ZERO, amount: ZERO };
  const unsold = greatest(ZERO, held.minus(owed).minus(rest));
  const target = rest.plus(isFinal ? unsold : unsold.times(exit).over(leaderLot));
  const isSellable = (/** @type {Fraction} */ amount) =>
    !amount.isBelow(pair.minAmount) &&
    amount.isPositive &&
    (canReduceOnly || !amount.times(price).isBelow(pair.minNotional));
  const most = least(held, freeBase);
  let amount = least(target.plus(owed), most).floorTo(pair.marketStep);
  // No unsellable rest remains: then the exit sells all of the lot.
  const kept = held.minus(amount).floorTo(pair.marketStep);
  if (kept.isPositive && !isSellable(kept)) amount = most.floorTo(pair.marketStep);
  if (!isSellable(amount))
    return { outcome: 'PENDING', code: 'BELOW_MINIMUM', target, sent: ZERO, amount: ZERO };
  return { outcome: 'COPIED', target, sent: greatest(ZERO, amount.minus(owed)), amount };
}

/**
 * Whether an exit may be reduce-only: all of it must reduce the net position of its account. Lots of other copiers, or of the
 * user, may be on the other side.
 *
 * @param {Fraction} net of the account; negative if it is short
 * @param {'BUY' | 'SELL'} side of the exit
 * @param {Fraction} amount
 */
export function isReduceOnly(net, side, amount) {
  const reducible = side === 'SELL' ? net : ZERO.minus(net);
  return !reducible.isBelow(amount);
}
