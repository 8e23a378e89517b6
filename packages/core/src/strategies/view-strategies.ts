import type { Strategy } from '@trading-automation/contracts';
import { hydrate, type Tx } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import { StrategyEntity } from './strategy.entity.js';
import { viewStrategy } from './strategy.view.js';
import { loadMetrics, loadReadableWithMetrics } from './strategy-metrics.queries.js';

/** Returns strategies in input order as the user may see them, with their metrics. */
export async function viewStrategies(
  tx: Tx,
  { userId }: Pick<Actor, 'userId'>,
  strategies: readonly StrategyEntity[],
): Promise<Strategy[]> {
  const metrics = await loadMetrics(
    tx,
    userId,
    strategies.map(({ id }) => id),
  );
  // `loadMetrics` returns an entry for each strategy passed.
  return strategies.map((strategy) => viewStrategy(strategy, userId, metrics.get(strategy.id)!));
}

/** Loads the strategies that the actor may read, in no particular order, in one statement. */
export async function viewReadableStrategies(
  tx: Tx,
  actor: Actor,
  ids: readonly string[],
): Promise<Strategy[]> {
  const rowsWithMetrics = await loadReadableWithMetrics(tx, actor.userId, ids);
  const strategies = hydrate(
    tx.connection,
    StrategyEntity,
    rowsWithMetrics.map(({ row }) => row),
  );
  return strategies.map((strategy, index) =>
    viewStrategy(strategy, actor.userId, rowsWithMetrics[index]!.metrics),
  );
}
