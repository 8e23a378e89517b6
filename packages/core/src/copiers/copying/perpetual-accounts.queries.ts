import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { isClosing } from './copy-inputs.queries.js';

/** What copies on a perpetual depend on in their account. Decimals are in base or in the settlement currency. */
export interface PerpetualExposure {
  /** The signed sum of the account's open lots of the pair. */
  readonly net: Decimal;
  /** What open orders may still buy and sell of the pair. */
  readonly buying: Decimal;
  readonly selling: Decimal;
  readonly leverage: Decimal | null;
  /** The mark price of the account's position in the pair; null if it has none, because the price may then be old. */
  readonly markPrice: Decimal | null;
  readonly notional: Decimal;
  readonly marginRatio: Decimal | null;
  /** The margin that the lots of the pair that are being closed take; their exits free it. In the settlement currency. */
  readonly released: Decimal;
}

/**
 * Selects what the open orders `o` of a side may still trade of the pair. Reduce-only orders of the user are left out, because
 * they fill only as far as a position is left.
 */
const stillOrdered = (side: 'BUY' | 'SELL') => `sum(greatest(0, o.amount - o.filled_amount))
  FILTER (WHERE o.side = '${side}' AND o.trade_pair_id = key.pair AND NOT (o.reduce_only AND o.copier_id IS NULL))`;

/**
 * $1 and $2: accounts and their pairs; $3: the leader's trade that is copied.
 *
 * 1. Each position counts at its mark price, else at the last price of the pair, and the entries of copies in flight at the
 *    mark price, else at their limit price.
 * 2. The notional is that without the lots that exits of the same leader's trade are closing; see `isClosing`. These exits
 *    release the part of the position's margin that the lots take, until the exchange reports the position without them.
 * 3. The margin ratio is that of the account, and of an isolated position its own. An account without positions has no margin
 *    ratio: its margin is not read then, so what is stored is old.
 */
const EXPOSURES = `
  SELECT key.account AS "accountId", key.pair AS "pairId", trim_scale(coalesce(own.net, 0))::text AS net,
    trim_scale(coalesce(open.buying, 0))::text AS buying, trim_scale(coalesce(open.selling, 0))::text AS selling,
    trim_scale(p.leverage)::text AS leverage,
    trim_scale(CASE WHEN p.amount > 0 THEN p.mark_price END)::text AS "markPrice",
    trim_scale(coalesce(own.notional, 0) + coalesce(open.entering, 0))::text AS notional,
    trim_scale(round(coalesce(least(CASE WHEN has.positions THEN m.equity / nullif(m.maintenance_margin, 0) END,
      CASE WHEN p.margin_mode = 'ISOLATED' AND p.amount > 0 THEN p.isolated_margin / nullif(p.maintenance_margin, 0) END)), 18))::text
      AS "marginRatio",
    trim_scale(trunc(coalesce(least(p.amount, greatest(0, abs(own.net) - abs(own.kept)) + closed.amount) * CASE
      WHEN p.margin_mode = 'ISOLATED' AND p.isolated_margin IS NOT NULL THEN p.isolated_margin / nullif(p.amount, 0)
      ELSE coalesce(p.mark_price, pair.last_price, p.entry_price) / coalesce(p.leverage, p.max_leverage) END, 0), 18))::text
      AS released
  FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS given (account, pair)) AS key
  LEFT JOIN positions p ON p.exchange_account_id = key.account AND p.trade_pair_id = key.pair
  LEFT JOIN trade_pairs pair ON pair.id = key.pair
  LEFT JOIN account_margins m ON m.exchange_account_id = key.account
  CROSS JOIN LATERAL (SELECT EXISTS (
    SELECT FROM positions o WHERE o.exchange_account_id = key.account AND o.amount > 0) AS positions) has
  CROSS JOIN LATERAL (
    SELECT sum(held.net) FILTER (WHERE held.pair = key.pair) AS net,
      coalesce(sum(held.kept) FILTER (WHERE held.pair = key.pair), 0) AS kept,
      sum(abs(held.kept) * coalesce(q.mark_price, t.last_price, held.value / nullif(abs(held.net), 0))) AS notional
    FROM (SELECT l.trade_pair_id AS pair, sum(l.open_value) AS value, sum(signed) AS net,
            coalesce(sum(signed) FILTER (WHERE NOT EXISTS (
              SELECT FROM decisions d
              WHERE d.copier_id = l.copier_id AND d.lot_trade_id = l.source_trade_id AND ${isClosing('$3')})), 0) AS kept
          FROM lots l, LATERAL (SELECT CASE l.side WHEN 'BUY' THEN l.open_amount ELSE -l.open_amount END AS signed) s
          WHERE l.exchange_account_id = key.account AND l.open_amount > 0 GROUP BY 1) held
    JOIN trade_pairs t ON t.id = held.pair
    LEFT JOIN positions q ON q.exchange_account_id = key.account AND q.trade_pair_id = held.pair) own
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(f.amount), 0) AS amount FROM fills f JOIN trades t ON t.id = f.trade_id
    WHERE f.exchange_account_id = key.account AND f.executed_at > p.reported_at
      AND t.trade_pair_id = key.pair AND t.is_exit AND EXISTS (
        SELECT FROM fills led WHERE led.id = t.source_fill_id AND led.trade_id = $3)) closed
  CROSS JOIN LATERAL (
    SELECT ${stillOrdered('BUY')} AS buying, ${stillOrdered('SELL')} AS selling,
      sum(greatest(0, o.amount - o.filled_amount) * coalesce(CASE WHEN q.amount > 0 THEN q.mark_price END, o.price))
        FILTER (WHERE NOT o.is_exit) AS entering
    FROM trades o
    LEFT JOIN positions q ON q.exchange_account_id = o.exchange_account_id AND q.trade_pair_id = o.trade_pair_id
    WHERE o.exchange_account_id = key.account AND o.status IN ('PENDING', 'PARTIALLY_FILLED')) open`;

export const exposureKey = ({ accountId, pairId }: { readonly accountId: string; readonly pairId: string }) =>
  `${accountId}/${pairId}`;

/** Returns the exposures by `exposureKey`. The caller holds the locks of the accounts. */
export async function perpetualExposures(
  tx: Tx,
  accounts: readonly { readonly accountId: string; readonly pairId: string }[],
  sourceTradeId: string,
): Promise<ReadonlyMap<string, PerpetualExposure>> {
  if (accounts.length === 0) return new Map();
  const rows = await queryPrepared<PerpetualExposure & { accountId: string; pairId: string }>(tx, EXPOSURES, [
    accounts.map(({ accountId }) => accountId),
    accounts.map(({ pairId }) => pairId),
    sourceTradeId,
  ]);
  return new Map(rows.map((row) => [exposureKey(row), row]));
}
