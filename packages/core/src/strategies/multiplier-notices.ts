import { strategy as strategySchema } from '@trading-automation/contracts';
import { type Database, inTransaction, queryPrepared } from '@trading-automation/persistence';
import { In } from 'typeorm';
import { emitEvents } from '../operations/index.js';
import { StrategyEntity } from './strategy.entity.js';
import { viewStrategies } from './view-strategies.js';

const AT_ONCE = 100;

/**
 * Notifies the owners of strategies that copiers of other users already copied with the sizing mode MULTIPLIER before
 * that needed `allow_multiplier`. Each owner is notified once for each strategy. Returns the number of events.
 */
export async function notifyMultiplierOwners(database: Database): Promise<number> {
  return inTransaction(database, async (tx) => {
    const due = await queryPrepared<{ id: string }>(
      tx,
      `DELETE FROM multiplier_notices WHERE strategy_id IN (
         SELECT strategy_id FROM multiplier_notices ORDER BY strategy_id LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING strategy_id AS id`,
      [AT_ONCE],
    );
    if (due.length === 0) return 0;
    const strategies = await tx.findBy(StrategyEntity, { id: In(due.map(({ id }) => id)) });
    const events = [];
    for (const strategy of strategies) {
      const [record] = await viewStrategies(tx, strategy, [strategy]);
      events.push({
        userId: strategy.userId,
        type: 'strategy.multiplier_kept' as const,
        schema: strategySchema,
        record: record!,
      });
    }
    await emitEvents(tx, events);
    return events.length;
  });
}
