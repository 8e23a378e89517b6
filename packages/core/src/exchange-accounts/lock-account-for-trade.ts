import { DomainError, decodeId, type TradingType } from '@trading-automation/contracts';
import type { Balances } from '@trading-automation/exchanges';
import { queryPrepared, selectionOf, selectPrepared, type Tx } from '@trading-automation/persistence';

import { type Actor, idNotFound } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { ExchangeAccountEntity } from './exchange-account.entity.js';
import { accountInactiveError } from './exchange-accounts.service.js';
import { callWorker } from './worker-calls.js';

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
  const id = decodeId('exa', publicId);
  const shown = selectionOf(tx.connection, ExchangeAccountEntity, 'a', FOR_TRADE);
  const own = 'FROM exchange_accounts a WHERE a.id = $1 AND a.user_id = $2 AND a.deleted_at IS NULL';
  const [account] =
    id === null ? [] : await selectPrepared(tx, shown, `${own} FOR NO KEY UPDATE`, [id, actor.userId]);
  if (account === undefined) throw noSuchAccount();
  if (!account.isActive) throw accountInactiveError();
  return account;
}

const FOR_TRADE = ['id', 'exchange', 'tradingType', 'balances', 'isActive'] as const;

/** Has whoever else places orders on these accounts wait until the transaction ends. In the order that everybody locks in. */
export async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<void> {
  await queryPrepared(tx, 'SELECT FROM exchange_accounts WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [
    ids,
  ]);
}

/**
 * Locks every account of the user that is not removed (such have nothing open) until the transaction ends, as `lockAccountForTrade` does with one: trades that are
 * being placed are waited for, and others wait. In the order of their ids, so that two who do so can't block each other.
 */
export async function lockAccountsOf(tx: Tx, userId: string): Promise<void> {
  await tx.query(
    `SELECT FROM exchange_accounts WHERE user_id = $1 AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`,
    [userId],
  );
}

/** Has the worker read the balances of an account that nobody has read yet; whether it is there is judged elsewhere. */
export async function syncIfNeverSynced(platform: Platform, actor: Actor, publicId: string): Promise<void> {
  const id = decodeId('exa', publicId);
  if (id === null) return;
  const [account] = await queryPrepared(
    platform.database.manager,
    `SELECT id FROM exchange_accounts
     WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL AND is_active AND balances_taken_at IS NULL`,
    [id, actor.userId],
  );
  if (account !== undefined) await callWorker(platform, 'exchange_account.sync', { account_id: id });
}

/** The uuid of the actor's account that a filter names; removed accounts too. @throws {DomainError} `not_found` */
export async function resolveAccountFilter(tx: Tx, actor: Actor, publicId: string): Promise<string> {
  const id = decodeId('exa', publicId);
  const [row] =
    id === null
      ? []
      : await tx.query('SELECT id FROM exchange_accounts WHERE id = $1 AND user_id = $2', [id, actor.userId]);
  if (row !== undefined) return row.id;
  throw noSuchAccount();
}

function noSuchAccount(): DomainError {
  return idNotFound('exchange_account_id', 'exchange account');
}
