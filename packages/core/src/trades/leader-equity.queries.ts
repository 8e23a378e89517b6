import { assetsOfSymbol, canonicalDecimal, type Decimal } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { equitiesOf } from '../trade-pairs/index.js';
import type { LockedTrade } from './trades.queries.js';

/** The maximum age of a valuation. An older valuation is too inaccurate for sizing copies. */
const MAX_AGE_MS = 60_000;

/**
 * Returns, by trade id, the current equity of the account of each strategy trade, in the trade's quote currency.
 * Copiers later use the equity to size their copies. A trade is left out if its account has no recent valuation.
 */
export async function leaderEquities(
  tx: Tx,
  locked: readonly LockedTrade[],
): Promise<ReadonlyMap<string, Decimal>> {
  const equityByTrade = new Map<string, Decimal>();
  const strategyTrades = locked.filter(({ trade }) => trade.strategyId !== null);
  for (const quote of new Set(strategyTrades.map(({ trade }) => quoteOf(trade.symbol)))) {
    const trades = strategyTrades.filter(({ trade }) => quoteOf(trade.symbol) === quote);
    const accountIds = [...new Set(trades.map(({ trade }) => trade.exchangeAccountId))];
    const equities = await equitiesOf(tx, accountIds, quote);
    for (const { trade, now } of trades) {
      const equity = equities.get(trade.exchangeAccountId);
      if (!equity || now.getTime() - equity.takenAt.getTime() > MAX_AGE_MS) continue;
      equityByTrade.set(trade.id, canonicalDecimal(equity.amount));
    }
  }
  return equityByTrade;
}

const quoteOf = (symbol: string) => assetsOfSymbol(symbol).quote;
