import {
  type Copier,
  type CopierStatus,
  type CopierStatusReason,
  stoppedCopier as stoppedCopierSchema,
} from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { Any } from 'typeorm';
import { lockUser } from '../access/index.js';
import { emitEvents } from '../operations/index.js';
import { CopierEntity } from './copier.entity.js';
import { abandonDecisions, cancelOrdersOf } from './copying/abandon-copies.js';
import { refreshLosses, resetPeaks } from './copying/copier-marks.queries.js';
import { viewCopiers, viewStoppedCopiers } from './view-copiers.js';

export interface CopierStopReason {
  readonly status: Exclude<CopierStatus, 'ACTIVE'>;
  readonly reason: CopierStatusReason;
}

/**
 * Pauses all copiers of the user, and emits `copier.stopped` for each that was not paused. Waits for a start in
 * progress, and pauses that copier too. Cancels no orders: the caller cancels all orders of the user.
 */
export async function pauseAllCopiers(tx: Tx, userId: string): Promise<Copier[]> {
  await lockUser(tx, userId);
  const stop = { status: 'PAUSED', reason: 'USER' } as const;
  const stopped = await markStopped(tx, "user_id = $1 AND status <> 'PAUSED'", userId, stop);
  await emitStops(tx, stopped);
  return viewCopiers(tx, stopped);
}

/** Pauses all users' copiers of a strategy that is about to be deleted. */
export async function pauseCopiersOfStrategy(tx: Tx, strategyId: string): Promise<void> {
  const stop = { status: 'PAUSED', reason: 'STRATEGY_ARCHIVED' } as const;
  await stopWhere(tx, "strategy_id = $1 AND status <> 'PAUSED'", strategyId, stop);
}

/** Switches all users' active copiers of an archived strategy to CLOSE_ONLY. */
export async function setCopiersToCloseOnly(tx: Tx, strategyId: string): Promise<void> {
  const stop = { status: 'CLOSE_ONLY', reason: 'STRATEGY_ARCHIVED' } as const;
  await stopWhere(tx, "strategy_id = $1 AND status = 'ACTIVE'", strategyId, stop);
}

/** Stops a copier, whatever its status is. The caller has locked it. */
export async function stopCopier(tx: Tx, id: string, stop: CopierStopReason): Promise<CopierEntity> {
  const [copier] = await stopWhere(tx, 'id = $1', id, stop);
  if (copier === undefined) throw new Error(`copier ${id} disappeared while it was locked`);
  return copier;
}

/**
 * Stops a copier, unless its status is already the requested one or a stricter one. Also stops a copier that was
 * started after the caller selected it. Returns whether the status changed.
 */
export async function stopRunning(tx: Tx, id: string, stop: CopierStopReason): Promise<boolean> {
  const statusCondition = stop.status === 'PAUSED' ? "status <> 'PAUSED'" : "status = 'ACTIVE'";
  return (await stopWhere(tx, `id = $1 AND ${statusCondition}`, id, stop)).length > 0;
}

async function stopWhere(
  tx: Tx,
  condition: string,
  param: string,
  stop: CopierStopReason,
): Promise<CopierEntity[]> {
  const copiers = await markStopped(tx, condition, param, stop);
  await cancelOrdersOf(
    tx,
    copiers.map(({ id }) => id),
    stop.status,
  );
  await emitStops(tx, copiers);
  return copiers;
}

/** Changes the status of the copiers. Locks them in the order of their ids, so that two calls cannot deadlock. */
async function markStopped(
  tx: Tx,
  condition: string,
  param: string,
  stop: CopierStopReason,
): Promise<CopierEntity[]> {
  const locked: { id: string; reason: CopierStatusReason | null }[] = await tx.query(
    `SELECT id, status_reason AS reason FROM copiers WHERE ${condition} AND deleted_at IS NULL
     ORDER BY id FOR NO KEY UPDATE`,
    [param],
  );
  const ids = locked.map(({ id }) => id);
  await tx.query(
    `UPDATE copiers SET status = $2, status_reason = $3, stopped_at = clock_timestamp(),
       updated_at = clock_timestamp()
     WHERE id = ANY ($1)`,
    [ids, stop.status, stop.reason],
  );
  await endDrawdowns(
    tx,
    locked.filter(({ reason }) => reason === 'DRAWDOWN').map(({ id }) => id),
  );
  if (stop.status === 'PAUSED') await abandonDecisions(tx, ids);
  return tx.find(CopierEntity, { where: { id: Any(ids) }, order: { id: 'ASC' } });
}

/**
 * Resets the peaks of copiers that a drawdown had stopped before. A start does so by the reason, which this stop replaces;
 * the drawdown would stop the copier again after the next start.
 */
async function endDrawdowns(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await refreshLosses(tx, ids);
  await resetPeaks(tx, ids);
}

async function emitStops(tx: Tx, copiers: readonly CopierEntity[]): Promise<void> {
  const records = await viewStoppedCopiers(tx, copiers);
  const type = 'copier.stopped';
  const events = copiers.map(({ userId }, index) => {
    return { userId, type, schema: stoppedCopierSchema, record: records[index]! } as const;
  });
  await emitEvents(tx, events);
}
