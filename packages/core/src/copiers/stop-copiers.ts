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
import { viewCopiers, viewStoppedCopiers } from './view-copiers.js';

export interface CopierStopReason {
  readonly status: Exclude<CopierStatus, 'ACTIVE'>;
  readonly reason: CopierStatusReason;
}

/**
 * Pauses every copier of the user that still follows its strategy, and announces `copier.stopped` of each. A start that
 * is under way is waited for, and stopped too. Their orders are left to the caller, who cancels all of the user's.
 */
export async function pauseAllCopiers(tx: Tx, userId: string): Promise<Copier[]> {
  await lockUser(tx, userId);
  const stop = { status: 'PAUSED', reason: 'USER' } as const;
  const stopped = await markStopped(tx, "user_id = $1 AND status <> 'PAUSED'", userId, stop);
  await announceStops(tx, stopped);
  return viewCopiers(tx, stopped);
}

/** Pauses all that follow the strategy, whosever they are: it is about to be gone. */
export async function pauseCopiersOf(tx: Tx, strategyId: string): Promise<void> {
  const stop = { status: 'PAUSED', reason: 'STRATEGY_ARCHIVED' } as const;
  await stopWhere(tx, "strategy_id = $1 AND status <> 'PAUSED'", strategyId, stop);
}

/** Has the active copiers of an archived strategy, whosever they are, follow its exits alone. */
export async function closeOnlyCopiersOf(tx: Tx, strategyId: string): Promise<void> {
  const stop = { status: 'CLOSE_ONLY', reason: 'STRATEGY_ARCHIVED' } as const;
  await stopWhere(tx, "strategy_id = $1 AND status = 'ACTIVE'", strategyId, stop);
}

export async function stopCopier(tx: Tx, id: string, stop: CopierStopReason): Promise<CopierEntity> {
  const [copier] = await stopWhere(tx, 'id = $1', id, stop);
  if (copier === undefined) throw new Error('a copier was gone while it was locked');
  return copier;
}

/**
 * Stops a copier that did what it should not go on with, unless it is stopped as far already. A start that came
 * meanwhile is stopped, too: what it is stopped for is looked at again.
 */
export async function stopRunning(tx: Tx, id: string, stop: CopierStopReason): Promise<boolean> {
  const running = stop.status === 'PAUSED' ? "status <> 'PAUSED'" : "status = 'ACTIVE'";
  return (await stopWhere(tx, `id = $1 AND ${running}`, id, stop)).length > 0;
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
  await announceStops(tx, copiers);
  return copiers;
}

/** Locked in the order of their ids, so that two that stop the same copiers can't block each other. */
async function markStopped(
  tx: Tx,
  condition: string,
  param: string,
  stop: CopierStopReason,
): Promise<CopierEntity[]> {
  const [rows] = await tx.query(
    `UPDATE copiers SET status = $2, status_reason = $3, stopped_at = clock_timestamp(),
       updated_at = clock_timestamp()
     WHERE id IN (SELECT id FROM copiers WHERE ${condition} AND deleted_at IS NULL
                  ORDER BY id FOR NO KEY UPDATE)
     RETURNING id`,
    [param, stop.status, stop.reason],
  );
  const ids = (rows as { id: string }[]).map(({ id }) => id);
  if (stop.status === 'PAUSED') await abandonDecisions(tx, ids);
  return tx.find(CopierEntity, { where: { id: Any(ids) }, order: { id: 'ASC' } });
}

async function announceStops(tx: Tx, copiers: readonly CopierEntity[]): Promise<void> {
  const records = await viewStoppedCopiers(tx, copiers);
  const type = 'copier.stopped';
  const told = copiers.map(({ userId }, place) => {
    return { userId, type, schema: stoppedCopierSchema, record: records[place]! } as const;
  });
  await emitEvents(tx, told);
}
