/**
 * Settles decisions: records how their orders ended, and places orders for the amounts that exits still owe.
 *
 * 1. Any worker can process any unsettled decision that is due, even after other workers died. The result of an ended
 *    order is written in one transaction with the verdict or the next order. One worker at a time settles the exits of
 *    a signal; the others continue with other signals.
 * 2. The amount of an exit is determined once, after the lot's earlier orders have ended. What its order does not sell
 *    is owed. The owed amount is ordered again under a new id, only after the previous order is proven to have ended.
 *    This repeats until everything is sold, the copier holds nothing of the lot, or the copier is paused.
 * 3. An exit below the exchange's minimum stays pending. It does not delay later exits of the lot: the next one carries
 *    it, and one order sells the amounts of both. Otherwise it is tried again when the price or the lot has grown, and
 *    at least every minute. Its owner is notified once.
 * 4. An entry is never ordered again.
 * 5. If an entry fills after the CLOSE decision of its lot was settled, that decision is reopened to sell the fill.
 */
import type { Decimal } from '@trading-automation/contracts';
import { inTransaction, type Tx, tryTransactionLock } from '@trading-automation/persistence';
import type { Platform } from '../../platform/index.js';
import { type Signal, signalsAfter } from '../../strategies/index.js';
import { type NewCopyTrade, placeCopies } from '../../trades/index.js';
import { BigDecimal } from '../../values/index.js';
import type { PlannedSignal } from '../planning/plan.types.js';
import { plannedSignalOf } from '../planning/planned-signal.js';
import { hasOrder, tradeOf } from './copied-order.js';
import { raiseHighWaterMarks } from './copier-marks.queries.js';
import { databaseNow, lockForCopying } from './copy-inputs.queries.js';
import { planCopies } from './copy-planner.service.js';
import type { DecisionRow } from './decision.view.js';
import { upsertCopiedLots } from './decisions.queries.js';
import { isDeterministicFailure } from './deterministic-failure.js';
import { addOrderFills, exitChangesOf, isUnderfilled } from './exit-changes.js';
import { groupBy } from './group-by.js';
import type { PlannedCopy } from './plan-batch.js';
import {
  addOwed,
  clearOwed,
  type DecisionChange,
  dueDecisions,
  lockCarriedExits,
  lockOpenDecisions,
  type OpenDecision,
  owingCopiers,
  reopenClosings,
  signalById,
  takeOpenDecisions,
  wakeWaitingExits,
  writeDecisions,
} from './settlement.queries.js';
import { entryVerdict } from './settlement.rules.js';
import { emitDelays, emitSkips } from './store-plans.js';

const BATCH_DECISIONS = 500;

export interface CopySettlementOptions {
  /** Called after each step, within its transaction. An error rolls the transaction back. */
  readonly onStep?: (step: SettlementStep) => void | Promise<void>;
}
export type SettlementStep = 'counted' | 'ordered' | 'written';

type SettlementWork = (tx: Tx, ids: readonly string[]) => Promise<number>;

export class CopySettlement {
  constructor(
    private readonly platform: Platform,
    private readonly options: CopySettlementOptions = {},
  ) {}

  /**
   * Settles decisions that are due. Returns the number of changed decisions; 0 if no decision was due, or if other workers
   * settle them.
   * A decision that cannot be settled does not delay the others; its error is thrown once they are settled.
   */
  async settleNext(): Promise<number> {
    const { database } = this.platform;
    const due = await dueDecisions(database.manager, BATCH_DECISIONS);
    const entries = due.filter(({ isExit }) => !isExit).map(({ id }) => id);
    const failures: unknown[] = [];
    const attempt = async (ids: readonly string[], work: SettlementWork): Promise<number> => {
      try {
        return await inTransaction(database, (tx) => work(tx, ids));
      } catch (error) {
        if (ids.length > 1 && isDeterministicFailure(error)) {
          const middle = Math.floor(ids.length / 2);
          return (await attempt(ids.slice(0, middle), work)) + (await attempt(ids.slice(middle), work));
        }
        failures.push(error);
        return 0;
      }
    };
    let count = 0;
    if (entries.length > 0) count += await attempt(entries, (tx, ids) => this.settleEntries(tx, ids));
    for (const [signalId, exits] of groupBy(
      due.filter(({ isExit }) => isExit),
      (exit) => exit.signalId,
    )) {
      const exitIds = exits.map(({ id }) => id);
      count += await attempt(exitIds, (tx, ids) => this.settleExits(tx, signalId, ids));
    }
    if (failures.length > 0) throw failures[0];
    return count;
  }

  /**
   * Reopens CLOSE decisions that were settled too early, and makes exits due that were below the exchange's minimum and
   * no longer are. `settleNext` continues with them. Returns their number.
   */
  async reopen(): Promise<number> {
    const { database } = this.platform;
    const reopened = await inTransaction(database, reopenClosings);
    return reopened + (await inTransaction(database, wakeWaitingExits));
  }

  private async settleEntries(tx: Tx, ids: readonly string[]): Promise<number> {
    const decisions = await takeOpenDecisions(tx, ids);
    const changes = decisions.map((decision): DecisionChange => {
      const counted = addOrderFills(decision, decision);
      const ended = endedOrderOf(decision);
      const verdict = ended === null ? decision : entryVerdict(decision, ended);
      return { ...counted, outcome: verdict.outcome, code: verdict.code, isSettled: true };
    });
    await this.write(tx, decisions, changes);
    return changes.length;
  }

  private async settleExits(tx: Tx, signalId: string, ids: readonly string[]): Promise<number> {
    if (!(await tryTransactionLock(tx, `copy settlement ${signalId}`))) return 0;
    const owners = await ownersOf(tx, ids);
    await lockForCopying(tx, owners.accountIds, owners.copierIds);
    const decisions = await lockOpenDecisions(tx, ids);
    if (decisions.length === 0) return 0;
    const { strategyId, sequence } = await signalById(tx, signalId);
    const [signal] = await signalsAfter(tx, strategyId, sequence - 1, 1);
    const carried = groupBy(
      await lockCarriedExits(
        tx,
        signalId,
        decisions.map(({ copierId }) => copierId),
      ),
      ({ copierId }) => copierId,
    );
    const changes = await this.planExitChanges(tx, signal!, decisions, carried);
    await this.write(tx, [...decisions, ...[...carried.values()].flat()], changes);
    await raiseHighWaterMarks(
      tx,
      decisions.filter(({ orderStatus }) => orderStatus !== null).map(({ copierId }) => copierId),
    );
    return changes.length;
  }

  private async planExitChanges(
    tx: Tx,
    signal: Signal,
    decisions: readonly OpenDecision[],
    carriedExits: ReadonlyMap<string, readonly OpenDecision[]>,
  ): Promise<DecisionChange[]> {
    await addOwed(tx, signal.lotTradeId, unfilledAmounts(decisions));
    await clearOwed(
      tx,
      signal.lotTradeId,
      decisions.filter(({ isAbandoned }) => isAbandoned).map(({ copierId }) => copierId),
    );
    await this.options.onStep?.('counted');
    const owing = await owingCopiers(
      tx,
      signal,
      decisions.map(({ copierId }) => copierId),
    );
    const plans = new Map<string, PlannedCopy>();
    for (const isApplied of [true, false]) {
      const toPlan = decisions.filter((each) => each.isApplied === isApplied && needsPlan(each, owing));
      if (toPlan.length === 0) continue;
      const ids = toPlan.map(({ copierId }) => copierId);
      const plannedSignal = isApplied ? signalForRemainder(signal) : plannedSignalOf(signal);
      const now = await databaseNow(tx);
      for (const copy of await planCopies(tx, signal, ids, { now, plannedSignal, ignoresPause: true })) {
        plans.set(copy.candidate.copier.id, copy);
      }
    }
    const trades = ordersOf(signal, decisions, plans);
    await placeCopies(tx, [...trades.values()]);
    await this.options.onStep?.('ordered');
    await upsertCopiedLots(
      tx,
      signal,
      [...plans].flatMap(([copierId, { candidate, plan }]) => {
        const symbol = candidate.copier.pair?.symbol ?? null;
        return plan === null || plan.lot === null ? [] : [{ copierId, symbol, lot: plan.lot }];
      }),
    );
    return decisions.flatMap((decision) => {
      const { copierId } = decision;
      const carried = carriedExits.get(copierId) ?? [];
      return exitChangesOf({ decision, carried, copy: plans.get(copierId), trade: trades.get(copierId) });
    });
  }

  private async write(
    tx: Tx,
    decisions: readonly OpenDecision[],
    changes: readonly DecisionChange[],
  ): Promise<void> {
    const rows = await writeDecisions(tx, changes);
    await this.options.onStep?.('written');
    const copiers = decisions.map(
      ({ copierId, userId, copierStatus: status }) => [copierId, { userId, status }] as const,
    );
    await emitSkips(tx, rows, new Map(copiers));
    await emitDelays(tx, rowsToReport(rows, decisions, changes), new Map(copiers));
  }
}

/** Returns the delayed exits whose owner was not notified of a delay of the lot before. */
function rowsToReport(
  rows: readonly DecisionRow[],
  decisions: readonly OpenDecision[],
  changes: readonly DecisionChange[],
): DecisionRow[] {
  const reportedCopiers = new Set(
    decisions.flatMap(({ copierId, isDelayReported }) => (isDelayReported ? [copierId] : [])),
  );
  const delayed = new Set(changes.flatMap(({ id, isDelayReported }) => (isDelayReported ? [id] : [])));
  return rows.filter(({ id, copier_id }) => delayed.has(id) && !reportedCopiers.has(copier_id));
}

async function ownersOf(
  tx: Tx,
  ids: readonly string[],
): Promise<{ accountIds: string[]; copierIds: string[] }> {
  const rows: { account_id: string; copier_id: string }[] = await tx.query(
    'SELECT exchange_account_id AS account_id, copier_id FROM decisions WHERE id = ANY ($1)',
    [ids],
  );
  return {
    accountIds: [...new Set(rows.map(({ account_id }) => account_id))],
    copierIds: rows.map(({ copier_id }) => copier_id),
  };
}

function endedOrderOf(decision: OpenDecision) {
  if (decision.orderStatus === null) return null;
  return {
    status: decision.orderStatus,
    cancelReason: decision.orderCancelReason,
    failureCode: decision.orderFailureCode,
    amount: decision.orderAmount,
    filledAmount: decision.orderFilledAmount,
  };
}

/** Returns the amounts that ended orders left unfilled, by copier. */
function unfilledAmounts(decisions: readonly OpenDecision[]): Map<string, Decimal> {
  const left = new Map<string, Decimal>();
  for (const { copierId, isAbandoned, orderStatus, orderAmount, orderFilledAmount } of decisions) {
    if (orderStatus === null || isAbandoned) continue;
    const amount = new BigDecimal(orderAmount).minus(orderFilledAmount);
    if (amount.gt(0)) left.set(copierId, amount.toString());
  }
  return left;
}

function needsPlan(decision: OpenDecision, owing: ReadonlySet<string>): boolean {
  if (decision.isAbandoned || isUnderfilled(decision)) return false;
  return !decision.isApplied || owing.has(decision.copierId);
}

/**
 * Returns the signal as the input for a later order of an exit. A REDUCE then requests no new amount, so that only the
 * owed amount is sold. A CLOSE sells everything.
 */
function signalForRemainder(signal: Signal): PlannedSignal {
  const planned = plannedSignalOf(signal);
  return signal.kind === 'CLOSE' ? planned : { ...planned, exitAmount: '0' };
}

function ordersOf(
  signal: Signal,
  decisions: readonly OpenDecision[],
  plans: ReadonlyMap<string, PlannedCopy>,
): Map<string, NewCopyTrade> {
  const trades = new Map<string, NewCopyTrade>();
  for (const { copierId, attempt } of decisions) {
    const copy = plans.get(copierId);
    if (copy === undefined) continue;
    const { plan, arrivalPrice } = copy;
    if (!hasOrder(plan)) continue;
    const { copier } = copy.candidate;
    trades.set(copierId, tradeOf({ signal, copier, plan, arrivalPrice, attempt: attempt + 1 }));
  }
  return trades;
}
