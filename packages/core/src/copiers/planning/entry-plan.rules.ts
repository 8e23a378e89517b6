/** Plans entries. The rules are listed in plan.rules.ts, the only file that may import this one. */
import type { Decimal, DecisionCode } from '@trading-automation/contracts';
import {
  forgo,
  frozenRatio,
  isCarried,
  type Lot,
  lotAtEntry,
  lotInputs,
  pairInputs,
  storedLot,
} from './copied-lot.rules.js';
import { checkEntry, checkMarginRatio, type EntryRejection } from './entry-checks.rules.js';
import {
  dividedBy,
  type Fraction,
  floorTo,
  fractionOf,
  greaterOf,
  isAboveZero,
  isLess,
  minus,
  plus,
  roundDown,
  roundUp,
  times,
  ZERO,
} from './fraction.rules.js';
import type {
  CopyInput,
  CopyPair,
  CopyTerms,
  ExactPlan,
  PerpetualAccount,
  PlanInputs,
} from './plan.types.js';
import { findResaleViolation, minEntryAmount, type Resale, UNKNOWN_TAKER_FEE } from './sellable.rules.js';
import {
  type Cap,
  dueOf,
  entryCaps,
  findMinimumViolation,
  limitPriceOf,
  ratioOf,
  tightestBelow,
} from './sizing.rules.js';

export function planEntry(input: CopyInput): ExactPlan {
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
  const pair = input.account.pair!;
  const { side, referencePrice } = signal;
  const limitPrice = limitPriceOf(side, referencePrice, terms, pair);
  const entry = { input, terms, pair, lot, due };
  if (limitPrice !== null) return sizeEntry({ ...entry, limitPrice });
  return skipped(entry, 'SLIPPAGE', { rule: 'price_tick', value: referencePrice, limit: pair.priceTick });
}

/** Plans a rejected entry. An existing lot forgoes the amount that the signal adds, and keeps its carried amount. */
function rejectedEntry(input: CopyInput, { code, ...numbers }: EntryRejection): ExactPlan {
  const ratio = frozenRatio(input);
  const stored = storedLot(input);
  const inputs = { ...entryInputs(input), ...numbers };
  const skip = {
    outcome: 'SKIPPED',
    code,
    targetAmount: '0',
    order: null,
    inputs,
  } as const;
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
  readonly limitPrice: Decimal;
}

function sizeEntry(entry: Entry): ExactPlan {
  const { input, terms, pair, lot, due, limitPrice } = entry;
  const price = fractionOf(limitPrice);
  const caps = entryCaps({ input, terms, pair }, lot.sentQuote, costPriceOf(entry));
  const rounded = floorTo(due, pair.amountStep);
  const cap = tightestBelow(caps, fractionOf(rounded));
  const capNumbers = cap === null ? null : capInputs(cap, rounded, costPriceOf(entry));
  const amount = cap === null ? rounded : floorTo(cap.amount, pair.amountStep);
  // A limit that leaves nothing of the amount is the reason itself, because it comes before the margin ratio.
  const rejection = isAboveZero(fractionOf(amount)) ? checkMarginRatio(input, terms) : null;
  if (rejection !== null) {
    const { code, ...numbers } = rejection;
    return skipped(entry, code, { limit_price: limitPrice, ...numbers });
  }
  const violationOf = (size: Decimal) =>
    findMinimumViolation(size, price, pair) ?? findResaleViolation(size, resaleOf(entry));
  const violation = violationOf(rounded);
  if (violation === null && violationOf(amount) === null) {
    return reserve(entry, { amount, cap, inputs: capNumbers ?? {} });
  }
  if (violation === null && cap !== null) {
    return skipped(entry, cap.code, { limit_price: limitPrice, ...capNumbers });
  }
  const raised = terms.belowMinimum === 'ROUND_UP' ? roundedUpAmount(entry, caps) : null;
  if (raised !== null) {
    return reserve(entry, { amount: raised, cap, inputs: { rounded_up: true, ...violation } });
  }
  return skipped(entry, 'BELOW_MINIMUM', { limit_price: limitPrice, ...violation });
}

/**
 * The price at which limits on money count: for a purchase the limit price, the most that it can cost. A sale can be filled
 * above its limit price, so it counts at the leader's price.
 */
const costPriceOf = ({ input: { signal }, limitPrice }: Pick<Entry, 'input' | 'limitPrice'>): Fraction =>
  signal.side === 'SELL'
    ? greaterOf(fractionOf(signal.referencePrice), fractionOf(limitPrice))
    : fractionOf(limitPrice);

const resaleOf = ({ input, pair }: Entry): Resale => ({
  side: input.signal.side,
  referencePrice: input.signal.referencePrice,
  heldAmount: input.copier.lot?.heldAmount ?? '0',
  pair,
});

/** Returns the least amount that can be sold again, or null if that exceeds a cap or twice the due amount. */
function roundedUpAmount(entry: Entry, caps: readonly Cap[]): Decimal | null {
  const { due } = entry;
  const raised = minEntryAmount(fractionOf(entry.limitPrice), resaleOf(entry));
  const size = fractionOf(raised);
  const isTooMuch = isLess(plus(due, due), size) || tightestBelow(caps, size) !== null;
  return isTooMuch ? null : raised;
}

interface Sized {
  readonly amount: Decimal;
  readonly cap: Cap | null;
  readonly inputs: PlanInputs;
}

/** Plans the order if the amount that it reserves is free; otherwise skips the copy. */
function reserve(entry: Entry, { amount, cap, inputs }: Sized): ExactPlan {
  const { lot, due, input, limitPrice } = entry;
  const { side } = input.signal;
  const cost = roundUp(times(fractionOf(amount), costPriceOf(entry)));
  const { perpetual, freeQuote, freeBase } = input.account;
  const takesQuote = side === 'BUY' || perpetual !== undefined;
  const reserved = perpetual === undefined ? (takesQuote ? cost : amount) : marginOf(entry, cost, perpetual);
  const free = takesQuote ? freeQuote : freeBase;
  const orderInputs = { ...inputs, limit_price: limitPrice };
  if (isLess(fractionOf(free), fractionOf(reserved))) {
    const rule = takesQuote ? 'free_quote' : 'free_base';
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

/**
 * Returns the initial margin of the entry and its taker fee, as if it reduced no position of other lots. While the leverage is
 * not known, only the fee: the exchange then decides about the margin.
 */
function marginOf({ pair }: Entry, cost: Decimal, { leverage }: PerpetualAccount): Decimal {
  const margin = leverage === null ? ZERO : dividedBy(fractionOf(cost), fractionOf(leverage));
  return roundUp(plus(margin, times(fractionOf(cost), fractionOf(pair.takerFee ?? UNKNOWN_TAKER_FEE))));
}

function skipped(
  { input, terms, lot, due }: Omit<Entry, 'limitPrice'>,
  code: DecisionCode,
  numbers: PlanInputs,
): ExactPlan {
  const carries = isCarried(code, terms) && isAboveZero(due);
  const isNew = input.copier.lot === null;
  return {
    outcome: 'SKIPPED',
    code,
    targetAmount: roundDown(due),
    order: null,
    lot: carries ? lot : isNew ? null : forgo(lot, due),
    inputs: { ...entryInputs(input), ...lotInputs(lot), ...numbers },
  };
}

const capInputs = ({ rule, limit }: Cap, amount: Decimal, price: Fraction): PlanInputs => ({
  rule,
  value: rule === 'max_amount' ? amount : roundUp(times(fractionOf(amount), price)),
  limit,
});

const entryInputs = (input: CopyInput): PlanInputs => ({
  reference_price: input.signal.referencePrice,
  leader_amount: input.signal.cumulativeAmount,
  age_ms: input.now.getTime() - input.signal.signalAt.getTime(),
  ...(input.signal.copiesExisting === true ? { copy_existing: true } : {}),
  ...pairInputs(input),
});
