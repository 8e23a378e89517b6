import {
  type Analytics,
  type AnalyticsInterval,
  analyticsOperations,
  type QueryOf,
} from '@trading-automation/contracts';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { type Actor, authorise } from '../access/index.js';
import { accountOfFilter } from '../exchange-accounts/index.js';
import type { Platform } from '../platform.js';
import { strategyOfFilter } from '../strategies/index.js';
import { pairForTrade } from '../trade-pairs/index.js';
import { countTrades, fillsInOrder, type Selection } from './analytics.queries.js';
import { viewAnalytics } from './analytics.view.js';
import { Reckoning } from './reckoning.js';
import { Turns } from './turns.js';

type Query = QueryOf<typeof analyticsOperations.get>;

/** Of the connections of a process, ten unless configured. */
const AT_ONCE = 3;

export class AnalyticsService {
  private readonly turns = new Turns(AT_ONCE);

  constructor(private readonly platform: Platform) {}

  /** Computed from the fills alone, all of it from one state of the database. */
  async get(actor: Actor, query: Query): Promise<Analytics> {
    authorise(actor, analyticsOperations.get.access);
    const compute = async (tx: Tx) => {
      const selection = await select(tx, actor, query);
      return viewAnalytics(selection, await reckon(tx, selection, query.interval));
    };
    return this.turns.take(actor.userId, () =>
      inTransaction(this.platform.database, compute, { isolation: 'REPEATABLE READ' }),
    );
  }
}

async function reckon(tx: Tx, selection: Selection, interval: AnalyticsInterval): Promise<Reckoning> {
  const reckoning = new Reckoning(selection, interval, await countTrades(tx, selection));
  for await (const fills of fillsInOrder(tx, selection)) {
    for (const fill of fills) reckoning.add(fill);
  }
  return reckoning;
}

/** @throws {DomainError} `not_found`, naming the filter */
async function select(tx: Tx, actor: Actor, query: Query): Promise<Selection> {
  const { exchange_account_id, trade_pair_id, strategy_id, from, to } = query;
  return {
    userId: actor.userId,
    accountId: exchange_account_id && (await accountOfFilter(tx, actor, exchange_account_id)),
    pairId: trade_pair_id && (await pairForTrade(tx, trade_pair_id)).id,
    strategyId: strategy_id && (await strategyOfFilter(tx, actor, strategy_id)),
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
}
