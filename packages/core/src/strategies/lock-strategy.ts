import { DomainError, decodeId, type StrategyStatus } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

import { type Actor, idNotFound } from '../operations/index.js';
import { IS_LISTED, IS_OPEN } from './listed-strategies.queries.js';
import { hasCopierOf } from './strategies.queries.js';

/** The fields of a strategy that a copier or a trade needs. */
export interface LockedStrategy {
  readonly id: string;
  readonly exchangeAccountId: string;
  /** Null: any pair of the account's exchange. */
  readonly tradePairIds: readonly string[] | null;
  /** For a user other than the owner, a strategy that is no longer public is archived. */
  readonly status: StrategyStatus;
  readonly userId: string;
  /** Whether copiers of other users may have the sizing mode MULTIPLIER. */
  readonly allowMultiplier: boolean;
  /** The maximum number of linked copiers; null: unlimited. */
  readonly capacity: number | null;
  readonly isDeleted: boolean;
}

const COLUMNS = `id, user_id AS "userId", exchange_account_id AS "exchangeAccountId", trade_pair_ids AS "tradePairIds",
  status, capacity, allow_multiplier AS "allowMultiplier", deleted_at IS NOT NULL AS "isDeleted"`;

/** Locks a strategy, even a removed one, against changes until the transaction ends. */
export async function lockStrategyShared(tx: Tx, id: string): Promise<LockedStrategy> {
  const [strategy]: LockedStrategy[] = await tx.query(
    `SELECT ${COLUMNS} FROM strategies WHERE id = $1 FOR SHARE`,
    [id],
  );
  if (strategy === undefined) throw new Error(`strategy ${id} is referenced but does not exist`);
  return strategy;
}

/**
 * Locks one of the actor's strategies for a trade until the transaction ends.
 *
 * @throws {DomainError} `not_found` for the field `strategy_id`
 */
export async function lockStrategyForTrade(tx: Tx, actor: Actor, publicId: string): Promise<LockedStrategy> {
  const [strategy]: LockedStrategy[] = await tx.query(
    `SELECT ${COLUMNS} FROM strategies WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL FOR SHARE`,
    [decodeId('str', publicId), actor.userId],
  );
  if (strategy === undefined) throw unknownStrategy('strategy_id');
  return strategy;
}

/**
 * Locks a strategy that a copier will follow: one of the actor's, or a listed strategy of another user. The caller
 * rejects an archived one. The lock makes transactions link copiers to the strategy one after another, so that they cannot exceed its capacity.
 *
 * @param field the field of the body that contains the id, for the error
 * @throws {DomainError} `not_found`
 */
export async function lockStrategyToFollow(
  tx: Tx,
  actor: Actor,
  publicId: string,
  field?: string,
): Promise<LockedStrategy> {
  const [strategy]: (LockedStrategy & { readonly isOpen: boolean })[] = await tx.query(
    `SELECT ${COLUMNS}, user_id = $2 OR ${IS_OPEN('strategies')} AS "isOpen" FROM strategies
     WHERE id = $1 AND ((user_id = $2 AND deleted_at IS NULL) OR ${IS_LISTED('strategies')})
     FOR NO KEY UPDATE`,
    [decodeId('str', publicId), actor.userId],
  );
  if (strategy === undefined) throw unknownStrategy(field);
  const isArchived = !strategy.isOpen || strategy.isDeleted;
  return isArchived ? { ...strategy, status: 'ARCHIVED' } : strategy;
}

/**
 * Returns the uuid of the strategy by which a list is filtered. The actor may filter by one of their own strategies,
 * even a removed one, by a listed strategy, and by a strategy that they have copied.
 *
 * @throws {DomainError} `not_found`
 */
export async function resolveStrategyFilter(tx: Tx, actor: Actor, publicId: string): Promise<string> {
  const [strategy] = await tx.query(
    `SELECT id, user_id = $2 OR ${IS_LISTED('strategies')} AS is_visible
     FROM strategies WHERE id = $1`,
    [decodeId('str', publicId), actor.userId],
  );
  if (strategy === undefined) throw unknownStrategy('strategy_id');
  if (!strategy.is_visible && !(await hasCopierOf(tx, actor.userId, strategy.id))) {
    throw unknownStrategy('strategy_id');
  }
  return strategy.id;
}

export function unknownStrategy(field?: string): DomainError {
  if (field === undefined) return new DomainError('not_found');
  return idNotFound(field, 'strategy');
}
