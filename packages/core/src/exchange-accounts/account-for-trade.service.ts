import { DomainError, decodeId, type TradingType } from '@trading-automation/contracts';
import type { Balances } from '@trading-automation/exchanges';
import type { Tx } from '@trading-automation/persistence';
import type { Actor } from '../access/index.js';
import { findOwn, inactive } from './exchange-accounts.service.js';

/** What a trade has to know of its account. */
export interface AccountForTrade {
  readonly id: string;
  readonly exchange: string;
  readonly tradingType: TradingType;
  readonly balances: Balances;
}

/**
 * The actor's account, locked until the transaction ends: trades of one account are weighed one after the other.
 *
 * @throws {DomainError} `not_found`, `invalid_state`
 */
export async function lockAccountForTrade(tx: Tx, actor: Actor, publicId: string): Promise<AccountForTrade> {
  const { id } = await findOwn(tx, actor, publicId, 'exchange_account_id');
  await tx.query('SELECT 1 FROM exchange_accounts WHERE id = $1 FOR UPDATE', [id]);
  // Read again under the lock: the account may have changed while it was waited for.
  const account = await findOwn(tx, actor, publicId, 'exchange_account_id');
  if (!account.isActive) throw inactive();
  const { exchange, tradingType, balances } = account;
  return { id, exchange, tradingType, balances };
}

/** The uuid of the actor's account that a filter names; removed accounts too. @throws {DomainError} `not_found` */
export async function accountOfFilter(tx: Tx, actor: Actor, publicId: string): Promise<string> {
  const id = decodeId('exa', publicId);
  const [row] =
    id === null
      ? []
      : await tx.query('SELECT id FROM exchange_accounts WHERE id = $1 AND user_id = $2', [id, actor.userId]);
  if (row !== undefined) return row.id;
  throw new DomainError('not_found', undefined, [
    { field: 'exchange_account_id', code: 'not_found', message: 'No such exchange account.' },
  ]);
}
