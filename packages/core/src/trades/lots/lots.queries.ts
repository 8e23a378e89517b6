/** Reads and writes lot books, lots and closures; each query handles many books in one statement. */
import type { Decimal } from '@trading-automation/contracts';
import { insertMany, queryPrepared, type Tx } from '@trading-automation/persistence';
import type { FillToBook, LotBookPair, StoredClosure, StoredLot } from './booking.rules.js';
import { LotEntity } from './lot.entity.js';
import { LotClosureEntity } from './lot-closure.entity.js';
import type { LeaderTrade } from './lot-signals.rules.js';
import { formatUnits, parseUnits, QUOTE_SCALE } from './lots.rules.js';

/** The lot book of one account and pair. */
export interface LotBookKey {
  readonly exchangeAccountId: string;
  readonly tradePairId: string;
}

/** A position in the order of execution: by instant, then by fill id. */
export interface FillPosition {
  readonly executedAt: Date;
  readonly id: string;
}

export interface StoredLotBook extends LotBookKey, LotBookPair {
  readonly priceTick: Decimal;
  /** Whether the book lacks fills of an older release. */
  readonly hasUnbookedFills: boolean;
  /** Whether the lots already include fills at or after the `first` fill that was passed to `readBooks`. */
  readonly isLate: boolean;
}

const columnsOf = (keys: readonly LotBookKey[]) => [
  keys.map(({ exchangeAccountId }) => exchangeAccountId),
  keys.map(({ tradePairId }) => tradePairId),
];

/** Inserts missing books, then locks all books, both in the order of their keys. `lockBooks` explains the order. */
export async function ensureAndLockBooks(tx: Tx, keys: readonly LotBookKey[]): Promise<void> {
  await queryPrepared(
    tx,
    `INSERT INTO lot_books (exchange_account_id, trade_pair_id)
     SELECT DISTINCT account, pair FROM unnest($1::uuid[], $2::uuid[]) AS key (account, pair)
     ORDER BY account, pair ON CONFLICT DO NOTHING`,
    columnsOf(keys),
  );
  await queryPrepared(
    tx,
    `SELECT 1 FROM lot_books
     WHERE (exchange_account_id, trade_pair_id) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))
     ORDER BY exchange_account_id, trade_pair_id FOR NO KEY UPDATE`,
    columnsOf(keys),
  );
}

/** Reads lot books. @param keys the books, each with the first fill to book, or null if there is no fill to book */
export async function readBooks(
  tx: Tx,
  keys: readonly (LotBookKey & { readonly first: FillPosition | null })[],
): Promise<readonly StoredLotBook[]> {
  return queryPrepared<StoredLotBook>(
    tx,
    `SELECT b.exchange_account_id AS "exchangeAccountId", b.trade_pair_id AS "tradePairId", p.base,
       coalesce(p.settle, p.quote) AS quote, p.trading_type AS "tradingType", p.amount_step AS "amountStep", p.price_tick AS "priceTick", b.is_behind AS "hasUnbookedFills",
       coalesce((key.at, key.fill) <= (b.last_executed_at, b.last_fill_id), false) AS "isLate"
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[]) AS key (account, pair, at, fill)
     JOIN lot_books b ON b.exchange_account_id = key.account AND b.trade_pair_id = key.pair
     JOIN trade_pairs p ON p.id = key.pair`,
    [
      ...columnsOf(keys),
      keys.map(({ first }) => first?.executedAt ?? null),
      keys.map(({ first }) => first?.id ?? null),
    ],
  );
}

/**
 * Returns a query for unbooked fills. `OFFSET 0` makes the database look up each book's fills separately, regardless of
 * the planner's statistics. $1 and $2 are the account ids and pair ids of the books. $3 is the earliest instant of the
 * unbooked fills of each book. It bounds the search, because the account may have very many fills of other pairs since
 * the book's last fill.
 *
 * @param condition a further SQL condition on the fills, beginning with AND; or an empty string
 */
const unbooked = (condition: string) => `
  SELECT f.id, f.trade_id AS "tradeId", t.side, f.price, f.amount, f.fee_amount AS "feeAmount",
    f.fee_currency AS "feeCurrency", f.fee_value AS "feeValue", f.executed_at AS "executedAt", t.user_id AS "userId",
    t.exchange_account_id AS "exchangeAccountId", t.trade_pair_id AS "tradePairId", t.symbol,
    t.trading_type AS "tradingType", t.copier_id AS "copierId", t.strategy_id AS "strategyId",
    t.copied_strategy_id AS "copiedStrategyId", t.source_trade_id AS "sourceTradeId", t.closes_lot_id AS "closesLotId",
    t.trading_type <> 'spot' AND t.copier_id IS NOT NULL AND coalesce(t.intent IN ('OPEN', 'INCREASE'), false) AS "opensOnly"
  FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS key (account, pair, since)
  JOIN lot_books b ON b.exchange_account_id = key.account AND b.trade_pair_id = key.pair
  CROSS JOIN LATERAL (
    SELECT id, trade_id, price, amount, fee_amount, fee_currency, fee_value, executed_at FROM fills
    WHERE exchange_account_id = key.account AND executed_at >= key.since
      AND (executed_at, id) > (b.last_executed_at, b.last_fill_id) ${condition}
    ORDER BY executed_at, id OFFSET 0) AS f
  CROSS JOIN LATERAL (
    SELECT side, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, copier_id, strategy_id,
      copied_strategy_id, source_trade_id, closes_lot_id, intent
    FROM trades WHERE id = f.trade_id OFFSET 0) AS t
  WHERE t.trade_pair_id = key.pair
  ORDER BY f.executed_at, f.id`;

const ALL_UNBOOKED = unbooked('');
const NEXT_UNBOOKED = `${unbooked('AND ($4::timestamptz IS NULL OR (executed_at, id) < ($4, $5::uuid))')} LIMIT $6`;

/**
 * Returns all fills that are not in their books yet, in order of execution.
 *
 * @param keys the books, each with the instant of its first unbooked fill
 */
export async function unbookedFills(
  tx: Tx,
  keys: readonly (LotBookKey & { readonly since: Date })[],
): Promise<readonly FillToBook[]> {
  return queryPrepared<FillToBook>(tx, ALL_UNBOOKED, [...columnsOf(keys), keys.map(({ since }) => since)]);
}

/** Returns the next unbooked fills of one book, at most `limit`; only fills before `before` if it is not null. */
export async function nextUnbookedFills(
  tx: Tx,
  key: LotBookKey,
  before: FillPosition | null,
  limit: number,
): Promise<readonly FillToBook[]> {
  const values = [...columnsOf([key]), ['-infinity'], before?.executedAt ?? null, before?.id ?? null, limit];
  return queryPrepared<FillToBook>(tx, NEXT_UNBOOKED, values);
}

/** Marks the book as complete: it has all fills of its account and pair. */
export async function markBackfilled(tx: Tx, { exchangeAccountId, tradePairId }: LotBookKey): Promise<void> {
  await tx.query(
    'UPDATE lot_books SET is_behind = false WHERE exchange_account_id = $1 AND trade_pair_id = $2',
    [exchangeAccountId, tradePairId],
  );
}

/** Returns at most `limit` books that lack fills of an older release. */
export async function booksToBackfill(tx: Tx, limit: number): Promise<readonly LotBookKey[]> {
  return tx.query(
    `SELECT exchange_account_id AS "exchangeAccountId", trade_pair_id AS "tradePairId" FROM lot_books
     WHERE is_behind ORDER BY exchange_account_id, trade_pair_id LIMIT $1`,
    [limit],
  );
}

/** Returns those of the trades that belong to a strategy and are not copies. */
export async function readLeaderTrades(
  tx: Tx,
  ids: readonly string[],
): Promise<readonly (LeaderTrade & LotBookKey)[]> {
  return queryPrepared<LeaderTrade & LotBookKey>(
    tx,
    `SELECT id, strategy_id AS "strategyId", side, amount, filled_amount AS "filledAmount",
       CASE trading_type WHEN 'spot' THEN '0' ELSE coalesce((
         SELECT sum(c.amount) FROM fills f JOIN lot_closures c ON c.fill_id = f.id WHERE f.trade_id = trades.id), 0)::text END
         AS "closedAmount", leader_equity AS "leaderEquity", exchange_account_id AS "exchangeAccountId", trade_pair_id AS "tradePairId"
     FROM trades WHERE id = ANY ($1) AND strategy_id IS NOT NULL AND copier_id IS NULL`,
    [ids],
  );
}

/** Stores the last booked fill of each book. */
export async function advanceBooks(
  tx: Tx,
  books: readonly (LotBookKey & { readonly last: FillPosition })[],
): Promise<void> {
  if (books.length === 0) return;
  await queryPrepared(
    tx,
    `UPDATE lot_books b SET last_executed_at = moved.at, last_fill_id = moved.fill
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[]) AS moved (account, pair, at, fill)
     WHERE b.exchange_account_id = moved.account AND b.trade_pair_id = moved.pair`,
    [...columnsOf(books), books.map(({ last }) => last.executedAt), books.map(({ last }) => last.id)],
  );
}

/**
 * Undoes the closures and lots of each book's fills at or after an instant. The book is then in its state before
 * that instant.
 *
 * @returns the ids of the trades whose lots changed
 */
export async function rewindBooks(
  tx: Tx,
  books: readonly (LotBookKey & { readonly at: Date })[],
): Promise<readonly string[]> {
  const values = [...columnsOf(books), books.map(({ at }) => at)];
  const late = 'unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS late (account, pair, at)';
  const reopenedLots = await queryPrepared<{ tradeId: string }>(
    tx,
    `WITH deleted AS (
       DELETE FROM lot_closures c USING ${late}
       WHERE c.exchange_account_id = late.account AND c.trade_pair_id = late.pair AND c.closed_at >= late.at
       RETURNING c.lot_id, c.amount, c.entry_value, c.pnl, late.at),
     restored AS (
       SELECT lot_id, at, sum(amount) AS amount, sum(entry_value) AS entry_value, sum(pnl) AS pnl
       FROM deleted GROUP BY lot_id, at)
     UPDATE lots l SET open_amount = l.open_amount + restored.amount,
       open_value = trim_scale(l.open_value + restored.entry_value), pnl = trim_scale(l.pnl - restored.pnl), closed_at = NULL,
       is_detached = EXISTS (SELECT 1 FROM lot_closures k
                             WHERE k.lot_id = l.id AND k.detaches AND k.closed_at < restored.at)
     FROM restored WHERE l.id = restored.lot_id RETURNING l.trade_id AS "tradeId"`,
    values,
  );
  const deletedLots = await queryPrepared<{ tradeId: string }>(
    tx,
    `DELETE FROM lots l USING ${late}
     WHERE l.exchange_account_id = late.account AND l.trade_pair_id = late.pair AND l.opened_at >= late.at
     RETURNING l.trade_id AS "tradeId"`,
    values,
  );
  await queryPrepared(
    tx,
    `UPDATE lot_books b SET last_executed_at = late.at, last_fill_id = '00000000-0000-0000-0000-000000000000'
     FROM ${late} WHERE b.exchange_account_id = late.account AND b.trade_pair_id = late.pair`,
    values,
  );
  return [...reopenedLots, ...deletedLots].map(({ tradeId }) => tradeId);
}

const amount = (units: bigint) => formatUnits(units);
const value = (units: bigint) => formatUnits(units, QUOTE_SCALE);

export async function insertLots(tx: Tx, lots: readonly StoredLot[]): Promise<void> {
  await insertMany(
    tx,
    LotEntity,
    lots.map((lot) => ({
      id: lot.id,
      userId: lot.userId,
      exchangeAccountId: lot.exchangeAccountId,
      tradePairId: lot.tradePairId,
      symbol: lot.symbol,
      copierId: lot.copierId,
      strategyId: lot.strategyId,
      sourceTradeId: lot.sourceTradeId,
      tradeId: lot.tradeId,
      side: lot.side,
      openedAmount: amount(lot.openedAmount),
      openAmount: amount(lot.openAmount),
      openedValue: value(lot.openedValue),
      openValue: value(lot.openValue),
      pnl: value(lot.pnl),
      isDetached: lot.isDetached,
      openedAt: lot.openedAt,
      closedAt: lot.closedAt,
    })),
  );
}

export async function insertClosures(tx: Tx, closures: readonly StoredClosure[]): Promise<void> {
  await insertMany(
    tx,
    LotClosureEntity,
    closures.map((closure) => ({
      fillId: closure.fillId,
      lotId: closure.lotId,
      exchangeAccountId: closure.exchangeAccountId,
      tradePairId: closure.tradePairId,
      tradeId: closure.tradeId,
      amount: amount(closure.amount),
      entryValue: value(closure.entryValue),
      pnl: value(closure.pnl),
      detaches: closure.detaches,
      closedAt: closure.closedAt,
    })),
  );
}

/** Writes the changed state of lots. */
export async function updateLots(tx: Tx, lots: readonly StoredLot[]): Promise<void> {
  if (lots.length === 0) return;
  await queryPrepared(
    tx,
    `UPDATE lots l SET open_amount = now.amount, open_value = now.value, pnl = now.pnl,
       is_detached = now.is_detached, closed_at = now.closed_at
     FROM unnest($1::uuid[], $2::numeric[], $3::numeric[], $4::numeric[], $5::boolean[], $6::timestamptz[])
       AS now (id, amount, value, pnl, is_detached, closed_at)
     WHERE l.id = now.id`,
    [
      lots.map(({ id }) => id),
      lots.map(({ openAmount }) => amount(openAmount)),
      lots.map(({ openValue }) => value(openValue)),
      lots.map(({ pnl }) => value(pnl)),
      lots.map(({ isDetached }) => isDetached),
      lots.map(({ closedAt }) => closedAt),
    ],
  );
}

type LotSum = 'openedAmount' | 'openAmount' | 'openedValue' | 'openValue' | 'pnl';
type LotRow = Omit<StoredLot, LotSum> & Readonly<Record<LotSum, Decimal>>;

/** Returns the open lots of the books, oldest first. */
export async function openLotsOfBooks(tx: Tx, keys: readonly LotBookKey[]): Promise<readonly StoredLot[]> {
  if (keys.length === 0) return [];
  const rows = await queryPrepared<LotRow>(
    tx,
    `SELECT id, user_id AS "userId", exchange_account_id AS "exchangeAccountId", trade_pair_id AS "tradePairId", symbol,
       copier_id AS "copierId", strategy_id AS "strategyId", source_trade_id AS "sourceTradeId",
       trade_id AS "tradeId", side, opened_amount AS "openedAmount", open_amount AS "openAmount",
       opened_value AS "openedValue", open_value AS "openValue", pnl, is_detached AS "isDetached",
       opened_at AS "openedAt", closed_at AS "closedAt"
     FROM lots
     WHERE open_amount > 0
       AND (exchange_account_id, trade_pair_id) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))
     ORDER BY opened_at, id`,
    columnsOf(keys),
  );
  return rows.map((row) => ({
    ...row,
    openedAmount: parseUnits(row.openedAmount),
    openAmount: parseUnits(row.openAmount),
    openedValue: parseUnits(row.openedValue, QUOTE_SCALE),
    openValue: parseUnits(row.openValue, QUOTE_SCALE),
    pnl: parseUnits(row.pnl, QUOTE_SCALE),
  }));
}
