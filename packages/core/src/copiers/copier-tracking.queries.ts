/**
 * SQL of the tracking difference of many copiers: the formulas of tracking.rules.ts, added up over lots. The database
 * adds them up, because a page of copiers has up to 100,000 lots.
 */

/** The maximum number of a copier's newest lots that are compared. */
const TRACKED_LOTS_MAX = 1_000;

/** The amount of the lot `l`, opened by the fill `o` on the pair `p`, before a fee in base currency. */
const OPENED = 'CASE WHEN o.fee_currency = p.base THEN o.amount ELSE l.opened_amount END';

const sign = (side: string) => `CASE ${side} WHEN 'BUY' THEN 1 ELSE -1 END`;

/** What entries requested, and what skips, failures and reductions left out of it. */
const ENTERED = `
  SELECT copier_id, lot_trade_id, perfect_amount, perfect_value, missed_amount, missed_value
  FROM (
    SELECT d.copier_id, d.lot_trade_id, sum(n.perfect) AS perfect_amount,
      sum(n.perfect * d.reference_price) AS perfect_value, sum(m.missed) AS missed_amount,
      sum(m.missed * d.reference_price) AS missed_value,
      row_number() OVER (PARTITION BY d.copier_id ORDER BY max(d.created_at) DESC, d.lot_trade_id) AS position
    FROM decisions d
    CROSS JOIN LATERAL (SELECT coalesce(d.perfect_amount, d.target_amount) AS perfect) n
    CROSS JOIN LATERAL (SELECT CASE
      WHEN d.settled_at IS NULL OR d.outcome = 'COPIED' OR (d.outcome = 'SKIPPED' AND d.code = 'BELOW_MINIMUM') THEN 0
      ELSE greatest(0, n.perfect - d.filled_amount) END AS missed) m
    WHERE d.copier_id IN (SELECT id FROM selected) AND d.kind IN ('OPEN', 'INCREASE') AND n.perfect > 0
    GROUP BY d.copier_id, d.lot_trade_id) ranked
  WHERE position <= ${TRACKED_LOTS_MAX}`;

/** The leader's lots, and what each of its trades closed of them. */
const LED = `
  SELECT l.trade_id AS lot_trade_id, l.side, p.quote, sum(${OPENED}) AS opened_amount,
    sum(${OPENED} * o.price) AS opened_value
  FROM lots l JOIN fills o ON o.id = l.id JOIN trade_pairs p ON p.id = l.trade_pair_id
  WHERE l.copier_id IS NULL AND l.trade_id IN (SELECT lot_trade_id FROM entered)
  GROUP BY l.trade_id, l.side, p.quote`;
const LED_EXITS = `
  SELECT l.trade_id AS lot_trade_id, c.trade_id AS source_trade_id,
    sum(c.amount * ${OPENED} / l.opened_amount) AS amount,
    sum(c.amount * ${OPENED} / l.opened_amount * (x.price - o.price)) * ${sign('l.side')} AS gross, sum(c.pnl) AS pnl
  FROM lots l JOIN fills o ON o.id = l.id JOIN trade_pairs p ON p.id = l.trade_pair_id
  JOIN lot_closures c ON c.lot_id = l.id JOIN fills x ON x.id = c.fill_id
  WHERE l.copier_id IS NULL AND l.trade_id IN (SELECT lot_trade_id FROM entered)
  GROUP BY l.trade_id, c.trade_id, l.side`;

/** The part of a leader's lot that was closed while the copier was active. Exits that it missed do not count. */
const CLOSED = `
  SELECT e.copier_id, e.lot_trade_id, sum(x.amount) AS amount, sum(x.gross) AS gross, sum(x.pnl) AS pnl
  FROM (
    SELECT DISTINCT d.copier_id, d.lot_trade_id, d.source_trade_id
    FROM decisions d
    WHERE d.copier_id IN (SELECT id FROM selected) AND d.kind IN ('REDUCE', 'CLOSE')
      AND (d.outcome <> 'SKIPPED' OR d.code IS DISTINCT FROM 'NOT_ACTIVE')) e
  JOIN led_exits x ON x.lot_trade_id = e.lot_trade_id AND x.source_trade_id = e.source_trade_id
  GROUP BY e.copier_id, e.lot_trade_id HAVING sum(x.amount) > 0`;

/** The copies of a lot. A price that is unknown makes no difference: the leader's is the market's, or the own price. */
const COPIED = `
  SELECT l.copier_id, l.source_trade_id AS lot_trade_id, bool_or(l.is_detached) AS is_detached,
    sum(${OPENED}) AS bought_amount, sum(r.amount * g.factor) AS closed_amount,
    sum(g.factor * (r.at_leader - r.amount * coalesce((ot.copy ->> 'reference_price')::numeric, o.price))) AS at_leader,
    sum(g.factor * (r.at_arrival - r.amount * coalesce((ot.copy ->> 'arrival_price')::numeric,
      (ot.copy ->> 'reference_price')::numeric, o.price))) AS at_arrival,
    sum(g.factor * (r.at_own - r.amount * o.price)) AS gross, sum(r.pnl) AS pnl
  FROM lots l JOIN fills o ON o.id = l.id JOIN trades ot ON ot.id = l.trade_id
  JOIN trade_pairs p ON p.id = l.trade_pair_id
  CROSS JOIN LATERAL (SELECT ${OPENED} / l.opened_amount AS factor) g
  LEFT JOIN LATERAL (
    SELECT sum(c.amount) AS amount, sum(c.pnl) AS pnl, sum(c.amount * x.price) AS at_own,
      sum(c.amount * coalesce((xt.copy ->> 'reference_price')::numeric, x.price)) AS at_leader,
      sum(c.amount * coalesce((xt.copy ->> 'arrival_price')::numeric, (xt.copy ->> 'reference_price')::numeric,
        x.price)) AS at_arrival
    FROM lot_closures c JOIN fills x ON x.id = c.fill_id JOIN trades xt ON xt.id = c.trade_id
    WHERE c.lot_id = l.id) r ON true
  WHERE l.copier_id IN (SELECT id FROM selected) AND l.source_trade_id IS NOT NULL
  GROUP BY l.copier_id, l.source_trade_id`;

/** One row for each compared lot, with the terms of `trackingSumsOf`. */
const COMPARED = `
  SELECT e.copier_id, l.quote, s.share * e.perfect_value AS cost,
    coalesce(c.pnl - sg.sign * c.gross, 0) + u.fee * coalesce(c.closed_amount, 0) AS fees,
    coalesce(sg.sign * (c.gross - c.at_arrival), 0) AS slippage,
    coalesce(sg.sign * (c.at_arrival - c.at_leader), 0) AS latency,
    coalesce(sg.sign * c.at_leader, 0) - u.fee * coalesce(c.closed_amount, 0) - t.perfect + t.missed AS rounding,
    -t.missed AS skips
  FROM entered e
  JOIN led l ON l.lot_trade_id = e.lot_trade_id
  JOIN closed k ON k.copier_id = e.copier_id AND k.lot_trade_id = e.lot_trade_id
  JOIN led_totals a ON a.lot_trade_id = e.lot_trade_id
  LEFT JOIN copied c ON c.copier_id = e.copier_id AND c.lot_trade_id = e.lot_trade_id
  CROSS JOIN LATERAL (SELECT ${sign('l.side')} AS sign) sg
  CROSS JOIN LATERAL (SELECT CASE WHEN c.bought_amount > 0 THEN coalesce(c.closed_amount, 0) / c.bought_amount
    ELSE k.amount / (l.opened_amount - a.amount + k.amount) END AS share) s
  CROSS JOIN LATERAL (SELECT k.pnl / k.amount AS pnl, (k.gross - k.pnl) / k.amount AS fee,
    l.opened_value / l.opened_amount AS entry) u
  CROSS JOIN LATERAL (SELECT
    s.share * (e.perfect_amount * u.pnl + sg.sign * (e.perfect_amount * u.entry - e.perfect_value)) AS perfect,
    s.share * (e.missed_amount * u.pnl + sg.sign * (e.missed_amount * u.entry - e.missed_value)) AS missed) t
  WHERE c.is_detached IS NOT TRUE`;

/**
 * Common table expressions that end with `tracked`: for each copier of `selected` its `id` and its `sums`, as
 * `TrackingSums`. Amounts of different currencies are never added: only the quote currency with the most lots counts.
 * Omits detached lots, because what the user closed by hand is not a result of the copier.
 */
export const TRACKED = `
  entered AS MATERIALIZED (${ENTERED}
  ), led AS MATERIALIZED (${LED}
  ), led_exits AS MATERIALIZED (${LED_EXITS}
  ), led_totals AS MATERIALIZED (
    SELECT lot_trade_id, sum(amount) AS amount FROM led_exits GROUP BY lot_trade_id
  ), closed AS MATERIALIZED (${CLOSED}
  ), copied AS MATERIALIZED (${COPIED}
  ), tracked AS MATERIALIZED (
    SELECT DISTINCT ON (copier_id) copier_id AS id, sums
    FROM (
      SELECT copier_id, quote, count(*) AS lot_count, json_build_object('cost', sum(cost)::text, 'fees', sum(fees)::text,
        'slippage', sum(slippage)::text, 'rounding', sum(rounding)::text, 'skips', sum(skips)::text,
        'latency', sum(latency)::text) AS sums
      FROM (${COMPARED}) compared
      GROUP BY copier_id, quote HAVING sum(cost) > 0) by_quote
    ORDER BY copier_id, lot_count DESC, quote
  )`;
