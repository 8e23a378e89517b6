import { type Analytics, analyticsOperations, type QueryOf } from '@trading-automation/contracts';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { resolveAccountFilter } from '../exchange-accounts/index.js';
import { type Actor, authorise } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { resolveStrategyFilter } from '../strategies/index.js';
import { pairForTrade } from '../trade-pairs/index.js';
import type { AnalyticsFilter } from './analytics.queries.js';
import { viewAnalytics } from './analytics.view.js';
import { PerUserSemaphore } from './per-user-semaphore.js';
import { readResults } from './read-analytics.js';

type Query = QueryOf<typeof analyticsOperations.get>;

/** The maximum number of database connections that analytics uses; a process has ten by default. */
const CONCURRENT_READS_MAX = 3;

export class AnalyticsService {
  private readonly limiter = new PerUserSemaphore(CONCURRENT_READS_MAX);

  constructor(private readonly platform: Platform) {}

  /**
   * Returns the results of the trades that the query selects, from one database snapshot. Days with a current rollup
   * are read from the rollup; the rest is computed from fills, lots and trades (`DailyRollups`).
   */
  async get(actor: Actor, query: Query): Promise<Analytics> {
    authorise(actor, analyticsOperations.get.access);
    const compute = async (tx: Tx) => {
      const selection = await resolveFilter(tx, actor, query);
      return viewAnalytics(selection, await readResults(tx, selection, query.interval));
    };
    return this.limiter.run(actor.userId, () =>
      inTransaction(this.platform.database, compute, { isolation: 'REPEATABLE READ' }),
    );
  }
}

/** @throws {DomainError} `not_found`, with the filter as its field */
async function resolveFilter(tx: Tx, actor: Actor, query: Query): Promise<AnalyticsFilter> {
  const { exchange_account_id, trade_pair_id, strategy_id, from, to } = query;
  return {
    userId: actor.userId,
    accountId: exchange_account_id && (await resolveAccountFilter(tx, actor, exchange_account_id)),
    pairId: trade_pair_id && (await pairForTrade(tx, trade_pair_id)).id,
    strategyId: strategy_id && (await resolveStrategyFilter(tx, actor, strategy_id)),
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
}
