import { encodeId } from '@trading-automation/contracts';
import { Client } from '../launch/sdk.mjs';
import { accountUuid } from './read-records.mjs';

/** Reads what the product says about accounts on perpetuals. */

/**
 * Counts the events `funding.paid`, by the id of the payment.
 *
 * @param {import('pg').Pool} database
 * @returns {Promise<ReadonlyMap<string, number>>}
 */
export async function countFundingEvents(database) {
  const { rows } = await database.query(
    `SELECT convert_from(payload, 'UTF8')::jsonb #>> '{data,id}' AS id, count(*)::int AS count
     FROM outbox_events WHERE type = 'funding.paid' GROUP BY 1`,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/**
 * @param {import('pg').Pool} database
 * @param {string} restUrl
 * @param {Pick<import('./participants.mjs').Account, 'id' | 'apiKey'>} account
 * @param {ReadonlyMap<string, number>} fundingEvents
 * @returns {Promise<Omit<import('./compare-positions.mjs').PerpetualRecords, 'lots' | 'balance'>>}
 */
export async function readPerpetualAccount(database, restUrl, { id, apiKey }, fundingEvents) {
  const uuid = accountUuid(id);
  const { rows: trades } = await database.query(
    `SELECT t.id, t.symbol, t.filled_amount AS "filledAmount",
       (coalesce((SELECT sum(l.opened_amount) FROM lots l WHERE l.trade_id = t.id), 0)
         + coalesce((SELECT sum(c.amount) FROM lot_closures c JOIN fills f ON f.id = c.fill_id WHERE f.trade_id = t.id), 0)
       )::text AS "bookedAmount"
     FROM trades t WHERE t.exchange_account_id = $1 AND t.filled_amount > 0`,
    [uuid],
  );
  const { rows: payments } = await database.query(
    `SELECT p.id, p.venue_payment_id AS "venueId", p.amount,
       (SELECT sum(f.amount) FROM lot_funding f WHERE f.source_id = p.id) AS "bookedAmount"
     FROM funding_payments p WHERE p.exchange_account_id = $1`,
    [uuid],
  );
  // Strings, because a comparison to the last digit must not round.
  const api = new Client({ baseURL: restUrl, apiKey, decimals: 'string' });
  const { data: positions } = await api.positions.list({ exchange_account_id: id, limit: 100 });
  return {
    trades,
    payments: payments.map((each) => ({ ...each, events: fundingEvents.get(encodeId('fnd', each.id)) ?? 0 })),
    positions,
  };
}

/**
 * Reads what the orders of strategies opened.
 *
 * @param {import('pg').Pool} database
 * @returns {Promise<import('./compare-leader-lots.mjs').LeaderLot[]>}
 */
export async function readLeaderLots(database) {
  const { rows } = await database.query(
    `SELECT t.id AS "tradeId", coalesce(lot.opened, 0)::text AS opened, coalesce(lot.open, 0)::text AS open,
       (SELECT max(s.cumulative_amount) FROM signals s WHERE s.lot_trade_id = t.id AND s.kind IN ('OPEN', 'INCREASE')) AS signalled,
       (SELECT s.lot_amount_after FROM signals s WHERE s.lot_trade_id = t.id ORDER BY s.sequence DESC LIMIT 1) AS "openBySignals",
       EXISTS (SELECT FROM fills entry
         JOIN fills later ON later.exchange_account_id = entry.exchange_account_id AND later.executed_at >= entry.executed_at
         JOIN fills late ON late.exchange_account_id = entry.exchange_account_id AND late.executed_at <= later.executed_at
           AND late.created_at > later.created_at
         JOIN trades other ON other.id = late.trade_id AND other.trade_pair_id = t.trade_pair_id
         JOIN trades another ON another.id = later.trade_id AND another.trade_pair_id = t.trade_pair_id
         WHERE entry.trade_id = t.id) AS "isRewound"
     FROM trades t LEFT JOIN LATERAL (
       SELECT sum(l.opened_amount) AS opened, sum(l.open_amount) AS open FROM lots l WHERE l.trade_id = t.id) lot ON true
     WHERE t.strategy_id IS NOT NULL AND t.copier_id IS NULL AND t.trading_type = 'perpetual' AND t.filled_amount > 0`,
  );
  return rows;
}

/**
 * Reads what orders other than a copier's own closed of its lots: auto-deleveraging, for example.
 *
 * @param {import('pg').Pool} database
 * @returns {Promise<{ copierId: string, lotId: string, amount: string }[]>}
 */
export async function readClosedByOthers(database) {
  const { rows } = await database.query(
    `SELECT l.copier_id AS "copierId", l.source_trade_id AS "lotId", sum(c.amount)::text AS amount
     FROM lot_closures c JOIN lots l ON l.id = c.lot_id JOIN fills f ON f.id = c.fill_id JOIN trades t ON t.id = f.trade_id
     WHERE l.copier_id IS NOT NULL
       AND (t.copier_id, t.source_trade_id) IS DISTINCT FROM (l.copier_id, l.source_trade_id) GROUP BY 1, 2`,
  );
  return rows;
}
