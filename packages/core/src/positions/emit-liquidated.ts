import type { PositionSide } from '@trading-automation/contracts';
import { newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import { emitPositionEvents } from './store-positions.js';

export interface LiquidatedPosition {
  readonly accountId: string;
  readonly tradePairId: string;
  /** The side of the position that the exchange reduced. */
  readonly side: PositionSide;
}

/**
 * Emits `position.liquidated` for each position. Call it once for each order of a liquidation, in the transaction that
 * stores its first fill. A position that was never reported is created without an amount, so that its event names it.
 */
export async function emitLiquidated(tx: Tx, liquidated: readonly LiquidatedPosition[]): Promise<void> {
  if (liquidated.length === 0) return;
  const rows = await queryPrepared<{ id: string }>(tx, ENSURE, [
    JSON.stringify(liquidated.map((each) => ({ id: newUuid(), ...each }))),
  ]);
  await emitPositionEvents(
    tx,
    rows.map(({ id }) => ({ type: 'position.liquidated', id })),
  );
}

const ENSURE = `INSERT INTO positions AS p (id, user_id, exchange_account_id, trade_pair_id, symbol, side)
  SELECT DISTINCT ON (a.id, t.id) r.id, a.user_id, a.id, t.id, t.symbol, r.side
  FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, "accountId" uuid, "tradePairId" uuid, side text)
  JOIN exchange_accounts a ON a.id = r."accountId" JOIN trade_pairs t ON t.id = r."tradePairId"
  ORDER BY a.id, t.id
  ON CONFLICT (exchange_account_id, symbol) DO UPDATE SET side = coalesce(p.side, excluded.side)
  RETURNING p.id`;
