/**
 * The rights of credentials and the kind of an account, as its exchange reports them. They are read when the account is
 * connected, again each day, and on perpetuals whenever their stream connects. A right to withdraw that appears is reported to
 * the owner.
 */
import { exchangeAccount as exchangeAccountSchema, type InactiveReason } from '@trading-automation/contracts';
import type { CredentialsReport, UnsupportedAccount } from '@trading-automation/exchanges';
import { inTransaction, queryPrepared, type Tx } from '@trading-automation/persistence';
import { emitEvent } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { ExchangeAccountEntity } from './exchange-account.entity.js';
import { joinSharedWallet } from './shared-wallets.queries.js';
import { viewExchangeAccount } from './view-exchange-accounts.js';

/** How long the rights of an account are valid. */
export const RIGHTS_AGE_MAX_MS = 86_400_000;
/** How soon a reading that failed is repeated. */
const RETRY_MS = 3_600_000;
/** Streams may connect in quick succession: rights that are younger are not read again. */
const RECONNECTED_MS = 60_000;

const REASONS: Readonly<Record<UnsupportedAccount, InactiveReason>> = {
  HEDGE_MODE: 'POSITION_MODE',
  PORTFOLIO_MARGIN: 'PORTFOLIO_MARGIN',
  ACCOUNT_TYPE: 'ACCOUNT_TYPE',
};

export class AccountRights {
  constructor(private readonly platform: Platform) {}

  /** Makes the accounts of perpetuals among these due, because their position mode may have changed while no stream was connected. */
  async requestOfPerpetuals(accountIds: readonly string[]): Promise<void> {
    if (accountIds.length === 0) return;
    await queryPrepared(
      this.platform.database.manager,
      `UPDATE exchange_accounts SET rights_due_at = clock_timestamp()
       WHERE id = ANY ($1) AND trading_type = 'perpetual' AND deleted_at IS NULL
         AND rights_due_at BETWEEN clock_timestamp() AND clock_timestamp() + $2 * interval '1 millisecond'`,
      [accountIds, RIGHTS_AGE_MAX_MS - RECONNECTED_MS],
    );
  }

  /**
   * Claims accounts whose rights have to be read, among these. Each is due again in an hour, unless
   * {@link store} is called for it.
   */
  async claimDue(accountIds: readonly string[], limit: number): Promise<readonly string[]> {
    if (accountIds.length === 0) return [];
    const rows = await queryPrepared<{ id: string }>(
      this.platform.database.manager,
      `WITH due AS (
         SELECT id FROM exchange_accounts
         WHERE deleted_at IS NULL AND is_active AND id = ANY ($1)
           AND coalesce(rights_due_at, '-infinity') <= clock_timestamp()
         ORDER BY rights_due_at NULLS FIRST LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
       UPDATE exchange_accounts a SET rights_due_at = clock_timestamp() + $3 * interval '1 millisecond'
       FROM due WHERE a.id = due.id RETURNING a.id`,
      [accountIds, limit, RETRY_MS],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Stores what an exchange reports about the credentials of an account. Emits `exchange.permissions_changed` if a right
   * appeared or trading became impossible. Has no effect if the credentials were replaced meanwhile.
   *
   * @param sealed the sealed credentials that the report is about
   */
  async store(accountId: string, sealed: string, report: CredentialsReport): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const account = await lockActive(tx, accountId, sealed);
      if (account === null) return;
      const { canTrade, canWithdraw, unsupported, venueAccountId, isUnified = false } = report;
      const reason = unsupported === undefined ? null : REASONS[unsupported];
      await tx.query(
        `UPDATE exchange_accounts SET can_trade = $2, can_withdraw = $3, is_active = $4, inactive_reason = $5,
           rights_due_at = clock_timestamp() + $6 * interval '1 millisecond', is_unified = $7,
           venue_account_id = coalesce(venue_account_id, $8), updated_at = clock_timestamp()
         WHERE id = $1`,
        [
          accountId,
          canTrade,
          canWithdraw,
          reason === null,
          reason,
          RIGHTS_AGE_MAX_MS,
          isUnified,
          venueAccountId ?? null,
        ],
      );
      await joinSharedWallet(tx, accountId);
      if (reason !== null || isWorse(account, report)) await emitChange(tx, accountId);
    });
  }

  /**
   * Deactivates an account that the exchange reports to be in hedge mode. Has no effect if the credentials were replaced
   * meanwhile.
   */
  async deactivate(accountId: string, sealed: string, reason: InactiveReason): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      if ((await lockActive(tx, accountId, sealed)) === null) return;
      await tx.query(
        `UPDATE exchange_accounts SET is_active = false, inactive_reason = $2, updated_at = clock_timestamp()
         WHERE id = $1`,
        [accountId, reason],
      );
      await emitChange(tx, accountId);
    });
  }
}

/** Whether the credentials may now withdraw, or may no longer trade. An unknown right counts as granted. */
function isWorse(before: ExchangeAccountEntity, { canTrade, canWithdraw }: CredentialsReport): boolean {
  const withdraws = canWithdraw !== false && before.canWithdraw === false;
  return withdraws || (canTrade === false && before.canTrade !== false);
}

async function lockActive(tx: Tx, id: string, sealed: string): Promise<ExchangeAccountEntity | null> {
  const account = await tx.findOne(ExchangeAccountEntity, {
    where: { id, credentialsSealed: sealed, isActive: true },
    lock: { mode: 'for_no_key_update' },
  });
  return account?.deletedAt === null ? account : null;
}

async function emitChange(tx: Tx, id: string): Promise<void> {
  const account = await tx.findOneByOrFail(ExchangeAccountEntity, { id });
  await emitEvent(tx, {
    userId: account.userId,
    type: 'exchange.permissions_changed',
    schema: exchangeAccountSchema,
    record: await viewExchangeAccount(tx, account),
  });
}
