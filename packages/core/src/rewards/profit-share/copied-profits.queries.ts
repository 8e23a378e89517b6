/**
 * Reads the profits of a copying user with a leader's account at the end of a period. All values are read as of that
 * instant, from lots, their closures and recorded prices, so a later run computes the same.
 */
import type { Decimal, ProfitSharePeriod } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { lotsWithUnvaluedFee } from '../../values/index.js';
import type { HoldingCopier, QuoteVolume, Terms } from './profit-share.rules.js';

/** Fills that are reported after the settlement of their period count in the next one, if they are at most this late. */
const LATE_FILLS = "interval '7 days'";

/** A user who copies, and the account of the copied strategies. */
export type Copying = {
  readonly userId: string;
  /** The oldest connection of the account at the exchange. */
  readonly leaderAccountId: string;
  readonly exchange: string;
  /** All connections of that account, as uuids. */
  readonly connections: readonly string[];
};

/** Returns the ids of the next users after `after` who have copiers, including deleted ones, in order. */
export async function copyingUsersAfter(tx: Tx, after: string, limit: number): Promise<string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    'SELECT DISTINCT user_id AS id FROM copiers WHERE user_id > $1 ORDER BY user_id LIMIT $2',
    [after, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the leaders' accounts that the users copied while terms with a period of this kind were accepted. Omits those
 * of which the user held no lot since the last settlement, and those that are settled until `to`.
 */
export function copyingsOf(
  tx: Tx,
  { kind, to }: { readonly kind: ProfitSharePeriod; readonly to: Date },
  userIds: readonly string[],
): Promise<Copying[]> {
  return queryPrepared<Copying>(
    tx,
    `SELECT DISTINCT c.user_id AS "userId", a.exchange, same.ids[1] AS "leaderAccountId", same.ids AS connections
     FROM copier_terms t JOIN copiers c ON c.id = t.copier_id JOIN strategies s ON s.id = t.strategy_id
     JOIN exchange_accounts a ON a.id = s.exchange_account_id
     CROSS JOIN LATERAL (
       SELECT array_agg(b.id ORDER BY b.id) AS ids FROM exchange_accounts b
       WHERE b.id = a.id OR (b.exchange = a.exchange AND b.venue_account_id = a.venue_account_id)) same
     WHERE c.user_id = ANY ($1) AND s.user_id <> c.user_id AND t.period = $2 AND EXISTS (
       SELECT FROM lots l JOIN copiers o ON o.id = l.copier_id JOIN strategies f ON f.id = l.strategy_id
       LEFT JOIN LATERAL (
         SELECT p.period_to, p.created_at FROM profit_settlements p
         WHERE p.user_id = c.user_id AND p.leader_account_id = ANY (same.ids) ORDER BY p.period_to DESC LIMIT 1) last ON true
       WHERE o.user_id = c.user_id AND f.exchange_account_id = ANY (same.ids)
         AND (last.period_to IS NULL OR last.period_to < $3) AND (
         l.closed_at IS NULL OR last.period_to IS NULL OR l.closed_at >= last.period_to
         OR (l.closed_at >= last.period_to - ${LATE_FILLS} AND EXISTS (
           SELECT FROM lot_closures k JOIN fills x ON x.id = k.fill_id
           WHERE k.lot_id = l.id AND x.created_at >= last.created_at))))
     ORDER BY 1, 3`,
    [userIds, kind, to],
  );
}

/** Serialises settlements of this user and account, without locking rows that other transactions use. */
export async function lockSettlement(tx: Tx, { userId, leaderAccountId }: Copying): Promise<void> {
  await queryPrepared(
    tx,
    `SELECT pg_advisory_xact_lock(hashtextextended('profit share of ' || $1 || ' with ' || $2, 0))`,
    [userId, leaderAccountId],
  );
}

export type LastSettlement = {
  readonly leaderAccountId: string;
  readonly currency: string;
  readonly mark: Decimal;
  readonly periodTo: Date;
  readonly createdAt: Date;
};

/** The last settlement before a period; null before the first one. */
export type Since = Pick<LastSettlement, 'periodTo' | 'createdAt'> | null;

export async function readLastSettlement(
  tx: Tx,
  { userId, connections }: Copying,
): Promise<LastSettlement | undefined> {
  const [row] = await queryPrepared<LastSettlement>(
    tx,
    `SELECT leader_account_id AS "leaderAccountId", currency, trim_scale(mark_after)::text AS mark,
       period_to AS "periodTo", created_at AS "createdAt"
     FROM profit_settlements WHERE user_id = $1 AND leader_account_id = ANY ($2) ORDER BY period_to DESC LIMIT 1`,
    [userId, connections],
  );
  return row;
}

/** Selects the lots `l` of the user that copy the account, with their pair `p` and strategy `s`, up to an instant. */
const COPIED_LOTS = `copiers c JOIN lots l ON l.copier_id = c.id JOIN strategies s ON s.id = l.strategy_id
  JOIN trade_pairs p ON p.id = l.trade_pair_id
  WHERE c.user_id = $1 AND s.exchange_account_id = ANY ($2) AND s.user_id <> c.user_id AND l.opened_at < $3`;

type HoldingCopierRow = Omit<HoldingCopier, 'terms'> & {
  readonly terms: readonly (Omit<Terms, 'since'> & { readonly since: string | null })[];
};

/** Whether a closure `z` is newer than the last settlement: filled since its end, or reported since it was stored. */
const isRecent = (periodTo: string, createdAt: string) =>
  `(z.closed_at >= coalesce(${periodTo}, '-infinity'::timestamptz) OR (z.closed_at >= ${periodTo} - ${LATE_FILLS}
     AND EXISTS (SELECT FROM fills y WHERE y.id = z.fill_id AND y.created_at >= ${createdAt}::timestamptz)))`;

/**
 * Returns the copiers that held lots of the account between two instants, with their terms. A remainder that is too small
 * to sell does not count, because a fee in base currency leaves it in a lot forever.
 */
export async function readHoldingCopiers(
  tx: Tx,
  { userId, connections }: Copying,
  since: Since,
  to: Date,
): Promise<HoldingCopier[]> {
  const rows = await queryPrepared<HoldingCopierRow>(
    tx,
    `SELECT held."copierId", held."strategyId", held."ownerId", held."heldSince", (SELECT coalesce(json_agg(json_build_object('rate', trim_scale(t.rate)::text, 'period', t.period,
         'since', nullif(t.since, '-infinity')) ORDER BY t.since, t.id), '[]')
       FROM copier_terms t WHERE t.copier_id = held."copierId" AND t.strategy_id = held."strategyId") AS terms
     FROM (SELECT l.copier_id AS "copierId", l.strategy_id AS "strategyId", s.user_id AS "ownerId",
         min(l.opened_at) AS "heldSince"
       FROM ${COPIED_LOTS} AND (
         EXISTS (SELECT FROM lot_closures z WHERE z.lot_id = l.id AND z.closed_at < $3
                   AND ${isRecent('$4::timestamptz', '$5')})
         OR l.opened_amount - (SELECT coalesce(sum(x.amount), 0) FROM lot_closures x
                               WHERE x.lot_id = l.id AND x.closed_at < $3) >= greatest(p.amount_step, p.min_amount))
       GROUP BY 1, 2, 3) held
     ORDER BY held."copierId", held."strategyId"`,
    [userId, connections, to, since?.periodTo ?? null, since?.createdAt ?? null],
  );
  return rows.map(({ terms, ...copier }) => ({
    ...copier,
    terms: terms.map((row) => ({ ...row, since: row.since === null ? null : new Date(row.since) })),
  }));
}

/**
 * Returns the traded value of the copies in each quote currency, converted to one common currency at the prices of the
 * instant `to`. Null if a price is missing.
 */
export async function readVolumes(
  tx: Tx,
  { userId, connections }: Copying,
  to: Date,
): Promise<readonly QuoteVolume[] | null> {
  const rows = await queryPrepared<{ quote: string; volume: Decimal | null }>(
    tx,
    `WITH traded AS (
       SELECT p.exchange, p.quote, sum(l.opened_value + coalesce(x.value, 0)) AS value
       FROM copiers c JOIN lots l ON l.copier_id = c.id JOIN strategies s ON s.id = l.strategy_id
       JOIN trade_pairs p ON p.id = l.trade_pair_id
       LEFT JOIN LATERAL (
         SELECT sum(k.entry_value + CASE l.side WHEN 'BUY' THEN k.pnl ELSE -k.pnl END) AS value FROM lot_closures k
         WHERE k.lot_id = l.id AND k.closed_at < $3) x ON true
       WHERE c.user_id = $1 AND s.exchange_account_id = ANY ($2) AND s.user_id <> c.user_id AND l.opened_at < $3
       GROUP BY p.exchange, p.quote)
     SELECT quote, CASE WHEN count(*) = count(in_common) THEN sum(in_common)::text END AS volume
     FROM (SELECT quote, value * quote_rate(exchange, quote, (SELECT min(quote) FROM traded), $3) AS in_common
           FROM traded) converted
     GROUP BY quote ORDER BY quote`,
    [userId, connections, to],
  );
  const volumes = rows.flatMap(({ quote, volume }) => (volume === null ? [] : [{ quote, volume }]));
  return volumes.length === rows.length ? volumes : null;
}

/** The amount of the lot `l` that was open just before the payment `f`. A lot with a part in a payment was open. */
const HELD_AT_PAYMENT = `(l.opened_amount - (
  SELECT coalesce(sum(h.amount), 0) FROM lot_closures h WHERE h.lot_id = l.id AND h.closed_at < f.at))`;

/**
 * The copied lots at an instant $3 in a currency $4. Realised results are converted at the time of their fill, open
 * losses at $3. Open lots are valued at the last price before $3, or at their cost if none is known. `recent` is what was
 * realised since the last settlement, which ended at $5 and was stored at $6. A result is null if a price is missing.
 *
 * A closed part of a lot takes its share of the funding that was paid while it was open, converted at the time of the
 * payment. The share of the open part counts as a part of the open loss: paid funding raises it, received funding lowers it.
 */
const VALUED_LOTS = `
  valued AS (
    SELECT l.id, x.realized, x.recent, x.recent_count, x.is_known AND (open.loss = 0 OR open.rate IS NOT NULL) AS is_known,
      CASE WHEN open.loss = 0 THEN 0 ELSE open.loss * open.rate END AS open_loss
    FROM copiers c JOIN lots l ON l.copier_id = c.id JOIN strategies s ON s.id = l.strategy_id
    JOIN trade_pairs p ON p.id = l.trade_pair_id
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(k.amount), 0) AS amount, coalesce(sum(k.entry_value), 0) AS entry_value,
        coalesce(sum(k.pnl * k.rate + k.funding), 0) AS realized,
        coalesce(bool_and(k.rate IS NOT NULL AND k.funding IS NOT NULL), true) AS is_known,
        coalesce(sum(k.pnl * k.rate + k.funding) FILTER (WHERE k.is_recent), 0) AS recent,
        count(*) FILTER (WHERE k.is_recent) AS recent_count
      FROM (SELECT z.amount, z.entry_value, z.pnl, ${isRecent('$5::timestamptz', '$6')} AS is_recent,
              quote_rate(p.exchange, p.quote, $4, z.closed_at) AS rate, funded.value AS funding
            FROM lot_closures z CROSS JOIN LATERAL (
              SELECT CASE WHEN count(*) = count(rate) THEN coalesce(sum(amount * rate * z.amount / held), 0) END AS value
              FROM (SELECT f.amount, ${HELD_AT_PAYMENT} AS held, quote_rate(p.exchange, p.quote, $4, f.at) AS rate
                    FROM lot_funding f WHERE f.lot_id = l.id AND f.at <= z.closed_at) paid) funded
            WHERE z.lot_id = l.id AND z.closed_at < $3) k) x
    CROSS JOIN LATERAL (
      SELECT quote_rate(p.exchange, p.quote, $4, $3) AS rate,
        greatest(0, coalesce(CASE l.side
          WHEN 'BUY' THEN l.opened_value - x.entry_value - (l.opened_amount - x.amount) * last.price
          ELSE (l.opened_amount - x.amount) * last.price - (l.opened_value - x.entry_value) END, 0)
          - (SELECT coalesce(sum(f.amount * (l.opened_amount - x.amount) / ${HELD_AT_PAYMENT}), 0)
             FROM lot_funding f WHERE f.lot_id = l.id AND f.at < $3)) AS loss
      FROM (SELECT (SELECT d.price FROM pair_day_prices d
                    WHERE d.trade_pair_id = p.id AND d.day < ($3 AT TIME ZONE 'UTC')::date
                    ORDER BY d.day DESC LIMIT 1) AS price) last) open
    WHERE c.user_id = $1 AND s.exchange_account_id = ANY ($2) AND s.user_id <> c.user_id AND l.opened_at < $3
  )`;

const parametersOf = (
  { to, since }: { readonly to: Date; readonly since: Since },
  currency: string,
): unknown[] => [to, currency, since?.periodTo ?? null, since?.createdAt ?? null];

export type Profit = {
  readonly realized: Decimal;
  readonly openLoss: Decimal;
};

export interface KnownProfit {
  /** Null if a price, or the value of a fee, is missing. */
  readonly profit: Profit | null;
  /** The time of the newest fill whose fee has no value; null if all fees have one. */
  readonly unvaluedFeeAt: Date | null;
}

/** Returns the profit of all copies in the currency. Reads profit and missing fees as of the same instant. */
export async function readProfit(
  tx: Tx,
  { userId, connections }: Copying,
  period: { readonly to: Date; readonly since: Since },
  currency: string,
): Promise<KnownProfit> {
  const [row] = await queryPrepared<Profit & { isKnown: boolean; unvaluedFeeAt: Date | null }>(
    tx,
    `WITH ${VALUED_LOTS}
     SELECT coalesce(sum(realized), 0)::text AS realized, coalesce(sum(open_loss), 0)::text AS "openLoss",
       coalesce(bool_and(is_known), true) AS "isKnown",
       (SELECT max(f.executed_at)
        FROM ${lotsWithUnvaluedFee('f.exchange_account_id IN (SELECT exchange_account_id FROM copiers WHERE user_id = $1)')}
        JOIN copiers c ON c.id = l.copier_id JOIN strategies s ON s.id = l.strategy_id
        WHERE c.user_id = $1 AND s.exchange_account_id = ANY ($2) AND s.user_id <> c.user_id
          AND f.executed_at < $3) AS "unvaluedFeeAt"
     FROM valued`,
    [userId, connections, ...parametersOf(period, currency)],
  );
  const { isKnown, unvaluedFeeAt, ...profit } = row!;
  return { profit: isKnown && unvaluedFeeAt === null ? profit : null, unvaluedFeeAt };
}

/** Stores the lots from which the settlement was computed: those that changed it since the last one. */
export async function insertSettledLots(
  tx: Tx,
  settlementId: string,
  { userId, connections }: Copying,
  period: { readonly to: Date; readonly since: Since },
  currency: string,
): Promise<void> {
  await queryPrepared(
    tx,
    `WITH ${VALUED_LOTS}
     INSERT INTO profit_settlement_lots (settlement_id, lot_id, realized, open_loss)
     SELECT $7, id, recent, open_loss FROM valued WHERE recent_count > 0 OR open_loss > 0`,
    [userId, connections, ...parametersOf(period, currency), settlementId],
  );
}

/**
 * Returns the mark of a user without a settlement: the sum of the marks of earlier releases, which were kept for each
 * copier, strategy and quote currency. Null if a price is missing.
 */
export async function readFormerMark(
  tx: Tx,
  { userId, connections, exchange }: Copying,
  currency: string,
): Promise<Decimal | null> {
  const [row] = await queryPrepared<{ mark: Decimal | null }>(
    tx,
    `SELECT CASE WHEN count(*) = count(rate) THEN trim_scale(trunc(coalesce(sum(mark * rate), 0), 18))::text END AS mark
     FROM (SELECT DISTINCT ON (f.copier_id, f.strategy_id, f.quote) f.high_water_after AS mark,
             quote_rate($3, f.quote, $4, f.period_to) AS rate
           FROM profit_shares f JOIN copiers c ON c.id = f.copier_id JOIN strategies s ON s.id = f.strategy_id
           WHERE c.user_id = $1 AND s.exchange_account_id = ANY ($2)
           ORDER BY f.copier_id, f.strategy_id, f.quote, f.period_to DESC) last`,
    [userId, connections, exchange, currency],
  );
  return row!.mark;
}

/** Returns why a user's profit is not shared with the strategy's owner; null if it is. */
export async function readWithheld(
  tx: Tx,
  userId: string,
  ownerId: string,
  createdBefore: Date,
): Promise<'LINKED_USERS' | 'NEW_USER' | null> {
  const [row] = await queryPrepared<{ isLinked: boolean; isNew: boolean }>(
    tx,
    `SELECT EXISTS (SELECT FROM identity_hashes a JOIN identity_hashes b ON b.kind = a.kind AND b.hash = a.hash
       WHERE a.user_id = u.id AND b.user_id = $2) AS "isLinked", u.created_at > $3 AS "isNew"
     FROM users u WHERE u.id = $1`,
    [userId, ownerId, createdBefore],
  );
  if (row?.isLinked === true) return 'LINKED_USERS';
  return row?.isNew === true ? 'NEW_USER' : null;
}

/**
 * Records the prices between the quote currencies that copiers trade in, where they changed. They value profits in one
 * currency.
 */
export async function recordQuotePrices(tx: Tx): Promise<void> {
  await queryPrepared(
    tx,
    `WITH used AS (
       SELECT DISTINCT p.exchange, p.quote FROM lot_books b JOIN trade_pairs p ON p.id = b.trade_pair_id
       WHERE b.exchange_account_id IN (SELECT exchange_account_id FROM copiers))
     INSERT INTO quote_prices (exchange, base, quote, at, price)
     SELECT DISTINCT ON (p.exchange, p.base, p.quote) p.exchange, p.base, p.quote, clock_timestamp(), p.last_price
     FROM trade_pairs p
     JOIN used a ON a.exchange = p.exchange AND a.quote = p.base
     JOIN used b ON b.exchange = p.exchange AND b.quote = p.quote
     WHERE p.last_price > 0 AND p.trading_type = 'spot' AND p.listed_symbol IS NULL AND p.last_price IS DISTINCT FROM (
       SELECT q.price FROM quote_prices q WHERE q.exchange = p.exchange AND q.base = p.base AND q.quote = p.quote
       ORDER BY q.at DESC LIMIT 1)
     ORDER BY p.exchange, p.base, p.quote, p.id
     ON CONFLICT DO NOTHING`,
    [],
  );
}
