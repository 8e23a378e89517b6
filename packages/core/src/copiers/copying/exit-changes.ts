/**
 * Computes how a decision changes when its order ends, or when an exit is planned again.
 *
 * An exit that waits without an order is carried by the next exit of its lot: one order sells the amounts of both. Its
 * fills belong to the carried exits first, oldest first, and then to the exit that placed the order.
 */
import type { Decimal } from '@trading-automation/contracts';
import type { NewCopyTrade } from '../../trades/index.js';
import { BigDecimal, roundToStep } from '../../values/index.js';
import { decisionInputs, withoutReason, withReason } from './decision-inputs.js';
import type { PlannedCopy } from './plan-batch.js';
import type { DecisionChange, OpenDecision } from './settlement.queries.js';
import { exitVerdict, retryAfterMs, slippageBps, type Verdict } from './settlement.rules.js';
import { isWaitingExit, ownTargetOf, waitingExitRetryMs } from './waiting-exits.js';

/** Delay before the next check of an exit that waits for another order. */
const IN_FLIGHT_RETRY_MS = 250;
/** Delay before the next check of an exit that waits for its account. */
const BLOCKED_RETRY_MS = 5_000;

/** Filled amount and cost. */
interface FilledShare {
  readonly amount: BigDecimal;
  readonly cost: BigDecimal;
}

/** Adds fills of the ended order to the decision; by default all of them. */
export function addOrderFills(
  decision: OpenDecision,
  order: OpenDecision,
  share?: FilledShare,
): DecisionChange {
  const hasEnded = order.orderStatus !== null;
  const filled = share?.amount ?? new BigDecimal(hasEnded ? order.orderFilledAmount : 0);
  const cost = share?.cost ?? new BigDecimal(hasEnded ? order.orderCost : 0);
  const filledAmount = new BigDecimal(decision.filledAmount).plus(filled).toString();
  const filledCost = new BigDecimal(decision.filledCost).plus(cost).toString();
  const { signalAt, kind } = decision;
  const { orderSubmittedAt } = order;
  const side = order.orderSide ?? (kind === 'REDUCE' || kind === 'CLOSE' ? 'SELL' : 'BUY');
  const latencyMs =
    orderSubmittedAt === null ? null : latencyOf(orderSubmittedAt.getTime() - signalAt.getTime());
  return {
    id: decision.id,
    outcome: decision.outcome,
    code: decision.code,
    inputs: decision.inputs,
    targetAmount: decision.targetAmount,
    sentAmount: BigDecimal.max(decision.sentAmount, filledAmount).toString(),
    filledAmount,
    filledCost,
    tradeId: decision.tradeId,
    pendingTradeId: null,
    attempt: decision.attempt,
    isApplied: decision.isApplied,
    latencyMs: decision.latencyMs ?? latencyMs,
    slippageBps: hidesSlippage(decision, filled, order.amountStep)
      ? null
      : slippageBps(side, decision.referencePrice, filledAmount, filledCost),
    isSettled: false,
    nextCheckInMs: 0,
    isDelayReported: false,
  };
}

/**
 * Returns true if the average price of the fills would reveal what the exit requested. An order that sells several exits is
 * divided between them in proportion to the leader's amounts, so the average price of parts of several orders has the digits
 * of these amounts. Only decisions on another user's strategy have a masked target.
 */
function hidesSlippage({ inputs, filledAmount }: OpenDecision, filled: BigDecimal, step: Decimal): boolean {
  const before = new BigDecimal(filledAmount);
  if (inputs.masked_target === undefined || !before.gt(0) || !filled.gt(0)) return false;
  return !isWhole(before, step) || !isWhole(filled, step);
}

const isWhole = (amount: BigDecimal, step: Decimal) => amount.eq(roundToStep(amount.toString(), step));

/** The maximum of the integer column, about 25 days. An exit may have waited longer. */
const LATENCY_MAX_MS = 2 ** 31 - 1;
const latencyOf = (ms: number) => Math.min(Math.max(0, ms), LATENCY_MAX_MS);

/** Returns true if the order ended without filling its full amount. The next order is then placed after a delay. */
export function isUnderfilled({ orderStatus, orderAmount, orderFilledAmount }: OpenDecision): boolean {
  return orderStatus !== null && new BigDecimal(orderFilledAmount).lt(orderAmount);
}

/** An exit with the earlier exits of its lot that it carries, oldest first. */
export interface LeadingExit {
  readonly decision: OpenDecision;
  readonly carried: readonly OpenDecision[];
  /** The plan of its next order; undefined if none is planned now. */
  readonly copy: PlannedCopy | undefined;
  readonly trade: NewCopyTrade | undefined;
}

/** Returns the changes of the exit and of the exits that it carries. */
export function exitChangesOf(exit: LeadingExit): DecisionChange[] {
  const { decision, carried } = exit;
  const fills: DecisionChange[] = [];
  let rest: FilledShare = {
    amount: new BigDecimal(decision.orderStatus === null ? 0 : decision.orderFilledAmount),
    cost: new BigDecimal(decision.orderStatus === null ? 0 : decision.orderCost),
  };
  for (const each of carried) {
    const amount = BigDecimal.min(unfilledOf(each), rest.amount);
    const cost = amount.eq(rest.amount) ? rest.cost : rest.cost.times(amount).div(rest.amount);
    rest = { amount: rest.amount.minus(amount), cost: rest.cost.minus(cost) };
    const tradeId = amount.isZero() ? each.tradeId : decision.tradeId;
    fills.push({ ...addOrderFills(each, decision, { amount, cost }), tradeId });
  }
  const stillCarried = fills.reduce((sum, each) => sum.plus(unfilledOf(each)), new BigDecimal(0));
  const own = changeOf(exit, addOrderFills(decision, decision, rest), stillCarried);
  const step = decision.amountStep;
  return [
    own,
    ...fills.flatMap((each, index) => {
      const isFilled = new BigDecimal(each.filledAmount).gte(each.targetAmount);
      if (own.isSettled || isFilled) {
        const code = isFilled ? null : (own.code ?? 'NOT_HELD');
        return [settledWith(each, exitVerdict({ ...each, amountStep: step }, code))];
      }
      const hasGrown = !new BigDecimal(each.filledAmount).eq(carried[index]!.filledAmount);
      // A carried exit is checked again when the exit that carries it has ended.
      return hasGrown ? [{ ...each, nextCheckInMs: own.nextCheckInMs }] : [];
    }),
  ];
}

const unfilledOf = ({ targetAmount, filledAmount }: { targetAmount: Decimal; filledAmount: Decimal }) =>
  BigDecimal.max(0, new BigDecimal(targetAmount).minus(filledAmount));

function changeOf(
  { decision, copy, trade, carried }: LeadingExit,
  counted: DecisionChange,
  stillCarried: BigDecimal,
): DecisionChange {
  const progress = { ...counted, amountStep: decision.amountStep };
  if (copy === undefined) {
    if (isUnderfilled(decision) && !decision.isAbandoned) {
      return { ...counted, nextCheckInMs: retryAfterMs(decision.attempt) };
    }
    const code = decision.isAbandoned ? 'NOT_ACTIVE' : null;
    return settledWith(counted, exitVerdict(progress, code));
  }
  const { plan, candidate } = copy;
  if (plan === null) {
    const waitsForOrders = candidate.holdings.hasOrdersInFlight || candidate.copier.isAccountActive;
    return { ...counted, nextCheckInMs: waitsForOrders ? IN_FLIGHT_RETRY_MS : BLOCKED_RETRY_MS };
  }
  const targetAmount = decision.isApplied
    ? counted.targetAmount
    : ownTargetOf(plan.targetAmount, candidate.holdings.pendingExitAmount);
  const inputs = decision.isApplied
    ? withReason(counted.inputs, plan)
    : decisionInputs(plan, candidate.holdings.maskedPendingAmount);
  const planned = { ...counted, targetAmount, inputs, isApplied: true };
  if (trade !== undefined) {
    const ordered = BigDecimal.max(0, new BigDecimal(trade.order.amount).minus(stillCarried));
    const sentAmount = BigDecimal.max(counted.sentAmount, ordered.plus(counted.filledAmount)).toString();
    return {
      ...planned,
      outcome: plan.outcome,
      code: plan.code,
      tradeId: trade.id,
      pendingTradeId: trade.id,
      attempt: decision.attempt + 1,
      sentAmount,
    };
  }
  const isDust =
    new BigDecimal(counted.filledAmount).gt(0) && new BigDecimal(plan.targetAmount).lt(decision.amountStep);
  if (isWaitingExit(plan) && !isDust) {
    return {
      ...planned,
      outcome: plan.outcome,
      code: plan.code,
      nextCheckInMs: waitingExitRetryMs(plan),
      isDelayReported:
        plan.code === 'BELOW_MINIMUM' ||
        [decision, ...carried].some(({ isDelayReported }) => isDelayReported),
    };
  }
  return settledWith(planned, exitVerdict({ ...progress, targetAmount }, plan.code));
}

/** Settles a decision. A reason why it waited is removed if it was filled after all. */
function settledWith(change: DecisionChange, verdict: Verdict): DecisionChange {
  const inputs = verdict.code === null ? withoutReason(change.inputs) : change.inputs;
  return { ...change, ...verdict, inputs, isSettled: true };
}
