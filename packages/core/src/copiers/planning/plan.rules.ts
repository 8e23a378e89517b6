/**
 * What a copier does about one signal of its strategy: pure, and the only place where it is decided. Live copying,
 * simulation and the tests ask the same function.
 *
 * Entries
 * 1. The target of a lot is ratio × what the leader's trade has filled in all. What was sent and what was forgone is
 *    taken off, so that neither the order of signals nor their repetition buys anything twice.
 * 2. A signal that was skipped is answered for good: its amount is forgone, and no later signal makes up for it.
 *    Rounding, and an amount below the exchange's minimum that may be added up, are carried within the lot.
 * 3. A fixed size is the size of the leader's whole order: each of its fills takes its part of it. The first fill
 *    can't take it all, as the leader may fill no more than that; nor may every fill, as an order that is filled in
 *    five parts would cost five times the sum. `max_trade_quote` bounds the lot for the same reason.
 * 4. Amounts are rounded down, prices towards the leader's, and minima tested on what comes out. Nothing is rounded
 *    before: ratios and remainders are fractions.
 * 5. Limits cut; a copy that they cut below the minimum is skipped for the limit's sake. A balance that does not
 *    suffice skips and never cuts: it was planned to be there, and part of a size is not what was asked for.
 * 6. All bounds are those of the lot's first entry, whatever the copier is set to now.
 *
 * Exits
 * 7. They take the same part of the copier's lot as the leader's exit took of its own; the last takes all. Nothing
 *    but a pause and the exchange itself holds them back.
 * 8. What is too little for an order is owed and taken with the next exit; an exit that would leave too little to be
 *    sold takes that as well.
 * 9. Never more than the lot holds, never more than is free.
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
  const refusal = checkEntry(input, terms);
  if (refusal !== null) return rejectedEntry(input, refusal);
  const ratio = frozenRatio(input) ?? ratioOf(input, terms);
  if (ratio === null) {
    const rule = signal.leaderEquity === null ? 'leader_equity' : 'equity';
    return rejectedEntry(input, { code: 'STALE_EQUITY', rule, value: null, limit: null });
  }
  const lot = lotAtEntry(input, terms, ratio);
  const due = dueOf(ratio, fractionOf(lot.seenAmount), lot);
  return sizeEntry({ input, terms, lot, due, pair: input.account.pair! });
}

/** An entry that was not sized: a lot that is there gives up what the signal adds, and keeps what it carried. */
function rejectedEntry(input: CopyInput, { code, ...found }: EntryRejection): CopyPlan {
  const ratio = frozenRatio(input);
  const kept = storedLot(input);
  const inputs = { ...entryInputs(input), ...found };
  const refused = { outcome: 'SKIPPED', code, targetAmount: '0', order: null, inputs } as const;
  if (kept === null || ratio === null) return { ...refused, lot: kept };
  const lot = lotAtEntry(input, kept.terms, ratio);
  const added = minus(fractionOf(lot.seenAmount), fractionOf(kept.seenAmount));
  return { ...refused, lot: forgo(lot, times(ratio, added)) };
}

/** An entry on its way to an order. */
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
  const wanted = floorTo(due, pair.amountStep);
  const cap = tightestBelow(caps, fractionOf(wanted));
  const cut = cap === null ? null : capInputs(cap, wanted, price);
  const amount = cap === null ? wanted : floorTo(cap.amount, pair.amountStep);
  const shortfall = findMinimumViolation(amount, price, pair);
  if (shortfall === null) return reserve(entry, { amount, limitPrice, cap, inputs: cut ?? {} });
  if (cap !== null) return skipped(entry, cap.code, { limit_price: limitPrice, ...cut });
  const raised = terms.belowMinimum === 'ROUND_UP' ? roundedUpAmount(entry, price, caps) : null;
  if (raised !== null) {
    return reserve(entry, { amount: raised, limitPrice, cap, inputs: { rounded_up: true, ...shortfall } });
  }
  return skipped(entry, 'BELOW_MINIMUM', { limit_price: limitPrice, ...shortfall });
}

/** The exchange's minimum, where no bound is below it and it is no more than twice what was asked for. */
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

/** The last check: whether what the order takes is free. */
function reserve(entry: Entry, { amount, limitPrice, cap, inputs }: Sized): CopyPlan {
  const { lot, due, input } = entry;
  const { side } = input.signal;
  const cost = roundUp(times(fractionOf(amount), fractionOf(limitPrice)));
  const reserved = side === 'BUY' ? cost : amount;
  const free = side === 'BUY' ? input.account.freeQuote : input.account.freeBase;
  const seen = { ...inputs, limit_price: limitPrice };
  if (isLess(fractionOf(free), fractionOf(reserved))) {
    const rule = side === 'BUY' ? 'free_quote' : 'free_base';
    return skipped(entry, 'INSUFFICIENT_BALANCE', { ...seen, rule, value: reserved, limit: free });
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
    inputs: { ...entryInputs(input), ...lotInputs(lot), ...seen },
  };
}

function skipped({ input, terms, lot, due }: Entry, code: DecisionCode, found: PlanInputs): CopyPlan {
  const isCarried = code === 'BELOW_MINIMUM' && terms.belowMinimum !== 'SKIP' && isAboveZero(due);
  const isNew = input.copier.lot === null;
  return {
    outcome: 'SKIPPED',
    code,
    targetAmount: roundDown(due),
    order: null,
    lot: isCarried ? lot : isNew ? null : forgo(lot, due),
    inputs: { ...entryInputs(input), ...lotInputs(lot), ...found },
  };
}

function planExit(input: CopyInput): CopyPlan {
  const { signal, copier, account } = input;
  const kept = storedLot(input);
  const refuse = (code: DecisionCode, found: PlanInputs, lot: Lot | null): CopyPlan => {
    const inputs = { ...exitInputs(input), ...found };
    return { outcome: 'SKIPPED', code, targetAmount: '0', order: null, lot, inputs };
  };
  if (copier.status === 'PAUSED') {
    return refuse('NOT_ACTIVE', { rule: 'status', value: copier.status, limit: 'CLOSE_ONLY' }, kept);
  }
  const held = fractionOf(copier.lot?.heldAmount ?? '0');
  const owed = lesserOf(fractionOf(copier.lot?.owedAmount ?? '0'), held);
  const asked = signal.kind === 'CLOSE' ? held : plus(owed, times(minus(held, owed), exitFraction(input)));
  const lot = kept === null ? null : lotAfterExit(kept, asked, exitFraction(input));
  if (lot === null || !isAboveZero(held)) {
    return refuse('NOT_HELD', { rule: 'held', value: '0', limit: null }, lot);
  }
  if (account.pair === null) {
    return refuse('PAIR_UNAVAILABLE', { rule: 'pair', value: signal.symbol, limit: null }, lot);
  }
  return sizeExit({ input, lot, held, asked, pair: account.pair });
}

interface Exit {
  readonly input: CopyInput;
  readonly pair: CopyPair;
  readonly lot: Lot;
  readonly held: Fraction;
  readonly asked: Fraction;
}

function sizeExit({ input, pair, lot, held, asked }: Exit): CopyPlan {
  const { side, referencePrice } = input.signal;
  const price = fractionOf(pair.lastPrice ?? referencePrice);
  const step = marketStepOf(pair);
  const free = side === 'SELL' ? greaterOf(fractionOf(input.account.freeBase), ZERO) : held;
  const available = lesserOf(held, free);
  const isShort = isLess(free, asked);
  const amount = exitAmountOf({ asked: lesserOf(asked, available), available, price, pair, step });
  const shortfall = findMinimumViolation(amount, price, pair);
  const wanted = floorTo(asked, step);
  const isLessThanAsked = isShort && isLess(fractionOf(amount), fractionOf(wanted));
  const isForBalance = isLessThanAsked && findMinimumViolation(wanted, price, pair) === null;
  const balance = { rule: 'free_base', value: wanted, limit: input.account.freeBase };
  const targetAmount = roundDown(asked);
  if (shortfall !== null) {
    const code = isForBalance ? 'INSUFFICIENT_BALANCE' : 'BELOW_MINIMUM';
    const inputs = { ...exitInputs(input), ...(isForBalance ? balance : shortfall) };
    return { outcome: 'SKIPPED', code, targetAmount, order: null, lot, inputs };
  }
  return {
    outcome: isForBalance ? 'CLAMPED' : 'COPIED',
    code: isForBalance ? 'INSUFFICIENT_BALANCE' : null,
    targetAmount,
    order: exitOrder(side, amount, side === 'SELL' ? amount : roundUp(times(fractionOf(amount), price))),
    lot: { ...lot, owedAmount: owedAfter(asked, amount) },
    inputs: { ...exitInputs(input), ...(isForBalance ? balance : {}) },
  };
}

interface ExitBounds {
  readonly asked: Fraction;
  readonly available: Fraction;
  readonly price: Fraction;
  readonly pair: CopyPair;
  readonly step: Decimal;
}

/** What can be sold now: all there is where less would leave a rest that can't be sold, one order's worth at most. */
function exitAmountOf({ asked, available, price, pair, step }: ExitBounds): Decimal {
  const isRestTradable = (amount: Decimal) => {
    const rest = floorTo(minus(available, fractionOf(amount)), step);
    return findMinimumViolation(rest, price, pair) === null;
  };
  const part = floorTo(asked, step);
  const amount = isRestTradable(part) ? part : floorTo(available, step);
  const cap = marketCap(price, pair);
  if (cap === null || !isLess(cap, fractionOf(amount))) return amount;
  const most = floorTo(cap, step);
  if (isRestTradable(most)) return most;
  const least = fractionOf(minTradableAmount(price, pair, step));
  return floorTo(greaterOf(minus(available, least), ZERO), step);
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

const owedAfter = (asked: Fraction, amount: Decimal): Decimal =>
  roundDown(greaterOf(minus(asked, fractionOf(amount)), ZERO));

/** The part of the leader's lot that its exit took. */
function exitFraction({ signal }: CopyInput): Fraction {
  const [exit, before] = [fractionOf(signal.exitAmount), fractionOf(signal.lotAmountBefore)];
  const one = { numerator: 1n, denominator: 1n };
  if (signal.kind === 'CLOSE') return one;
  return isAboveZero(before) ? lesserOf(dividedBy(exit, before), one) : ZERO;
}

/** What was carried for entries shrinks as the lot does, and dies with it. */
function lotAfterExit(lot: Lot, asked: Fraction, share: Fraction): Lot {
  const owedAmount = roundDown(asked);
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

/** The lot as it is, without what it holds. */
function storedLot({ copier }: CopyInput): Lot | null {
  if (copier.lot === null) return null;
  const { heldAmount: _, ...lot } = copier.lot;
  return lot;
}

/** The lot with this signal seen. One that begins with a later fill of the leader's forgoes the earlier ones. */
function lotAtEntry(input: CopyInput, terms: CopyTerms, ratio: Fraction): Lot {
  const { cumulativeAmount, filledAmount } = input.signal;
  const cumulative = fractionOf(cumulativeAmount);
  const kept = storedLot(input);
  if (kept !== null && kept.ratio !== null) {
    return { ...kept, seenAmount: roundDown(greaterOf(cumulative, fractionOf(kept.seenAmount))) };
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

/** Rounded down: never is more given up than was due. */
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
