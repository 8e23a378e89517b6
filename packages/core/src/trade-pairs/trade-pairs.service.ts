import {
  DomainError,
  decodeId,
  type QueryOf,
  type TradePair,
  tradePairOperations,
} from '@trading-automation/contracts';
import {
  allColumns,
  hydrate,
  queryPrepared,
  selectionOf,
  selectPrepared,
  type Tx,
} from '@trading-automation/persistence';

import {
  type Actor,
  authorise,
  idNotFound,
  type ListQuery,
  type ListReader,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { TradePairEntity } from './trade-pair.entity.js';
import { viewTradePair } from './trade-pair.view.js';

const COLUMNS = allColumns(TradePairEntity, 'p');
const BY_IDS = allColumns(
  TradePairEntity,
  'p',
  (columns) => `SELECT ${columns} FROM trade_pairs p WHERE p.id = ANY ($1)`,
);

export class TradePairsService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
  ) {}

  async list(
    actor: Actor,
    query: ListQuery & QueryOf<typeof tradePairOperations.list>,
  ): Promise<PageWithCursors<TradePair>> {
    authorise(actor, tradePairOperations.list.access);
    const source = {
      select: COLUMNS(this.platform.database),
      from: 'trade_pairs p',
      ...filtersOf(query),
      sorts: {
        created_at: { column: 'p.created_at', type: 'timestamptz' },
        symbol: { column: 'p.symbol', type: 'text' },
        exchange: { column: 'p.exchange', type: 'text' },
      },
      idColumn: 'p.id',
    } as const;
    const page = await this.lists.page(tradePairOperations.list, actor.userId, source, query);
    const pairs = hydrate(this.platform.database, TradePairEntity, page.items);
    return { ...page, items: pairs.map(viewTradePair) };
  }

  async get(actor: Actor, publicId: string): Promise<TradePair> {
    authorise(actor, tradePairOperations.get.access);
    const pair = await findPair(this.platform.database.manager, publicId);
    if (pair === null) throw new DomainError('not_found');
    return viewTradePair(pair);
  }

  /** Loads trade pairs in input order; null for ids that `get` does not find. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (TradePair | null)[]> {
    authorise(actor, tradePairOperations.get.access);
    const { database } = this.platform;
    return loadByIds('tpr', publicIds, async (ids) => {
      const rows = await queryPrepared(database.manager, BY_IDS(database), [ids]);
      return hydrate(database, TradePairEntity, rows).map(viewTradePair);
    });
  }
}

/** Returns the conditions of a list and their parameters. */
function filtersOf({ exchange, trading_type, symbol, search }: QueryOf<typeof tradePairOperations.list>) {
  const where: string[] = [];
  const params: string[] = [];
  const add = (value: string | undefined, conditionOf: (place: string) => string) => {
    if (value === undefined) return;
    params.push(value);
    where.push(conditionOf(`$${params.length}`));
  };
  add(
    exchange,
    (place) =>
      `p.exchange = ${place} OR p.exchange IN (SELECT code FROM supported_exchanges WHERE lower(name) = lower(${place}))`,
  );
  add(trading_type, (place) => `p.trading_type = ${place}`);
  add(symbol, (place) => `lower(p.symbol) = lower(${place})`);
  add(search, (place) => `starts_with(${withoutSeparators('p.symbol')}, ${withoutSeparators(place)})`);
  return { where, params };
}

const withoutSeparators = (expression: string) => `translate(lower(${expression}), '/:-_ ', '')`;

const FOR_TRADE = [
  'id',
  'exchange',
  'symbol',
  'base',
  'quote',
  'settle',
  'takerFee',
  'tradingType',
  'priceTick',
  'amountStep',
  'minAmount',
  'maxAmount',
  'minNotional',
  'maxNotional',
  'marketAmountStep',
  'marketMaxAmount',
  'orderTypes',
  'timeInForces',
  'lastPrice',
  'isActive',
  'inactiveReason',
  'replacedBy',
] as const satisfies readonly (keyof TradePairEntity)[];

/** A pair with its rules, as needed to place a trade. */
export type PairForTrade = Readonly<Pick<TradePairEntity, (typeof FOR_TRADE)[number]>>;

/** Returns a pair with its rules. @throws {DomainError} `not_found` for the field `trade_pair_id` */
export async function pairForTrade(tx: Tx, publicId: string): Promise<PairForTrade> {
  const id = decodeId('tpr', publicId);
  const selection = selectionOf(tx.connection, TradePairEntity, 'p', FOR_TRADE);
  const [pair] =
    id === null ? [] : await selectPrepared(tx, selection, 'FROM trade_pairs p WHERE p.id = $1', [id]);
  if (pair !== undefined) return pair;
  throw idNotFound('trade_pair_id', 'trade pair');
}

export async function findPair(tx: Tx, publicId: string): Promise<TradePairEntity | null> {
  const id = decodeId('tpr', publicId);
  return id === null ? null : tx.findOneBy(TradePairEntity, { id });
}
