/** Stores plans in the caller's transaction: orders, lot states, decisions and events. */
import { decision as decisionSchema } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { emitEvents } from '../../operations/index.js';
import type { Signal } from '../../strategies/index.js';
import { type NewCopyTrade, placeCopies } from '../../trades/index.js';
import type { CopyPlan } from '../planning/plan.types.js';
import { hasOrder, tradeOf } from './copied-order.js';
import { type DecisionRow, viewDecision } from './decision.view.js';
import { decisionInputs } from './decision-inputs.js';
import { insertDecisions, type NewDecision, type Replaced, upsertCopiedLots } from './decisions.queries.js';
import { isExit, type PlannedCopy } from './plan-batch.js';
import { isWaitingExit, ownTargetOf, waitingExitRetryMs } from './waiting-exits.js';

export type StoringStep = 'ordered' | 'decided';

export interface StoringOptions {
  /** The existing decisions that are replaced, if they never had an order. Default: NOT_ACTIVE. */
  readonly replaced?: Replaced;
  /** Called after each step, within the transaction. */
  readonly onStep?: ((step: StoringStep) => void | Promise<void>) | undefined;
}

/** Stores the plans. The transaction has locked the copiers. @throws if an order would have no decision */
export async function storePlans(
  tx: Tx,
  signal: Signal,
  planned: readonly PlannedCopy[],
  now: Date,
  { replaced, onStep }: StoringOptions = {},
): Promise<void> {
  const trades = new Map<string, NewCopyTrade>();
  for (const { candidate, plan, arrivalPrice } of planned) {
    const { copier } = candidate;
    if (hasOrder(plan)) trades.set(copier.id, tradeOf({ signal, copier, plan, arrivalPrice, attempt: 1 }));
  }
  await placeCopies(tx, [...trades.values()]);
  await onStep?.('ordered');
  await upsertCopiedLots(
    tx,
    signal,
    planned.flatMap(({ candidate: { copier }, plan }) =>
      plan === null || plan.lot === null
        ? []
        : [{ copierId: copier.id, symbol: copier.pair?.symbol ?? null, lot: plan.lot }],
    ),
  );
  const decisions = planned.map((copy) => decisionOf(signal, copy, trades.get(copy.candidate.copier.id)));
  const rows = await insertDecisions(tx, signal, decisions, now, replaced);
  const decided = new Set(rows.map(({ copier_id }) => copier_id));
  for (const copierId of trades.keys()) {
    if (!decided.has(copierId)) throw new Error(`Copier ${copierId} already has a decision on the signal.`);
  }
  await onStep?.('decided');
  const copiers = new Map(planned.map(({ candidate: { copier } }) => [copier.id, copier]));
  await emitSkips(tx, rows, copiers);
  const delayed = planned.filter(({ candidate, plan }) =>
    reportsDelay(plan, candidate.holdings.isDelayReported),
  );
  const delayedIds = new Set(delayed.map(({ candidate: { copier } }) => copier.id));
  await emitDelays(
    tx,
    isExit(signal) ? rows.filter(({ copier_id }) => delayedIds.has(copier_id)) : [],
    copiers,
  );
}

/** Stores a FAILED decision for a copier whose numbers make planning fail. No decision code fits this cause. */
export async function storeFailedCopy(tx: Tx, signal: Signal, copierId: string, now: Date): Promise<void> {
  const [copier] = await queryPrepared<{ userId: string; accountId: string; status: string }>(
    tx,
    'SELECT user_id AS "userId", exchange_account_id AS "accountId", status FROM copiers WHERE id = $1',
    [copierId],
  );
  const { userId, accountId } = copier!;
  const failed = { outcome: 'FAILED', code: null, inputs: { rule: 'planning' } } as const;
  const withoutOrder = {
    targetAmount: '0',
    sentAmount: '0',
    perfectAmount: null,
    tradeId: null,
    isApplied: true,
    isSettled: true,
    nextCheckInMs: 0,
    isDelayReported: false,
  };
  const decision = { userId, copierId, accountId, ...failed, ...withoutOrder };
  const rows = await insertDecisions(tx, signal, [decision], now);
  await emitSkips(tx, rows, new Map([[copierId, copier!]]));
}

function decisionOf(
  signal: Pick<Signal, 'kind'>,
  { candidate: { copier, holdings }, plan, perfectAmount }: PlannedCopy,
  trade: NewCopyTrade | undefined,
): NewDecision {
  const owner = { userId: copier.userId, copierId: copier.id, accountId: copier.accountId, perfectAmount };
  const withoutDelay = { nextCheckInMs: 0, isDelayReported: false };
  if (plan === null) {
    const waiting = {
      outcome: 'COPIED',
      code: null,
      inputs: {},
      targetAmount: '0',
      sentAmount: '0',
    } as const;
    return { ...owner, ...waiting, tradeId: null, isApplied: false, isSettled: false, ...withoutDelay };
  }
  const isWaiting = isExit(signal) && isWaitingExit(plan);
  const pending = isExit(signal) ? holdings.pendingExitAmount : '0';
  return {
    ...owner,
    ...withoutDelay,
    outcome: plan.outcome,
    code: plan.code,
    inputs: decisionInputs(plan, isExit(signal) ? holdings.maskedPendingAmount : '0'),
    targetAmount: ownTargetOf(plan.targetAmount, pending),
    sentAmount: ownTargetOf(plan.order?.amount ?? '0', pending),
    tradeId: trade?.id ?? null,
    isApplied: true,
    isSettled: trade === undefined && !isWaiting,
    ...(isWaiting
      ? {
          nextCheckInMs: waitingExitRetryMs(plan),
          isDelayReported: plan.code === 'BELOW_MINIMUM',
        }
      : {}),
  };
}

/** Returns true if the owner must be notified that the exit is below the exchange's minimum. */
function reportsDelay(plan: CopyPlan | null, isReported: boolean): boolean {
  return plan !== null && !isReported && plan.code === 'BELOW_MINIMUM' && isWaitingExit(plan);
}

/** Emits `copier.exit_delayed` for these decisions. */
export async function emitDelays(
  tx: Tx,
  rows: readonly DecisionRow[],
  copiers: ReadonlyMap<string, { readonly userId: string }>,
): Promise<void> {
  await emitEvents(
    tx,
    rows.map((row) => ({
      userId: copiers.get(row.copier_id)!.userId,
      type: 'copier.exit_delayed' as const,
      schema: decisionSchema,
      record: viewDecision(row),
    })),
  );
}

/**
 * Emits `copier.trade_skipped` for settled decisions that skipped the signal or failed. Omits skips of a paused copier,
 * and skips because the copier does not hold the lot.
 */
export async function emitSkips(
  tx: Tx,
  rows: readonly DecisionRow[],
  copiers: ReadonlyMap<string, { readonly userId: string; readonly status: string }>,
): Promise<void> {
  const emitted = rows.filter(({ copier_id, outcome, code, settled_at }) => {
    if (settled_at === null || (outcome !== 'SKIPPED' && outcome !== 'FAILED')) return false;
    return code !== 'NOT_HELD' && !(code === 'NOT_ACTIVE' && copiers.get(copier_id)?.status === 'PAUSED');
  });
  await emitEvents(
    tx,
    emitted.map((row) => ({
      userId: copiers.get(row.copier_id)!.userId,
      type: 'copier.trade_skipped' as const,
      schema: decisionSchema,
      record: viewDecision(row),
    })),
  );
}
