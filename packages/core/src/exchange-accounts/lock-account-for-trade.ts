import { DomainError, decodeId, type TradingType } from '@trading-automation/contracts';
import type { Balances } from '@trading-automation/exchanges';
import { queryPrepared, selectionOf, selectPrepared, type Tx } from '@trading-automation/persistence';

import { type Actor, idNotFound } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { ExchangeAccountEntity } from './exchange-account.entity.js';
import { accountInactiveError } from './exchange-account.errors.js';
import { callWorker } from './worker-calls.js';

/** The fields of an account that a trade needs. */
export interface AccountForTrade {
  readonly id: string;
  readonly exchange: string;
  readonly tradingType: TradingType;
  readonly balances: Balances;
}

/**
 * Locks the actor's account, and those that share its wallet, until the transaction ends, so that trades of one wallet are
 * checked serially.
 *
 * @throws {DomainError} `not_found`; `invalid_state` if the account is inactive
 */
export async function lockAccountForTrade(tx: Tx, actor: Actor, publicId: string): Promise<AccountForTrade> {
  const id = decodeId('exa', publicId);
  const selection = selectionOf(tx.connection, ExchangeAccountEntity, 'a', FOR_TRADE);
  const locked = id === null ? [] : await selectPrepared(tx, selection, OF_WALLET, [id, actor.userId]);
  const account = locked.find((each) => each.id === id);
  if (account === undefined) throw unknownAccount();
  if (!account.isActive) throw accountInactiveError();
  return account;
}

/** In the order of their ids, as in {@link lockWallets}. */
const OF_WALLET = `FROM exchange_accounts a
  WHERE a.user_id = $2 AND a.deleted_at IS NULL
    AND (a.id = $1 OR a.wallet_id = (SELECT o.wallet_id FROM exchange_accounts o WHERE o.id = $1))
  ORDER BY a.id FOR NO KEY UPDATE OF a`;

const FOR_TRADE = ['id', 'exchange', 'tradingType', 'balances', 'isActive'] as const;

/**
 * Locks accounts in the order of their ids, so that no other transaction places orders on them meanwhile. Returns their
 * ids.
 */
export async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return lockedIds(tx, LOCK_ACCOUNTS, ids);
}

/** Locks the accounts, and those that share their wallets, as {@link lockAccounts} does. */
export async function lockWallets(tx: Tx, ids: readonly string[]): Promise<void> {
  await lockedIds(tx, LOCK_WALLETS, ids);
}

/** Locks those of the accounts that no other transaction has locked, and returns their ids. */
export async function lockUnlockedAccounts(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return lockedIds(tx, `${LOCK_ACCOUNTS} SKIP LOCKED`, ids);
}

const LOCK_ACCOUNTS = 'SELECT id FROM exchange_accounts WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE';

const LOCK_WALLETS = `
  SELECT id FROM exchange_accounts
  WHERE id = ANY ($1) OR wallet_id = ANY (ARRAY (
    SELECT wallet_id FROM exchange_accounts WHERE id = ANY ($1) AND wallet_id IS NOT NULL))
  ORDER BY id FOR NO KEY UPDATE`;

async function lockedIds(tx: Tx, sql: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await queryPrepared<{ id: string }>(tx, sql, [ids]);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Locks every account of the user that is not removed, as `lockAccountForTrade` locks one account. The call waits for
 * trades that are being placed, and later trades wait for this transaction. Locking in the order of ids avoids
 * deadlocks. Removed accounts need no lock, because they have no open trades.
 */
export async function lockAccountsOf(tx: Tx, userId: string): Promise<void> {
  await tx.query(
    `SELECT FROM exchange_accounts WHERE user_id = $1 AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`,
    [userId],
  );
}

/** Asks the worker to read the balances of an account that was never synced. Ignores accounts that are not found. */
export async function syncIfNeverSynced(platform: Platform, actor: Actor, publicId: string): Promise<void> {
  const id = decodeId('exa', publicId);
  if (id === null) return;
  const [account] = await queryPrepared(
    platform.database.manager,
    `SELECT id FROM exchange_accounts
     WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL AND is_active AND balances_taken_at IS NULL`,
    [id, actor.userId],
  );
  const owner = { userId: actor.userId, accountId: id };
  if (account !== undefined) await callWorker(platform, 'exchange_account.sync', { account_id: id }, owner);
}

/**
 * Returns the uuid of the account by which a list is filtered, even if the account is removed.
 *
 * @throws {DomainError} `not_found`
 */
export async function resolveAccountFilter(tx: Tx, actor: Actor, publicId: string): Promise<string> {
  const id = decodeId('exa', publicId);
  const [row] =
    id === null
      ? []
      : await tx.query('SELECT id FROM exchange_accounts WHERE id = $1 AND user_id = $2', [id, actor.userId]);
  if (row !== undefined) return row.id;
  throw unknownAccount();
}

function unknownAccount(): DomainError {
  return idNotFound('exchange_account_id', 'exchange account');
}
