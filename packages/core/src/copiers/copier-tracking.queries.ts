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
 * trades that closed a part of the lot while the copier was active.
 */
const SIGNALLED = `
  SELECT copier_id, lot_trade_id, exit_trades, perfect_amount, perfect_value, missed_amount, missed_value
  FROM (
    SELECT d.copier_id, d.lot_trade_id, sum(n.perfect) AS perfect_amount,
      sum(n.perfect * d.reference_price) AS perfect_value, sum(m.missed) AS missed_amount,
      sum(m.missed * d.reference_price) AS missed_value,
      array_agg(d.source_trade_id ORDER BY d.sequence) FILTER (WHERE d.kind IN ('REDUCE', 'CLOSE')
        AND (d.outcome <> 'SKIPPED' OR d.code IS DISTINCT FROM 'NOT_ACTIVE')) AS exit_trades,
      row_number() OVER (PARTITION BY d.copier_id ORDER BY min(d.created_at) DESC, d.lot_trade_id) AS position
    FROM decisions d
    CROSS JOIN LATERAL (SELECT CASE WHEN d.kind IN ('OPEN', 'INCREASE')
      THEN coalesce(d.perfect_amount, d.target_amount) ELSE 0 END AS perfect) n
    CROSS JOIN LATERAL (SELECT CASE
      WHEN d.settled_at IS NULL OR d.outcome = 'COPIED' OR (d.outcome = 'SKIPPED' AND d.code = 'BELOW_MINIMUM') THEN 0
      ELSE greatest(0, n.perfect - d.filled_amount) END AS missed) m
    WHERE d.copier_id IN (SELECT id FROM selected)
    GROUP BY d.copier_id, d.lot_trade_id HAVING sum(n.perfect) > 0) ranked
  WHERE position <= ${TRACKED_LOTS_MAX} AND exit_trades IS NOT NULL`;

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

/**
 * The copies of the row `e`. A price that is unknown makes no difference: an unknown arrival price is the leader's, and
 * a closure without the leader's price has the own price.
 */
const COPIED = `
  SELECT bool_or(l.is_detached) AS is_detached,
    sum(g.opened) AS bought_amount, sum(r.amount * g.opened / l.opened_amount) AS closed_amount,
    sum(g.opened / l.opened_amount * (r.at_leader - r.amount * s.leader_price)) AS at_leader,
    sum(g.opened / l.opened_amount * (r.at_arrival - r.amount * coalesce((ot.copy ->> 'arrival_price')::numeric,
      s.leader_price))) AS at_arrival,
    sum(g.opened / l.opened_amount * (r.at_own - r.amount * o.price)) AS gross, sum(r.pnl) AS pnl
  FROM lots l JOIN fills o ON o.id = l.id JOIN trades ot ON ot.id = l.trade_id
  JOIN trade_pairs p ON p.id = l.trade_pair_id
  CROSS JOIN LATERAL (SELECT ${OPENED} AS opened) g
  CROSS JOIN LATERAL (SELECT coalesce((ot.copy ->> 'reference_price')::numeric, o.price) AS leader_price) s
  CROSS JOIN LATERAL (
    SELECT sum(c.amount) AS amount, sum(c.pnl) AS pnl, sum(c.amount * x.price) AS at_own,
      sum(c.amount * coalesce((xt.copy ->> 'reference_price')::numeric, x.price)) AS at_leader,
      sum(c.amount * coalesce((xt.copy ->> 'arrival_price')::numeric, (xt.copy ->> 'reference_price')::numeric,
        x.price)) AS at_arrival
    FROM lot_closures c JOIN fills x ON x.id = c.fill_id JOIN trades xt ON xt.id = c.trade_id
    WHERE c.lot_id = l.id) r
  WHERE l.copier_id = e.copier_id AND l.source_trade_id = e.lot_trade_id`;

/**
 * One row for each compared lot, with the terms of `trackingSumsOf`. The leader's lots and the copies are looked up
 * by index, a leader's lot once for all copiers that follow it: estimates of joined subqueries are so wrong that the database would compare each row with all others.
 */
const COMPARED = `
  SELECT e.copier_id, l.quote, h.share * e.perfect_value AS cost,
    coalesce(c.pnl - sg.sign * c.gross, 0) + u.fee * coalesce(c.closed_amount, 0) AS fees,
    coalesce(sg.sign * (c.gross - c.at_arrival), 0) AS slippage,
    coalesce(sg.sign * (c.at_arrival - c.at_leader), 0) AS latency,
    coalesce(sg.sign * c.at_leader, 0) - u.fee * coalesce(c.closed_amount, 0) - t.perfect + t.missed AS rounding,
    -t.missed AS skips
  FROM (
    SELECT lot_trade_id, exit_trades, array_agg((copier_id, perfect_amount, perfect_value, missed_amount, missed_value)) AS copiers
    FROM signalled GROUP BY lot_trade_id, exit_trades) s
  CROSS JOIN LATERAL (${LED}) l
  CROSS JOIN LATERAL (
    SELECT s.lot_trade_id, n.* FROM unnest(s.copiers) AS n (copier_id uuid, perfect_amount numeric, perfect_value numeric,
      missed_amount numeric, missed_value numeric)) e
  CROSS JOIN LATERAL (${COPIED}) c
  CROSS JOIN LATERAL (SELECT ${sign('l.side')} AS sign) sg
  CROSS JOIN LATERAL (SELECT CASE WHEN c.bought_amount > 0 THEN coalesce(c.closed_amount, 0) / c.bought_amount
    ELSE l.amount / (l.opened_amount - l.all_closed_amount + l.amount) END AS share) h
  CROSS JOIN LATERAL (SELECT l.pnl / l.amount AS pnl, (l.gross - l.pnl) / l.amount AS fee,
    l.opened_value / l.opened_amount AS entry) u
  CROSS JOIN LATERAL (SELECT
    h.share * (e.perfect_amount * u.pnl + sg.sign * (e.perfect_amount * u.entry - e.perfect_value)) AS perfect,
    h.share * (e.missed_amount * u.pnl + sg.sign * (e.missed_amount * u.entry - e.missed_value)) AS missed) t
  WHERE c.is_detached IS NOT TRUE`;

/**
 * Common table expressions that end with `tracked`: for each copier of `selected` its `id` and its `sums`, as
 * `TrackingSums`. Amounts of different currencies are never added: only the quote currency with the most lots counts.
 * Omits detached lots, because what the user closed by hand is not a result of the copier.
 */
export const TRACKED = `
  signalled AS MATERIALIZED (${SIGNALLED}
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
