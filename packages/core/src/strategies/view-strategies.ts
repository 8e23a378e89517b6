import type { Strategy } from '@trading-automation/contracts';
import { hydrate, type Tx } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import { StrategyEntity } from './strategy.entity.js';
import { viewStrategy } from './strategy.view.js';
import { loadMetrics, loadReadableWithMetrics } from './strategy-metrics.queries.js';

/** Strategies as the actor sees them, with what came of them; in the order given. */
export async function viewStrategies(
  tx: Tx,
  actor: Actor,
  strategies: readonly StrategyEntity[],
): Promise<Strategy[]> {
  const measures = await loadMetrics(tx, strategies);
  // Every strategy that is asked for is in there.
  return strategies.map((strategy) => viewStrategy(strategy, actor.userId, measures.get(strategy.id)!));
}

/** Those by these ids that the actor may read, in no order; in one statement. */
export async function viewReadableStrategies(
  tx: Tx,
  actor: Actor,
  ids: readonly string[],
): Promise<Strategy[]> {
  const found = await loadReadableWithMetrics(tx, actor.userId, ids);
  const strategies = hydrate(
    tx.connection,
    StrategyEntity,
    found.map(({ row }) => row),
  );
  return strategies.map((strategy, place) => viewStrategy(strategy, actor.userId, found[place]!.measures));
}
