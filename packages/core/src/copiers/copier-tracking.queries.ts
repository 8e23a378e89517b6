/**
 * SQL of the tracking difference of many copiers: the formulas of tracking.rules.ts, added up over lots. The database
 * adds them up, because a page of copiers has up to 100,000 lots.
 */

/** The maximum number of a copier's newest lots that are compared. */
const TRACKED_LOTS_MAX = 1_000;

/** The amount of the lot `l`, opened by the fill `o` on the pair `p`, before a fee in base currency. Perpetuals deduct none. */
const OPENED =
  "CASE WHEN o.fee_currency = p.base AND p.trading_type <> 'perpetual' THEN o.amount ELSE l.opened_amount END";

/** The result of the amount `m.…_amount` of a perfect copy, net of fees, for the share that is compared. */
const resultOf = (part: 'perfect' | 'missed') =>
  `h.share * (m.${part}_amount * u.exit_price * (sg.sign - m.fee_rate)
    - u.entry_factor * m.${part}_value * (sg.sign + m.fee_rate))`;

const sign = (side: string) => `CASE ${side} WHEN 'BUY' THEN 1 ELSE -1 END`;

/** The place of the second significant digit of a value above 0, as decimals. */
const secondDigit = (value: string) => `(1 - floor(log((${value})::float8)))::int`;

/** A value above 0 as a user other than the strategy's owner may know it: with two significant digits. */
const coarse = (value: string) => `round(${value}, ${secondDigit(value)})`;

/** A fraction above 0 as signals show it to users other than the strategy's owner. */
const coarseFraction = (fraction: string) => `trunc(${fraction}, ${secondDigit(fraction)})`;

/**
 * For each decision on a lot: what a perfect copy buys or which fraction it sells, and the part of the purchase that a skip,
 * a failure or a reduction left out. An exit while the copier was not active, or whose order is still open, counts as nothing.
 *
 * Amounts and fractions of another user's strategy are masked before anything is computed from them, so that the figures
 * depend on the copier's own orders, on prices and on what the user is shown of the signals. From exact ones, the last digits
 * of a weighted average would reveal the amounts of the leader. The amounts are masked when the copy is planned
 * (`maskedPerfectAmount`); decisions of the previous release have exact ones.
 */
const FOLLOWED = `
  SELECT d.copier_id, d.lot_trade_id, d.sequence, d.created_at, d.reference_price AS price, x.is_own, n.perfect, f.closed,
    CASE WHEN d.settled_at IS NULL OR d.outcome = 'COPIED' OR (d.outcome = 'SKIPPED' AND d.code = 'BELOW_MINIMUM') THEN 0
      ELSE greatest(0, n.perfect - d.filled_amount) END AS missed
  FROM decisions d JOIN signals s ON s.id = d.signal_id JOIN strategies st ON st.id = d.strategy_id
  CROSS JOIN LATERAL (SELECT st.user_id = d.user_id AS is_own,
    CASE WHEN d.kind IN ('OPEN', 'INCREASE') THEN coalesce(d.perfect_amount, d.target_amount) ELSE 0 END AS perfect,
    CASE WHEN d.kind IN ('OPEN', 'INCREASE') OR d.code IS NOT DISTINCT FROM 'NOT_ACTIVE' OR d.settled_at IS NULL THEN 0
      WHEN d.kind = 'CLOSE' THEN 1 ELSE coalesce(least(1, s.exit_amount / nullif(s.lot_amount_before, 0)), 0) END AS closed) x
  CROSS JOIN LATERAL (SELECT CASE WHEN x.is_own OR x.perfect = 0 OR d.inputs ? 'masked_target' THEN x.perfect
    WHEN d.sent_amount = 0 OR d.outcome = 'CLAMPED' THEN ${coarse('x.perfect')} ELSE d.sent_amount END AS perfect) n
  CROSS JOIN LATERAL (SELECT CASE WHEN x.is_own OR x.closed = 0 THEN x.closed ELSE ${coarseFraction('x.closed')} END
    AS closed) f
  WHERE d.copier_id IN (SELECT id FROM selected)`;

/** The decisions on the same lot before the row's. */
const EARLIER =
  '(PARTITION BY copier_id, lot_trade_id ORDER BY sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)';

/** What a complete exit leaves of a lot, instead of 0: later purchases are divided by it. */
const LEAST_LEFT = '1e-12';
/** Keeps the product of such values within the range of a double. */
const LEAST_EXPONENT = -600;

/**
 * What a perfect copy sells with each exit: a fraction of what it holds. It holds each purchase times the product of the
 * fractions that exits between left of it.
 */
const SOLD = `
  SELECT copier_id, lot_trade_id, created_at, price, is_own, perfect, missed, closed,
    closed::float8 * remaining * coalesce(sum(perfect::float8 / remaining) OVER earlier, 0) AS sold
  FROM (
    SELECT copier_id, lot_trade_id, sequence, created_at, price, is_own, perfect, missed, closed,
      exp(greatest(${LEAST_EXPONENT}, coalesce(sum(ln(greatest(${LEAST_LEFT}, 1 - closed::float8))) OVER earlier, 0))) AS remaining
    FROM (${FOLLOWED}) f
    WINDOW earlier AS ${EARLIER}
  ) left_over
  WINDOW earlier AS ${EARLIER}`;

/**
 * For each copier and lot: what entries requested, what was left out of it, and how a perfect copy was sold. The exact
 * average exit price is within `exit_tolerance`: a masked fraction is exact to 0.01 and to a tenth, and a whole exit is exact.
 */
const SIGNALLED = `
  SELECT copier_id, lot_trade_id, is_own, perfect_amount, perfect_value, missed_amount, missed_value, share,
    exit_price, CASE WHEN is_own THEN 0 ELSE exit_range * least(0.1, 0.01 * part_count / share) END AS exit_tolerance
  FROM (
    SELECT copier_id, lot_trade_id, bool_and(is_own) AS is_own, sum(perfect) AS perfect_amount,
      sum(perfect * price) AS perfect_value, sum(missed) AS missed_amount, sum(missed * price) AS missed_value,
      sum(sold)::numeric / nullif(sum(perfect), 0) AS share,
      (sum(sold * price::float8) / nullif(sum(sold), 0))::numeric AS exit_price,
      max(price) FILTER (WHERE sold > 0) - min(price) FILTER (WHERE sold > 0) AS exit_range,
      count(*) FILTER (WHERE sold > 0 AND closed < 1) AS part_count,
      row_number() OVER (PARTITION BY copier_id ORDER BY min(created_at) DESC, lot_trade_id) AS position
    FROM (${SOLD}) sold
    GROUP BY copier_id, lot_trade_id HAVING sum(perfect) > 0) ranked
  WHERE position <= ${TRACKED_LOTS_MAX} AND share > 0`;

/** The side, the quote currency and the fee rate of the leader's lot of the row `s`. */
const LED = `
  SELECT l.side, p.quote, coalesce(sum((r.value - r.amount * o.price) * g.factor * ${sign('l.side')} - r.pnl)
    / nullif(sum((r.value + r.amount * o.price) * g.factor), 0), 0) AS fee_rate
  FROM lots l JOIN fills o ON o.id = l.id JOIN trade_pairs p ON p.id = l.trade_pair_id
  CROSS JOIN LATERAL (SELECT ${OPENED} / l.opened_amount AS factor) g
  CROSS JOIN LATERAL (SELECT coalesce(sum(c.amount), 0) AS amount, coalesce(sum(c.amount * x.price), 0) AS value,
      coalesce(sum(c.pnl), 0) AS pnl
    FROM lot_closures c JOIN fills x ON x.id = c.fill_id WHERE c.lot_id = l.id) r
  WHERE l.trade_id = s.lot_trade_id AND l.copier_id IS NULL
  GROUP BY l.side, p.quote`;

const REQUESTED_COLUMNS = `copier_id uuid, is_own boolean, perfect_amount numeric, perfect_value numeric, missed_amount numeric,
    missed_value numeric, share numeric, exit_price numeric, exit_tolerance numeric`;

/** What each copier requested of each of these lots. A leader's lot is read once for all copiers. */
const REQUESTED = `
  SELECT e.copier_id, s.lot_trade_id, l.side, l.quote, e.perfect_amount, e.perfect_value, e.missed_amount, e.missed_value,
    e.share, e.exit_price, e.exit_tolerance, CASE WHEN e.is_own OR l.fee_rate = 0 THEN l.fee_rate
      ELSE sign(l.fee_rate) * ${coarse('abs(l.fee_rate)')} END AS fee_rate
  FROM (
    SELECT lot_trade_id, array_agg((copier_id, is_own, perfect_amount, perfect_value, missed_amount, missed_value, share,
      exit_price, exit_tolerance)) AS copiers
    FROM signalled GROUP BY lot_trade_id) s
  CROSS JOIN LATERAL (${LED}) l
  CROSS JOIN LATERAL unnest(s.copiers) AS e (${REQUESTED_COLUMNS})`;

/**
 * The copies of each lot. A price that is unknown makes no difference: an unknown arrival price is the leader's, and a
 * closure without the leader's price has the own price.
 */
const COPIED = `
  SELECT copier_id, lot_trade_id, bool_or(is_detached) AS is_detached, sum(opened) AS bought_amount,
    sum(opened * leader_price) AS bought_value, sum(amount * factor) AS closed_amount,
    sum(factor * amount * leader_price) AS entry_value, sum(factor * at_leader) AS exit_value,
    sum(factor * (at_arrival - amount * coalesce(arrival_price, leader_price))) AS at_arrival,
    sum(factor * (at_own - amount * own_price)) AS gross, sum(pnl) AS own_pnl
  FROM (
    SELECT l.copier_id, l.source_trade_id AS lot_trade_id, l.is_detached, ${OPENED} AS opened,
      ${OPENED} / l.opened_amount AS factor, o.price AS own_price,
      coalesce((ot.copy ->> 'reference_price')::numeric, o.price) AS leader_price,
      (ot.copy ->> 'arrival_price')::numeric AS arrival_price,
      sum(c.amount) AS amount, sum(c.pnl) AS pnl, sum(c.amount * x.price) AS at_own,
      sum(c.amount * coalesce((xt.copy ->> 'reference_price')::numeric, x.price)) AS at_leader,
      sum(c.amount * coalesce((xt.copy ->> 'arrival_price')::numeric, (xt.copy ->> 'reference_price')::numeric,
        x.price)) AS at_arrival
    FROM lots l JOIN fills o ON o.id = l.id JOIN trades ot ON ot.id = l.trade_id
    JOIN trade_pairs p ON p.id = l.trade_pair_id
    LEFT JOIN (lot_closures c JOIN fills x ON x.id = c.fill_id JOIN trades xt ON xt.id = c.trade_id) ON c.lot_id = l.id
    WHERE l.copier_id IN (SELECT id FROM selected) AND l.source_trade_id IS NOT NULL
    GROUP BY l.id, o.id, ot.id, p.id) by_lot
  GROUP BY copier_id, lot_trade_id`;

/**
 * Merges both by grouping instead of joining: the database cannot estimate the sizes of these subqueries, and would
 * compare each row of one with all rows of the other.
 */
const MERGED = `
  SELECT copier_id, max(side) AS side, max(quote) AS quote, sum(perfect_amount) AS perfect_amount,
    sum(perfect_value) AS perfect_value, sum(missed_amount) AS missed_amount, sum(missed_value) AS missed_value,
    sum(share) AS share, sum(exit_price) AS exit_price, sum(exit_tolerance) AS exit_tolerance, sum(fee_rate) AS fee_rate,
    coalesce(sum(bought_amount), 0) AS bought_amount, coalesce(sum(bought_value), 0) AS bought_value,
    coalesce(sum(closed_amount), 0) AS closed_amount, coalesce(sum(entry_value), 0) AS entry_value,
    coalesce(sum(exit_value), 0) AS exit_value, coalesce(sum(at_arrival), 0) AS at_arrival,
    coalesce(sum(gross), 0) AS gross, coalesce(sum(own_pnl), 0) AS own_pnl
  FROM (
    SELECT copier_id, lot_trade_id, side, quote, perfect_amount, perfect_value, missed_amount, missed_value, share,
      exit_price, exit_tolerance, fee_rate, NULL::boolean AS is_detached, NULL::numeric AS bought_amount,
      NULL::numeric AS bought_value, NULL::numeric AS closed_amount, NULL::numeric AS entry_value,
      NULL::numeric AS exit_value, NULL::numeric AS at_arrival, NULL::numeric AS gross, NULL::numeric AS own_pnl
    FROM requested
    UNION ALL
    SELECT copier_id, lot_trade_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, is_detached,
      bought_amount, bought_value, closed_amount, entry_value, exit_value, at_arrival, gross, own_pnl
    FROM copied) both_sides
  GROUP BY copier_id, lot_trade_id HAVING sum(perfect_amount) > 0 AND bool_or(is_detached) IS NOT TRUE`;

/** One row for each compared lot, with the terms of `trackingSumsOf`. */
const COMPARED = `
  SELECT m.copier_id, m.quote, h.share * m.perfect_value AS cost, m.own_pnl - sg.sign * m.gross + c.fee AS fees,
    sg.sign * (m.gross - m.at_arrival) AS slippage, sg.sign * m.at_arrival - c.gain AS latency,
    c.gain - c.fee - perfect.result + missed.result AS rounding, -missed.result AS skips
  FROM (${MERGED}) m
  CROSS JOIN LATERAL (SELECT ${sign('m.side')} AS sign) sg
  CROSS JOIN LATERAL (SELECT CASE WHEN m.bought_amount > 0 THEN m.closed_amount / m.bought_amount ELSE m.share END AS share) h
  CROSS JOIN LATERAL (SELECT sg.sign * (m.exit_value - m.entry_value) AS gain,
    m.fee_rate * (m.exit_value + m.entry_value) AS fee) c
  CROSS JOIN LATERAL (SELECT CASE WHEN m.closed_amount > 0 THEN greatest(m.exit_price - m.exit_tolerance,
      least(m.exit_price + m.exit_tolerance, m.exit_value / m.closed_amount)) ELSE m.exit_price END AS exit_price,
    CASE WHEN m.closed_amount > 0 THEN m.entry_value * m.bought_amount / (m.bought_value * m.closed_amount)
      ELSE 1 END AS entry_factor) u
  CROSS JOIN LATERAL (SELECT ${resultOf('perfect')} AS result) perfect
  CROSS JOIN LATERAL (SELECT ${resultOf('missed')} AS result) missed`;

/**
 * Common table expressions that end with `tracked`: for each copier of `selected` its `id` and its `sums`, as
 * `TrackingSums`. Amounts of different currencies are never added: only the quote currency with the most lots counts.
 * Omits detached lots, because what the user closed by hand is not a result of the copier.
 */
export const TRACKED = `
  signalled AS MATERIALIZED (${SIGNALLED}
  ), requested AS MATERIALIZED (${REQUESTED}
  ), copied AS MATERIALIZED (${COPIED}
  ), compared AS MATERIALIZED (${COMPARED}
  ), tracked AS MATERIALIZED (
    SELECT DISTINCT ON (copier_id) copier_id AS id, sums
    FROM (
      SELECT copier_id, quote, count(*) AS lot_count, json_build_object('cost', sum(cost)::text, 'fees', sum(fees)::text,
        'slippage', sum(slippage)::text, 'rounding', sum(rounding)::text, 'skips', sum(skips)::text,
        'latency', sum(latency)::text) AS sums
      FROM compared GROUP BY copier_id, quote HAVING sum(cost) > 0) by_quote
    ORDER BY copier_id, lot_count DESC, quote
  )`;
