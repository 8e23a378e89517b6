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
 * 5. Limits reduce a copy. If a limit reduces it below the exchange's minimum, it is skipped with that limit as the
 *    reason. An insufficient balance never reduces the copy but skips it, because the user did not request a
 *    smaller copy.
 * 6. The copier's settings at the lot's first entry apply to the whole lot. Later changes do not affect it.
 *
 * Exits
 * 7. An exit sells the same share of the copier's lot as the leader's exit closed of the leader's lot; a CLOSE sells
 *    everything. Only a pause or the exchange itself can prevent an exit.
 * 8. An amount that is too small for an order is owed, and the next exit sells it too. If an exit would leave a
 *    remainder that is too small to sell, it sells the remainder too.
 * 9. An exit never sells more than the lot holds, and never more than is free.
 */
import type { Decimal, DecisionCode } from '@trading-automation/contracts';
import { checkEntry, type EntryRejection } from './entry-checks.rules.js';
import {
  dividedBy,
  type Fraction,
  floorTo,
  fractionOf,
  greaterOf,
  isAboveZero,
  isLess,
  lesserOf,
  minus,
  plus,
  roundDown,
  roundUp,
  times,
  ZERO,
} from './fraction.rules.js';
import type { CopyInput, CopyOrder, CopyPair, CopyPlan, CopyTerms, PlanInputs } from './plan.types.js';
import {
  type Cap,
  dueOf,
  entryCaps,
  findMinimumViolation,
  limitPriceOf,
  marketCap,
  marketStepOf,
  minTradableAmount,
  ratioOf,
  tightestBelow,
} from './sizing.rules.js';

type Lot = NonNullable<CopyPlan['lot']>;

export function planCopy(input: CopyInput): CopyPlan {
  const { kind } = input.signal;
  return kind === 'REDUCE' || kind === 'CLOSE' ? planExit(input) : planEntry(input);
}

function planEntry(input: CopyInput): CopyPlan {
  const { signal, copier } = input;
  const terms = copier.lot?.terms ?? copier.terms;
  const rejection = checkEntry(input, terms);
  if (rejection !== null) return rejectedEntry(input, rejection);
  const ratio = frozenRatio(input) ?? ratioOf(input, terms);
  if (ratio === null) {
    const rule = signal.leaderEquity === null ? 'leader_equity' : 'equity';
    return rejectedEntry(input, { code: 'STALE_EQUITY', rule, value: null, limit: null });
  }
  const lot = lotAtEntry(input, terms, ratio);
  const due = dueOf(ratio, fractionOf(lot.seenAmount), lot);
  return sizeEntry({ input, terms, lot, due, pair: input.account.pair! });
}

/** Plans a rejected entry. An existing lot forgoes the amount that the signal adds, and keeps its carried amount. */
function rejectedEntry(input: CopyInput, { code, ...numbers }: EntryRejection): CopyPlan {
  const ratio = frozenRatio(input);
  const stored = storedLot(input);
  const inputs = { ...entryInputs(input), ...numbers };
  const skip = { outcome: 'SKIPPED', code, targetAmount: '0', order: null, inputs } as const;
  if (stored === null || ratio === null) return { ...skip, lot: stored };
  const lot = lotAtEntry(input, stored.terms, ratio);
  const added = minus(fractionOf(lot.seenAmount), fractionOf(stored.seenAmount));
  return { ...skip, lot: forgo(lot, times(ratio, added)) };
}

/** An entry that passed the checks and is being sized. */
interface Entry {
  readonly input: CopyInput;
  readonly terms: CopyTerms;
  readonly pair: CopyPair;
  readonly lot: Lot;
  readonly due: Fraction;
}

function sizeEntry(entry: Entry): CopyPlan {
  const { input, terms, pair, lot, due } = entry;
  const { side, referencePrice } = input.signal;
  const limitPrice = limitPriceOf(side, referencePrice, terms, pair);
  if (limitPrice === null) {
    return skipped(entry, 'SLIPPAGE', { rule: 'price_tick', value: referencePrice, limit: pair.priceTick });
  }
  const price = fractionOf(limitPrice);
  const caps = entryCaps({ copier: input.copier, terms, pair }, lot.sentQuote, price);
  const rounded = floorTo(due, pair.amountStep);
  const cap = tightestBelow(caps, fractionOf(rounded));
  const capNumbers = cap === null ? null : capInputs(cap, rounded, price);
  const amount = cap === null ? rounded : floorTo(cap.amount, pair.amountStep);
  const violation = findMinimumViolation(amount, price, pair);
  if (violation === null) return reserve(entry, { amount, limitPrice, cap, inputs: capNumbers ?? {} });
  if (cap !== null) return skipped(entry, cap.code, { limit_price: limitPrice, ...capNumbers });
  const raised = terms.belowMinimum === 'ROUND_UP' ? roundedUpAmount(entry, price, caps) : null;
  if (raised !== null) {
    return reserve(entry, { amount: raised, limitPrice, cap, inputs: { rounded_up: true, ...violation } });
  }
  return skipped(entry, 'BELOW_MINIMUM', { limit_price: limitPrice, ...violation });
}

/** Returns the exchange's minimum amount, or null if that exceeds a cap or twice the due amount. */
function roundedUpAmount({ due, pair }: Entry, price: Fraction, caps: readonly Cap[]): Decimal | null {
  const raised = minTradableAmount(price, pair, pair.amountStep);
  const size = fractionOf(raised);
  const isTooMuch = isLess(plus(due, due), size) || tightestBelow(caps, size) !== null;
  return isTooMuch ? null : raised;
}

interface Sized {
  readonly amount: Decimal;
  readonly limitPrice: Decimal;
  readonly cap: Cap | null;
  readonly inputs: PlanInputs;
}

/** Plans the order if the amount that it reserves is free; otherwise skips the copy. */
function reserve(entry: Entry, { amount, limitPrice, cap, inputs }: Sized): CopyPlan {
  const { lot, due, input } = entry;
  const { side } = input.signal;
  const cost = roundUp(times(fractionOf(amount), fractionOf(limitPrice)));
  const reserved = side === 'BUY' ? cost : amount;
  const free = side === 'BUY' ? input.account.freeQuote : input.account.freeBase;
  const orderInputs = { ...inputs, limit_price: limitPrice };
  if (isLess(fractionOf(free), fractionOf(reserved))) {
    const rule = side === 'BUY' ? 'free_quote' : 'free_base';
    return skipped(entry, 'INSUFFICIENT_BALANCE', { ...orderInputs, rule, value: reserved, limit: free });
  }
  const sent = {
    ...lot,
    sentAmount: roundDown(plus(fractionOf(lot.sentAmount), fractionOf(amount))),
    sentQuote: roundUp(plus(fractionOf(lot.sentQuote), fractionOf(cost))),
  };
  return {
    outcome: cap === null ? 'COPIED' : 'CLAMPED',
    code: cap?.code ?? null,
    targetAmount: roundDown(due),
    order: {
      type: 'LIMIT',
      side,
      timeInForce: 'IOC',
      price: limitPrice,
      amount,
      reduceOnly: false,
      reserved,
    },
    lot: cap === null ? sent : forgo(sent, minus(due, fractionOf(amount))),
    inputs: { ...entryInputs(input), ...lotInputs(lot), ...orderInputs },
  };
}

function skipped({ input, terms, lot, due }: Entry, code: DecisionCode, numbers: PlanInputs): CopyPlan {
  const isCarried = code === 'BELOW_MINIMUM' && terms.belowMinimum !== 'SKIP' && isAboveZero(due);
  const isNew = input.copier.lot === null;
  return {
    outcome: 'SKIPPED',
    code,
    targetAmount: roundDown(due),
    order: null,
    lot: isCarried ? lot : isNew ? null : forgo(lot, due),
    inputs: { ...entryInputs(input), ...lotInputs(lot), ...numbers },
  };
}

function planExit(input: CopyInput): CopyPlan {
  const { signal, copier, account } = input;
  const stored = storedLot(input);
  const skip = (code: DecisionCode, numbers: PlanInputs, lot: Lot | null): CopyPlan => {
    const inputs = { ...exitInputs(input), ...numbers };
    return { outcome: 'SKIPPED', code, targetAmount: '0', order: null, lot, inputs };
  };
  if (copier.status === 'PAUSED') {
    return skip('NOT_ACTIVE', { rule: 'status', value: copier.status, limit: 'CLOSE_ONLY' }, stored);
  }
  const held = fractionOf(copier.lot?.heldAmount ?? '0');
  const owed = lesserOf(fractionOf(copier.lot?.owedAmount ?? '0'), held);
  const requested =
    signal.kind === 'CLOSE' ? held : plus(owed, times(minus(held, owed), exitFraction(input)));
  const lot = stored === null ? null : lotAfterExit(stored, requested, exitFraction(input));
  if (lot === null || !isAboveZero(held)) {
    return skip('NOT_HELD', { rule: 'held', value: '0', limit: null }, lot);
  }
  if (account.pair === null) {
    return skip('PAIR_UNAVAILABLE', { rule: 'pair', value: signal.symbol, limit: null }, lot);
  }
  return sizeExit({ input, lot, held, requested, pair: account.pair });
}

interface Exit {
  readonly input: CopyInput;
  readonly pair: CopyPair;
  readonly lot: Lot;
  readonly held: Fraction;
  readonly requested: Fraction;
}

function sizeExit({ input, pair, lot, held, requested }: Exit): CopyPlan {
  const { side, referencePrice } = input.signal;
  const price = fractionOf(pair.lastPrice ?? referencePrice);
  const step = marketStepOf(pair);
  const free = side === 'SELL' ? greaterOf(fractionOf(input.account.freeBase), ZERO) : held;
  const available = lesserOf(held, free);
  const isFreeBelowRequested = isLess(free, requested);
  const amount = exitAmountOf({ requested: lesserOf(requested, available), available, price, pair, step });
  const violation = findMinimumViolation(amount, price, pair);
  const rounded = floorTo(requested, step);
  const isLessThanRequested = isFreeBelowRequested && isLess(fractionOf(amount), fractionOf(rounded));
  const isBalanceShort = isLessThanRequested && findMinimumViolation(rounded, price, pair) === null;
  const balance = { rule: 'free_base', value: rounded, limit: input.account.freeBase };
  const targetAmount = roundDown(requested);
  if (violation !== null) {
    const code = isBalanceShort ? 'INSUFFICIENT_BALANCE' : 'BELOW_MINIMUM';
    const inputs = { ...exitInputs(input), ...(isBalanceShort ? balance : violation) };
    return { outcome: 'SKIPPED', code, targetAmount, order: null, lot, inputs };
  }
  return {
    outcome: isBalanceShort ? 'CLAMPED' : 'COPIED',
    code: isBalanceShort ? 'INSUFFICIENT_BALANCE' : null,
    targetAmount,
    order: exitOrder(side, amount, side === 'SELL' ? amount : roundUp(times(fractionOf(amount), price))),
    lot: { ...lot, owedAmount: owedAfter(requested, amount) },
    inputs: { ...exitInputs(input), ...(isBalanceShort ? balance : {}) },
  };
}

interface ExitBounds {
  readonly requested: Fraction;
  readonly available: Fraction;
  readonly price: Fraction;
  readonly pair: CopyPair;
  readonly step: Decimal;
}

/** Returns the amount of the next exit order. It includes a remainder that would be too small to sell later. */
function exitAmountOf({ requested, available, price, pair, step }: ExitBounds): Decimal {
  const isRemainderTradable = (amount: Decimal) => {
    const remainder = floorTo(minus(available, fractionOf(amount)), step);
    return findMinimumViolation(remainder, price, pair) === null;
  };
  const requestedAmount = floorTo(requested, step);
  const amount = isRemainderTradable(requestedAmount) ? requestedAmount : floorTo(available, step);
  const cap = marketCap(price, pair);
  if (cap === null || !isLess(cap, fractionOf(amount))) return amount;
  const maxAmount = floorTo(cap, step);
  if (isRemainderTradable(maxAmount)) return maxAmount;
  const minRemainder = fractionOf(minTradableAmount(price, pair, step));
  return floorTo(greaterOf(minus(available, minRemainder), ZERO), step);
}

const exitOrder = (side: CopyOrder['side'], amount: Decimal, reserved: Decimal): CopyOrder => ({
  type: 'MARKET',
  side,
  timeInForce: 'GTC',
  price: null,
  amount,
  reduceOnly: true,
  reserved,
});

const owedAfter = (requested: Fraction, amount: Decimal): Decimal =>
  roundDown(greaterOf(minus(requested, fractionOf(amount)), ZERO));

/** Returns the share of the leader's lot that the leader's exit closed. */
function exitFraction({ signal }: CopyInput): Fraction {
  const [exit, before] = [fractionOf(signal.exitAmount), fractionOf(signal.lotAmountBefore)];
  const one = { numerator: 1n, denominator: 1n };
  if (signal.kind === 'CLOSE') return one;
  return isAboveZero(before) ? lesserOf(dividedBy(exit, before), one) : ZERO;
}

/**
 * Reduces the amount that the lot carries to its next entry, by the share of the exit. A closed lot carries nothing.
 * The requested amount is owed until `sizeExit` deducts what its order sells.
 */
function lotAfterExit(lot: Lot, requested: Fraction, share: Fraction): Lot {
  const owedAmount = roundDown(requested);
  if (lot.ratio === null) return { ...lot, owedAmount };
  const carried = dueOf(ratioOfLot(lot.ratio), fractionOf(lot.seenAmount), lot);
  return { ...forgo(lot, times(carried, share)), owedAmount };
}

const ratioOfLot = (ratio: NonNullable<Lot['ratio']>): Fraction => ({
  numerator: BigInt(ratio.numerator),
  denominator: BigInt(ratio.denominator),
});

function frozenRatio({ copier }: CopyInput): Fraction | null {
  const ratio = copier.lot?.ratio ?? null;
  return ratio === null ? null : ratioOfLot(ratio);
}

/** Returns the lot's stored state, which does not include the held amount. */
function storedLot({ copier }: CopyInput): Lot | null {
  if (copier.lot === null) return null;
  const { heldAmount: _, ...lot } = copier.lot;
  return lot;
}

/**
 * Returns the lot with `seenAmount` raised to the leader's cumulative amount. A new lot forgoes the leader's fills
 * before this signal.
 */
function lotAtEntry(input: CopyInput, terms: CopyTerms, ratio: Fraction): Lot {
  const { cumulativeAmount, filledAmount } = input.signal;
  const cumulative = fractionOf(cumulativeAmount);
  const stored = storedLot(input);
  if (stored !== null && stored.ratio !== null) {
    return { ...stored, seenAmount: roundDown(greaterOf(cumulative, fractionOf(stored.seenAmount))) };
  }
  const earlier = greaterOf(minus(cumulative, fractionOf(filledAmount)), ZERO);
  return {
    ratio: { numerator: String(ratio.numerator), denominator: String(ratio.denominator) },
    terms,
    sentAmount: '0',
    sentQuote: '0',
    forgoneAmount: roundDown(times(ratio, earlier)),
    seenAmount: roundDown(cumulative),
    owedAmount: '0',
  };
}

/** Adds to the forgone amount, rounded down so that the lot never forgoes more than the due amount. */
const forgo = (lot: Lot, amount: Fraction): Lot => ({
  ...lot,
  forgoneAmount: roundDown(plus(fractionOf(lot.forgoneAmount), amount)),
});

const capInputs = ({ rule, limit }: Cap, amount: Decimal, price: Fraction): PlanInputs => ({
  rule,
  value: rule === 'max_amount' ? amount : roundUp(times(fractionOf(amount), price)),
  limit,
});

const entryInputs = ({ signal, now }: CopyInput): PlanInputs => ({
  reference_price: signal.referencePrice,
  leader_amount: signal.cumulativeAmount,
  age_ms: now.getTime() - signal.signalAt.getTime(),
});

const lotInputs = (lot: Lot): PlanInputs => ({
  ratio: lot.ratio === null ? null : roundDown(ratioOfLot(lot.ratio)),
  sent_before: lot.sentAmount,
  forgone_before: lot.forgoneAmount,
});

const exitInputs = ({ signal, copier }: CopyInput): PlanInputs => ({
  reference_price: signal.referencePrice,
  exit_amount: signal.exitAmount,
  lot_amount_before: signal.lotAmountBefore,
  held: copier.lot?.heldAmount ?? '0',
});
