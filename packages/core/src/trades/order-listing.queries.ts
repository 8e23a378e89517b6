/** What the database knows of an order that is looked for in the exchange's lists. */
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { LISTED_AFTER_MS, LISTED_BEFORE_MS, type SentOrder } from './order-listing.rules.js';

/** How to read the lists for one trade. */
export interface ListingRequest {
  readonly tradeId: string;
  readonly accountId: string;
  readonly symbol: string;
  /** Identifies the submission. */
  readonly begunAt: Date;
  /** The instant from which fills are listed. */
  readonly since: Date;
  /** The age of `since`, by the database's clock. */
  readonly sinceAgoMs: number;
  /** When the request was made, by the database's clock: the lists are read later. */
  readonly at: Date;
}

const REQUEST = `SELECT t.id AS "tradeId", t.exchange_account_id AS "accountId", t.symbol, t.submitted_at AS "begunAt",
    t.submitted_at - $3 * interval '1 millisecond' AS since,
    (extract(epoch FROM clock_timestamp() - t.submitted_at) * 1000 + $3)::float8 AS "sinceAgoMs",
    clock_timestamp() AS at
  FROM trades t
  WHERE t.id = $1 AND t.status IN ('PENDING', 'PARTIALLY_FILLED')
    AND t.submitted_at <= clock_timestamp() - $2 * interval '1 millisecond'`;

/** Returns null if the trade has ended, or if its order may still arrive. */
export async function listingRequestOf(tx: Tx, id: string): Promise<ListingRequest | null> {
  const [request] = await queryPrepared<ListingRequest & Record<string, unknown>>(tx, REQUEST, [
    id,
    LISTED_AFTER_MS,
    LISTED_BEFORE_MS,
  ]);
  return request ?? null;
}

/** The trades of the account, and of other connections of the same exchange account. */
const KNOWN = `SELECT DISTINCT t.exchange_order_id AS id
  FROM exchange_accounts a
  JOIN exchange_accounts d ON d.id = a.id
    OR (d.exchange = a.exchange AND d.venue_account_id = a.venue_account_id
      AND (d.trading_type = a.trading_type OR d.wallet_id = a.wallet_id))
  JOIN trades t ON t.exchange_account_id = d.id AND t.exchange_order_id = ANY ($3) AND t.symbol = $4
  WHERE a.id = $1 AND t.id <> $2`;

/** Returns those of the exchange order ids that belong to other trades. */
export async function knownOrderIds(
  tx: Tx,
  { accountId, tradeId, symbol }: ListingRequest,
  exchangeOrderIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (exchangeOrderIds.length === 0) return new Set();
  const rows = await queryPrepared<{ id: string }>(tx, KNOWN, [accountId, tradeId, exchangeOrderIds, symbol]);
  return new Set(rows.map(({ id }) => id));
}

const SENT = `SELECT symbol, side, type, coalesce(capped_amount, amount)::text AS amount, price::text AS price,
    submitted_at AS "submittedAt"
  FROM trades
  WHERE exchange_account_id = $1 AND symbol = ANY ($2) AND status = 'PENDING'
    AND submitted_at IS NOT NULL AND acknowledged_at IS NULL`;

/** Returns the product's orders of these symbols that were sent and that the exchange has not confirmed. */
export async function sentOrdersOf(
  tx: Tx,
  accountId: string,
  symbols: readonly string[],
): Promise<readonly (SentOrder & { readonly symbol: string })[]> {
  if (symbols.length === 0) return [];
  return queryPrepared<SentOrder & { readonly symbol: string } & Record<string, unknown>>(tx, SENT, [
    accountId,
    symbols,
  ]);
}
