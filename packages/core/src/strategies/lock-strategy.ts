import { DomainError, decodeId, type StrategyStatus } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

import { type Actor, idNotFound } from '../operations/index.js';
import { hasCopierOf } from './strategies.queries.js';

/** What a copier or a trade has to know of its strategy. */
export interface LockedStrategy {
  readonly id: string;
  readonly exchangeAccountId: string;
  /** Null: any pair of the account's exchange. */
  readonly tradePairIds: readonly string[] | null;
  readonly status: StrategyStatus;
  /** Most copiers that may be linked; null: no bound. */
  readonly capacity: number | null;
  readonly isDeleted: boolean;
}

const HELD = `id, exchange_account_id AS "exchangeAccountId", trade_pair_ids AS "tradePairIds", status, capacity,
  deleted_at IS NOT NULL AS "isDeleted"`;

/** A strategy, also one that was removed, which stays as it is until the transaction ends. */
export async function lockStrategyShared(tx: Tx, id: string): Promise<LockedStrategy> {
  const [strategy]: LockedStrategy[] = await tx.query(
    `SELECT ${HELD} FROM strategies WHERE id = $1 FOR SHARE`,
    [id],
  );
  if (strategy === undefined) throw new Error('a record names a strategy that was never there');
  return strategy;
}

/**
 * The actor's own strategy, for a trade that is its signal; it stays as it is until the transaction ends.
 *
 * @throws {DomainError} `not_found`, naming the field of a trade
 */
export async function lockStrategyForTrade(tx: Tx, actor: Actor, publicId: string): Promise<LockedStrategy> {
  const [strategy]: LockedStrategy[] = await tx.query(
    `SELECT ${HELD} FROM strategies WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL FOR SHARE`,
    [decodeId('str', publicId), actor.userId],
  );
  if (strategy === undefined) throw unknownStrategy('strategy_id');
  return strategy;
}

/**
 * The actor's own strategy, or another user's active public one, for copiers that are to follow it. Links to one
 * strategy are made one after the other, so that its capacity holds.
 *
 * @param field - the field of the body that names it, for the refusal
 * @throws {DomainError} `not_found`
 */
export async function lockStrategyToFollow(
  tx: Tx,
  actor: Actor,
  publicId: string,
  field?: string,
): Promise<LockedStrategy> {
  const [strategy]: LockedStrategy[] = await tx.query(
    `SELECT ${HELD} FROM strategies
     WHERE id = $1 AND deleted_at IS NULL AND (user_id = $2 OR (visibility = 'PUBLIC' AND status = 'ACTIVE'))
     FOR NO KEY UPDATE`,
    [decodeId('str', publicId), actor.userId],
  );
  if (strategy === undefined) throw unknownStrategy(field);
  return strategy;
}

/**
 * The uuid of a strategy that a filter names: the actor's own, removed ones too, one that can be read, or one that
 * the actor copied.
 *
 * @throws {DomainError} `not_found`
 */
export async function resolveStrategyFilter(tx: Tx, actor: Actor, publicId: string): Promise<string> {
  const [strategy] = await tx.query(
    `SELECT id, user_id = $2 OR (visibility = 'PUBLIC' AND status = 'ACTIVE' AND deleted_at IS NULL) AS is_open
     FROM strategies WHERE id = $1`,
    [decodeId('str', publicId), actor.userId],
  );
  if (strategy === undefined) throw unknownStrategy('strategy_id');
  if (!strategy.is_open && !(await hasCopierOf(tx, actor.userId, strategy.id))) {
    throw unknownStrategy('strategy_id');
  }
  return strategy.id;
}

export function unknownStrategy(field?: string): DomainError {
  if (field === undefined) return new DomainError('not_found');
  return idNotFound(field, 'strategy');
}
