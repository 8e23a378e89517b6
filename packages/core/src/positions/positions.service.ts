import {
  DomainError,
  decodeId,
  encodeId,
  type LeverageSettings,
  type LeverageUpdate,
  type Position,
  positionOperations,
  type QueryOf,
} from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { accountInactiveError, callWorker, resolveAccountFilter } from '../exchange-accounts/index.js';
import {
  type Actor,
  authorise,
  type ListQuery,
  type ListReader,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { type PairForTrade, pairForTrade } from '../trade-pairs/index.js';
import { viewPosition } from './position.view.js';
import { KEPT_POSITIONS, positionsByIds } from './positions.queries.js';

export class PositionsService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
  ) {}

  /** Lists the open positions of the user's accounts. */
  async list(
    actor: Actor,
    query: ListQuery & QueryOf<typeof positionOperations.list>,
  ): Promise<PageWithCursors<Position>> {
    authorise(actor, positionOperations.list.access);
    const { manager } = this.platform.database;
    const where = ['p.user_id = $1', 'p.amount > 0'];
    const params: unknown[] = [actor.userId];
    if (query.exchange_account_id !== undefined) {
      const accountId = await resolveAccountFilter(manager, actor, query.exchange_account_id);
      where.push(`p.exchange_account_id = $${params.push(accountId)}`);
    }
    if (query.trade_pair_id !== undefined) {
      const { id } = await pairForTrade(manager, query.trade_pair_id);
      where.push(`p.trade_pair_id = $${params.push(id)}`);
    }
    const source = {
      select: 'p.id',
      from: KEPT_POSITIONS,
      where,
      params,
      sorts: { created_at: { column: 'p.created_at', type: 'timestamptz' as const } },
      idColumn: 'p.id',
    };
    const page = await this.lists.page<{ id: string }>(positionOperations.list, actor.userId, source, query);
    // The results are computed from lots, so they are read for the positions of the page alone.
    const rows = await positionsByIds(
      manager,
      page.items.map(({ id }) => id),
    );
    const byId = new Map(rows.map((row) => [row.id, viewPosition(row)]));
    return { ...page, items: page.items.flatMap(({ id }) => byId.get(id) ?? []) };
  }

  /** Loads positions of the user in input order, closed ones included; null for unknown ids. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (Position | null)[]> {
    authorise(actor, positionOperations.list.access);
    const { manager } = this.platform.database;
    return loadByIds('pos', publicIds, async (ids) => {
      const rows = await positionsByIds(manager, ids);
      return rows.filter(({ userId, side }) => userId === actor.userId && side !== null).map(viewPosition);
    });
  }

  /** Sets the leverage at the exchange, through the trading worker, which also stores it. */
  async setLeverage(actor: Actor, publicId: string, input: LeverageUpdate): Promise<LeverageSettings> {
    authorise(actor, positionOperations.setLeverage.access);
    const { account, pair } = await this.findMarket(actor, publicId, input.trade_pair_id);
    const { leverage, margin_mode } = input;
    const settings = await callWorker(
      this.platform,
      'position.set_leverage',
      { account_id: account.id, symbol: pair.symbol, leverage, margin_mode },
      { userId: actor.userId, accountId: account.id },
    ).catch((error) => {
      throw withDetails(error, input);
    });
    return {
      exchange_account_id: encodeId('exa', account.id),
      trade_pair_id: encodeId('tpr', pair.id),
      symbol: pair.symbol,
      leverage: settings.leverage,
      margin_mode: settings.marginMode,
      max_leverage: settings.maxLeverage,
    };
  }

  private async findMarket(actor: Actor, accountId: string, pairId: string) {
    const { manager } = this.platform.database;
    const account = await findAccount(manager, actor, accountId);
    if (account.tradingType !== 'perpetual')
      throw invalid(
        'id',
        'not_offered',
        `Leverage is set on perpetual accounts; got ${account.tradingType}.`,
      );
    if (!account.isActive) throw accountInactiveError();
    const pair = await pairForTrade(manager, pairId);
    if (pair.exchange !== account.exchange || pair.tradingType !== account.tradingType)
      throw invalid('trade_pair_id', 'other_exchange', 'Use a perpetual of the exchange of the account.');
    return { account, pair } satisfies { account: PerpetualAccount; pair: PairForTrade };
  }
}

interface PerpetualAccount {
  readonly id: string;
  readonly exchange: string;
  readonly tradingType: string;
  readonly isActive: boolean;
}

async function findAccount(tx: Tx, actor: Actor, publicId: string): Promise<PerpetualAccount> {
  const id = decodeId('exa', publicId);
  const [account] =
    id === null
      ? []
      : await queryPrepared<PerpetualAccount & Record<string, unknown>>(
          tx,
          `SELECT id, exchange, trading_type AS "tradingType", is_active AS "isActive" FROM exchange_accounts
           WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL`,
          [id, actor.userId],
        );
  if (account === undefined) throw new DomainError('not_found');
  return account;
}

function invalid(field: string, code: 'not_offered' | 'other_exchange', message: string): DomainError {
  return new DomainError('validation_failed', message, [{ field, code, message }]);
}

/** Adds what a reply of the worker does not carry: the field at fault, and the value. */
function withDetails(error: unknown, { leverage }: LeverageUpdate): unknown {
  if (!(error instanceof DomainError)) return error;
  const { code, message } = error;
  if (code === 'exchange_rule_violated')
    return new DomainError(code, message, [
      { field: 'leverage', code: 'max_leverage', message, rule: 'max_leverage', value: leverage },
    ]);
  if (code === 'invalid_state')
    return new DomainError(code, message, [{ field: 'leverage', code: 'invalid_state', message }]);
  return error;
}
