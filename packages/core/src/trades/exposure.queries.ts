import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import type { Exposure } from './exposure.rules.js';

/** The exposure of an account in a pair, with its leverage there. */
export interface LeveragedExposure extends Exposure {
  /** Null if the worker has not read it yet. */
  readonly leverage: Decimal | null;
}

/** The signed sum of open lots. */
const NET = (account: string, pair: string) => `coalesce((
  SELECT sum(CASE l.side WHEN 'BUY' THEN l.open_amount ELSE -l.open_amount END) FROM lots l
  WHERE l.exchange_account_id = ${account} AND l.trade_pair_id = ${pair} AND l.open_amount > 0), 0)`;

const EXPOSURE = `
  SELECT trim_scale(${NET('$1', '$2')})::text AS net, trim_scale(coalesce(o.buying, 0))::text AS buying,
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

const NETS = `SELECT trim_scale(${NET('key.account', 'key.pair')})::text AS net
  FROM unnest($1::uuid[], $2::uuid[]) AS key (account, pair)`;

/** Returns the net positions by `netKey`. */
export async function netPositions(
  tx: Tx,
  keys: readonly { readonly accountId: string; readonly pairId: string }[],
): Promise<ReadonlyMap<string, Decimal>> {
  if (keys.length === 0) return new Map();
  const rows = await queryPrepared<{ net: Decimal }>(tx, NETS, [
    keys.map(({ accountId }) => accountId),
    keys.map(({ pairId }) => pairId),
  ]);
  return new Map(keys.map((key, index) => [netKey(key), rows[index]!.net]));
}

export const netKey = ({ accountId, pairId }: { readonly accountId: string; readonly pairId: string }) =>
  `${accountId}/${pairId}`;
