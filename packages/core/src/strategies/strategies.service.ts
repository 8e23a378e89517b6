import {
  DomainError,
  decodeId,
  type QueryOf,
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
  type ListQuery,
  type ListReader,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { readStrategy, strategyColumns } from './change-strategy.js';
import { StrategyEntity } from './strategy.entity.js';
import { viewReadableStrategies, viewStrategies } from './view-strategies.js';

type StrategyList = ListQuery & QueryOf<typeof strategyOperations.list>;

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
    const source = {
      select: columnsOf(database),
      from: 'strategies s',
      ...conditionsOf(actor, query),
      sorts: {
        created_at: { column: 's.created_at', type: 'timestamptz' as const },
        name: { column: 's.name', type: 'text' as const },
      },
      idColumn: 's.id',
    };
    const page = await this.lists.page(strategyOperations.list, actor.userId, source, query);
    const strategies = hydrate(database, StrategyEntity, page.items);
    return { ...page, items: await viewStrategies(database.manager, actor, strategies) };
  }

  /** Returns one of the actor's strategies, or an active public strategy of another user with its account omitted. */
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
      return readStrategy(tx, actor, id);
    });
  }
}

function conditionsOf({ userId }: Actor, { visibility, status }: StrategyList) {
  const where = ['s.deleted_at IS NULL'];
  const params: unknown[] = [];
  // These conditions are literals, because PostgreSQL uses the partial indexes of public strategies only for literals.
  if (visibility === 'PUBLIC') where.push("s.visibility = 'PUBLIC'", "s.status = 'ACTIVE'");
  else where.push(`s.user_id = $${params.push(userId)}`);
  if (visibility === 'PRIVATE') where.push("s.visibility = 'PRIVATE'");
  if (status !== undefined) where.push(`s.status = $${params.push(status)}`);
  return { where, params };
}

/** Finds a strategy that the actor may read. `READABLE` in strategy-metrics.queries.ts has the same condition. */
async function findReadable(tx: Tx, actor: Actor, publicId: string): Promise<string> {
  const id = decodeId('str', publicId);
  const strategy =
    id === null
      ? null
      : await tx.findOneBy(StrategyEntity, [
          { id, userId: actor.userId, deletedAt: IsNull() },
          { id, visibility: 'PUBLIC', status: 'ACTIVE', deletedAt: IsNull() },
        ]);
  if (strategy === null) throw new DomainError('not_found');
  return strategy.id;
}
