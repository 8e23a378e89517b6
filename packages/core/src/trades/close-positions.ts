import { encodeId, type Trade, tradeCreate } from '@trading-automation/contracts';
import { queryPrepared, selectionOf, type Tx } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';
import { type PairForTrade, pairForTrade } from '../trade-pairs/index.js';
import { BigDecimal } from '../values/index.js';
import { SIGNED_LOTS } from './exposure.queries.js';
import { floorToMarketStep } from './lots/close-lot.js';
import { violationsOf } from './order.rules.js';
import { placeTrade } from './place-trade.js';
import { TradeEntity } from './trade.entity.js';
import { TRADE_VIEW_COLUMNS } from './trade.view.js';

/** The net positions of a user's active accounts in the perpetuals that their exchanges trade. */
const POSITIONS = `
  SELECT l.exchange_account_id AS "accountId", l.trade_pair_id AS "pairId",
    trim_scale(${SIGNED_LOTS})::text AS net
  FROM lots l
  JOIN exchange_accounts a ON a.id = l.exchange_account_id AND a.is_active AND a.deleted_at IS NULL
  JOIN trade_pairs p ON p.id = l.trade_pair_id AND p.trading_type = 'perpetual' AND p.is_active
  WHERE l.user_id = $1 AND l.open_amount > 0
  GROUP BY 1, 2 HAVING ${SIGNED_LOTS} <> 0
  ORDER BY 1, 2`;

interface Position {
  readonly accountId: string;
  readonly pairId: string;
  readonly net: string;
}

/**
 * Places a reduce-only market order for each net position of the actor's accounts, and returns the trades. A position
 * that exceeds the maximum of a market order is closed in part. The caller holds the locks of the accounts.
 */
export async function closePositions(tx: Tx, actor: Actor): Promise<readonly Trade[]> {
  const positions = await queryPrepared<Position & Record<string, unknown>>(tx, POSITIONS, [actor.userId]);
  const returning = selectionOf(tx.connection, TradeEntity, 't', TRADE_VIEW_COLUMNS);
  const trades: Trade[] = [];
  for (const { accountId, pairId, net } of positions) {
    const pair = await pairForTrade(tx, encodeId('tpr', pairId));
    const order = {
      type: 'MARKET',
      side: net.startsWith('-') ? 'BUY' : 'SELL',
      amount: closableAmount(net, pair),
      reduce_only: true,
    } as const;
    if (violationsOf({ ...order, timeInForce: 'GTC', reduceOnly: true }, pair).length > 0) continue;
    const input = tradeCreate.parse({
      ...order,
      exchange_account_id: encodeId('exa', accountId),
      trade_pair_id: encodeId('tpr', pairId),
    });
    const { fills: _noFillsYet, ...trade } = await placeTrade(tx, actor, input, returning);
    trades.push(trade);
  }
  return trades;
}

/** Returns the size of the position, rounded down to what one market order may have. */
function closableAmount(net: string, pair: PairForTrade): string {
  const bounds = [pair.maxAmount, pair.marketMaxAmount].filter((bound) => bound !== null);
  return floorToMarketStep(BigDecimal.min(new BigDecimal(net).abs(), ...bounds), pair).toString();
}
