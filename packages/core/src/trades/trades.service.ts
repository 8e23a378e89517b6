import {
  DECIMAL_INTEGER_DIGITS,
  DomainError,
  decodeId,
  encodeId,
  type QueryOf,
  type Trade,
  type TradeCreate,
  type TradeDetail,
  tradeOperations,
  trade as tradeSchema,
} from '@trading-automation/contracts';
import {
  insertPrepared,
  isUniqueViolation,
  joined,
  newUuid,
  type Selection,
  selectionOf,
  selectPrepared,
  type Tx,
} from '@trading-automation/persistence';
import { type Actor, authorise } from '../access/index.js';
import { announce } from '../announce.js';
import type { Commands } from '../commands.js';
import { Exact } from '../decimal-arithmetic.js';
import {
  type AccountForTrade,
  accountOfFilter,
  callWorker,
  lockAccountForTrade,
  syncIfNever,
} from '../exchange-accounts/index.js';
import type { ListQuery, Lists, Page } from '../lists.js';
import type { Platform } from '../platform.js';
import { type HeldStrategy, strategyForTrade, strategyOfFilter } from '../strategies/index.js';
import { type PairForTrade, pairForTrade } from '../trade-pairs/index.js';
import { FillEntity } from './fill.entity.js';
import {
  isCostTooLarge,
  type Reservation,
  type RuleViolation,
  reservationFor,
  violationsOf,
} from './order.rules.js';
import { TradeEntity } from './trade.entity.js';
import { isTerminal } from './trade.rules.js';
import {
  SHOWN_OF_FILL,
  SHOWN_OF_TRADE,
  type ShownFill,
  type ShownTrade,
  viewTrade,
  viewTradeDetail,
} from './trade.view.js';
import { reservedSinceBalances } from './trades.queries.js';

/** When the sweeper takes up a trade whose notification was lost. */
const FIRST_LOOK_MS = 2_000;

export interface TradesParts {
  readonly platform: Platform;
  readonly lists: Lists;
  readonly commands: Commands;
}

/** What is read of trades and fills; the aliases are t and f. */
interface Shown {
  readonly trade: Selection<ShownTrade>;
  readonly fill: Selection<ShownFill>;
  readonly tradeAndFill: Selection<readonly [ShownTrade, ShownFill | null]>;
}

export class TradesService {
  private readonly shown: Shown;

  constructor(private readonly parts: TradesParts) {
    const { database } = parts.platform;
    const trade = selectionOf(database, TradeEntity, 't', SHOWN_OF_TRADE);
    const fill = selectionOf(database, FillEntity, 'f', SHOWN_OF_FILL);
    this.shown = { trade, fill, tradeAndFill: joined(trade, fill) };
  }

  async list(actor: Actor, query: ListQuery & QueryOf<typeof tradeOperations.list>): Promise<Page<Trade>> {
    authorise(actor, tradeOperations.list.access);
    const { platform, lists } = this.parts;
    const where = ['t.user_id = $1'];
    const params: unknown[] = [actor.userId];
    const filter = (column: string, value: string | undefined) => {
      if (value !== undefined) where.push(`t.${column} = $${params.push(value)}`);
    };
    filter('status', query.status);
    filter('side', query.side);
    if (query.exchange_account_id !== undefined) {
      const { manager } = platform.database;
      filter('exchange_account_id', await accountOfFilter(manager, actor, query.exchange_account_id));
    }
    if (query.strategy_id !== undefined) {
      const strategyId = await strategyOfFilter(platform.database.manager, actor, query.strategy_id);
      // A strategy's own trades, and the actor's copies of them.
      where.push(`coalesce(t.strategy_id, t.copied_strategy_id) = $${params.push(strategyId)}`);
    }
    const source = {
      select: this.shown.trade,
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
    return { items: page.items.map(viewTrade), pagination: page.pagination };
  }

  async get(actor: Actor, publicId: string): Promise<TradeDetail> {
    authorise(actor, tradeOperations.get.access);
    const { manager } = this.parts.platform.database;
    const id = decodeId('trd', publicId);
    const withFills = `FROM trades t LEFT JOIN fills f ON f.trade_id = t.id
      WHERE t.id = $1 AND t.user_id = $2 ORDER BY f.executed_at, f.id`;
    const rows =
      id === null
        ? []
        : await selectPrepared(manager, this.shown.tradeAndFill, withFills, [id, actor.userId]);
    const [trade] = rows[0] ?? [];
    if (trade === undefined) throw new DomainError('not_found');
    return viewTradeDetail(
      trade,
      rows.flatMap(([, fill]) => fill ?? []),
    );
  }

  /** Keeps the trade and tells of it; the trading worker sends it. */
  async create(actor: Actor, input: TradeCreate): Promise<TradeDetail> {
    authorise(actor, tradeOperations.create.access);
    return this.parts.commands.runPrepared(
      actor.once,
      () => syncIfNever(this.parts.platform, actor, input.exchange_account_id),
      (tx) => place(this.shown, tx, actor, input),
    );
  }

  /** Cancels what is open, and answers with the trade as it is then. */
  async cancel(actor: Actor, publicId: string): Promise<TradeDetail> {
    authorise(actor, tradeOperations.cancel.access);
    const { shown } = this;
    const { platform, commands } = this.parts;
    const { manager } = platform.database;
    const cancel = async () => {
      const trade = await findOwn(shown, manager, actor, publicId);
      if (isTerminal(trade.status)) throw notCancellable(trade);
      await callWorker(platform, 'trade.cancel', { trade_id: trade.id });
      const after = await findOwn(shown, manager, actor, publicId);
      if (after.status === 'CANCELLED') return after;
      if (isTerminal(after.status)) throw notCancellable(after);
      throw new DomainError(
        'service_unavailable',
        'The exchange has not confirmed the cancellation yet; it is under way. Read the trade again.',
      );
    };
    return commands.runPrepared(actor.once, cancel, (tx, trade) => viewDetail(shown, tx, trade));
  }
}

type NewTrade = Partial<TradeEntity> & { readonly id: string };

async function place(shown: Shown, tx: Tx, actor: Actor, input: TradeCreate): Promise<TradeDetail> {
  const { strategy_id } = input;
  const strategy = strategy_id === undefined ? undefined : await strategyForTrade(tx, actor, strategy_id);
  const account = await lockAccountForTrade(tx, actor, input.exchange_account_id);
  const pair = await pairForTrade(tx, input.trade_pair_id);
  if (strategy !== undefined) assertSignal(strategy, account, pair);
  assertTradable(account, pair, input);
  const order = { ...input, stopPrice: input.stop_price };
  const violations = violationsOf(order, pair);
  if (violations.length > 0) throw ruleViolated(violations);
  if (isCostTooLarge(order, pair)) throw costTooLarge();
  const reservation = reservationFor(order, pair);
  await assertFreeBalance(tx, account, reservation);

  const trade = { ...newTrade(actor, input, account, pair, reservation), ...originOf(strategy) };
  const record = viewTrade(await insertTrade(shown, tx, trade));
  await announce(tx, { userId: actor.userId, type: 'trade.created', schema: tradeSchema, record });
  return { ...record, fills: [] };
}

/**
 * The trade as it stands, with the instants that the database gave it.
 *
 * @throws {DomainError} `already_exists` where the account has a trade of this client order id
 */
async function insertTrade(shown: Shown, tx: Tx, trade: NewTrade): Promise<ShownTrade> {
  try {
    return await insertPrepared(tx, TradeEntity, trade, { alias: 't', returning: shown.trade });
  } catch (error) {
    if (!isUniqueViolation(error, 'trades_account_client_order_key')) throw error;
    const message = 'A trade of this account has it already.';
    throw new DomainError('already_exists', undefined, [
      { field: 'client_order_id', code: 'already_exists', message },
    ]);
  }
}

function newTrade(
  actor: Actor,
  input: TradeCreate,
  account: AccountForTrade,
  pair: PairForTrade,
  reservation: Reservation,
): NewTrade {
  const id = newUuid();
  return {
    id,
    userId: actor.userId,
    exchangeAccountId: account.id,
    tradePairId: pair.id,
    symbol: pair.symbol,
    tradingType: pair.tradingType,
    clientOrderId: input.client_order_id ?? encodeId('trd', id),
    type: input.type,
    side: input.side,
    reduceOnly: input.reduce_only,
    timeInForce: input.time_in_force,
    price: input.price ?? null,
    stopPrice: input.stop_price ?? null,
    amount: input.amount,
    filledAmount: '0',
    cost: '0',
    fees: [],
    reservedAsset: reservation.asset,
    reservedAmount: reservation.amount,
    status: 'PENDING',
    version: 1,
    probes: 0,
    lookAt: new Date(Date.now() + FIRST_LOOK_MS),
  };
}

/** A trade made for a strategy is its signal. */
function originOf(strategy: HeldStrategy | undefined) {
  return { origin: strategy === undefined ? 'API' : 'STRATEGY', strategyId: strategy?.id ?? null } as const;
}

async function findOwn(shown: Shown, tx: Tx, actor: Actor, publicId: string): Promise<ShownTrade> {
  const id = decodeId('trd', publicId);
  const own = 'FROM trades t WHERE t.id = $1 AND t.user_id = $2';
  const [trade] = id === null ? [] : await selectPrepared(tx, shown.trade, own, [id, actor.userId]);
  if (trade === undefined) throw new DomainError('not_found');
  return trade;
}

async function viewDetail(shown: Shown, tx: Tx, trade: ShownTrade): Promise<TradeDetail> {
  const ofTrade = 'FROM fills f WHERE f.trade_id = $1 ORDER BY f.executed_at, f.id';
  return viewTradeDetail(trade, await selectPrepared(tx, shown.fill, ofTrade, [trade.id]));
}

/** @throws {DomainError} where the trade is none of what the strategy trades, or the strategy trades no more */
function assertSignal(strategy: HeldStrategy, account: AccountForTrade, pair: PairForTrade): void {
  if (strategy.exchangeAccountId !== account.id) {
    const message = 'The strategy trades on another exchange account.';
    throw new DomainError('validation_failed', undefined, [
      { field: 'exchange_account_id', code: 'other_account', message },
    ]);
  }
  if (strategy.tradePairIds?.includes(pair.id) === false) {
    throw new DomainError('validation_failed', undefined, [
      { field: 'trade_pair_id', code: 'other_pair', message: 'The strategy does not trade this pair.' },
    ]);
  }
  if (strategy.status === 'ACTIVE') return;
  const message = 'The strategy is archived: nothing is traded for it any more.';
  throw new DomainError('invalid_state', message, [
    { field: 'strategy_id', code: 'invalid_state', message, state: strategy.status },
  ]);
}

function assertTradable(account: AccountForTrade, pair: PairForTrade, input: TradeCreate): void {
  if (pair.exchange !== account.exchange || pair.tradingType !== account.tradingType) {
    throw new DomainError('validation_failed', undefined, [
      {
        field: 'trade_pair_id',
        code: 'other_exchange',
        message: `The pair is ${pair.tradingType} on ${pair.exchange}; the account is ${account.tradingType} on ${account.exchange}.`,
      },
    ]);
  }
  if (!pair.isActive) {
    const message = 'The exchange does not trade this pair at the moment.';
    throw new DomainError('invalid_state', message, [
      { field: 'trade_pair_id', code: 'invalid_state', message, state: 'INACTIVE' },
    ]);
  }
  if (input.reduce_only && pair.tradingType !== 'perpetual') {
    throw new DomainError('validation_failed', undefined, [
      { field: 'reduce_only', code: 'not_allowed', message: 'reduce_only is for perpetuals; leave it out.' },
    ]);
  }
}

/** @throws {DomainError} `insufficient_balance` where what is known to be free does not suffice */
async function assertFreeBalance(
  tx: Tx,
  account: AccountForTrade,
  { asset, amount }: Reservation,
): Promise<void> {
  const reserved = await reservedSinceBalances(tx, account.id, asset);
  const free = Exact.max(0, new Exact(account.balances[asset]?.free ?? '0').minus(reserved));
  if (free.gte(amount)) return;
  throw new DomainError('insufficient_balance', undefined, [
    {
      field: 'amount',
      code: 'insufficient_balance',
      message: `The order needs ${new Exact(amount).toString()} ${asset}; ${free.toString()} is free.`,
      asset,
      needed: new Exact(amount).toString(),
      free: free.toString(),
    },
  ]);
}

const RULE_WORDS: Record<RuleViolation['rule'], (value: string, limit: string) => string> = {
  price_tick: (value, limit) => `Prices are multiples of ${limit}; ${value} is none.`,
  amount_step: (value, limit) => `Amounts are multiples of ${limit}; ${value} is none.`,
  min_amount: (value, limit) => `The least amount is ${limit}; ${value} is below it.`,
  max_amount: (value, limit) => `The largest amount is ${limit}; ${value} is above it.`,
  min_notional: (value, limit) => `Price × amount must be at least ${limit}; it is ${value}.`,
  max_notional: (value, limit) => `Price × amount may be at most ${limit}; it is ${value}.`,
};

function ruleViolated(violations: readonly RuleViolation[]): DomainError {
  const details = violations.map(({ field, rule, value, limit }) => ({
    field,
    code: rule,
    message: RULE_WORDS[rule](value, limit),
    rule,
    value,
    limit,
  }));
  return new DomainError('exchange_rule_violated', undefined, details);
}

function costTooLarge(): DomainError {
  return new DomainError('validation_failed', undefined, [
    {
      field: 'amount',
      code: 'too_many_digits',
      message: `Price × amount may have at most ${DECIMAL_INTEGER_DIGITS} digits before the point.`,
    },
  ]);
}

function notCancellable(trade: ShownTrade): DomainError {
  const message = `The trade is ${trade.status}: nothing of it is open.`;
  return new DomainError('invalid_state', message, [{ code: 'invalid_state', message, state: trade.status }]);
}
