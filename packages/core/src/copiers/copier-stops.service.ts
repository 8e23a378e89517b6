import {
  type Copier,
  type CopierStatus,
  type CopierStatusReason,
  stoppedCopier as stoppedCopierSchema,
} from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { Any } from 'typeorm';
import { lockUser } from '../access/index.js';
import { announceAll } from '../announce.js';
import { CopierEntity } from './copier.entity.js';
import { viewCopier, viewStoppedCopier } from './copier.view.js';

export interface Stop {
  readonly status: Exclude<CopierStatus, 'ACTIVE'>;
  readonly reason: CopierStatusReason;
}

/**
 * Pauses every copier of the user that still follows its strategy, and announces `copier.stopped` of each. A start
 * that is under way is waited for, and stopped too.
 */
export async function pauseAllCopiers(tx: Tx, userId: string): Promise<Copier[]> {
  await lockUser(tx, userId);
  const stopped = await stopWhere(tx, "user_id = $1 AND status <> 'PAUSED'", userId, {
    status: 'PAUSED',
    reason: 'USER',
  });
  return stopped.map(viewCopier);
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

export async function stopCopier(tx: Tx, id: string, stop: Stop): Promise<CopierEntity> {
  const [copier] = await stopWhere(tx, 'id = $1', id, stop);
  if (copier === undefined) throw new Error('a copier was gone while it was locked');
  return copier;
}

/** Locked in the order of their ids, so that two that stop the same copiers can't block each other. */
async function stopWhere(tx: Tx, condition: string, param: string, stop: Stop): Promise<CopierEntity[]> {
  const [rows] = await tx.query(
    `UPDATE copiers SET status = $2, status_reason = $3, stopped_at = clock_timestamp(),
       updated_at = clock_timestamp()
     WHERE id IN (SELECT id FROM copiers WHERE ${condition} AND deleted_at IS NULL
                  ORDER BY id FOR NO KEY UPDATE)
     RETURNING id`,
    [param, stop.status, stop.reason],
  );
  const ids = (rows as { id: string }[]).map(({ id }) => id);
  const copiers = await tx.find(CopierEntity, { where: { id: Any(ids) }, order: { id: 'ASC' } });
  const type = 'copier.stopped';
  const told = copiers.map((copier) => {
    return {
      userId: copier.userId,
      type,
      schema: stoppedCopierSchema,
      record: viewStoppedCopier(copier),
    } as const;
  });
  await announceAll(tx, told);
  return copiers;
}
