import {
  DomainError,
  decodeId,
  encodeId,
  type Fill,
  type QueryOf,
  type Trade,
  type TradeCreate,
  type TradeDetail,
  tradeOperations,
} from '@trading-automation/contracts';
import {
  leftJoined,
  type Selection,
  selectionOf,
  selectPrepared,
  type Tx,
} from '@trading-automation/persistence';

import { callWorker, resolveAccountFilter, syncIfNeverSynced } from '../exchange-accounts/index.js';
import {
  type Actor,
  authorise,
  type CommandRunner,
  invalidState,
  type ListQuery,
  type ListReader,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { resolveStrategyFilter } from '../strategies/index.js';
import { FillEntity } from './fill.entity.js';
import { placeTrade } from './place-trade.js';
import { TradeEntity } from './trade.entity.js';
import { isTerminal } from './trade.rules.js';
import {
  FILL_VIEW_COLUMNS,
  type FillViewRow,
  TRADE_VIEW_COLUMNS,
  type TradeViewRow,
  viewFill,
  viewTrade,
  viewTradeDetail,
} from './trade.view.js';

export interface TradesDependencies {
  readonly platform: Platform;
  readonly lists: ListReader;
  readonly commands: CommandRunner;
}

/** Column selections of trades (alias `t`) and fills (alias `f`). */
interface TradeSelections {
  readonly trade: Selection<TradeViewRow>;
  readonly fill: Selection<FillViewRow>;
  readonly fillOfTrade: Selection<FillViewRow & Pick<FillEntity, 'tradeId'>>;
  readonly tradeAndFill: Selection<readonly [TradeViewRow, FillViewRow | null]>;
}

export class TradesService {
  private readonly selections: TradeSelections;

  constructor(private readonly dependencies: TradesDependencies) {
    const { database } = dependencies.platform;
    const trade = selectionOf(database, TradeEntity, 't', TRADE_VIEW_COLUMNS);
    const fill = selectionOf(database, FillEntity, 'f', FILL_VIEW_COLUMNS);
    const fillOfTrade = selectionOf(database, FillEntity, 'f', ['tradeId', ...FILL_VIEW_COLUMNS]);
    this.selections = { trade, fill, fillOfTrade, tradeAndFill: leftJoined(trade, fill) };
  }

  async list(
    actor: Actor,
    query: ListQuery & QueryOf<typeof tradeOperations.list>,
  ): Promise<PageWithCursors<Trade>> {
    authorise(actor, tradeOperations.list.access);
    const { platform, lists } = this.dependencies;
    const where = ['t.user_id = $1'];
    const params: unknown[] = [actor.userId];
    const filter = (column: string, value: string | undefined) => {
      if (value !== undefined) where.push(`t.${column} = $${params.push(value)}`);
    };
    filter('status', query.status);
    filter('side', query.side);
    if (query.exchange_account_id !== undefined) {
      const { manager } = platform.database;
      filter('exchange_account_id', await resolveAccountFilter(manager, actor, query.exchange_account_id));
    }
    if (query.strategy_id !== undefined) {
      const strategyId = await resolveStrategyFilter(platform.database.manager, actor, query.strategy_id);
      // The filter includes the strategy's own trades and the actor's copies of them.
      where.push(`coalesce(t.strategy_id, t.copied_strategy_id) = $${params.push(strategyId)}`);
    }
    const source = {
      select: this.selections.trade,
      from: 'trades t',
      where,
      params,
      sorts: {
        created_at: { column: 't.created_at', type: 'timestamptz' },
        updated_at: { column: 't.updated_at', type: 'timestamptz' },
      },
      idColumn: 't.id',
    } as const;
    const page = await lists.page(tradeOperations.list, actor.userId, source, query);
    return { ...page, items: page.items.map(viewTrade) };
  }

  async get(actor: Actor, publicId: string): Promise<TradeDetail> {
    authorise(actor, tradeOperations.get.access);
    const { manager } = this.dependencies.platform.database;
    const id = decodeId('trd', publicId);
    const withFills = `FROM trades t LEFT JOIN fills f ON f.trade_id = t.id
      WHERE t.id = $1 AND t.user_id = $2 ORDER BY f.executed_at, f.id`;
    const rows =
      id === null
        ? []
        : await selectPrepared(manager, this.selections.tradeAndFill, withFills, [id, actor.userId]);
    const [trade] = rows[0] ?? [];
    if (trade === undefined) throw new DomainError('not_found');
    return viewTradeDetail(
      trade,
      rows.flatMap(([, fill]) => fill ?? []),
    );
  }

  /** Loads trades in input order, as `list` returns them; null for ids that `get` does not find. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (Trade | null)[]> {
    authorise(actor, tradeOperations.get.access);
    const { manager } = this.dependencies.platform.database;
    const ownTrades = 'FROM trades t WHERE t.id = ANY ($1) AND t.user_id = $2';
    return loadByIds('trd', publicIds, async (ids) =>
      (await selectPrepared(manager, this.selections.trade, ownTrades, [ids, actor.userId])).map(viewTrade),
    );
  }

  /** Loads the fills of each trade in input order; an empty list for ids that `get` does not find. */
  async fillsOfMany(actor: Actor, tradeIds: readonly string[]): Promise<readonly (readonly Fill[])[]> {
    authorise(actor, tradeOperations.get.access);
    const { manager } = this.dependencies.platform.database;
    const fillsOfOwnTrades = `FROM trades t JOIN fills f ON f.trade_id = t.id
      WHERE t.id = ANY ($1) AND t.user_id = $2 ORDER BY f.executed_at, f.id`;
    const trades = await loadByIds('trd', tradeIds, async (ids) =>
      fillsByTrade(
        await selectPrepared(manager, this.selections.fillOfTrade, fillsOfOwnTrades, [ids, actor.userId]),
      ),
    );
    return trades.map((trade) => trade?.fills ?? []);
  }

  /** Stores a trade and emits `trade.created`; the trading worker sends the order. */
  async create(actor: Actor, input: TradeCreate): Promise<TradeDetail> {
    authorise(actor, tradeOperations.create.access);
    return this.dependencies.commands.runPrepared(
      actor.idempotency,
      () => syncIfNeverSynced(this.dependencies.platform, actor, input.exchange_account_id),
      (tx) => placeTrade(tx, actor, input, this.selections.trade),
    );
  }

  /** Cancels the open part of a trade and returns the trade. @throws {DomainError} if the trade has already ended */
  async cancel(actor: Actor, publicId: string): Promise<TradeDetail> {
    authorise(actor, tradeOperations.cancel.access);
    const { selections } = this;
    const { platform, commands } = this.dependencies;
    const { manager } = platform.database;
    const cancel = async () => {
      const trade = await findOwn(selections, manager, actor, publicId);
      if (isTerminal(trade.status)) throw notCancellable(trade);
      const owner = { userId: actor.userId, accountId: trade.exchangeAccountId };
      await callWorker(platform, 'trade.cancel', { trade_id: trade.id }, owner);
      const after = await findOwn(selections, manager, actor, publicId);
      if (after.status === 'CANCELLED') return after;
      if (isTerminal(after.status)) throw notCancellable(after);
      throw new DomainError(
        'exchange_unavailable',
        'The exchange has not confirmed the cancellation yet. It is in progress; read the trade again later.',
      );
    };
    return commands.runPrepared(actor.idempotency, cancel, (tx, trade) => viewDetail(selections, tx, trade));
  }
}

type TradeFills = Pick<TradeDetail, 'id' | 'fills'>;

function fillsByTrade(fills: readonly (FillViewRow & Pick<FillEntity, 'tradeId'>)[]): readonly TradeFills[] {
  const trades = new Map<string, TradeFills>();
  for (const fill of fills) {
    const trade = trades.get(fill.tradeId) ?? { id: encodeId('trd', fill.tradeId), fills: [] };
    trade.fills.push(viewFill(fill));
    trades.set(fill.tradeId, trade);
  }
  return [...trades.values()];
}

async function findOwn(
  selections: TradeSelections,
  tx: Tx,
  actor: Actor,
  publicId: string,
): Promise<TradeViewRow> {
  const id = decodeId('trd', publicId);
  const ownTrade = 'FROM trades t WHERE t.id = $1 AND t.user_id = $2';
  const [trade] = id === null ? [] : await selectPrepared(tx, selections.trade, ownTrade, [id, actor.userId]);
  if (trade === undefined) throw new DomainError('not_found');
  return trade;
}

async function viewDetail(selections: TradeSelections, tx: Tx, trade: TradeViewRow): Promise<TradeDetail> {
  const ofTrade = 'FROM fills f WHERE f.trade_id = $1 ORDER BY f.executed_at, f.id';
  return viewTradeDetail(trade, await selectPrepared(tx, selections.fill, ofTrade, [trade.id]));
}

function notCancellable(trade: TradeViewRow): DomainError {
  const message = `The trade is ${trade.status} and cannot be cancelled.`;
  return invalidState(message, trade.status);
}
