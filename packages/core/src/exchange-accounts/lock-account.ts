import { decodeId, type TradingType } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

import { type Actor, idNotFound } from '../operations/index.js';

/** The fields of an account that a strategy or a copier needs. */
export interface LockedAccount {
  readonly id: string;
  readonly exchange: string;
  readonly tradingType: TradingType;
  /** False if the exchange rejected its credentials or if it is removed. */
  readonly isActive: boolean;
  readonly isRemoved: boolean;
}

/**
 * Locks an account so that it is neither removed nor deactivated before the transaction ends. A concurrent removal
 * waits, and then sees the strategy or copier that this transaction created.
 */
export async function lockAccountShared(tx: Tx, id: string): Promise<LockedAccount> {
  const [account]: LockedAccount[] = await tx.query(
    `SELECT id, exchange, trading_type AS "tradingType", is_active AS "isActive",
       deleted_at IS NOT NULL AS "isRemoved"
     FROM exchange_accounts WHERE id = $1 FOR SHARE`,
    [id],
  );
  if (account === undefined) throw new Error(`exchange account ${id} is referenced but does not exist`);
  return account;
}

/** Locks the actor's own account as {@link lockAccountShared} does. @throws {DomainError} `not_found` */
export async function lockOwnAccountShared(tx: Tx, actor: Actor, publicId: string): Promise<LockedAccount> {
  const id = decodeId('exa', publicId);
  const [row] =
    id === null
      ? []
      : await tx.query('SELECT id FROM exchange_accounts WHERE id = $1 AND user_id = $2', [id, actor.userId]);
  const account = row === undefined ? undefined : await lockAccountShared(tx, row.id);
  if (account !== undefined && !account.isRemoved) return account;
  throw idNotFound('exchange_account_id', 'exchange account');
}
