import {
  DomainError,
  decodeId,
  type Strategy,
  type StrategyCreate,
  strategyOperations,
} from '@trading-automation/contracts';
import { allColumns, hydrate, newUuid, type Tx } from '@trading-automation/persistence';
import { IsNull } from 'typeorm';

import { lockOwnAccountShared } from '../exchange-accounts/index.js';
import {
  type Actor,
  authorise,
  type CommandRunner,
  type ListReader,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { readStrategy, strategyColumns } from './change-strategy.js';
import { invalidateFigures } from './figures/refresh-figures.js';
import { leaderboardSource, type StrategyList } from './leaderboard.queries.js';
import { wasCopied } from './strategies.queries.js';
import { StrategyEntity } from './strategy.entity.js';
import { viewReadableStrategies, viewStrategies } from './view-strategies.js';

const columnsOf = allColumns(StrategyEntity, 's');

/** Reads and creates strategies. The copiers feature contains the use cases that change both strategies and copiers. */
export class StrategiesService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
    private readonly commands: CommandRunner,
  ) {}

  async list(actor: Actor, query: StrategyList): Promise<PageWithCursors<Strategy>> {
    authorise(actor, strategyOperations.list.access);
    const { database } = this.platform;
    const source = { select: columnsOf(database), ...leaderboardSource(actor, query), idColumn: 's.id' };
    const page = await this.lists.page(strategyOperations.list, actor.userId, source, query);
    const strategies = hydrate(database, StrategyEntity, page.items);
    return { ...page, items: await viewStrategies(database.manager, actor, strategies) };
  }

  /** Returns one of the actor's strategies, or a listed strategy of another user, masked. */
  async get(actor: Actor, publicId: string): Promise<Strategy> {
    authorise(actor, strategyOperations.get.access);
    const { manager } = this.platform.database;
    return readStrategy(manager, actor, await findReadable(manager, actor, publicId));
  }

  /** Loads strategies in input order; null for ids that `get` does not find. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (Strategy | null)[]> {
    authorise(actor, strategyOperations.get.access);
    const { manager } = this.platform.database;
    return loadByIds('str', publicIds, (ids) => viewReadableStrategies(manager, actor, ids));
  }

  async create(actor: Actor, input: StrategyCreate): Promise<Strategy> {
    authorise(actor, strategyOperations.create.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      const account = await lockOwnAccountShared(tx, actor, input.exchange_account_id);
      const id = newUuid();
      await tx.insert(StrategyEntity, {
        ...(await strategyColumns(tx, account, input)),
        id,
        userId: actor.userId,
        exchangeAccountId: account.id,
        status: 'ACTIVE',
      });
      await invalidateFigures(tx, id);
      return readStrategy(tx, actor, id);
    });
  }
}

/** Finds a strategy that the actor may read. `READABLE` in strategy-metrics.queries.ts has the same condition. */
async function findReadable(tx: Tx, actor: Actor, publicId: string): Promise<string> {
  const id = decodeId('str', publicId);
  const strategy =
    id === null
      ? null
      : await tx.findOneBy(StrategyEntity, [
          { id, userId: actor.userId, deletedAt: IsNull() },
          { id, visibility: 'PUBLIC', deletedAt: IsNull() },
        ]);
  if (strategy !== null) return strategy.id;
  if (id === null || !(await wasCopied(tx, id))) throw new DomainError('not_found');
  return id;
}
