/**
 * What the trading worker learns of accounts: balances, and credentials that are refused.
 *
 * 1. Balances carry the moment that they certainly include everything up to: the database's time before the
 *    exchange was asked. Older ones never replace newer ones.
 * 2. An account whose credentials are refused is not asked again until it has new ones.
 */
import {
  type EventType,
  exchangeAccount as exchangeAccountSchema,
  type TradingType,
} from '@trading-automation/contracts';
import type { Balances } from '@trading-automation/exchanges';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { announce } from '../announce.js';
import type { Platform } from '../platform.js';
import { ExchangeAccountEntity } from './exchange-account.entity.js';
import { viewExchangeAccount } from './exchange-account.view.js';

export interface AccountToUse {
  readonly id: string;
  readonly exchange: string;
  readonly tradingType: TradingType;
  readonly credentialsSealed: string;
  readonly isActive: boolean;
}

export class AccountUpkeep {
  constructor(private readonly platform: Platform) {}

  /** Null where the account is unknown or removed. */
  async find(id: string): Promise<AccountToUse | null> {
    const account = await this.platform.database.manager.findOneBy(ExchangeAccountEntity, { id });
    if (account === null || account.credentialsSealed === null) return null;
    const { exchange, tradingType, credentialsSealed, isActive } = account;
    return { id, exchange, tradingType, credentialsSealed, isActive };
  }

  /** Accounts that somebody asked to look at, or that nobody looked at for `maxAgeMs`. */
  async due(maxAgeMs: number, limit: number): Promise<readonly string[]> {
    const rows: { id: string }[] = await this.platform.database.query(
      `SELECT id FROM exchange_accounts
       WHERE deleted_at IS NULL AND is_active
         AND (sync_requested_at > coalesce(sync_served_at, '-infinity')
              OR coalesce(sync_served_at, '-infinity') < clock_timestamp() - $1 * interval '1 millisecond')
       ORDER BY sync_requested_at > coalesce(sync_served_at, '-infinity') DESC NULLS LAST, sync_served_at NULLS FIRST
       LIMIT $2`,
      [maxAgeMs, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** The database's clock, with its microseconds. */
  async time(): Promise<string> {
    const [{ time }] = await this.platform.database.query('SELECT clock_timestamp()::text AS time');
    return time;
  }

  /** `takenAt`: from `time()`, before the exchange was asked. */
  async storeBalances(accountId: string, balances: Balances, takenAt: string): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const before = await lock(tx, accountId, takenAt);
      if (before === null) return;
      const [rows] = await tx.query(
        `UPDATE exchange_accounts SET balances = $2, balances_taken_at = $3, last_sync_at = clock_timestamp(),
           sync_served_at = greatest(sync_served_at, $3), updated_at = clock_timestamp()
         WHERE id = $1 AND coalesce(balances_taken_at, '-infinity') < $3 RETURNING id`,
        [accountId, JSON.stringify(balances), takenAt],
      );
      if (rows.length === 0) return;
      if (before.isAsked || !isSame(before.entity.balances, balances))
        await tell(tx, accountId, 'exchange.synced');
    });
  }

  /**
   * A look that failed. `refused`: the sealed credentials that the exchange refused, so that another look would fail
   * as well. Of credentials that were replaced meanwhile it says nothing: the look with the new ones is still to come.
   */
  async storeFailure(accountId: string, refused: string | null): Promise<void> {
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
      if (isRefused) await tell(tx, accountId, 'exchange.credentials_rejected');
      if (before.isAsked) await tell(tx, accountId, 'exchange.sync_failed');
    });
  }
}

interface Locked {
  readonly entity: ExchangeAccountEntity;
  /** Whether somebody waits for a look that began no earlier than they asked. */
  readonly isAsked: boolean;
}

async function lock(tx: Tx, id: string, lookBeganAt: string | null = null): Promise<Locked | null> {
  const [row] = await tx.query(
    `SELECT sync_requested_at > coalesce(sync_served_at, '-infinity')
         AND sync_requested_at <= coalesce($2::timestamptz, 'infinity') AS is_asked
     FROM exchange_accounts WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [id, lookBeganAt],
  );
  if (row === undefined) return null;
  return { entity: await tx.findOneByOrFail(ExchangeAccountEntity, { id }), isAsked: row.is_asked === true };
}

async function tell(tx: Tx, id: string, type: EventType): Promise<void> {
  const entity = await tx.findOneByOrFail(ExchangeAccountEntity, { id });
  await announce(tx, {
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
