/** Reads funding payments, interest charges and the lots that were open at their time, and writes the parts of the lots. */
import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import type { OwingLot } from './funding.rules.js';
import type { LotBookKey } from './lots.queries.js';

/** A lot book with the instant from which its lots changed. */
export interface ChangedBook extends LotBookKey {
  readonly since: Date;
}

/** A funding payment in the quote currency of its pair. */
export interface PaymentToBook extends LotBookKey {
  readonly id: string;
  readonly userId: string;
  /** Positive if it was received. */
  readonly amount: Decimal;
  readonly at: Date;
}

export interface ChargeToBook {
  readonly id: string;
  readonly userId: string;
  readonly exchangeAccountId: string;
  readonly asset: string;
  readonly amount: Decimal;
  /** The value in `currency`, once it was determined. */
  readonly value: Decimal | null;
  readonly currency: string | null;
  readonly at: Date;
}

export interface NewLotFunding extends LotBookKey {
  readonly lotId: string;
  readonly sourceId: string;
  readonly userId: string;
  readonly amount: Decimal;
  readonly at: Date;
}

const columnsOf = (books: readonly ChangedBook[]) => [
  books.map(({ exchangeAccountId }) => exchangeAccountId),
  books.map(({ tradePairId }) => tradePairId),
  books.map(({ since }) => since),
];

/** Returns the payments of each book after its instant, in the quote currency of the pair. */
export function paymentsSince(tx: Tx, books: readonly ChangedBook[]): Promise<PaymentToBook[]> {
  return queryPrepared<PaymentToBook>(
    tx,
    `SELECT f.id, f.user_id AS "userId", f.exchange_account_id AS "exchangeAccountId",
       f.trade_pair_id AS "tradePairId", trim_scale(f.amount)::text AS amount, f.paid_at AS at
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS book (account, pair, since)
     JOIN trade_pairs p ON p.id = book.pair
     JOIN funding_payments f ON f.exchange_account_id = book.account AND f.trade_pair_id = book.pair
       AND f.paid_at > book.since AND f.currency = p.quote`,
    columnsOf(books),
  );
}

/**
 * Returns, locked, the charges on loans of the base or quote currency of each book after its instant. The lock orders
 * transactions that hold the locks of different books of one account.
 */
export function lockChargesSince(tx: Tx, books: readonly ChangedBook[]): Promise<ChargeToBook[]> {
  return queryPrepared<ChargeToBook>(
    tx,
    `SELECT c.id, c.user_id AS "userId", c.exchange_account_id AS "exchangeAccountId", c.asset,
       trim_scale(c.amount)::text AS amount, trim_scale(c.value)::text AS value, c.currency, c.charged_at AS at
     FROM interest_charges c
     WHERE EXISTS (
       SELECT FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS book (account, pair, since)
       JOIN trade_pairs p ON p.id = book.pair
       WHERE book.account = c.exchange_account_id AND c.asset IN (p.base, p.quote) AND c.charged_at > book.since)
       AND c.exchange_account_id = ANY ($1)
     ORDER BY c.charged_at, c.id FOR NO KEY UPDATE OF c`,
    columnsOf(books),
  );
}

/** The sums of what was closed of the lot `l` before an instant. */
const closedBefore = (instant: string) => `
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(c.amount), 0) AS amount, coalesce(sum(c.entry_value), 0) AS value
    FROM lot_closures c WHERE c.lot_id = l.id AND c.closed_at < ${instant}) closed`;

const LOT_COLUMNS = 'id, side, opened_amount, opened_value, opened_at';

/**
 * Selects the lots of a book that were open just before an instant: those opened before it and not closed before it. Two
 * branches, because each has an index.
 */
const openBefore = (account: string, pair: string, instant: string) => `
  SELECT ${LOT_COLUMNS} FROM lots WHERE exchange_account_id = ${account} AND trade_pair_id = ${pair} AND opened_at < ${instant}
    AND open_amount > 0
  UNION ALL
  SELECT ${LOT_COLUMNS} FROM lots WHERE exchange_account_id = ${account} AND trade_pair_id = ${pair} AND opened_at < ${instant}
    AND closed_at >= ${instant}`;

/** Returns, by payment, the lots that were open at its time with their open amount, in the order of opening. */
export function lotsOpenAtPayments(
  tx: Tx,
  payments: readonly PaymentToBook[],
): Promise<{ sourceId: string; lotId: string; weight: Decimal }[]> {
  return queryPrepared(
    tx,
    `SELECT s.id AS "sourceId", l.id AS "lotId", trim_scale(l.opened_amount - closed.amount)::text AS weight
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) AS s (id, account, pair, at)
     CROSS JOIN LATERAL (${openBefore('s.account', 's.pair', 's.at')}) l ${closedBefore('s.at')}
     ORDER BY s.id, l.opened_at, l.id`,
    [
      payments.map(({ id }) => id),
      payments.map(({ exchangeAccountId }) => exchangeAccountId),
      payments.map(({ tradePairId }) => tradePairId),
      payments.map(({ at }) => at),
    ],
  );
}

/**
 * Returns, by charge, the lots that were open at its time in pairs of its asset, in the order of opening. The price of a
 * pair is its price of the day of the charge, or the last one before it; of today, the last price.
 */
export function lotsOpenAtCharges(
  tx: Tx,
  charges: readonly ChargeToBook[],
): Promise<(OwingLot & { readonly sourceId: string })[]> {
  return queryPrepared(
    tx,
    `SELECT s.id AS "sourceId", l.id AS "lotId", p.id AS "tradePairId", l.side, p.base, p.quote,
       trim_scale(l.opened_amount - closed.amount)::text AS "openAmount",
       trim_scale(l.opened_value - closed.value)::text AS "openValue",
       trim_scale(coalesce(day_price.price, p.last_price))::text AS price
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[]) AS s (id, account, asset, at)
     JOIN lot_books b ON b.exchange_account_id = s.account
     JOIN trade_pairs p ON p.id = b.trade_pair_id AND p.trading_type = 'margin' AND s.asset IN (p.base, p.quote)
     CROSS JOIN LATERAL (${openBefore('s.account', 'p.id', 's.at')}) l ${closedBefore('s.at')}
     LEFT JOIN LATERAL (
       SELECT d.price FROM pair_day_prices d
       WHERE d.trade_pair_id = p.id AND d.day <= (s.at AT TIME ZONE 'UTC')::date
       ORDER BY d.day DESC LIMIT 1) day_price ON true
     ORDER BY s.id, l.opened_at, l.id`,
    [
      charges.map(({ id }) => id),
      charges.map(({ exchangeAccountId }) => exchangeAccountId),
      charges.map(({ asset }) => asset),
      charges.map(({ at }) => at),
    ],
  );
}

export async function deleteLotFunding(tx: Tx, sourceIds: readonly string[]): Promise<void> {
  await queryPrepared(tx, 'DELETE FROM lot_funding WHERE source_id = ANY ($1)', [sourceIds]);
}

export async function insertLotFunding(tx: Tx, parts: readonly NewLotFunding[]): Promise<void> {
  if (parts.length === 0) return;
  await queryPrepared(
    tx,
    `INSERT INTO lot_funding (lot_id, source_id, user_id, exchange_account_id, trade_pair_id, amount, at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::numeric[], $7::timestamptz[])`,
    [
      parts.map(({ lotId }) => lotId),
      parts.map(({ sourceId }) => sourceId),
      parts.map(({ userId }) => userId),
      parts.map(({ exchangeAccountId }) => exchangeAccountId),
      parts.map(({ tradePairId }) => tradePairId),
      parts.map(({ amount }) => amount),
      parts.map(({ at }) => at),
    ],
  );
}

/** Stores the values of charges that had none. A value never changes, so that booking again gives the same parts. */
export async function storeChargeValues(
  tx: Tx,
  values: readonly { readonly id: string; readonly value: Decimal; readonly currency: string }[],
): Promise<void> {
  if (values.length === 0) return;
  await queryPrepared(
    tx,
    `UPDATE interest_charges c SET value = valued.value, currency = valued.currency
     FROM unnest($1::uuid[], $2::numeric[], $3::text[]) AS valued (id, value, currency)
     WHERE c.id = valued.id AND c.value IS NULL`,
    [values.map(({ id }) => id), values.map(({ value }) => value), values.map(({ currency }) => currency)],
  );
}
