import {
  type Copier,
  copierCreate,
  type Decimal,
  encodeId,
  strategyCreate,
  type TradingType,
} from '@trading-automation/contracts';
import type { VenueOrderStatus } from '@trading-automation/exchanges';
import { newUuid } from '@trading-automation/persistence';
import { serveWorkerCalls } from '../../exchange-accounts/index.js';
import type { Actor } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';

import { StrategiesService } from '../../strategies/index.js';
import { CoreUnderTest, type RecordIds } from '../../testing/index.js';
import { TradeExecution } from '../../trades/index.js';
import { BigDecimal } from '../../values/index.js';
import { CopiersService } from '../copiers.service.js';
import { CopierRiskMonitor } from '../copying/copier-risk-monitor.service.js';
import { type BookMidReader, CopyPlanner } from '../copying/copy-planner.service.js';
import { CopySettlement } from '../copying/copy-settlement.service.js';

type Row = Record<string, unknown>;
type Fields = Readonly<Record<string, unknown>>;

/** A user with an exchange account, and a copier on it that follows the leader's strategy. `uuid` is the copier's. */
export interface Follower {
  readonly actor: Actor;
  readonly account: RecordIds;
  readonly copier: Copier;
  readonly uuid: string;
}

export interface Order {
  readonly id: string;
  readonly side: 'BUY' | 'SELL';
  readonly type: string;
  readonly time_in_force: string;
  readonly price: string | null;
  readonly amount: string;
  readonly status: string;
  readonly intent: string;
  readonly reduce_only: boolean;
  readonly copier_id: string;
  readonly client_order_id: string;
  readonly cancel_reason: string | null;
}

export interface Execution {
  /** The executed amount. Default: the whole remaining amount. */
  readonly amount?: string;
  readonly price?: string;
  /** Fee on the bought amount, in base currency; on perpetuals, in the settlement currency. */
  readonly baseFee?: string;
  readonly status?: VenueOrderStatus;
  /** Default: now. */
  readonly executedAt?: Date;
}

/** A test environment with a leader, the copiers that follow it, and a simulated exchange. */
export class CopyingUnderTest {
  readonly planner: CopyPlanner;
  readonly settlement: CopySettlement;
  readonly riskMonitor: CopierRiskMonitor;
  readonly execution: TradeExecution;
  readonly copiers: CopiersService;
  readonly strategies: StrategiesService;
  leader!: Actor;
  source!: RecordIds;
  strategy!: RecordIds;

  /** The middle of every order book; undefined for the reference price of the signal that is planned. */
  bookMid: Decimal | null | undefined;
  /** The order books that were read, as `<exchange> <symbol>`. */
  readonly booksRead: string[] = [];
  private callServer: { stop(): Promise<void> } | undefined;

  private constructor(
    readonly core: CoreUnderTest,
    readonly pair: RecordIds,
    private readonly tradingType: TradingType,
    private readonly symbol: string,
  ) {
    const { platform, lists, commands } = core;
    this.planner = new CopyPlanner(platform, this.readBookMid);
    this.settlement = new CopySettlement(platform);
    this.riskMonitor = new CopierRiskMonitor(platform);
    this.execution = new TradeExecution(platform);
    this.copiers = new CopiersService(platform, lists, commands);
    this.strategies = new StrategiesService(platform, lists, commands);
  }

  static async open(tradingType: TradingType = 'spot'): Promise<CopyingUnderTest> {
    const core = await CoreUnderTest.open();
    const pair = await core.pair({
      amount_step: '0.001',
      min_amount: '0.001',
      last_price: '100',
      trading_type: tradingType,
    });
    const symbol = tradingType === 'perpetual' ? 'BTC/USDT:USDT' : 'BTC/USDT';
    const env = new CopyingUnderTest(core, pair, tradingType, symbol);
    env.serveBookMids(await core.openSecondPlatform());
    return env;
  }

  async close(): Promise<void> {
    await this.callServer?.stop();
    await this.core.close();
  }

  /** Reads order books as the worker does. */
  readonly readBookMid: BookMidReader = async (exchange, symbol) => {
    this.booksRead.push(`${exchange} ${symbol}`);
    return this.bookMid === undefined ? this.nextReferencePrice() : this.bookMid;
  };

  /** Runs `work` while no worker reads order books. */
  async withoutWorker<T>(work: () => Promise<T>): Promise<T> {
    await this.callServer?.stop();
    try {
      return await work();
    } finally {
      this.serveBookMids(await this.core.openSecondPlatform());
    }
  }

  /** Serves the calls with which a start reads order books. */
  private serveBookMids(platform: Platform): void {
    this.callServer = serveWorkerCalls(
      platform,
      {
        'trade_pair.book_mids': async ({ symbols }) => {
          const { last_price } = await this.core.row(
            'SELECT last_price FROM trade_pairs WHERE id = $1',
            this.pair.uuid,
          );
          const mid = this.bookMid === undefined ? String(last_price) : this.bookMid;
          return Object.fromEntries(symbols.map((symbol) => [symbol, mid]));
        },
      },
      () => undefined,
    );
  }

  /** Returns the reference price of the strategy's next unplanned signal; 100 if it has none. */
  private async nextReferencePrice(): Promise<Decimal> {
    const [next] = await this.core.rows(
      `SELECT g.reference_price FROM signals g LEFT JOIN copy_progress p USING (strategy_id)
       WHERE g.strategy_id = $1 AND g.sequence > coalesce(p.planned_sequence, 0) ORDER BY g.sequence LIMIT 1`,
      this.strategy.uuid,
    );
    return String(next?.reference_price ?? '100');
  }

  /** Prepares the next test: a new leader with a strategy that no copier follows. */
  async reset(more: Fields = {}): Promise<void> {
    this.bookMid = undefined;
    this.booksRead.length = 0;
    await this.setPair(
      'is_active = true, last_price = 100, last_price_at = NULL, min_amount = 0.001, min_notional = 1',
    );
    this.leader = await this.core.actor();
    this.source = await this.account(this.leader);
    const input = strategyCreate.parse({
      name: 'led',
      exchange_account_id: this.source.id,
      visibility: 'PUBLIC',
      allow_multiplier: true,
      ...more,
    });
    const { id } = await this.strategies.create(this.leader, input);
    const [row] = await this.core.rows('SELECT id FROM strategies WHERE user_id = $1', this.leader.userId);
    this.strategy = { id, uuid: String(row!.id) };
  }

  /** Creates an account of the trading type of this environment, by default with a large balance. */
  account(actor: Actor, free?: Readonly<Record<string, string>>): Promise<RecordIds> {
    return this.core.account(actor, free, { tradingType: this.tradingType });
  }

  /** Changes columns of the pair, in SQL. */
  async setPair(columns: string): Promise<void> {
    await this.core.rows(`UPDATE trade_pairs SET ${columns} WHERE id = $1`, this.pair.uuid);
  }

  /**
   * Creates a copier of the leader's strategy, for a new user unless `on` is set. Starts it unless `start` is false.
   */
  async follower(
    more: Fields = {},
    {
      on,
      start = true,
    }: { readonly on?: Pick<Follower, 'actor' | 'account'>; readonly start?: boolean } = {},
  ): Promise<Follower> {
    const actor = on?.actor ?? (await this.core.actor());
    const account = on?.account ?? (await this.account(actor));
    const input = copierCreate.parse({
      name: 'Follower',
      exchange_account_id: account.id,
      strategy_id: this.strategy.id,
      sizing: { mode: 'MULTIPLIER', value: '0.5' },
      ...more,
    });
    const copier = await this.copiers.create(actor, input);
    const [row] = await this.core.rows(
      'SELECT id FROM copiers WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1',
      actor.userId,
    );
    if (start) await this.copiers.start(actor, copier.id);
    return { actor, account, copier, uuid: String(row!.id) };
  }

  /** Inserts an unfilled trade of the strategy. Returns its uuid. */
  leaderOrder(side: 'BUY' | 'SELL', amount: string, more: Fields = {}): Promise<string> {
    return this.insertTrade({
      user_id: this.leader.userId,
      exchange_account_id: this.source.uuid,
      side,
      amount,
      strategy_id: this.strategy.uuid,
      origin: 'STRATEGY',
      ...more,
    });
  }

  /** Inserts a trade with these columns; by default an external trade. Returns its uuid. */
  async insertTrade(columns: Fields): Promise<string> {
    const id = newUuid();
    const values = {
      id,
      trade_pair_id: this.pair.uuid,
      symbol: this.symbol,
      trading_type: this.tradingType,
      client_order_id: id,
      origin: 'EXTERNAL',
      type: 'MARKET',
      reduce_only: false,
      time_in_force: 'GTC',
      reserved_asset: 'USDT',
      reserved_amount: '0',
      status: 'PENDING',
      look_at: new Date(),
      ...columns,
    };
    const names = Object.keys(values);
    await this.core.rows(
      `INSERT INTO trades (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
      ...Object.values(values),
    );
    return id;
  }

  /** Inserts a buy of the strategy and fills it completely. Returns the trade's uuid. */
  async leaderBuys(amount: string, price = '100', more: Fields = {}): Promise<string> {
    const id = await this.leaderOrder('BUY', amount, more);
    await this.fill(id, { price });
    return id;
  }

  /** Inserts a sale of the strategy and fills it completely. Returns the trade's uuid. */
  async leaderSells(amount: string, price = '100', more: Fields = {}): Promise<string> {
    const id = await this.leaderOrder('SELL', amount, more);
    await this.fill(id, { price });
    return id;
  }

  /**
   * Reports a fill of a trade; a partial fill if `amount` is set. The order then stays open, unless `status` is set.
   */
  async fill(
    tradeId: string,
    { amount, price, baseFee = '0', status, executedAt }: Execution = {},
  ): Promise<void> {
    const trade = await this.core.row('SELECT * FROM trades WHERE id = $1', tradeId);
    const remaining = new BigDecimal(String(trade.amount)).minus(String(trade.filled_amount));
    const part = { amount: amount ?? remaining.toString(), price: price ?? String(trade.price ?? '100') };
    await this.fillAt(tradeId, [part], { baseFee, status, executedAt });
  }

  /** Reports several fills of a trade together. */
  async fillAt(
    tradeId: string,
    parts: readonly { readonly amount: string; readonly price: string }[],
    { baseFee = '0', status, executedAt }: Pick<Execution, 'baseFee' | 'status' | 'executedAt'> = {},
  ): Promise<void> {
    const trade = await this.core.row('SELECT * FROM trades WHERE id = $1', tradeId);
    const executed = parts.reduce((sum, { amount }) => sum.plus(amount), new BigDecimal(0));
    const filled = executed.plus(String(trade.filled_amount)).toString();
    const isFull = new BigDecimal(filled).gte(String(trade.amount));
    const side = trade.side as 'BUY' | 'SELL';
    const now = new Date();
    const order = {
      exchangeOrderId: tradeId,
      venueClientOrderId: String(trade.venue_client_order_id ?? tradeId),
      symbol: String(trade.symbol),
      side,
      type: 'MARKET' as const,
      timeInForce: 'GTC' as const,
      status: status ?? (isFull ? ('FILLED' as const) : ('OPEN' as const)),
      amount: String(trade.amount),
      filledAmount: filled,
      createdAt: now,
      updatedAt: now,
    };
    const fills = parts
      .filter(({ amount }) => new BigDecimal(amount).gt(0))
      .map((part) => ({
        exchangeFillId: newUuid(),
        exchangeOrderId: tradeId,
        symbol: String(trade.symbol),
        side,
        ...part,
        fee: { amount: baseFee, currency: this.tradingType === 'perpetual' ? 'USDT' : 'BTC' },
        liquidity: 'TAKER' as const,
        executedAt: executedAt ?? now,
      }));
    await this.execution.storeOrders([{ tradeId, order, fills }]);
  }

  /** Plans copies and settles decisions until none is pending. Fills no order. */
  async runUntilIdle(): Promise<void> {
    for (;;) {
      const planned = await this.planner.planNext();
      const settled = await this.settlement.settleNext();
      if (planned + settled === 0) return;
    }
  }

  /**
   * Makes unsettled decisions due, in the order of their signals, and runs until idle. If a later exit of a lot were
   * checked first, it would wait for the earlier one again.
   */
  async runDecisionsNow(): Promise<void> {
    await this.core.rows(
      `UPDATE decisions SET look_at = now() - interval '1 hour' + sequence * interval '1 ms'
       WHERE settled_at IS NULL`,
    );
    await this.runUntilIdle();
  }

  /** Returns the orders of a copier, oldest first. */
  async orders({ uuid }: Follower): Promise<Order[]> {
    return (await this.core.rows(
      `SELECT id, side, type, time_in_force, trim_scale(price)::text AS price, trim_scale(amount)::text AS amount,
         status, intent, reduce_only, copier_id, client_order_id, cancel_reason
       FROM trades WHERE copier_id = $1 ORDER BY created_at, id`,
      uuid,
    )) as unknown as Order[];
  }

  async lastOrder(follower: Follower): Promise<Order> {
    const order = (await this.orders(follower)).at(-1);
    if (order === undefined) throw new Error('the copier has no order');
    return order;
  }

  /** Sends the order and fills it. With `amount`, it fills only that amount and then ends the order. */
  async execute({ id }: Pick<Order, 'id'>, execution: Execution = {}): Promise<void> {
    await this.core.beginSubmission(id, newUuid());
    const ends = execution.amount === undefined ? {} : { status: 'EXPIRED' as const };
    await this.fill(id, { ...ends, ...execution });
  }

  /** Sends and fills all open copies, until no open order is left. */
  async executeAll(execution: Execution = {}): Promise<void> {
    for (;;) {
      await this.runUntilIdle();
      const open = await this.core.rows(
        `SELECT t.id FROM trades t JOIN copiers c ON c.id = t.copier_id
         WHERE c.strategy_id = $1 AND t.status IN ('PENDING', 'PARTIALLY_FILLED') ORDER BY t.id`,
        this.strategy.uuid,
      );
      if (open.length === 0) return;
      for (const { id } of open) await this.execute({ id: String(id) }, execution);
    }
  }

  /** Creates a copier, lets the leader buy `amount`, and fills the copy: by default 5, half of the leader's 10. */
  async followerWithLot(
    more: Fields = {},
    amount = '10',
  ): Promise<Follower & { readonly lotTradeId: string }> {
    const follower = await this.follower(more);
    const lotTradeId = await this.leaderBuys(amount);
    await this.executeAll();
    return { ...follower, lotTradeId };
  }

  /** Returns the copier's decisions, in order of sequence. */
  async decisions({ uuid }: Follower): Promise<Row[]> {
    return this.core.rows(
      `SELECT sequence::int, kind, outcome, code, trim_scale(target_amount)::text AS target,
         trim_scale(sent_amount)::text AS sent, trim_scale(filled_amount)::text AS filled,
         settled_at IS NOT NULL AS settled, attempt, trade_id, trim_scale(slippage_bps)::text AS slippage, inputs
       FROM decisions WHERE copier_id = $1 ORDER BY sequence`,
      uuid,
    );
  }

  async lastDecision(follower: Follower): Promise<Row> {
    const decision = (await this.decisions(follower)).at(-1);
    if (decision === undefined) throw new Error('the copier has no decision');
    return decision;
  }

  /** Returns the amount that the copier holds in all its lots. */
  async held({ uuid }: Follower): Promise<string> {
    const row = await this.core.row(
      'SELECT trim_scale(coalesce(sum(open_amount), 0))::text AS held FROM lots WHERE copier_id = $1',
      uuid,
    );
    return String(row.held);
  }

  async copierOf({ actor, copier }: Follower): Promise<Copier> {
    return this.copiers.get(actor, copier.id);
  }

  /** Returns the types of the events emitted to the user, without those of trades. */
  async eventTypes({ actor }: Follower): Promise<string[]> {
    const events = await this.core.events(actor.userId);
    return events.map(({ type }) => type).filter((type) => !type.startsWith('trade.'));
  }
}

export const tradeIdOf = (uuid: string) => encodeId('trd', uuid);
