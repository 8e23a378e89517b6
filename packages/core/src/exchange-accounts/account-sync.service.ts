/**
 * Stores what the trading worker learns about accounts: balances and rejected credentials.
 *
 * 1. Each asset keeps the report with the latest venue time, whether it rose or fell; see venue-balances.rules.ts.
 * 2. The database's time of a snapshot decides which sync requests it fulfils.
 * 3. An account with rejected credentials is not queried again until it has new ones.
 */
import {
  type Decimal,
  type EventType,
  exchangeAccount as exchangeAccountSchema,
  type TradingType,
} from '@trading-automation/contracts';
import type { Balances } from '@trading-automation/exchanges';
import { inTransaction, queryPrepared, type Tx } from '@trading-automation/persistence';
import { In } from 'typeorm';
import { emitEvent, emitEvents } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import type { Loans } from './balance-detail.rules.js';
import { ExchangeAccountEntity } from './exchange-account.entity.js';
import { walletSiblings } from './shared-wallets.queries.js';
import {
  type BalanceSnapshot,
  type BalanceUpdate,
  type LockAccounts,
  storeSnapshots,
  storeUpdates,
  storeWithoutHolding,
} from './store-balances.js';
import { viewExchangeAccount, viewExchangeAccounts } from './view-exchange-accounts.js';

/** An account with what the worker needs to connect to its exchange. */
export interface ConnectableAccount {
  readonly id: string;
  readonly userId: string;
  readonly exchange: string;
  readonly tradingType: TradingType;
  readonly credentialsSealed: string;
  /** The worker's local address from which the account's exchange is called; null if none is chosen yet. */
  readonly egressAddress: string | null;
  /** The same for all accounts that share one wallet at the exchange. */
  readonly walletId: string;
  readonly isActive: boolean;
}

/** What an account holds and owes. */
export interface AccountHoldings {
  readonly balances: Balances;
  /** Null if the account has no loans, or if they were never read. */
  readonly loans: Loans | null;
}

/** An account whose balances have to be read. */
export interface DueAccount {
  readonly id: string;
  /** Whether a user requested it. */
  readonly isRequested: boolean;
}

export class AccountSyncService {
  constructor(private readonly platform: Platform) {}

  /** Returns null if the account does not exist or is removed. */
  async find(id: string): Promise<ConnectableAccount | null> {
    const [account] = await queryPrepared<ConnectableAccount & Record<string, unknown>>(
      this.platform.database.manager,
      `SELECT id, user_id AS "userId", exchange, trading_type AS "tradingType", credentials_sealed AS "credentialsSealed",
         egress_address AS "egressAddress", coalesce(wallet_id, id) AS "walletId", is_active AS "isActive"
       FROM exchange_accounts WHERE id = $1 AND credentials_sealed IS NOT NULL`,
      [id],
    );
    return account ?? null;
  }

  /** Stores the local address from which the account's exchange is called from now on. */
  async storeEgress(id: string, address: string): Promise<void> {
    await queryPrepared(
      this.platform.database.manager,
      'UPDATE exchange_accounts SET egress_address = $2 WHERE id = $1',
      [id, address],
    );
  }

  /** Returns what is stored; null if the account does not exist, is removed or was never read. */
  async holdingsOf(id: string): Promise<AccountHoldings | null> {
    const [account] = await queryPrepared<AccountHoldings & Record<string, unknown>>(
      this.platform.database.manager,
      'SELECT balances, loans FROM exchange_accounts WHERE id = $1 AND balances_taken_at IS NOT NULL',
      [id],
    );
    return account ?? null;
  }

  /**
   * Returns those of the accounts whose sync was requested, or that were not synced for `maxAgeMs`; at most `limit`.
   *
   * @param reconciledIds accounts whose balances are read in reconciliations; only requests make them due
   */
  async dueForSync(
    maxAgeMs: number,
    limit: number,
    accountIds: readonly string[],
    reconciledIds: readonly string[] = [],
  ): Promise<readonly DueAccount[]> {
    if (accountIds.length === 0) return [];
    return this.platform.database.query(
      `SELECT id, coalesce(sync_requested_at > coalesce(sync_served_at, '-infinity'), false) AS "isRequested"
       FROM exchange_accounts
       WHERE deleted_at IS NULL AND is_active AND id = ANY ($3)
         AND (sync_requested_at > coalesce(sync_served_at, '-infinity')
              OR coalesce(sync_served_at, '-infinity') < clock_timestamp() - $1 * interval '1 millisecond'
                AND id <> ALL ($4))
       ORDER BY sync_requested_at > coalesce(sync_served_at, '-infinity') DESC NULLS LAST, sync_served_at NULLS FIRST
       LIMIT $2`,
      [maxAgeMs, limit, accountIds, reconciledIds],
    );
  }

  /** Returns the database's time as a string with microseconds. */
  async databaseTime(): Promise<string> {
    const [row] = await queryPrepared<{ time: string }>(
      this.platform.database.manager,
      'SELECT clock_timestamp()::text AS time',
      [],
    );
    return row!.time;
  }

  /**
   * Stores the snapshot of one account; see {@link storeSnapshots}.
   *
   * @param at the venue's time of the balances. Default: the time of the request.
   */
  async storeBalances(
    accountId: string,
    balances: Balances,
    takenAt: string,
    at: Date = new Date(takenAt),
  ): Promise<void> {
    await this.storeSnapshots([{ accountId, balances, takenAt, at, until: at }]);
  }

  /**
   * Stores snapshots and emits `exchange.synced` for accounts whose balances changed since the last snapshot or whose
   * sync was requested. They are the snapshots of all accounts that share the wallet.
   */
  async storeSnapshots(snapshots: readonly BalanceSnapshot[]): Promise<void> {
    await this.storeForWallets(
      snapshots,
      (some) => storeWithoutHolding(some, (few, lock) => this.storeLockedSnapshots(few, lock)),
      // Loans belong to the account that reads them. Another one would keep them after that account was removed.
      (snapshot) => ({ ...snapshot, loans: undefined }),
    );
  }

  private async storeLockedSnapshots(
    snapshots: readonly BalanceSnapshot[],
    lock: LockAccounts,
  ): Promise<ReadonlySet<string>> {
    return inTransaction(this.platform.database, async (tx) => {
      const { locked, written } = await storeSnapshots(tx, snapshots, lock);
      const ids = written
        .filter(({ isChanged, isSyncRequested }) => isChanged || isSyncRequested)
        .map(({ id }) => id);
      if (ids.length === 0) return locked;
      const accounts = await tx.find(ExchangeAccountEntity, { where: { id: In(ids) }, order: { id: 'ASC' } });
      const views = await viewExchangeAccounts(tx, accounts);
      await emitEvents(
        tx,
        accounts.map(({ userId }, i) => ({
          userId,
          type: 'exchange.synced' as const,
          schema: exchangeAccountSchema,
          record: views[i]!,
        })),
      );
      return locked;
    });
  }

  /**
   * Stores a stream's reports of single assets, for all accounts that share the wallet. Accounts without a snapshot are
   * skipped.
   */
  async storeUpdates(updates: readonly BalanceUpdate[]): Promise<void> {
    await this.storeForWallets(updates, (some) =>
      storeWithoutHolding(some, (few, lock) =>
        inTransaction(this.platform.database, (tx) => storeUpdates(tx, few, lock)),
      ),
    );
  }

  /**
   * Stores the reports, then the same reports for the accounts that share a wallet with theirs. A report that is lost
   * between the two is older than the next one.
   */
  private async storeForWallets<Report extends { readonly accountId: string }>(
    reports: readonly Report[],
    store: (reports: readonly Report[]) => Promise<void>,
    share = (report: Report): Report => report,
  ): Promise<void> {
    const accountIds = [...new Set(reports.map(({ accountId }) => accountId))];
    const [siblings] = await Promise.all([
      walletSiblings(this.platform.database.manager, accountIds),
      store(reports),
    ]);
    const shared = reports.flatMap((report) =>
      (siblings.get(report.accountId) ?? []).map((accountId) => ({ ...share(report), accountId })),
    );
    if (shared.length > 0) await store(shared);
  }

  /**
   * Records a failed sync and emits its events. If the exchange rejected the credentials, the account is deactivated. A
   * rejection of credentials that were replaced meanwhile is ignored.
   *
   * @param rejected the sealed credentials that the exchange rejected; null for any other failure
   * @param graceMs a sync that was requested more recently than this does not fail: it stays due and is repeated
   */
  async recordSyncFailure(accountId: string, rejected: string | null, graceMs = 0): Promise<void> {
    const isRejected = rejected !== null;
    await inTransaction(this.platform.database, async (tx) => {
      const before = await lock(tx, accountId);
      if (before === null || !before.entity.isActive) return;
      if (before.isSyncRequested && before.requestAgeMs < graceMs) return;
      if (isRejected && before.entity.credentialsSealed !== rejected) return;
      await tx.query(
        `UPDATE exchange_accounts SET sync_served_at = clock_timestamp(), is_active = $2,
           inactive_reason = CASE WHEN $2 THEN NULL ELSE 'CREDENTIALS' END, updated_at = clock_timestamp() WHERE id = $1`,
        [accountId, !isRejected],
      );
      if (isRejected) await emitAccountEvent(tx, accountId, 'exchange.credentials_rejected');
      if (before.isSyncRequested) await emitAccountEvent(tx, accountId, 'exchange.sync_failed');
    });
  }
}

/** Returns free plus locked, by asset. */
export function totalBalances(balances: Balances): Readonly<Record<string, Decimal>> {
  return Object.fromEntries(
    Object.entries(balances).map(([asset, { free, locked }]) => [
      asset,
      new BigDecimal(free).plus(locked).toString(),
    ]),
  );
}

interface Locked {
  readonly entity: ExchangeAccountEntity;
  /** Whether a sync was requested that has not been made yet. */
  readonly isSyncRequested: boolean;
  /** The age of the last request; infinite without one. */
  readonly requestAgeMs: number;
}

async function lock(tx: Tx, id: string): Promise<Locked | null> {
  const [row] = await tx.query(
    `SELECT sync_requested_at > coalesce(sync_served_at, '-infinity') AS is_sync_requested,
       (extract(epoch FROM clock_timestamp() - sync_requested_at) * 1000)::float8 AS request_age_ms
     FROM exchange_accounts WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [id],
  );
  if (row === undefined) return null;
  return {
    entity: await tx.findOneByOrFail(ExchangeAccountEntity, { id }),
    isSyncRequested: row.is_sync_requested === true,
    requestAgeMs: row.request_age_ms ?? Number.POSITIVE_INFINITY,
  };
}

async function emitAccountEvent(tx: Tx, id: string, type: EventType): Promise<void> {
  const entity = await tx.findOneByOrFail(ExchangeAccountEntity, { id });
  await emitEvent(tx, {
    userId: entity.userId,
    type,
    schema: exchangeAccountSchema,
    record: await viewExchangeAccount(tx, entity),
  });
}
