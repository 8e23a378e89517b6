/**
 * What the trading worker learns of accounts: balances, and credentials that are refused.
 *
 * 1. Balances carry the moment that they certainly include everything up to: the database's time before the
 *    exchange was asked. Older ones never replace newer ones.
 * 2. What a stream tells of single assets is kept, where it is more, until the next whole look, which stays the truth:
 *    it moves no such moment, and nothing that was heard before a whole look replaces what that look found.
 * 3. An account whose credentials are refused is not asked again until it has new ones.
 */
import {
  type Decimal,
  type EventType,
  exchangeAccount as exchangeAccountSchema,
  type TradingType,
} from '@trading-automation/contracts';
import type { Balances } from '@trading-automation/exchanges';
import { allColumns, hydrate, inTransaction, queryPrepared, type Tx } from '@trading-automation/persistence';
import { emitEvent, emitEvents } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import { ExchangeAccountEntity } from './exchange-account.entity.js';
import { viewExchangeAccount } from './exchange-account.view.js';
import { lockAccounts } from './lock-account-for-trade.js';

export interface ConnectableAccount {
  readonly id: string;
  readonly exchange: string;
  readonly tradingType: TradingType;
  readonly credentialsSealed: string;
  readonly isActive: boolean;
}

/** All balances of an account, as its exchange told them when it was asked. */
export interface BalanceSnapshot {
  readonly accountId: string;
  readonly balances: Balances;
  /** From `time()`, before the exchange was asked. */
  readonly takenAt: string;
}

/** What a stream told of some assets of an account. */
export interface BalanceUpdate {
  readonly accountId: string;
  /** Only what changed; an asset that is used up is there with zeros. */
  readonly balances: Balances;
  /** The database's time when it was heard, or a little earlier. */
  readonly receivedAt: Date;
}

export class AccountSyncService {
  constructor(private readonly platform: Platform) {}

  /** Null where the account is unknown or removed. */
  async find(id: string): Promise<ConnectableAccount | null> {
    const [account] = await queryPrepared<ConnectableAccount & Record<string, unknown>>(
      this.platform.database.manager,
      `SELECT id, exchange, trading_type AS "tradingType", credentials_sealed AS "credentialsSealed",
         is_active AS "isActive"
       FROM exchange_accounts WHERE id = $1 AND credentials_sealed IS NOT NULL`,
      [id],
    );
    return account ?? null;
  }

  /** As they are kept; null where the account is unknown, removed or was never read. */
  async balancesOf(id: string): Promise<Balances | null> {
    const [account] = await queryPrepared<{ balances: Balances }>(
      this.platform.database.manager,
      'SELECT balances FROM exchange_accounts WHERE id = $1 AND balances_taken_at IS NOT NULL',
      [id],
    );
    return account?.balances ?? null;
  }

  /** Of these accounts, those that somebody asked to look at, or that nobody looked at for `maxAgeMs`. */
  async dueForSync(maxAgeMs: number, limit: number, among: readonly string[]): Promise<readonly string[]> {
    if (among.length === 0) return [];
    const rows: { id: string }[] = await this.platform.database.query(
      `SELECT id FROM exchange_accounts
       WHERE deleted_at IS NULL AND is_active AND id = ANY ($3)
         AND (sync_requested_at > coalesce(sync_served_at, '-infinity')
              OR coalesce(sync_served_at, '-infinity') < clock_timestamp() - $1 * interval '1 millisecond')
       ORDER BY sync_requested_at > coalesce(sync_served_at, '-infinity') DESC NULLS LAST, sync_served_at NULLS FIRST
       LIMIT $2`,
      [maxAgeMs, limit, among],
    );
    return rows.map(({ id }) => id);
  }

  /** The database's clock, with its microseconds. */
  async databaseTime(): Promise<string> {
    const [row] = await queryPrepared<{ time: string }>(
      this.platform.database.manager,
      'SELECT clock_timestamp()::text AS time',
      [],
    );
    return row!.time;
  }

  /** As {@link storeSnapshots}, of one account. */
  async storeBalances(accountId: string, balances: Balances, takenAt: string): Promise<void> {
    await this.storeSnapshots([{ accountId, balances, takenAt }]);
  }

  /** Tells of accounts whose balances are others than before, and of those that somebody waits for. */
  async storeSnapshots(readings: readonly BalanceSnapshot[]): Promise<void> {
    const rows = readings.map(({ accountId, balances, takenAt }) => ({
      id: accountId,
      balances,
      taken_at: takenAt,
    }));
    await inTransaction(this.platform.database, async (tx) => {
      const ids = rows.map(({ id }) => id);
      await lockAccounts(tx, ids);
      const stored = await queryPrepared<StoredReading>(tx, STORE_READINGS(tx.connection), [
        ids,
        JSON.stringify(rows),
      ]);
      const told = stored.filter(
        ({ is_asked, balances_before, balances }) => is_asked === true || !isSame(balances_before, balances),
      );
      await emitEvents(
        tx,
        hydrate(tx.connection, ExchangeAccountEntity, told).map((entity) => ({
          userId: entity.userId,
          type: 'exchange.synced' as const,
          schema: exchangeAccountSchema,
          record: viewExchangeAccount(entity),
        })),
      );
    });
  }

  /**
   * Keeps what has become free. What has become less is not kept: the trades that took it are subtracted already, by
   * what they reserve, until the next whole look. Of an account that was never read as a whole, nothing is kept.
   */
  async storeUpdates(heard: readonly BalanceUpdate[]): Promise<void> {
    const rows = mergeByAccount(heard).map(({ accountId, balances, receivedAt }) => ({
      id: accountId,
      balances,
      heard_at: receivedAt,
    }));
    await inTransaction(this.platform.database, async (tx) => {
      await lockAccounts(
        tx,
        rows.map(({ id }) => id),
      );
      await queryPrepared(tx, STORE_HEARD, [JSON.stringify(rows)]);
    });
  }

  /**
   * A look that failed. `refused`: the sealed credentials that the exchange refused, so that another look would fail
   * as well. Of credentials that were replaced meanwhile it says nothing: the look with the new ones is still to come.
   */
  async recordSyncFailure(accountId: string, refused: string | null): Promise<void> {
    const isRefused = refused !== null;
    await inTransaction(this.platform.database, async (tx) => {
      const before = await lock(tx, accountId);
      if (before === null || !before.entity.isActive) return;
      if (isRefused && before.entity.credentialsSealed !== refused) return;
      await tx.query(
        `UPDATE exchange_accounts SET sync_served_at = clock_timestamp(), is_active = $2,
           updated_at = clock_timestamp() WHERE id = $1`,
        [accountId, !isRefused],
      );
      if (isRefused) await announceAccount(tx, accountId, 'exchange.credentials_rejected');
      if (before.isSyncRequested) await announceAccount(tx, accountId, 'exchange.sync_failed');
    });
  }
}

/** Free and locked together, by asset. */
export function totalBalances(balances: Balances): Readonly<Record<string, Decimal>> {
  return Object.fromEntries(
    Object.entries(balances).map(([asset, { free, locked }]) => [
      asset,
      new BigDecimal(free).plus(locked).toString(),
    ]),
  );
}

/** One for each account: of what was heard of an asset twice, what was heard last. */
function mergeByAccount(heard: readonly BalanceUpdate[]): readonly BalanceUpdate[] {
  const byAccount = new Map<string, BalanceUpdate>();
  for (const each of heard) {
    const before = byAccount.get(each.accountId);
    // The earlier moment: what a whole look found meanwhile stands.
    if (before === undefined) byAccount.set(each.accountId, each);
    else byAccount.set(each.accountId, { ...before, balances: { ...before.balances, ...each.balances } });
  }
  return [...byAccount.values()];
}

/** Of two of one account the newer. Written so that accounts are found by their ids, whatever the planner expects. */
const STORE_READINGS = allColumns(
  ExchangeAccountEntity,
  'a',
  (columns) => `
  UPDATE exchange_accounts a SET balances = read.balances, balances_taken_at = read.taken_at,
    last_sync_at = clock_timestamp(), sync_served_at = greatest(a.sync_served_at, read.taken_at),
    updated_at = clock_timestamp()
  FROM (
    SELECT DISTINCT ON (id) given.id, given.balances, given.taken_at, before.balances_before, before.is_asked
    FROM jsonb_to_recordset($2) AS given (id uuid, balances jsonb, taken_at timestamptz)
    CROSS JOIN LATERAL (
      SELECT b.balances AS balances_before, b.sync_requested_at > coalesce(b.sync_served_at, '-infinity')
        AND b.sync_requested_at <= given.taken_at AS is_asked
      FROM exchange_accounts b WHERE b.id = given.id OFFSET 0) before
    ORDER BY id, taken_at DESC) AS read
  WHERE a.id = ANY ($1) AND a.id = read.id AND a.deleted_at IS NULL
    AND coalesce(a.balances_taken_at, '-infinity') < read.taken_at
  RETURNING ${columns}, read.balances_before, read.is_asked`,
);

interface StoredReading {
  readonly balances: Balances;
  readonly balances_before: Balances;
  readonly is_asked: boolean | null;
}

const STORE_HEARD = `UPDATE exchange_accounts a
  SET balances = a.balances || heard.risen, updated_at = clock_timestamp()
  FROM (SELECT b.id, heard.heard_at, jsonb_object_agg(asset.key, asset.value) AS risen
        FROM jsonb_to_recordset($1) AS heard (id uuid, balances jsonb, heard_at timestamptz)
        JOIN exchange_accounts b ON b.id = heard.id, jsonb_each(heard.balances) AS asset
        WHERE (asset.value ->> 'free')::numeric > coalesce((b.balances -> asset.key ->> 'free')::numeric, 0)
        GROUP BY b.id, heard.heard_at) AS heard
  WHERE a.id = heard.id AND a.deleted_at IS NULL AND a.balances_taken_at < heard.heard_at`;

interface Locked {
  readonly entity: ExchangeAccountEntity;
  /** Whether somebody waits for a look. */
  readonly isSyncRequested: boolean;
}

async function lock(tx: Tx, id: string): Promise<Locked | null> {
  const [row] = await tx.query(
    `SELECT sync_requested_at > coalesce(sync_served_at, '-infinity') AS is_asked
     FROM exchange_accounts WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [id],
  );
  if (row === undefined) return null;
  return {
    entity: await tx.findOneByOrFail(ExchangeAccountEntity, { id }),
    isSyncRequested: row.is_asked === true,
  };
}

async function announceAccount(tx: Tx, id: string, type: EventType): Promise<void> {
  const entity = await tx.findOneByOrFail(ExchangeAccountEntity, { id });
  await emitEvent(tx, {
    userId: entity.userId,
    type,
    schema: exchangeAccountSchema,
    record: viewExchangeAccount(entity),
  });
}

function isSame(a: Balances, b: Balances): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => a[name]?.free === b[name]?.free && a[name]?.locked === b[name]?.locked)
  );
}
