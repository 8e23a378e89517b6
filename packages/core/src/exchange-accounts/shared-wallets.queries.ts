/**
 * Wallets that several accounts of one user share.
 *
 * Accounts at one exchange with the same account there share their wallet if they have the same trading type, or if all
 * trading types of that account use one wallet (a unified account). They have one balance, one reservation and one call
 * budget. `wallet_id` is the id of the first of them.
 */
import { queryPrepared, type Tx } from '@trading-automation/persistence';

/**
 * Joins the account to the wallet of the user's other accounts that share it. The caller holds the lock of the user or of
 * the account.
 */
export async function joinSharedWallet(tx: Tx, accountId: string): Promise<void> {
  await queryPrepared(tx, JOIN_WALLET, [accountId]);
}

const JOIN_WALLET = `
  WITH sharing AS (
    SELECT other.id, other.wallet_id, other.created_at
    FROM exchange_accounts a JOIN exchange_accounts other ON other.user_id = a.user_id AND other.exchange = a.exchange
      AND other.venue_account_id = a.venue_account_id AND other.deleted_at IS NULL
      AND (other.trading_type = a.trading_type OR other.is_unified AND a.is_unified)
    WHERE a.id = $1),
  first AS (
    SELECT coalesce(wallet_id, id) AS wallet_id FROM sharing
    ORDER BY wallet_id IS NULL, created_at, id LIMIT 1)
  UPDATE exchange_accounts a SET wallet_id = first.wallet_id
  FROM first
  WHERE a.id IN (SELECT id FROM sharing) AND (SELECT count(*) FROM sharing) > 1
    AND a.wallet_id IS DISTINCT FROM first.wallet_id`;

/** Returns the other accounts that share the wallet of each account. Accounts with a wallet of their own are left out. */
export async function walletSiblings(
  tx: Tx,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await queryPrepared<{ id: string; siblings: string[] }>(
    tx,
    `SELECT w.account_id AS id, array_agg(w.member_id ORDER BY w.member_id)::text[] AS siblings
     FROM wallet_accounts($1) AS w JOIN exchange_accounts a ON a.id = w.member_id AND a.deleted_at IS NULL
     WHERE w.member_id <> w.account_id GROUP BY w.account_id`,
    [accountIds],
  );
  return new Map(rows.map(({ id, siblings }) => [id, siblings]));
}

/** Returns the wallets of those of the accounts that share one, by account id. */
export async function sharedWallets(
  tx: Tx,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await queryPrepared<{ id: string; walletId: string }>(
    tx,
    'SELECT id, wallet_id AS "walletId" FROM exchange_accounts WHERE id = ANY ($1) AND wallet_id IS NOT NULL',
    [accountIds],
  );
  return new Map(rows.map(({ id, walletId }) => [id, walletId]));
}

/**
 * Selects the open positions of wallets, with their `account_id`. If several accounts of a wallet see a position, its last
 * report counts; that of a removed account does not.
 *
 * @param members a relation with the columns `account_id` and `member_id`, such as `wallet_accounts($1)`
 */
export const openPositionsOfWallets = (members: string) => `
  SELECT * FROM (
    SELECT DISTINCT ON (w.account_id, p.symbol) w.account_id, p.trade_pair_id, p.symbol, p.side, p.amount, p.entry_price,
      p.mark_price, p.unrealized_pnl, p.isolated_margin, p.leverage, p.max_leverage, p.margin_mode, p.is_supported
    FROM ${members} AS w
    JOIN exchange_accounts member ON member.id = w.member_id AND member.deleted_at IS NULL
    JOIN positions p ON p.exchange_account_id = member.id
    ORDER BY w.account_id, p.symbol, p.reported_at DESC NULLS LAST, p.id) AS last_reported
  WHERE amount > 0 AND is_supported`;
