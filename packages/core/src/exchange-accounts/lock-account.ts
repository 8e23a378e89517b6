import { decodeId, type TradingType } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

import { type Actor, idNotFound } from '../operations/index.js';

/** What a strategy or a copier has to know of its account. */
export interface LockedAccount {
  readonly id: string;
  readonly exchange: string;
  readonly tradingType: TradingType;
  /** False once the exchange refused its credentials, or once it is removed. */
  readonly isActive: boolean;
  readonly isRemoved: boolean;
}

/**
 * An account that isn't removed or refused by its exchange before the transaction ends: who removes it waits, and sees
 * then what was made on it.
 */
export async function lockAccountShared(tx: Tx, id: string): Promise<LockedAccount> {
  const [account]: LockedAccount[] = await tx.query(
    `SELECT id, exchange, trading_type AS "tradingType", is_active AS "isActive",
       deleted_at IS NOT NULL AS "isRemoved"
     FROM exchange_accounts WHERE id = $1 FOR SHARE`,
    [id],
  );
  if (account === undefined) throw new Error('a record names an exchange account that was never there');
  return account;
}

/** As {@link lockAccountShared}, of the actor's own. @throws {DomainError} `not_found`, naming the field of a body */
export async function lockOwnAccountShared(tx: Tx, actor: Actor, publicId: string): Promise<LockedAccount> {
  const id = decodeId('exa', publicId);
  const [own] =
    id === null
      ? []
      : await tx.query('SELECT id FROM exchange_accounts WHERE id = $1 AND user_id = $2', [id, actor.userId]);
  const account = own === undefined ? undefined : await lockAccountShared(tx, own.id);
  if (account !== undefined && !account.isRemoved) return account;
  throw idNotFound('exchange_account_id', 'exchange account');
}
