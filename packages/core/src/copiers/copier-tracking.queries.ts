/**
 * SQL of the tracking difference of many copiers: the formulas of tracking.rules.ts, added up over lots. The database
 * adds them up, because a page of copiers has up to 100,000 lots.
 */

/** The maximum number of a copier's newest lots that are compared. */
const TRACKED_LOTS_MAX = 1_000;

/** The amount of the lot `l`, opened by the fill `o` on the pair `p`, before a fee in base currency. */
const OPENED = 'CASE WHEN o.fee_currency = p.base THEN o.amount ELSE l.opened_amount END';

const sign = (side: string) => `CASE ${side} WHEN 'BUY' THEN 1 ELSE -1 END`;

/**
 * For each copier and lot: what entries requested, what skips, failures and reductions left out of it, and the leader's
 * trades that closed a part of the lot after the first of these entries, while the copier was active.
 */
const SIGNALLED = `
  SELECT copier_id, lot_trade_id, exit_trades, perfect_amount, perfect_value, missed_amount, missed_value
  FROM (
    SELECT d.copier_id, d.lot_trade_id, sum(n.perfect) AS perfect_amount,
      sum(n.perfect * d.reference_price) AS perfect_value, sum(m.missed) AS missed_amount,
      sum(m.missed * d.reference_price) AS missed_value,
      array_remove((array_agg(CASE WHEN d.kind IN ('REDUCE', 'CLOSE')
          AND (d.outcome <> 'SKIPPED' OR d.code IS DISTINCT FROM 'NOT_ACTIVE') THEN d.source_trade_id END
        ORDER BY d.sequence))[array_position(array_agg(n.perfect > 0 ORDER BY d.sequence), true):], NULL) AS exit_trades,
      row_number() OVER (PARTITION BY d.copier_id ORDER BY min(d.created_at) DESC, d.lot_trade_id) AS position
    FROM decisions d
    CROSS JOIN LATERAL (SELECT CASE WHEN d.kind IN ('OPEN', 'INCREASE')
      THEN coalesce(d.perfect_amount, d.target_amount) ELSE 0 END AS perfect) n
    CROSS JOIN LATERAL (SELECT CASE
      WHEN d.settled_at IS NULL OR d.outcome = 'COPIED' OR (d.outcome = 'SKIPPED' AND d.code = 'BELOW_MINIMUM') THEN 0
      ELSE greatest(0, n.perfect - d.filled_amount) END AS missed) m
    WHERE d.copier_id IN (SELECT id FROM selected)
    GROUP BY d.copier_id, d.lot_trade_id HAVING sum(n.perfect) > 0) ranked
  WHERE position <= ${TRACKED_LOTS_MAX} AND exit_trades <> '{}'`;

/** The leader's lot of the row `s`. The closed part is that of `exit_trades`; `all_closed_amount` includes other trades. */
const LED = `
  SELECT l.side, p.quote, sum(g.opened) AS opened_amount, sum(g.opened * o.price) AS opened_value,
    sum(g.opened / l.opened_amount * r.all_amount) AS all_closed_amount,
    sum(g.opened / l.opened_amount * r.amount) AS amount,
    sum(g.opened / l.opened_amount * (r.value - r.amount * o.price)) * ${sign('l.side')} AS gross, sum(r.pnl) AS pnl
  FROM lots l JOIN fills o ON o.id = l.id JOIN trade_pairs p ON p.id = l.trade_pair_id
  CROSS JOIN LATERAL (SELECT ${OPENED} AS opened) g
  CROSS JOIN LATERAL (
    SELECT sum(c.amount) AS all_amount, sum(c.amount) FILTER (WHERE y.is_counted) AS amount,
      sum(c.amount * x.price) FILTER (WHERE y.is_counted) AS value, sum(c.pnl) FILTER (WHERE y.is_counted) AS pnl
    FROM lot_closures c JOIN fills x ON x.id = c.fill_id
    CROSS JOIN LATERAL (SELECT c.trade_id = ANY (s.exit_trades) AS is_counted) y
    WHERE c.lot_id = l.id) r
  WHERE l.trade_id = s.lot_trade_id AND l.copier_id IS NULL
  GROUP BY l.side, p.quote HAVING sum(r.amount) > 0`;

/** What each copier requested of each of these lots, beside the leader's result. A leader's lot is read once for all copiers. */
const REQUESTED = `
  SELECT e.copier_id, s.lot_trade_id, l.side, l.quote, l.opened_amount, l.opened_value, l.all_closed_amount, l.amount,
    l.gross, l.pnl, e.perfect_amount, e.perfect_value, e.missed_amount, e.missed_value
  FROM (
    SELECT lot_trade_id, exit_trades,
      array_agg((copier_id, perfect_amount, perfect_value, missed_amount, missed_value)) AS copiers
    FROM signalled GROUP BY lot_trade_id, exit_trades) s
  CROSS JOIN LATERAL (${LED}) l
  CROSS JOIN LATERAL unnest(s.copiers) AS e (copier_id uuid, perfect_amount numeric, perfect_value numeric,
    missed_amount numeric, missed_value numeric)`;

/**
 * The copies of each lot. A price that is unknown makes no difference: an unknown arrival price is the leader's, and a
 * closure without the leader's price has the own price.
 */
const COPIED = `
  SELECT copier_id, lot_trade_id, bool_or(is_detached) AS is_detached, sum(opened) AS bought_amount,
    sum(amount * factor) AS closed_amount, sum(factor * (at_leader - amount * leader_price)) AS at_leader,
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
  SELECT copier_id, max(side) AS side, max(quote) AS quote, sum(opened_amount) AS opened_amount,
    sum(opened_value) AS opened_value, sum(all_closed_amount) AS all_closed_amount, sum(amount) AS amount,
    sum(led_gross) AS led_gross, sum(led_pnl) AS led_pnl, sum(perfect_amount) AS perfect_amount,
    sum(perfect_value) AS perfect_value, sum(missed_amount) AS missed_amount, sum(missed_value) AS missed_value,
    bool_or(is_detached) AS is_detached, sum(bought_amount) AS bought_amount,
    coalesce(sum(closed_amount), 0) AS closed_amount, coalesce(sum(at_leader), 0) AS at_leader,
    coalesce(sum(at_arrival), 0) AS at_arrival, coalesce(sum(gross), 0) AS gross, coalesce(sum(own_pnl), 0) AS own_pnl
  FROM (
    SELECT copier_id, lot_trade_id, side, quote, opened_amount, opened_value, all_closed_amount, amount,
      gross AS led_gross, pnl AS led_pnl, perfect_amount, perfect_value, missed_amount, missed_value,
      NULL::boolean AS is_detached, NULL::numeric AS bought_amount, NULL::numeric AS closed_amount,
      NULL::numeric AS at_leader, NULL::numeric AS at_arrival, NULL::numeric AS gross, NULL::numeric AS own_pnl
    FROM requested
    UNION ALL
    SELECT copier_id, lot_trade_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      is_detached, bought_amount, closed_amount, at_leader, at_arrival, gross, own_pnl
    FROM copied) both_sides
  GROUP BY copier_id, lot_trade_id HAVING sum(perfect_amount) > 0 AND bool_or(is_detached) IS NOT TRUE`;

/** One row for each compared lot, with the terms of `trackingSumsOf`. */
const COMPARED = `
  SELECT m.copier_id, m.quote, h.share * m.perfect_value AS cost,
    m.own_pnl - sg.sign * m.gross + u.fee * m.closed_amount AS fees,
    sg.sign * (m.gross - m.at_arrival) AS slippage, sg.sign * (m.at_arrival - m.at_leader) AS latency,
    sg.sign * m.at_leader - u.fee * m.closed_amount - t.perfect + t.missed AS rounding, -t.missed AS skips
  FROM (${MERGED}) m
  CROSS JOIN LATERAL (SELECT ${sign('m.side')} AS sign) sg
  CROSS JOIN LATERAL (SELECT CASE WHEN m.bought_amount > 0 THEN m.closed_amount / m.bought_amount
    ELSE m.amount / (m.opened_amount - m.all_closed_amount + m.amount) END AS share) h
  CROSS JOIN LATERAL (SELECT m.led_pnl / m.amount AS pnl, (m.led_gross - m.led_pnl) / m.amount AS fee,
    m.opened_value / m.opened_amount AS entry) u
  CROSS JOIN LATERAL (SELECT
    h.share * (m.perfect_amount * u.pnl + sg.sign * (m.perfect_amount * u.entry - m.perfect_value)) AS perfect,
    h.share * (m.missed_amount * u.pnl + sg.sign * (m.missed_amount * u.entry - m.missed_value)) AS missed) t`;

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
