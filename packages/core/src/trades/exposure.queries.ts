import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import type { Exposure } from './exposure.rules.js';

/** The exposure of an account in a pair, with its leverage there. */
export interface LeveragedExposure extends Exposure {
  /** Null if the worker has not read it yet. */
  readonly leverage: Decimal | null;
}

/** SQL: the signed sum of the open lots `l`. */
export const SIGNED_LOTS = "sum(CASE l.side WHEN 'BUY' THEN l.open_amount ELSE -l.open_amount END)";

/** SQL: the net position of an account in a pair, from its open lots; 0 without any. */
export const NET_OF_LOTS = (account: string, pair: string) => `coalesce((SELECT ${SIGNED_LOTS} FROM lots l
  WHERE l.exchange_account_id = ${account} AND l.trade_pair_id = ${pair} AND l.open_amount > 0), 0)`;

const EXPOSURE = `
  SELECT trim_scale(${NET_OF_LOTS('$1', '$2')})::text AS net, trim_scale(coalesce(o.buying, 0))::text AS buying,
    trim_scale(coalesce(o.selling, 0))::text AS selling,
    (SELECT trim_scale(p.leverage)::text FROM positions p
     WHERE p.exchange_account_id = $1 AND p.trade_pair_id = $2) AS leverage
  FROM (
    SELECT sum(greatest(0, amount - filled_amount)) FILTER (WHERE side = 'BUY') AS buying,
      sum(greatest(0, amount - filled_amount)) FILTER (WHERE side = 'SELL') AS selling
    FROM trades
    WHERE exchange_account_id = $1 AND trade_pair_id = $2 AND status IN ('PENDING', 'PARTIALLY_FILLED')) o`;

/** Reads the exposure of an account in a pair. The caller holds the lock of the account. */
export async function exposureOf(tx: Tx, accountId: string, pairId: string): Promise<LeveragedExposure> {
  const [row] = await queryPrepared<LeveragedExposure & Record<string, unknown>>(tx, EXPOSURE, [
    accountId,
    pairId,
  ]);
  return row!;
}
