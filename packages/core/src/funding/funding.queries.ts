/** Reads and writes funding payments and interest charges as the exchange reported them. */
import { canonicalDecimal, type Decimal } from '@trading-automation/contracts';
import type { FundingPayment, InterestCharge } from '@trading-automation/exchanges';
import { newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import { connectionsOf, type LotBookKey } from '../trades/index.js';
import type { FundingPaymentRow } from './funding.view.js';

/** An account whose payments or charges are stored. */
export interface FundedAccount {
  readonly id: string;
  readonly userId: string;
  readonly exchange: string;
}

export async function readFundedAccount(tx: Tx, accountId: string): Promise<FundedAccount | undefined> {
  const [account] = await queryPrepared<FundedAccount>(
    tx,
    'SELECT id, user_id AS "userId", exchange FROM exchange_accounts WHERE id = $1',
    [accountId],
  );
  return account;
}

/** Returns the ids of those payments of an account that are stored already. */
export async function storedPayments(
  tx: Tx,
  accountId: string,
  venueIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT venue_payment_id AS id FROM funding_payments
     WHERE exchange_account_id = $1 AND venue_payment_id = ANY ($2)`,
    [accountId, venueIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns the uuids of perpetual pairs by symbol. */
export async function perpetualPairs(
  tx: Tx,
  exchange: string,
  symbols: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await queryPrepared<{ id: string; symbol: string }>(
    tx,
    `SELECT id, symbol FROM trade_pairs
     WHERE exchange = $1 AND symbol = ANY ($2) AND trading_type = 'perpetual'`,
    [exchange, symbols],
  );
  return new Map(rows.map(({ id, symbol }) => [symbol, id]));
}

/** A stored payment, and whether another connection of the same user to the same account had stored it. */
export interface InsertedPayment extends FundingPaymentRow {
  readonly isRepeated: boolean;
}

/** Inserts payments that are not stored yet, and returns them, oldest first. */
export async function insertPayments(
  tx: Tx,
  { id, userId }: FundedAccount,
  payments: readonly FundingPayment[],
  pairs: ReadonlyMap<string, string>,
): Promise<readonly InsertedPayment[]> {
  const rows = await queryPrepared<InsertedPayment>(
    tx,
    `WITH inserted AS (
       INSERT INTO funding_payments (id, user_id, exchange_account_id, trade_pair_id, symbol, venue_payment_id, amount,
         currency, paid_at)
       SELECT n.id, $1, $2, n.pair, n.symbol, n.venue_id, n.amount, n.currency, n.paid_at
       FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::numeric[], $8::text[], $9::timestamptz[])
         AS n (id, pair, symbol, venue_id, amount, currency, paid_at)
       ON CONFLICT DO NOTHING
       RETURNING id, user_id, exchange_account_id, trade_pair_id, symbol, venue_payment_id, amount, currency, paid_at,
         created_at)
     SELECT i.id, i.user_id AS "userId", i.exchange_account_id AS "exchangeAccountId", i.trade_pair_id AS "tradePairId",
       i.symbol, trim_scale(i.amount)::text AS amount, i.currency, i.paid_at AS "paidAt", i.created_at AS "createdAt",
       EXISTS (
         SELECT FROM (${connectionsOf('i.exchange_account_id')}) connection
         JOIN funding_payments other ON other.exchange_account_id = connection.id AND other.user_id = i.user_id
           AND other.venue_payment_id = i.venue_payment_id) AS "isRepeated"
     FROM inserted i ORDER BY i.paid_at, i.id`,
    [
      userId,
      id,
      payments.map(() => newUuid()),
      payments.map(({ symbol }) => pairs.get(symbol) ?? null),
      payments.map(({ symbol }) => symbol),
      payments.map((payment) => payment.id),
      payments.map(({ amount }) => amount),
      payments.map(({ currency }) => currency),
      payments.map(({ paidAt }) => paidAt),
    ],
  );
  return rows;
}

/** Inserts charges that are not stored yet, and returns their ids. */
export async function insertCharges(
  tx: Tx,
  { id: accountId, userId }: FundedAccount,
  charges: readonly InterestCharge[],
): Promise<readonly string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `INSERT INTO interest_charges (id, user_id, exchange_account_id, venue_charge_id, asset, amount, charged_at)
     SELECT n.id, $1, $2, n.venue_id, n.asset, n.amount, n.charged_at
     FROM unnest($3::uuid[], $4::text[], $5::text[], $6::numeric[], $7::timestamptz[])
       AS n (id, venue_id, asset, amount, charged_at)
     ON CONFLICT DO NOTHING
     RETURNING id`,
    [
      userId,
      accountId,
      charges.map(() => newUuid()),
      charges.map((charge) => charge.id),
      charges.map(({ asset }) => asset),
      charges.map(({ amount }) => amount),
      charges.map(({ chargedAt }) => chargedAt),
    ],
  );
  return rows.map(({ id }) => id);
}

/** Returns the lot books of these pairs, of all connections of the account. */
export function booksOf(tx: Tx, accountId: string, pairIds: readonly string[]): Promise<LotBookKey[]> {
  return queryPrepared<LotBookKey>(
    tx,
    `SELECT connection.id AS "exchangeAccountId", pair.id AS "tradePairId"
     FROM (${connectionsOf('$1::uuid')}) connection CROSS JOIN unnest($2::uuid[]) AS pair (id)`,
    [accountId, pairIds],
  );
}

/** Returns the lot books of margin pairs with one of these assets, of all connections of the account. */
export function marginBooksOf(tx: Tx, accountId: string, assets: readonly string[]): Promise<LotBookKey[]> {
  return queryPrepared<LotBookKey>(
    tx,
    `SELECT b.exchange_account_id AS "exchangeAccountId", b.trade_pair_id AS "tradePairId"
     FROM (${connectionsOf('$1::uuid')}) connection
     JOIN lot_books b ON b.exchange_account_id = connection.id
     JOIN trade_pairs p ON p.id = b.trade_pair_id
     WHERE p.trading_type = 'margin' AND (p.base = ANY ($2) OR p.quote = ANY ($2))`,
    [accountId, assets],
  );
}

/**
 * Returns the funding of an account and pair after an instant, in the settlement currency: positive if the account paid
 * more than it received. Payments of which no lot has a part are included.
 */
export async function fundingSince(tx: Tx, accountId: string, pairId: string, since: Date): Promise<Decimal> {
  const [row] = await queryPrepared<{ paid: string }>(
    tx,
    `SELECT coalesce(-sum(f.amount), 0)::text AS paid
     FROM funding_payments f JOIN trade_pairs p ON p.id = f.trade_pair_id
     WHERE f.exchange_account_id = $1 AND f.trade_pair_id = $2 AND f.paid_at > $3 AND f.currency = p.quote`,
    [accountId, pairId, since],
  );
  return canonicalDecimal(row!.paid);
}
