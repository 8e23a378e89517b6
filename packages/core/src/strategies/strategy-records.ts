import type { Strategy } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { Actor } from '../access/index.js';
import { copierCounts } from './strategies.queries.js';
import type { StrategyEntity } from './strategy.entity.js';
import { viewStrategy } from './strategy.view.js';
import { resultsOf } from './strategy-results.queries.js';

/** Strategies as the actor sees them, with what came of them; in the order given. */
export async function viewStrategies(
  tx: Tx,
  actor: Actor,
  strategies: readonly StrategyEntity[],
): Promise<Strategy[]> {
  const counts = await copierCounts(
    tx,
    strategies.map(({ id }) => id),
  );
  const results = await resultsOf(tx, strategies);
  return strategies.map((strategy) =>
    viewStrategy(strategy, actor.userId, {
      copierCount: counts.get(strategy.id) ?? 0,
      // Every strategy that is asked for is in there.
      results: results.get(strategy.id)!,
    }),
  );
}
