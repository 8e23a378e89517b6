/** Stores plans in the caller's transaction: orders, lot states, decisions and events. */
import { decision as decisionSchema } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { emitEvents } from '../../operations/index.js';
import type { Signal } from '../../strategies/index.js';
import { type NewCopyTrade, placeCopies } from '../../trades/index.js';
import { hasOrder, tradeOf } from './copied-order.js';
import { type DecisionRow, viewDecision } from './decision.view.js';
import { insertDecisions, type NewDecision, upsertCopiedLots } from './decisions.queries.js';
import { isExit, type PlannedCopy } from './plan-batch.js';

export type StoringStep = 'ordered' | 'decided';

/**
 * Stores the plans. The transaction has locked the copiers. A decision that a copier already has on the signal is
 * replaced only if its code is NOT_ACTIVE.
 */
export async function storePlans(
  tx: Tx,
  signal: Signal,
  planned: readonly PlannedCopy[],
  now: Date,
  onStep?: (step: StoringStep) => void | Promise<void>,
): Promise<void> {
  const trades = new Map<string, NewCopyTrade>();
  for (const { candidate, plan } of planned) {
    const { copier } = candidate;
    if (hasOrder(plan)) trades.set(copier.id, tradeOf({ signal, copier, plan, attempt: 1 }));
  }
  await placeCopies(tx, [...trades.values()]);
  await onStep?.('ordered');
  await upsertCopiedLots(
    tx,
    signal,
    planned.flatMap(({ candidate: { copier }, plan }) =>
      plan === null || plan.lot === null ? [] : [{ copierId: copier.id, lot: plan.lot }],
    ),
  );
  const decisions = planned.map((copy) => decisionOf(signal, copy, trades.get(copy.candidate.copier.id)));
  const rows = await insertDecisions(tx, signal, decisions, now);
  await onStep?.('decided');
  await emitSkips(tx, rows, new Map(planned.map(({ candidate: { copier } }) => [copier.id, copier])));
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
    tradeId: null,
    isApplied: true,
    isSettled: true,
  };
  const decision = { userId, copierId, accountId, ...failed, ...withoutOrder };
  const rows = await insertDecisions(tx, signal, [decision], now);
  await emitSkips(tx, rows, new Map([[copierId, copier!]]));
}

function decisionOf(
  signal: Pick<Signal, 'kind'>,
  { candidate: { copier }, plan }: PlannedCopy,
  trade: NewCopyTrade | undefined,
): NewDecision {
  const owner = { userId: copier.userId, copierId: copier.id, accountId: copier.accountId };
  if (plan === null) {
    const waiting = {
      outcome: 'COPIED',
      code: null,
      inputs: {},
      targetAmount: '0',
      sentAmount: '0',
    } as const;
    return { ...owner, ...waiting, tradeId: null, isApplied: false, isSettled: false };
  }
  return {
    ...owner,
    outcome: plan.outcome,
    code: plan.code,
    inputs: plan.inputs,
    targetAmount: plan.targetAmount,
    sentAmount: plan.order?.amount ?? '0',
    tradeId: trade?.id ?? null,
    isApplied: true,
    isSettled: trade === undefined && !(isExit(signal) && isRetried(plan.code)),
  };
}

/** Returns true if an exit that was skipped with this code is retried, because the cause may pass. */
export function isRetried(code: NewDecision['code']): boolean {
  return code === 'INSUFFICIENT_BALANCE' || code === 'PAIR_UNAVAILABLE';
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
