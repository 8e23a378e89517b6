/** Determines the inputs that a decision is stored with. Pure. */
import type { Decimal } from '@trading-automation/contracts';
import type { CopyPlan, PlanInputs } from '../planning/plan.types.js';
import { ownTargetOf } from './waiting-exits.js';

/** Returns the inputs of a plan as they are stored, with the masked target. `maskTarget` shows it. */
export function decisionInputs({ inputs, maskedTarget }: CopyPlan, maskedPendingAmount: Decimal): PlanInputs {
  return maskedTarget === null
    ? inputs
    : { ...inputs, masked_target: ownTargetOf(maskedTarget, maskedPendingAmount) };
}

/** Keys of the inputs that say why an exit waits. */
const REASON_KEYS: readonly string[] = ['rule', 'value', 'limit', 'missing_amount'];

/** Replaces the reason why an exit waits; removes it if the plan has an order. */
export function withReason(inputs: PlanInputs, plan: CopyPlan): PlanInputs {
  const reason = Object.entries(plan.inputs).filter(([key]) => REASON_KEYS.includes(key));
  return { ...withoutReason(inputs), ...Object.fromEntries(reason) };
}

/** Removes the reason why an exit waited. */
export function withoutReason(inputs: PlanInputs): PlanInputs {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !REASON_KEYS.includes(key)));
}
