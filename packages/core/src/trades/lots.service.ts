import {
  DomainError,
  decodeId,
  encodeId,
  type Lot,
  type LotClose,
  lotOperations,
  type QueryOf,
  type TradeDetail,
} from '@trading-automation/contracts';
import { type Selection, selectionOf, type Tx } from '@trading-automation/persistence';
import { resolveAccountFilter, syncIfNeverSynced } from '../exchange-accounts/index.js';
import {
  type Actor,
  authorise,
  type CommandRunner,
  idNotFound,
  type ListQuery,
  type ListReader,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { pairForTrade } from '../trade-pairs/index.js';
import { closeLot } from './lots/close-lot.js';
import { type LotViewRow, viewLot } from './lots/lot.view.js';
import { LOT_RECORD_COLUMNS, LOT_RECORDS, ownLots, ownsCopier } from './lots/lot-records.queries.js';
import { TradeEntity } from './trade.entity.js';
import { TRADE_VIEW_COLUMNS, type TradeViewRow } from './trade.view.js';

export interface LotsDependencies {
  readonly platform: Platform;
  readonly lists: ListReader;
  readonly commands: CommandRunner;
}

/** The lots of a user. A lot belongs to the user of its account, so it shows nothing of a copied strategy's account. */
export class LotsService {
  private readonly trade: Selection<TradeViewRow>;

  constructor(private readonly dependencies: LotsDependencies) {
    this.trade = selectionOf(dependencies.platform.database, TradeEntity, 't', TRADE_VIEW_COLUMNS);
  }

  async list(
    actor: Actor,
    query: ListQuery & QueryOf<typeof lotOperations.list>,
  ): Promise<PageWithCursors<Lot>> {
    authorise(actor, lotOperations.list.access);
    const { lists } = this.dependencies;
    const where = ['l.user_id = $1'];
    const params: unknown[] = [actor.userId];
    for (const [column, value] of await this.filters(actor, query))
      where.push(`l.${column} = $${params.push(value)}`);
    if (query.status !== undefined)
      where.push(query.status === 'OPEN' ? 'l.open_amount > 0' : 'l.open_amount = 0');
    const source = {
      select: LOT_RECORD_COLUMNS,
      from: LOT_RECORDS,
      where,
      params,
      sorts: { created_at: { column: 'l.opened_at', type: 'timestamptz' as const } },
      idColumn: 'l.id',
    };
    const page = await lists.page<LotViewRow & Record<string, unknown>>(
      lotOperations.list,
      actor.userId,
      source,
      query,
    );
    return { ...page, items: page.items.map(viewLot) };
  }

  async get(actor: Actor, publicId: string): Promise<Lot> {
    authorise(actor, lotOperations.get.access);
    return viewLot(await this.findOwn(this.dependencies.platform.database.manager, actor, publicId));
  }

  /** Loads lots in input order, as `list` returns them; null for ids that `get` does not find. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (Lot | null)[]> {
    authorise(actor, lotOperations.get.access);
    const { manager } = this.dependencies.platform.database;
    return loadByIds('lot', publicIds, async (ids) =>
      (await ownLots(manager, actor.userId, ids)).map(viewLot),
    );
  }

  /** Stores the trade that closes the lot, and emits `trade.created`; the trading worker sends the order. */
  async close(actor: Actor, publicId: string, input: LotClose | undefined): Promise<TradeDetail> {
    authorise(actor, lotOperations.close.access);
    const { platform, commands } = this.dependencies;
    const prepare = async () => {
      const lot = await this.findOwn(platform.database.manager, actor, publicId);
      await syncIfNeverSynced(platform, actor, encodeId('exa', lot.exchangeAccountId));
      return lot;
    };
    return commands.runPrepared(actor.idempotency, prepare, (tx, lot) =>
      closeLot(tx, actor, lot, input ?? { fraction: '1' }, this.trade),
    );
  }

  private async filters(
    actor: Actor,
    { exchange_account_id, trade_pair_id, copier_id }: QueryOf<typeof lotOperations.list>,
  ): Promise<readonly (readonly [column: string, value: string])[]> {
    const { manager } = this.dependencies.platform.database;
    const filters: (readonly [string, string])[] = [];
    if (exchange_account_id !== undefined)
      filters.push(['exchange_account_id', await resolveAccountFilter(manager, actor, exchange_account_id)]);
    if (trade_pair_id !== undefined)
      filters.push(['trade_pair_id', (await pairForTrade(manager, trade_pair_id)).id]);
    if (copier_id !== undefined)
      filters.push(['copier_id', await resolveCopierFilter(manager, actor, copier_id)]);
    return filters;
  }

  private async findOwn(tx: Tx, actor: Actor, publicId: string): Promise<LotViewRow> {
    const id = decodeId('lot', publicId);
    const [lot] = id === null ? [] : await ownLots(tx, actor.userId, [id]);
    if (lot === undefined) throw new DomainError('not_found');
    return lot;
  }
}

/** Returns the uuid of the copier by which a list is filtered, even if the copier is deleted. */
async function resolveCopierFilter(tx: Tx, actor: Actor, publicId: string): Promise<string> {
  const id = decodeId('cpr', publicId);
  if (id !== null && (await ownsCopier(tx, actor.userId, id))) return id;
  throw idNotFound('copier_id', 'copier');
}
