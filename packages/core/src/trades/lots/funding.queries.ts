/** Reads funding payments, interest charges and the lots that were open at their time, and writes the parts of the lots. */
import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { IS_LOT_OF_OURS } from '../origins.js';
import { connectionsOf } from './connections.queries.js';
import type { ConnectedLot, OwingLot } from './funding.rules.js';
import type { LotBookKey } from './lots.queries.js';

/** A lot book with the instant from which its lots changed. */
export interface ChangedBook extends LotBookKey {
  readonly since: Date;
}

/**
 * What an exchange paid or charged once, as the connections of the account read it. Several connections of one account store
 * a record each; the first one is booked, and stands for all of them.
 */
interface VenueRecord {
  /** Of the first record. */
  readonly id: string;
  readonly userId: string;
  readonly exchangeAccountId: string;
  readonly at: Date;
  /** The ids of all records. */
  readonly recordIds: readonly string[];
  /** The accounts of all records, in the order in which they were stored. */
  readonly readers: readonly string[];
}

/** A funding payment in the quote currency of its pair. */
export interface PaymentToBook extends VenueRecord {
  readonly tradePairId: string;
  /** Positive if it was received. */
  readonly amount: Decimal;
}

export interface ChargeToBook extends VenueRecord {
  readonly asset: string;
  readonly amount: Decimal;
  /** The value in `currency`, once it was determined. */
  readonly value: Decimal | null;
  readonly currency: string | null;
}

export interface NewLotFunding extends LotBookKey, LotOwner {
  readonly sourceId: string;
  readonly amount: Decimal;
  readonly at: Date;
}

const columnsOf = (books: readonly ChangedBook[]) => [
  books.map(({ exchangeAccountId }) => exchangeAccountId),
  books.map(({ tradePairId }) => tradePairId),
  books.map(({ since }) => since),
];

/** Returns the ids of the payments of each book after its instant, also of those that other connections stored. */
export async function paymentsSince(tx: Tx, books: readonly ChangedBook[]): Promise<readonly string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT f.id
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS book (account, pair, since)
     CROSS JOIN LATERAL (${connectionsOf('book.account')}) connection
     JOIN funding_payments f ON f.exchange_account_id = connection.id AND f.trade_pair_id = book.pair
       AND f.paid_at > book.since`,
    columnsOf(books),
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the ids of the charges on loans of the base or quote currency of each book after its instant, also of those that
 * other connections stored.
 */
export async function chargesSince(tx: Tx, books: readonly ChangedBook[]): Promise<readonly string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT DISTINCT c.id
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS book (account, pair, since)
     JOIN trade_pairs p ON p.id = book.pair
     CROSS JOIN LATERAL (${connectionsOf('book.account')}) connection
     JOIN interest_charges c ON c.exchange_account_id = connection.id AND c.asset IN (p.base, p.quote)
       AND c.charged_at > book.since`,
    columnsOf(books),
  );
  return rows.map(({ id }) => id);
}

interface RecordTable {
  readonly name: 'funding_payments' | 'interest_charges';
  /** The column of the record's id at the exchange. */
  readonly venueId: string;
  /** Further columns to select, and the condition on which a record counts. */
  readonly columns: readonly string[];
  readonly condition?: string;
}

/**
 * Selects, locked, the first record `r` of each payment or charge that has one of the records `$1`, with the ids and
 * accounts of all its records. The lock orders transactions that hold the locks of different books: each then sees the lots of the one before it.
 */
const firstRecords = ({ name, venueId, columns, condition = 'true' }: RecordTable) => {
  const ofAll = (column: string) =>
    `array_agg(l.${column}::text) OVER (record ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`;
  const named = (alias: string) =>
    ['id', 'user_id', 'exchange_account_id', ...columns].map((column) => `${alias}.${column}`).join(', ');
  return `
  WITH wanted AS (SELECT exchange_account_id, ${venueId} AS venue_id FROM ${name} WHERE id = ANY ($1)),
  locked AS (
    SELECT ${named('r')}, r.created_at, r.${venueId} AS venue_id, a.exchange,
      coalesce(a.venue_account_id, a.id::text) AS venue_account
    FROM ${name} r JOIN exchange_accounts a ON a.id = r.exchange_account_id
    WHERE r.id IN (
      SELECT other.id FROM wanted w CROSS JOIN LATERAL (${connectionsOf('w.exchange_account_id')}) connection
      JOIN ${name} other ON other.exchange_account_id = connection.id AND other.${venueId} = w.venue_id)
    ORDER BY r.id FOR NO KEY UPDATE OF r),
  placed AS (
    SELECT ${named('l')}, row_number() OVER record AS place, ${ofAll('id')} AS ids,
      ${ofAll('exchange_account_id')} AS readers
    FROM locked l WHERE ${condition}
    WINDOW record AS (PARTITION BY l.exchange, l.venue_account, l.venue_id ORDER BY l.created_at, l.id))
  SELECT r.id, r.user_id AS "userId", r.exchange_account_id AS "exchangeAccountId", r.ids AS "recordIds",
    r.readers, trim_scale(r.amount)::text AS amount`;
};

const FIRST_PAYMENTS = `${firstRecords({
  name: 'funding_payments',
  venueId: 'venue_payment_id',
  columns: ['trade_pair_id', 'amount', 'currency', 'paid_at'],
  condition: 'EXISTS (SELECT FROM trade_pairs p WHERE p.id = l.trade_pair_id AND p.quote = l.currency)',
})}, r.trade_pair_id AS "tradePairId", r.paid_at AS at
  FROM placed r WHERE r.place = 1`;

const FIRST_CHARGES = `${firstRecords({
  name: 'interest_charges',
  venueId: 'venue_charge_id',
  columns: ['asset', 'amount', 'value', 'currency', 'charged_at'],
})}, r.asset, trim_scale(r.value)::text AS value, r.currency, r.charged_at AS at
  FROM placed r WHERE r.place = 1 ORDER BY r.charged_at, r.id`;

/** Returns, locked, the payments in the quote currencies of their pairs that have one of these records. */
export function lockPayments(tx: Tx, ids: readonly string[]): Promise<PaymentToBook[]> {
  return queryPrepared<PaymentToBook>(tx, FIRST_PAYMENTS, [ids]);
}

/** Returns, locked, the charges that have one of these records, oldest first. */
export function lockCharges(tx: Tx, ids: readonly string[]): Promise<ChargeToBook[]> {
  return queryPrepared<ChargeToBook>(tx, FIRST_CHARGES, [ids]);
}

/** The sums of what was closed of the lot `l` before an instant. */
const closedBefore = (instant: string) => `
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(c.amount), 0) AS amount, coalesce(sum(c.entry_value), 0) AS value
    FROM lot_closures c WHERE c.lot_id = l.id AND c.closed_at < ${instant}) closed`;

const LOT_COLUMNS =
  'id, user_id, exchange_account_id, trade_id, side, opened_amount, opened_value, opened_at';

/** The columns of `OpenLot` of a lot `l`, without its pair. */
const OWNER_COLUMNS = `l.id AS "lotId", l.user_id AS "userId", l.exchange_account_id AS "exchangeAccountId",
  ${IS_LOT_OF_OURS('l')} AS "isOurs"`;

/** The user and the account of a lot. */
export interface LotOwner {
  readonly lotId: string;
  readonly userId: string;
  readonly exchangeAccountId: string;
}

/** A lot that was open at the time of the payment or charge `sourceId`. */
interface OpenLot extends LotOwner, ConnectedLot {
  readonly sourceId: string;
}

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

/**
 * Returns, by payment, the lots of all connections that were open at its time with their open amount, in the order of
 * opening.
 */
export function lotsOpenAtPayments(
  tx: Tx,
  payments: readonly PaymentToBook[],
): Promise<(OpenLot & { readonly weight: Decimal })[]> {
  return queryPrepared(
    tx,
    `SELECT s.id AS "sourceId", s.pair AS "tradePairId", ${OWNER_COLUMNS},
       trim_scale(l.opened_amount - closed.amount)::text AS weight
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) AS s (id, account, pair, at)
     CROSS JOIN LATERAL (${connectionsOf('s.account', 's.at')}) connection
     CROSS JOIN LATERAL (${openBefore('connection.id', 's.pair', 's.at')}) l ${closedBefore('s.at')}
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
 * Returns, by charge, the lots of all connections that were open at its time in pairs of its asset, in the order of opening. The price of a
 * pair is its price of the day of the charge, or the last one before it; of today, the last price.
 */
export function lotsOpenAtCharges(tx: Tx, charges: readonly ChargeToBook[]): Promise<(OpenLot & OwingLot)[]> {
  return queryPrepared(
    tx,
    `SELECT s.id AS "sourceId", ${OWNER_COLUMNS}, p.id AS "tradePairId", l.side, p.base, p.quote,
       trim_scale(l.opened_amount - closed.amount)::text AS "openAmount",
       trim_scale(l.opened_value - closed.value)::text AS "openValue",
       trim_scale(coalesce(day_price.price, p.last_price))::text AS price
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[]) AS s (id, account, asset, at)
     CROSS JOIN LATERAL (${connectionsOf('s.account', 's.at')}) connection
     JOIN lot_books b ON b.exchange_account_id = connection.id
     JOIN trade_pairs p ON p.id = b.trade_pair_id AND p.trading_type = 'margin' AND s.asset IN (p.base, p.quote)
     CROSS JOIN LATERAL (${openBefore('connection.id', 'p.id', 's.at')}) l ${closedBefore('s.at')}
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

/** Marks the days of these records as outdated in the results of the users who read them. */
export async function markResults(
  tx: Tx,
  records: readonly { readonly userId: string; readonly at: Date }[],
): Promise<void> {
  if (records.length === 0) return;
  await queryPrepared(
    tx,
    `INSERT INTO result_marks (user_id, day)
     SELECT DISTINCT user_id, (at AT TIME ZONE 'UTC')::date FROM unnest($1::uuid[], $2::timestamptz[]) AS r (user_id, at)`,
    [records.map(({ userId }) => userId), records.map(({ at }) => at)],
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
