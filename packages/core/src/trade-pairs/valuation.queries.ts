import { canonicalDecimal, type Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { openPositionsOfWallets } from '../exchange-accounts/index.js';

/** The value of an account's balances in one currency. */
export interface Equity {
  readonly amount: Decimal;
  /** The instant at which the balances were last known to be complete. Each price is the last one that a worker received, of any age. */
  readonly takenAt: Date;
}

interface Row {
  readonly id: string;
  readonly amount: string | null;
  readonly takenAt: Date | null;
}

/** The condition that `p` is a spot pair with a price, of the exchange of `h`. The price of a replaced pair is outdated. */
const PRICED =
  "p.exchange = h.exchange AND p.trading_type = 'spot' AND p.last_price > 0 AND p.listed_symbol IS NULL";

/** Selects the price of `from` in `to`, from their pair or the inverse pair; no row if neither has a price. */
const rateOf = (from: string, to: string) => `
  SELECT p.last_price AS rate FROM trade_pairs p WHERE ${PRICED} AND p.symbol = ${from} || '/' || ${to}
  UNION ALL
  SELECT 1 / p.last_price FROM trade_pairs p WHERE ${PRICED} AND p.symbol = ${to} || '/' || ${from}`;

/**
 * The last price of the asset in the currency `$2`, from the exchange's spot pairs: from the pair of this asset and
 * currency, otherwise through one other currency. If several are possible, the one that quotes the most pairs is used.
 */
const PRICE = `coalesce(
  CASE WHEN h.asset = $2 THEN 1::numeric END,
  (SELECT rate FROM (${rateOf('h.asset', '$2::text')}) r LIMIT 1),
  (SELECT first.rate * second.rate
   FROM (SELECT p.quote AS via, p.last_price AS rate FROM trade_pairs p WHERE ${PRICED} AND p.base = h.asset
         UNION ALL
         SELECT p.base, 1 / p.last_price FROM trade_pairs p WHERE ${PRICED} AND p.quote = h.asset) first
   CROSS JOIN LATERAL (${rateOf('first.via', '$2::text')}) second
   ORDER BY (SELECT count(*) FROM trade_pairs p WHERE ${PRICED} AND p.quote = first.via) DESC, first.via LIMIT 1))`;

/** Whether the exchange lists the asset in any pair; an unlisted asset cannot be sold there. */
const IS_LISTED = `EXISTS (
  SELECT FROM trade_pairs p WHERE p.exchange = h.exchange AND h.asset IN (p.base, p.quote))`;

/**
 * Selects the last instant at which the balances of the account `a` were known to be complete; null if they were never
 * read. That is the last snapshot, or the last report of a worker that the account's stream was live, or that it was
 * unverified and the snapshot had been taken since then. Such a stream reports each change after a snapshot. The previous
 * release stores no `live_at`, so its reports of a live stream count by their state.
 */
export const BALANCES_KNOWN_AT = `CASE WHEN a.balances_taken_at IS NOT NULL THEN greatest(a.balances_taken_at,
  (SELECT greatest(w.live_at, CASE
     WHEN w.state = 'LIVE' OR w.state = 'UNVERIFIED' AND w.since <= a.balances_taken_at THEN w.told_at END)
   FROM account_watches w WHERE w.account_id = a.id)) END`;

/** Selects the equity of each account, truncated to 18 decimals, the precision of stored decimals. */
const EQUITIES = `
  WITH held AS MATERIALIZED (
    SELECT a.id, a.exchange, b.asset, b.amount
    FROM current_balances($1) b JOIN exchange_accounts a ON a.id = b.account_id
    UNION ALL
    SELECT a.id, a.exchange, loan.asset, -(loan.owed ->> 'borrowed')::numeric - (loan.owed ->> 'interest')::numeric
    FROM (
      SELECT DISTINCT ON (w.account_id) w.account_id AS id, member.exchange, member.loans
      FROM wallet_accounts($1) w JOIN exchange_accounts member ON member.id = w.member_id
      WHERE member.loans IS NOT NULL AND member.deleted_at IS NULL ORDER BY w.account_id, member.id) AS a
    CROSS JOIN LATERAL jsonb_each(a.loans) AS loan (asset, owed)
    UNION ALL
    SELECT a.id, a.exchange, coalesce(t.settle, t.quote),
      CASE p.side WHEN 'LONG' THEN 1 ELSE -1 END * p.amount * (coalesce(p.mark_price, t.last_price) - p.entry_price)
    FROM (${openPositionsOfWallets('wallet_accounts($1)')}) AS p
    JOIN exchange_accounts a ON a.id = p.account_id JOIN trade_pairs t ON t.id = p.trade_pair_id
  ), prices AS MATERIALIZED (
    SELECT h.exchange, h.asset, ${PRICE} AS price, ${IS_LISTED} AS is_listed
    FROM (SELECT DISTINCT exchange, asset FROM held WHERE amount <> 0) h
  ), sums AS (
    SELECT h.id, sum(h.amount * p.price) AS amount,
      bool_or(p.price IS NULL AND p.is_listed) AS is_unknown
    FROM held h JOIN prices p USING (exchange, asset)
    WHERE h.amount <> 0 GROUP BY h.id
  )
  SELECT a.id, CASE WHEN s.is_unknown THEN NULL ELSE trunc(coalesce(s.amount, 0), 18)::text END AS amount,
    ${BALANCES_KNOWN_AT} AS "takenAt"
  FROM exchange_accounts a LEFT JOIN sums s ON s.id = a.id
  WHERE a.id = ANY ($1)`;

/**
 * Returns the equity of accounts in `quote`, by account id: free and locked amounts less loans and interest at the last
 * prices, and the open results of positions at mark price. Accounts that share a wallet have the same equity, that of the
 * whole wallet. The equity is null if the balances were never read, or if the account holds a listed asset without a price.
 * An unlisted asset counts as zero, because it cannot be sold at the exchange.
 */
export async function equitiesOf(
  tx: Tx,
  accountIds: readonly string[],
  quote: string,
): Promise<ReadonlyMap<string, Equity | null>> {
  if (accountIds.length === 0) return new Map();
  const rows = await queryPrepared<Row>(tx, EQUITIES, [accountIds, quote]);
  return new Map(
    rows.map(({ id, amount, takenAt }) => [
      id,
      amount === null || takenAt === null ? null : { amount: canonicalDecimal(amount), takenAt },
    ]),
  );
}
