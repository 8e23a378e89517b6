import { canonicalDecimal, type Decimal } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { equitiesOf } from '../trade-pairs/index.js';
import type { LockedTrade } from './trades.queries.js';

/** The maximum age of a valuation; an older one is too inaccurate for sizing copies. */
const AGE_MAX_MS = 60_000;

/**
 * Returns the current equity of the accounts of strategy trades, by trade id, in the trade's quote currency. Copies are
 * sized by it later. Trades without a recent valuation are left out.
 */
export async function leaderEquities(
  tx: Tx,
  locked: readonly LockedTrade[],
): Promise<ReadonlyMap<string, Decimal>> {
  const found = new Map<string, Decimal>();
  const leaders = locked.filter(({ trade }) => trade.strategyId !== null);
  for (const quote of new Set(leaders.map(({ trade }) => quoteOf(trade.symbol)))) {
    const trades = leaders.filter(({ trade }) => quoteOf(trade.symbol) === quote);
    const accountIds = [...new Set(trades.map(({ trade }) => trade.exchangeAccountId))];
    const equities = await equitiesOf(tx, accountIds, quote);
    for (const { trade, now } of trades) {
      const equity = equities.get(trade.exchangeAccountId);
      if (!equity || now.getTime() - equity.takenAt.getTime() > AGE_MAX_MS) continue;
      found.set(trade.id, canonicalDecimal(equity.amount));
    }
  }
  return found;
}

/** Returns the quote currency of `BASE/QUOTE` or `BASE/QUOTE:SETTLE`. */
const quoteOf = (symbol: string) => symbol.slice(symbol.indexOf('/') + 1).split(':', 1)[0]!;
