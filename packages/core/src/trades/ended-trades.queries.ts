import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { IS_OURS } from './origins.js';
import type { KnownTrade } from './reconcile.rules.js';

const ENDED = `SELECT id, symbol, venue_client_order_id AS "venueClientOrderId", exchange_order_id AS "exchangeOrderId",
    true AS "isOurs", submitted_at IS NOT NULL AS "isSubmitted", acknowledged_at IS NOT NULL AS "isAcknowledged",
    false AS "isOpen", trim_scale(filled_amount)::text AS "filledAmount"
  FROM trades
  WHERE exchange_account_id = $1 AND status IN ('FILLED', 'CANCELLED', 'FAILED') AND ${IS_OURS('trades')}
    AND (venue_client_order_id = ANY ($2) OR exchange_order_id = ANY ($3))
  ORDER BY id`;

interface OrderIds {
  readonly venueClientOrderId: string;
  readonly exchangeOrderId: string;
}

/** Returns the ended trades of the product's orders among `orders`, however long ago they ended. */
export async function endedTradesOf(
  tx: Tx,
  accountId: string,
  orders: readonly OrderIds[],
): Promise<readonly KnownTrade[]> {
  if (orders.length === 0) return [];
  return queryPrepared<KnownTrade & Record<string, unknown>>(tx, ENDED, [
    accountId,
    orders.flatMap(({ venueClientOrderId }) => venueClientOrderId || []),
    orders.map(({ exchangeOrderId }) => exchangeOrderId),
  ]);
}
