import { queryPrepared, type Tx } from '@trading-automation/persistence';
import type { Signal } from '../../strategies/index.js';
import { loadFreeBalances } from '../../trades/index.js';
import { BigDecimal } from '../../values/index.js';

/**
 * Returns the accounts whose free balance seems to be less than what their copiers hold of an exit's lot. The balances
 * may be older than the lot, so they are read anew before an exit is cut. An exit on a perpetual needs no balance.
 */
export async function accountsShortOfExit(tx: Tx, signal: Signal): Promise<string[]> {
  if (signal.tradingType === 'perpetual') return [];
  const held = await queryPrepared<{ id: string; base: string; amount: string }>(tx, HELD, [
    signal.strategyId,
    signal.sequence,
    signal.id,
    signal.lotTradeId,
  ]);
  if (held.length === 0) return [];
  const accountIds = [...new Set(held.map(({ id }) => id))];
  const free = await loadFreeBalances(tx, accountIds, [...new Set(held.map(({ base }) => base))]);
  const short = held.filter(({ id, base, amount }) =>
    new BigDecimal(free.get(id)?.get(base) ?? '0').lt(amount),
  );
  return [...new Set(short.map(({ id }) => id))];
}

/** What the undecided copiers of a signal hold of its lot, by account and base asset. Lots that were sold short need no base asset. */
const HELD = `
  SELECT c.exchange_account_id AS id, p.base, trim_scale(sum(o.open_amount))::text AS amount
  FROM copiers c
  JOIN exchange_accounts a ON a.id = c.exchange_account_id AND a.is_active
  JOIN lots o ON o.copier_id = c.id AND o.source_trade_id = $4 AND o.open_amount > 0 AND o.side = 'BUY'
  JOIN trade_pairs p ON p.id = o.trade_pair_id
  WHERE c.strategy_id = $1 AND c.deleted_at IS NULL AND c.status <> 'PAUSED' AND c.followed_sequence < $2
    AND NOT EXISTS (SELECT FROM decisions d WHERE d.signal_id = $3 AND d.copier_id = c.id)
  GROUP BY 1, 2`;
