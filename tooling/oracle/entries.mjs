import { exact, greatest, ONE, ZERO } from './fraction.mjs';

/**
 * What a copier does about an entry of its leader: rules 1, 3, 6 to 9, 14, 15 and 31 of docs/trading/rules.md. On a perpetual, an
 * entry may be a sale, every limit is one of notional, and the account's margin limits it, too (`margins.mjs`).
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 *
 * @typedef {{
 *   symbol: string, base: string, quote: string, tick: Fraction, step: Fraction, marketStep: Fraction,
 *   minAmount: Fraction, minNotional: Fraction, takerFee: Fraction | undefined, settle?: string | undefined,
 * }} Pair `settle`: the settlement currency of a perpetual
 *
 * @typedef {{
 *   sizing: { mode: string, value: string, capital?: string }, limits: Record<string, any>, below_minimum: string,
 * }} Settings as the API shows them
 *
 * @typedef {{
 *   copierId: string, symbol: string, side: 'BUY' | 'SELL', settings: Settings, ratio: Fraction | undefined, sent: Fraction, forgone: Fraction,
 *   skipped: Fraction, rest: Fraction, held: Fraction, cost: Fraction, earlier: object[],
 * }} CopiedLot a copier's record of one lot of its leader; `skipped`: what the leader bought before the ratio was set; `forgone`:
 *   what is never bought of the copier's share; `rest`: what the step left of the last exit; `held`, `cost`: what is open of it;
 *   `earlier`: its decisions so far
 *
 * @typedef {{
 *   pair: Pair, lot: CopiedLot, isActive: boolean, isWatched: boolean, side?: 'BUY' | 'SELL', margin?: import('./margins.mjs').Margin,
 *   cumulative: Fraction, orderAmount: Fraction, reference: Fraction, mid: Fraction | undefined,
 *   held: Fraction, certain: Fraction, openLots: number, exposure: Fraction, freeQuote: Fraction,
 *   equity: { copier: Fraction, leader: Fraction },
 * }} Entry `cumulative`: what the leader's order has filled so far; `orderAmount`: the amount of that order; `reference`: the
 *   price of the leader's fills; `isWatched`: the leader opened the lot after the copier's start; `held`, `openLots`,
 *   `exposure`: what the copier has of this lot, its number of open lots, and their value; `certain`: `held` without what orders
 *   that are still open may buy
 *
 * @typedef {{ outcome: 'COPIED' | 'CLAMPED' | 'SKIPPED', code?: string | undefined, target: Fraction, sent: Fraction, price?: Fraction, forgone: Fraction }} EntryPlan
 */

const BASIS_POINTS = exact('10000');
/** Copy-trading rule 3: the slippage bound if the copier sets none. */
const DEFAULT_SLIPPAGE_BPS = 50;
/** ADR 32: an entry must remain sellable after a fall of the price by 5 %. */
const MARGIN = exact('1.05');
/** ADR 32: the fee that is assumed if the exchange publishes none. */
const UNKNOWN_FEE = exact('0.01');
const TWICE = exact('2');

/**
 * @param {Entry} entry
 * @returns {EntryPlan}
 */
export function planEntry(entry) {
  const { lot, pair, cumulative, reference } = entry;
  const { limits } = lot.settings;
  /** @type {(code: string, target?: Fraction, forgone?: Fraction) => EntryPlan} */
  const skip = (code, target = ZERO, forgone = target) => ({
    outcome: 'SKIPPED',
    code,
    target,
    sent: ZERO,
    forgone,
  });
  const exclusion = exclusionOf(entry);
  // What is excluded is given up: a later entry of the same lot adds only what the leader buys then.
  if (exclusion !== undefined) {
    if (lot.ratio === undefined) lot.skipped = cumulative;
    return skip(exclusion, lot.ratio === undefined ? ZERO : targetOf(lot, lot.ratio, cumulative));
  }
  lot.ratio ??= ratioOf(entry);
  const target = targetOf(lot, lot.ratio, cumulative);
  const price = limitPriceOf(sideOf(entry), reference, slippageOf(limits), pair.tick);
  // Rule 9: a limit that leaves the rounded amount reduces nothing.
  const whole = target.floorTo(pair.step);
  const clamped = clamp(entry, whole, price);
  let amount = clamped.amount.floorTo(pair.step);
  // The order of the codes is that of the checks. What a limit on amounts already leaves nothing of has that limit as the reason.
  if (entry.margin?.isBelowRatio(limits) && amount.isPositive) return skip('MARGIN_RATIO', target);
  if (!isPlaceable(entry, amount, price)) {
    // Rule 8 comes before rule 9: an amount that no limit has to reduce is carried, raised or skipped.
    const isSmall = !isPlaceable(entry, whole, price);
    const raised = sellableAmount(entry, price);
    const isRaised =
      isSmall &&
      lot.settings.below_minimum === 'ROUND_UP' &&
      !target.times(TWICE).isBelow(raised) &&
      clamp(entry, raised, price).code === undefined;
    if (!isRaised) {
      const isCarried = isSmall && lot.settings.below_minimum !== 'SKIP';
      const code = isSmall ? undefined : clamped.code;
      return skip(code ?? 'BELOW_MINIMUM', target, isCarried ? ZERO : target);
    }
    amount = raised;
  }
  if (entry.freeQuote.isBelow(reservationOf(entry, amount, price)))
    return skip('INSUFFICIENT_BALANCE', target);
  return {
    outcome: clamped.code === undefined ? 'COPIED' : 'CLAMPED',
    code: clamped.code,
    target,
    sent: amount,
    price,
    forgone: clamped.code === undefined ? ZERO : greatest(ZERO, target.minus(amount)),
  };
}

/**
 * Rule 1: the share of all that the leader bought, less what was sent or given up.
 *
 * @param {CopiedLot} lot
 * @param {Fraction} ratio
 * @param {Fraction} cumulative
 */
const targetOf = (lot, ratio, cumulative) =>
  ratio.times(cumulative.minus(lot.skipped)).minus(lot.sent).minus(lot.forgone);

/** Returns the code of the first rule that excludes the entry. @param {Entry} entry */
function exclusionOf({ isActive, isWatched, lot, pair, reference, mid, openLots, held, side = 'BUY' }) {
  const { allowed_pairs, blocked_pairs, allowed_sides, max_open_trades } = lot.settings.limits;
  if (!isActive) return 'NOT_ACTIVE';
  if (!isWatched) return 'NOT_HELD';
  if (allowed_pairs !== undefined && !allowed_pairs.includes(pair.symbol)) return 'PAIR_BLOCKED';
  if (blocked_pairs?.includes(pair.symbol)) return 'PAIR_BLOCKED';
  if (allowed_sides !== undefined && !allowed_sides.includes(side)) return 'SIDE_BLOCKED';
  const bound = slippageOf(lot.settings.limits).over(BASIS_POINTS);
  if (mid === undefined || bound.isBelow(reference.minus(mid).absolute.over(mid))) return 'OFF_MARKET';
  if (max_open_trades !== undefined && held.isZero && openLots >= max_open_trades) return 'MAX_TRADES';
  return undefined;
}

/** Rule 6. The ratio relates to the whole order of the leader, so that later fills of it take the same proportion. @param {Entry} entry */
function ratioOf({ lot, orderAmount, reference, equity }) {
  const { mode, value, capital } = lot.settings.sizing;
  const number = exact(value);
  if (mode === 'FIXED_AMOUNT') return number.over(orderAmount);
  if (mode === 'FIXED_QUOTE') return number.over(reference.times(orderAmount));
  if (mode === 'MULTIPLIER') return number;
  return number.times(capital === undefined ? equity.copier : exact(capital)).over(equity.leader);
}

/** @param {Record<string, any>} limits */
const slippageOf = (limits) => exact(limits.max_slippage_bps ?? DEFAULT_SLIPPAGE_BPS);

/** @param {{ side?: 'BUY' | 'SELL' }} entry */
const sideOf = ({ side = 'BUY' }) => side;

/**
 * Rules 3 and 7: the worst price within the bound, rounded so that it stays within.
 *
 * @param {'BUY' | 'SELL'} side
 * @param {Fraction} reference
 * @param {Fraction} bps
 * @param {Fraction} tick
 */
const limitPriceOf = (side, reference, bps, tick) =>
  side === 'BUY'
    ? reference.times(ONE.plus(bps.over(BASIS_POINTS))).floorTo(tick)
    : reference.times(ONE.minus(bps.over(BASIS_POINTS))).ceilTo(tick);

/** What an order needs: its cost on spot; on a perpetual, its initial margin and the taker fee. @param {Entry} entry @param {Fraction} amount @param {Fraction} price */
function reservationOf({ pair, margin, reference, side = 'BUY' }, amount, price) {
  if (margin === undefined) return amount.times(price);
  // As for limits on money, a short counts at the reference price.
  const notional = amount.times(side === 'BUY' ? price : greatest(price, reference));
  return notional.over(margin.leverage).plus(notional.times(pair.takerFee ?? ZERO));
}

/**
 * Rule 9: limits on money reduce the amount; the tightest one is the reason.
 *
 * @param {Entry} entry
 * @param {Fraction} target
 * @param {Fraction} price
 * @returns {{ amount: Fraction, code?: string }}
 */
function clamp({ lot, exposure, margin, reference, side = 'BUY' }, target, price) {
  // Rule 1: the size does not depend on how many signals report an order, so its entries share the limit of one trade.
  const { max_trade_quote, max_open_quote } = lot.settings.limits;
  /** @type {{ amount: Fraction, code?: string }} */
  let result = { amount: target };
  const bounds = [
    ['MAX_TRADE', max_trade_quote === undefined ? undefined : exact(max_trade_quote)],
    ['MAX_OPEN', max_open_quote === undefined ? undefined : exact(max_open_quote).minus(exposure)],
  ];
  for (const [code, quote] of /** @type {[string, Fraction | undefined][]} */ (bounds)) {
    if (quote === undefined) continue;
    const before = code === 'MAX_TRADE' ? lot.sent : ZERO;
    // A short can be sold at the reference price, which is more than its limit price.
    const most = greatest(
      ZERO,
      quote.over(side === 'BUY' ? price : greatest(price, reference)).minus(before),
    );
    if (most.isBelow(result.amount)) result = { amount: most, code };
  }
  const most = margin?.mostAmount(lot.settings.limits);
  return most?.isBelow(result.amount) ? { amount: most, code: 'MAX_LEVERAGE' } : result;
}

/**
 * Rules 7 and 8, on rounded numbers: the order reaches the exchange's minimums, and what remains of the lot after the fee
 * can be sold.
 *
 * @param {Entry} entry
 * @param {Fraction} amount
 * @param {Fraction} price
 */
function isPlaceable(entry, amount, price) {
  const { pair, certain, reference } = entry;
  if (!amount.isPositive || amount.isBelow(pair.minAmount)) return false;
  if (amount.times(price).isBelow(pair.minNotional)) return false;
  const rest = certain.plus(amount.times(ONE.minus(feeInBase(pair)))).floorTo(pair.marketStep);
  return !rest.isBelow(pair.minAmount) && !rest.times(reference).isBelow(pair.minNotional.times(MARGIN));
}

/** Fees of a perpetual are paid in the settlement currency, and reduce no amount. @param {Pair} pair */
const feeInBase = ({ settle, takerFee }) => (settle === undefined ? (takerFee ?? UNKNOWN_FEE) : ZERO);

/** Returns the smallest amount that `isPlaceable` accepts. @param {Entry} entry @param {Fraction} price */
function sellableAmount(entry, price) {
  const { pair, certain, reference } = entry;
  const rest = greatest(
    pair.minAmount,
    pair.minNotional.times(MARGIN).over(reference).ceilTo(pair.marketStep),
  );
  const forRest = rest
    .minus(certain)
    .over(ONE.minus(feeInBase(pair)))
    .ceilTo(pair.step);
  const forOrder = greatest(pair.minAmount, pair.minNotional.over(price)).ceilTo(pair.step);
  return greatest(forRest, forOrder);
}
