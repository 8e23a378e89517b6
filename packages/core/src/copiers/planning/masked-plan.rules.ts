/**
 * Determines what a user other than the strategy's owner may know of a plan. Pure.
 *
 * A copier chooses its sizing, limits and balance, can start again, and can have any number of copiers. So a number that is
 * computed from an exact amount of the leader reveals that amount, however few digits it has: the user varies the settings and
 * sees where the number changes. Every number of a plan is therefore computed a second time, from the leader's equity, amounts
 * and fractions of two significant digits (`coarseSignal`) and from what the copier knows: its own orders and holdings.
 *
 * 1. The amount that an entry requests is that of its order, if no limit reduces it; otherwise that of the second plan.
 * 2. An entry without an order has the reason of the second plan, unless that plan sends an order.
 * 3. The numbers of a reason are those of the second plan, if it has the same reason; otherwise they are unknown.
 * 4. What is planned, ordered and carried follows from exact amounts alone, except rule 2.
 */
import type { Decimal } from '@trading-automation/contracts';
import { coarse } from '../../values/index.js';
import { coarseSignal } from './coarse-signal.rules.js';
import { isCarried, type Lot, ratioOfLot } from './copied-lot.rules.js';
import { checkEntry } from './entry-checks.rules.js';
import {
  type Fraction,
  fractionOf,
  greaterOf,
  minus,
  plus,
  roundDown,
  times,
  ZERO,
} from './fraction.rules.js';
import type { CopiedLotState, CopyInput, CopyOrder, CopyPlan, ExactPlan, PlanInputs } from './plan.types.js';
import { dueOf, ratioOf } from './sizing.rules.js';

type Planner = (input: CopyInput) => ExactPlan;
/** A lot with a ratio. */
type Rated<L extends Lot> = L & { readonly ratio: NonNullable<Lot['ratio']> };

/** Returns the plan of an entry as the copier's user may know it. @param planEntry plans exactly */
export function maskEntry(input: CopyInput, plan: ExactPlan, planEntry: Planner): CopyPlan {
  const lot = isRated(plan.lot)
    ? { ...plan.lot, maskedForgone: forgoneAfterEntry(input, plan, plan.lot) }
    : plan.lot;
  if (fillsRequest(plan)) return { ...plan, maskedTarget: plan.order.amount, lot };
  const masked = planEntry(maskedInput(input));
  return { ...plan, ...withReasonOf(plan, masked), maskedTarget: masked.targetAmount, lot };
}

/** Returns the plan of an exit as the copier's user may know it. Its code is exact. @param planExit plans exactly */
export function maskExit(input: CopyInput, plan: ExactPlan, planExit: Planner): CopyPlan {
  const masked = planExit(maskedInput(input));
  const lot = isRated(plan.lot) ? { ...plan.lot, maskedForgone: masked.lot!.forgoneAmount } : plan.lot;
  return { ...plan, inputs: inputsWith(plan, masked), maskedTarget: masked.targetAmount, lot };
}

/**
 * Returns what a perfect copy of the entry buys, as the copier's user may know it; null if the ratio is unknown. An order that
 * no limit reduces counts as perfect, without what the lot carried.
 */
export function maskedPerfectAmount(input: CopyInput, plan: ExactPlan): Decimal | null {
  if (fillsRequest(plan)) {
    const ordered = fractionOf(plan.order.amount);
    return roundDown(greaterOf(minus(ordered, carriedBy(input.copier.lot)), ZERO));
  }
  const { signal, account, copier } = maskedInput(input);
  const { lot } = copier;
  const ratio = isRated(lot)
    ? ratioOfLot(lot.ratio)
    : ratioOf({ signal, account }, lot?.terms ?? copier.terms);
  if (ratio === null) return null;
  const amount = times(ratio, fractionOf(signal.filledAmount));
  return roundDown(plan.outcome === 'CLAMPED' ? greaterOf(amount, fractionOf(plan.order!.amount)) : amount);
}

/** Returns what the lot carries to its next entry, as the copier's user may know it. */
function carriedBy(lot: CopiedLotState | null): Fraction {
  if (!isRated(lot)) return ZERO;
  return dueOf(maskedRatioOfLot(lot), fractionOf(coarse(lot.seenAmount)), maskedLot(lot));
}

const isRated = <L extends Lot>(lot: L | null): lot is Rated<L> => lot !== null && lot.ratio !== null;

/** Returns true if the plan orders what the entry requests, but for the amount step. */
const fillsRequest = (plan: ExactPlan): plan is ExactPlan & { readonly order: CopyOrder } =>
  plan.outcome === 'COPIED' && plan.inputs.rounded_up !== true;

function withReasonOf(plan: ExactPlan, masked: ExactPlan): Pick<ExactPlan, 'code' | 'inputs'> {
  if (plan.order !== null) return { code: plan.code, inputs: inputsWith(plan, masked) };
  if (masked.order === null) return { code: masked.code, inputs: masked.inputs };
  const { rounded_up: _, ...inputs } = plan.inputs;
  return { code: plan.code, inputs: { ...inputs, value: null } };
}

/** Returns the inputs of the plan, with the numbers of its reason as the masked plan has them. */
function inputsWith(plan: ExactPlan, masked: ExactPlan): PlanInputs {
  const { value, missing_amount: _, ...inputs } = plan.inputs;
  if (value === undefined) return inputs;
  const { rule, value: known = null, missing_amount: missing } = masked.inputs;
  if (rule !== inputs.rule) return { ...inputs, value: null };
  return { ...inputs, value: known, ...(missing === undefined ? {} : { missing_amount: missing }) };
}

function maskedInput(input: CopyInput): CopyInput {
  const { signal, copier } = input;
  const { lot, maskedPendingAmount } = copier;
  const known = lot === null ? null : { ...maskedLot(lot), owedAmount: maskedPendingAmount };
  return { ...input, signal: maskedSignal(signal), copier: { ...copier, lot: known } };
}

function maskedSignal(signal: CopyInput['signal']): CopyInput['signal'] {
  const { lotOrderAmount, ...amounts } = coarseSignal({
    leaderEquity: signal.leaderEquity,
    lotOrderAmount: signal.leaderOrderAmount,
    filledAmount: signal.filledAmount,
    cumulativeAmount: signal.cumulativeAmount,
    lotAmountBefore: signal.lotAmountBefore,
    exitAmount: signal.exitAmount,
  });
  return { ...signal, ...amounts, leaderOrderAmount: lotOrderAmount };
}

/** Returns the lot as the copier's user may know it. Its order amounts and what it holds are the user's own. */
function maskedLot(lot: CopiedLotState): CopiedLotState {
  if (!isRated(lot)) return lot;
  const { numerator, denominator } = maskedRatioOfLot(lot);
  return {
    ...lot,
    ratio: { numerator: String(numerator), denominator: String(denominator) },
    seenAmount: coarse(lot.seenAmount),
    // A lot of the previous release has nothing left to buy.
    forgoneAmount: lot.maskedForgone ?? unsentOf(lot),
  };
}

const maskedRatioOfLot = (lot: Rated<Lot>): Fraction =>
  fractionOf(lot.maskedRatio ?? coarse(roundDown(ratioOfLot(lot.ratio))));

/** Returns everything that the lot's entries requested so far, as the copier's user may know it. */
const requestedOf = (lot: Rated<Lot>): Fraction =>
  times(maskedRatioOfLot(lot), fractionOf(coarse(lot.seenAmount)));

/** Returns what was requested and not sent. It is below zero after orders that were larger than the masked amounts. */
const unsentOf = (lot: Rated<Lot>): Decimal => roundDown(minus(requestedOf(lot), fractionOf(lot.sentAmount)));

/** Returns what the lot forgoes after an entry. After an order, nothing is left to buy, so errors of rounding never add up. */
function forgoneAfterEntry(input: CopyInput, plan: ExactPlan, lot: Rated<Lot>): Decimal {
  const { lot: before } = input.copier;
  const terms = before?.terms ?? input.copier.terms;
  if (isCarried(plan.code, terms)) {
    return isRated(before) ? maskedLot(before).forgoneAmount : forgoneBefore(input, lot);
  }
  if (!isRated(before) || checkEntry(input, terms) === null) return unsentOf(lot);
  const added = minus(requestedOf(lot), requestedOf(before));
  return roundDown(plus(fractionOf(maskedLot(before).forgoneAmount), added));
}

/** Returns what a new lot forgoes: the leader's fills before its first entry. */
function forgoneBefore({ signal }: CopyInput, lot: Rated<Lot>): Decimal {
  const { cumulativeAmount, filledAmount } = maskedSignal(signal);
  return roundDown(
    times(maskedRatioOfLot(lot), minus(fractionOf(cumulativeAmount), fractionOf(filledAmount))),
  );
}
