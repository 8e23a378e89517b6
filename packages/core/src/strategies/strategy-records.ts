import type { Strategy } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { Actor } from '../access/index.js';
import type { StrategyEntity } from './strategy.entity.js';
import { viewStrategy } from './strategy.view.js';
import { measuresOf } from './strategy-results.queries.js';

/** Strategies as the actor sees them, with what came of them; in the order given. */
export async function viewStrategies(
  tx: Tx,
  actor: Actor,
  strategies: readonly StrategyEntity[],
): Promise<Strategy[]> {
  const measures = await measuresOf(tx, strategies);
  // Every strategy that is asked for is in there.
  return strategies.map((strategy) => viewStrategy(strategy, actor.userId, measures.get(strategy.id)!));
}
