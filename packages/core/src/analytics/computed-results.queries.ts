/**
 * SQL that computes the results of time ranges from fills, lots and trades. `DailyRollups` stores days with it, and
 * `AnalyticsService` computes other ranges with it, so the two cannot differ.
 *
 * Parameters: $1, $2 and $3 are the users, starts and ends of time ranges that do not overlap. $4 is the account and $5
 * the pair; null selects all.
 *
 * 1. A fill counts for its trade's strategy, a realised result for the lot's strategy, and a closed trade for its own
 *    strategy. A copy counts for the strategy that it copies.
 * 2. Days are UTC days. A trade counts on the day of its creation, and a fill on the day of its execution. A closure
 *    counts on the day of its closing fill.
 * 3. The result of a day is that of its closures plus its funding.
 * 4. Sums are exact.
 */
import { isRepeatedPayment } from '../trades/index.js';
import { AMOUNTS, COUNTS } from './result-totals.js';

/** Represents "no strategy" and "any account, pair or strategy" in keys; key columns cannot be null. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const KEY = 'user_id, day, exchange_account_id, trade_pair_id, strategy_id';
const NIL = `'${NIL_UUID}'::uuid`;
const STRATEGY = `coalesce(t.strategy_id, t.copied_strategy_id, ${NIL})`;

const dayOf = (instant: string) => `(${instant} AT TIME ZONE 'UTC')::date`;
const isSelected = (row: string) =>
  `($4::uuid IS NULL OR ${row}.exchange_account_id = $4) AND ($5::uuid IS NULL OR ${row}.trade_pair_id = $5)`;

const TIME_RANGES = `time_ranges AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS s (user_id, since, until))`;

/**
 * Joins the rows of a table in the time range `s`, by an index that starts with the columns of the condition. OFFSET 0
 * keeps the planner from flattening the subquery. Otherwise, with many time ranges, the database would compare each
 * range with every row of the user.
 */
const joinWithin = (table: string, alias: string, condition: string, instant: string) => `
  CROSS JOIN LATERAL (
    SELECT * FROM ${table} WHERE ${condition} AND ${instant} >= s.since AND ${instant} < s.until OFFSET 0) ${alias}`;

const signOf = (lot: string) => `CASE WHEN ${lot}.side = 'BUY' THEN 1 ELSE -1 END`;

/** `sold` is the amount of a spot sale, including its fee in base; null for other fills. */
const FILLS = `executed AS MATERIALIZED (
  SELECT t.user_id, ${dayOf('f.executed_at')} AS day, t.exchange_account_id, t.trade_pair_id,
    ${STRATEGY} AS strategy_id, f.id, f.price, f.amount, f.fee_amount, f.fee_currency, p.base, p.quote,
    f.fee_value, f.fee_value IS NULL AND f.fee_amount <> 0 AND f.fee_currency NOT IN (p.base, p.quote) AS is_unvalued,
    CASE WHEN t.side = 'SELL' AND p.trading_type = 'spot' THEN
      f.amount + CASE WHEN f.fee_currency = p.base THEN f.fee_amount ELSE 0 END END AS sold
  FROM time_ranges s
  JOIN exchange_accounts a ON a.user_id = s.user_id
  ${joinWithin('fills', 'f', 'exchange_account_id = a.id', 'executed_at')}
  JOIN trades t ON t.id = f.trade_id
  JOIN trade_pairs p ON p.id = t.trade_pair_id
  WHERE ${isSelected('t')})`;

const CLOSURES = `closures AS MATERIALIZED (
  SELECT f.user_id, f.day, f.exchange_account_id, f.trade_pair_id, coalesce(l.strategy_id, ${NIL}) AS strategy_id,
    c.fill_id, c.amount, c.pnl, c.entry_value, ${signOf('l')} AS sign
  FROM executed f JOIN lot_closures c ON c.fill_id = f.id JOIN lots l ON l.id = c.lot_id)`;

/**
 * The change of what the lots hold and of its cost. Both are negative for lots that sales opened. The sum of all days is
 * what is held now, so the open result of any day can be computed from it and the day's price.
 */
const HELD = `held AS (
  SELECT ${KEY}, sum(amount) AS held_change, sum(cost) AS cost_change FROM (
    SELECT f.user_id, f.day, f.exchange_account_id, f.trade_pair_id, coalesce(l.strategy_id, ${NIL}) AS strategy_id,
      ${signOf('l')} * l.opened_amount AS amount, ${signOf('l')} * l.opened_value AS cost
    FROM executed f JOIN lots l ON l.id = f.id
    UNION ALL SELECT ${KEY}, -sign * amount, -sign * entry_value FROM closures) c
  GROUP BY ${KEY})`;

/**
 * Funding and interest count on the day of their payment, for the strategies of the lots that have a part in them. A
 * payment of which no lot has a part counts for no strategy, if it is in quote currency. If several connections of one
 * account at the exchange read it, it counts for the first alone.
 */
const FUNDED = `funded AS (
  SELECT ${KEY}, sum(amount) AS funding FROM (
    SELECT f.user_id, ${dayOf('f.at')} AS day, f.exchange_account_id, f.trade_pair_id,
      coalesce(l.strategy_id, ${NIL}) AS strategy_id, f.amount
    FROM time_ranges s
    ${joinWithin('lot_funding', 'f', 'user_id = s.user_id', 'at')}
    LEFT JOIN lots l ON l.id = f.lot_id
    WHERE ${isSelected('f')}
    UNION ALL
    SELECT f.user_id, ${dayOf('f.paid_at')}, f.exchange_account_id, f.trade_pair_id, ${NIL}, f.amount
    FROM time_ranges s
    ${joinWithin('funding_payments', 'f', 'user_id = s.user_id', 'paid_at')}
    JOIN trade_pairs p ON p.id = f.trade_pair_id AND p.quote = f.currency
    WHERE ${isSelected('f')} AND NOT EXISTS (SELECT FROM lot_funding x WHERE x.source_id = f.id)
      AND NOT ${isRepeatedPayment('f')}) f
  GROUP BY ${KEY})`;

/** Closed trades, with the exact result of their lots. */
const CLOSED = `closed AS MATERIALIZED (
  SELECT t.user_id, ${dayOf('t.closed_at')} AS day, t.exchange_account_id, t.trade_pair_id,
    ${STRATEGY} AS strategy_id, p.quote, t.id, t.closed_at, r.opened_at, r.pnl
  FROM time_ranges s
  ${joinWithin('trades', 't', 'user_id = s.user_id', 'closed_at')}
  JOIN trade_pairs p ON p.id = t.trade_pair_id
  CROSS JOIN LATERAL (
    SELECT min(l.opened_at) AS opened_at, sum(c.pnl) AS pnl
    FROM lots l JOIN lot_closures c ON c.lot_id = l.id WHERE l.trade_id = t.id) r
  WHERE ${isSelected('t')} AND r.pnl IS NOT NULL)`;

const countOf = (status: string) =>
  `count(*) FILTER (WHERE t.status = '${status}')::int AS ${status.toLowerCase()}_count`;

const CREATED = `created AS (
  SELECT t.user_id, ${dayOf('t.created_at')} AS day, t.exchange_account_id, t.trade_pair_id,
    ${STRATEGY} AS strategy_id, ${['PENDING', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'FAILED'].map(countOf).join(', ')}
  FROM time_ranges s
  ${joinWithin('trades', 't', 'user_id = s.user_id', 'created_at')}
  WHERE ${isSelected('t')} GROUP BY 1, 2, 3, 4, 5)`;

/**
 * `fees_of_base` and `fees_of_others` are the values in quote currency of the fees that were paid in base currency and in
 * third assets. A fee in a third asset without a value counts in `unvalued_fee_count` only.
 */
const FILLED = `filled AS (
  SELECT ${KEY}, count(*)::int AS fill_count, count(*) FILTER (WHERE sold > coalesce(m.amount, 0))::int AS unmatched_count,
    sum(f.price * f.amount) AS volume,
    coalesce(sum(f.fee_amount) FILTER (WHERE f.fee_currency = f.quote), 0) AS fees_in_quote,
    coalesce(sum(f.fee_amount) FILTER (WHERE f.fee_currency = f.base), 0) AS fees_in_base,
    coalesce(sum(f.fee_amount * f.price) FILTER (WHERE f.fee_currency = f.base), 0) AS fees_of_base,
    coalesce(sum(f.fee_value), 0) AS fees_of_others, count(*) FILTER (WHERE f.is_unvalued)::int AS unvalued_fee_count
  FROM executed f LEFT JOIN (SELECT fill_id, sum(amount) AS amount FROM closures GROUP BY fill_id) m ON m.fill_id = f.id
  GROUP BY ${KEY})`;

const OTHER_FEES = `other_fees AS (
  SELECT ${KEY}, jsonb_object_agg(fee_currency, amount::text) AS fees_in_others
  FROM (SELECT ${KEY}, fee_currency, sum(fee_amount) AS amount FROM executed
        WHERE fee_currency NOT IN (base, quote) AND fee_amount <> 0 GROUP BY ${KEY}, fee_currency) f
  GROUP BY ${KEY})`;

const REALISED = `realised AS (
  SELECT ${KEY}, count(*)::int AS part_count, sum(pnl) AS closure_pnl FROM closures GROUP BY ${KEY})`;

const ENDED = `ended AS (
  SELECT ${KEY}, count(*)::int AS closed_count, count(*) FILTER (WHERE pnl > 0)::int AS winning_count,
    count(*) FILTER (WHERE pnl < 0)::int AS losing_count,
    coalesce(sum(pnl) FILTER (WHERE pnl > 0), 0) AS gross_profit,
    coalesce(-sum(pnl) FILTER (WHERE pnl < 0), 0) AS gross_loss,
    sum(extract(epoch FROM closed_at - opened_at)) AS holding_seconds,
    max(pnl) AS best_pnl, (array_agg(id ORDER BY pnl DESC, closed_at, id))[1] AS best_trade_id,
    min(pnl) AS worst_pnl, (array_agg(id ORDER BY pnl, closed_at, id))[1] AS worst_trade_id
  FROM closed GROUP BY ${KEY})`;

/** The amounts that are plain sums. `fees` and `net_pnl` are computed from several sums. */
const SUMMED_AMOUNTS = AMOUNTS.filter((name) => name !== 'fees' && name !== 'net_pnl');
const UNSUMMED_COLUMNS = [
  'fees_in_others',
  'best_pnl',
  'best_trade_id',
  'worst_pnl',
  'worst_trade_id',
] as const;

/** The columns of `result_days` that can be added up over days. */
export const SUMMABLE_COLUMNS = { counts: COUNTS, amounts: AMOUNTS } as const;

/** All columns of `result_days` and of `DAYS_SQL` except their key. */
export const VALUE_COLUMNS = [
  ...COUNTS,
  ...SUMMED_AMOUNTS,
  'fees',
  'net_pnl',
  'held_change',
  'cost_change',
  ...UNSUMMED_COLUMNS,
];

/** The columns of `result_days`, in the order of `DAYS_SQL`. */
export const DAY_COLUMNS = [KEY, ...VALUE_COLUMNS].join(', ');

/** Selects one row of `result_days` for each day, account, pair and strategy with any result. */
export const DAYS_SQL = `
  WITH ${[TIME_RANGES, FILLS, CLOSURES, CLOSED, CREATED, FILLED, OTHER_FEES, REALISED, HELD, ENDED, FUNDED].join(', ')}
  SELECT ${KEY}, ${[...COUNTS, ...SUMMED_AMOUNTS].map((name) => `coalesce(${name}, 0) AS ${name}`).join(', ')},
    coalesce(fees_in_quote + fees_of_base + fees_of_others, 0) AS fees,
    coalesce(closure_pnl, 0) + coalesce(funding, 0) AS net_pnl, coalesce(held_change, 0) AS held_change,
    coalesce(cost_change, 0) AS cost_change, ${UNSUMMED_COLUMNS.join(', ')}
  FROM created FULL JOIN filled USING (${KEY}) FULL JOIN other_fees USING (${KEY})
    FULL JOIN realised USING (${KEY}) FULL JOIN held USING (${KEY}) FULL JOIN ended USING (${KEY})
    FULL JOIN funded USING (${KEY})`;

/** The dimensions by which `result_runs` can be selected, as bits. */
export const SELECTED_BY = { account: 1, pair: 2, strategy: 4 } as const;
export const ALL_SELECTIONS = [0, 1, 2, 3, 4, 5, 6, 7] as const;

const RUN_KEY = 'user_id, selected_by, account_key, pair_key, strategy_key, quote, day';

/** The columns of `result_runs`, in the order of `RUNS_SQL`. */
export const RUN_COLUMNS =
  'user_id, selected_by, exchange_account_id, trade_pair_id, strategy_id, quote, day, closed_count, first_losses, last_losses, longest';

/**
 * Selects runs of losing trades in the order of closing. $6 lists combinations of `SELECTED_BY`; $7 is the strategy,
 * null selects all. A row has the number of closed trades, the losses at the start and at the end of the day, and the
 * longest run. Trades closed at the same instant are ordered by creation.
 */
export const RUNS_SQL = `
  WITH ${[TIME_RANGES, CLOSED].join(', ')},
  placed AS (
    SELECT c.user_id, w.selected_by, c.quote, c.day, c.closed_at, c.id, c.pnl < 0 AS is_loss,
      CASE WHEN w.selected_by & ${SELECTED_BY.account} > 0 THEN c.exchange_account_id ELSE ${NIL} END AS account_key,
      CASE WHEN w.selected_by & ${SELECTED_BY.pair} > 0 THEN c.trade_pair_id ELSE ${NIL} END AS pair_key,
      CASE WHEN w.selected_by & ${SELECTED_BY.strategy} > 0 THEN c.strategy_id ELSE ${NIL} END AS strategy_key
    FROM closed c CROSS JOIN unnest($6::int[]) AS w (selected_by)
    WHERE (w.selected_by & ${SELECTED_BY.strategy} = 0 OR c.strategy_id <> ${NIL})
      AND ($7::uuid IS NULL OR c.strategy_id = $7)
  ), numbered AS (
    SELECT *, row_number() OVER (PARTITION BY ${RUN_KEY} ORDER BY closed_at, id)::int AS place FROM placed
  ), breaks AS (
    SELECT ${RUN_KEY}, place,
      place - 1 - lag(place, 1, 0) OVER (PARTITION BY ${RUN_KEY} ORDER BY place) AS losses_before
    FROM numbered WHERE NOT is_loss
  ), broken AS (
    SELECT ${RUN_KEY}, min(place) AS first_break, max(place) AS last_break, max(losses_before) AS longest
    FROM breaks GROUP BY ${RUN_KEY}
  ), days AS (
    SELECT ${RUN_KEY}, count(*)::int AS closed_count FROM numbered GROUP BY ${RUN_KEY}
  )
  SELECT ${RUN_KEY}, closed_count, coalesce(first_break - 1, closed_count) AS first_losses,
    coalesce(closed_count - last_break, closed_count) AS last_losses,
    greatest(longest, closed_count - coalesce(last_break, 0)) AS longest
  FROM days LEFT JOIN broken USING (${RUN_KEY})`;
