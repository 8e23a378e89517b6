import type { TradeOrigin, TradeSide, TradeStatus } from '@trading-automation/contracts';
import { inTransaction, newUuid, type Tx } from '@trading-automation/persistence';
import type { Actor } from '../../../operations/index.js';

import type { Platform } from '../../../platform/index.js';
import type { CoreUnderTest } from '../../../testing/index.js';
import { bookTrades, type LotBookKey, lockBooks, type TradeToBook } from '../book-trades.js';

export interface TradeSpec {
  readonly side: TradeSide;
  readonly amount?: string;
  readonly strategyId?: string | undefined;
  readonly copierId?: string;
  readonly copiedStrategyId?: string;
  readonly sourceTradeId?: string;
  readonly leaderEquity?: string;
  readonly origin?: TradeOrigin;
}

export interface FillSpec {
  readonly tradeId: string;
  readonly amount: string;
  readonly price?: string;
  readonly fee?: string;
  readonly feeCurrency?: string;
  /** Seconds since the start of the scenario. */
  readonly at: number;
  readonly id?: string;
  /** The status of the trade after the fill. Default: FILLED. */
  readonly status?: TradeStatus;
}

const START_MS = Date.UTC(2026, 5, 1);

/** A test scenario of one account and pair. It stores fills in the way that trade execution stores them. */
export class FillScenario {
  private constructor(
    readonly core: CoreUnderTest,
    readonly actor: Actor,
    readonly accountId: string,
    readonly pairId: string,
  ) {}

  static async begin(core: CoreUnderTest, pairId: string, actor?: Actor): Promise<FillScenario> {
    const owner = actor ?? (await core.actor());
    const account = await core.account(owner);
    return new FillScenario(core, owner, account.uuid, pairId);
  }

  /** Returns a scenario of the same account on another pair. */
  on(pairId: string): FillScenario {
    return new FillScenario(this.core, this.actor, this.accountId, pairId);
  }

  static at(seconds: number): Date {
    return new Date(START_MS + seconds * 1_000);
  }

  async strategy(): Promise<string> {
    const id = newUuid();
    await this.core.rows(
      `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
       VALUES ($1, $2, $3, 'mine', 'PRIVATE', 'ACTIVE')`,
      id,
      this.actor.userId,
      this.accountId,
    );
    return id;
  }

  async copier(strategyId: string): Promise<string> {
    const id = newUuid();
    await this.core.rows(
      `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
         max_signal_age_ms, on_breach, below_minimum, copy_existing)
       VALUES ($1, $2, $3, $4, 'copy', 'PAUSED', 'MULTIPLIER', 1, 60000, 'CLOSE_ONLY', 'SKIP', false)`,
      id,
      this.actor.userId,
      strategyId,
      this.accountId,
    );
    return id;
  }

  async trade(spec: TradeSpec): Promise<string> {
    const id = newUuid();
    await this.core.rows(
      `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, strategy_id,
         copier_id, copied_strategy_id, source_trade_id, client_order_id, origin, type, side, reduce_only,
         time_in_force, amount, reserved_asset, reserved_amount, status, look_at, leader_equity)
       VALUES ($1::uuid, $2, $3, $4, 'BTC/USDT', (SELECT trading_type FROM trade_pairs WHERE id = $4), $5, $6, $7, $8, $1::uuid::text, $12, 'MARKET', $9, false, 'GTC', $10,
         'USDT', 0, 'PENDING', now(), $11)`,
      id,
      this.actor.userId,
      this.accountId,
      this.pairId,
      spec.strategyId ?? null,
      spec.copierId ?? null,
      spec.copiedStrategyId ?? null,
      spec.sourceTradeId ?? null,
      spec.side,
      spec.amount ?? '100',
      spec.leaderEquity ?? null,
      spec.origin ?? 'API',
    );
    return id;
  }

  /** Stores fills in one transaction, in input order, and returns their ids. */
  async store(...fills: readonly FillSpec[]): Promise<readonly string[]> {
    return this.storeOn(this.core.platform, fills);
  }

  /** Stores fills as `store` does, but through the database of `platform`. `beforeCommit` may throw to roll back. */
  async storeOn(
    platform: Platform,
    fills: readonly FillSpec[],
    beforeCommit: () => void = () => undefined,
  ): Promise<readonly string[]> {
    return FillScenario.storeMany(
      platform,
      fills.map((fill) => ({ scenario: this, fill })),
      beforeCommit,
    );
  }

  /** Stores fills of several books in one transaction, which is not retried after a deadlock. */
  static async storeMany(
    { database }: Platform,
    entries: readonly { readonly scenario: FillScenario; readonly fill: FillSpec }[],
    beforeCommit: () => void = () => undefined,
  ): Promise<readonly string[]> {
    const storing = async (tx: Tx) => {
      await lockBooks(
        tx,
        entries.map(({ scenario }) => scenario.key),
      );
      const tradeIds = entries.map(({ fill }) => fill.tradeId);
      await tx.query('SELECT 1 FROM trades WHERE id = ANY ($1) ORDER BY id FOR UPDATE', [tradeIds]);
      const changes: TradeToBook[] = [];
      const ids: string[] = [];
      for (const { scenario, fill } of entries) {
        const id = fill.id ?? newUuid();
        ids.push(id);
        const isNew = await scenario.insertFill(tx, id, fill);
        const status = await scenario.updateTrade(tx, fill);
        changes.push({
          trade: { id: fill.tradeId, ...scenario.key, status },
          newFills: isNew ? [{ id, executedAt: FillScenario.at(fill.at) }] : [],
        });
      }
      await bookTrades(tx, changes);
      beforeCommit();
      return ids;
    };
    return inTransaction(database, storing, { attempts: 1 });
  }

  get key(): LotBookKey {
    return { exchangeAccountId: this.accountId, tradePairId: this.pairId };
  }

  /** Stores fills as a release that kept no lots did. */
  async storeLegacyFills(...fills: readonly FillSpec[]): Promise<void> {
    await inTransaction(this.core.platform.database, async (tx) => {
      for (const fill of fills) {
        await this.insertFill(tx, fill.id ?? newUuid(), fill);
        await this.updateTrade(tx, fill);
      }
      await tx.query(
        `INSERT INTO lot_books (exchange_account_id, trade_pair_id, is_behind) VALUES ($1, $2, true)
         ON CONFLICT DO NOTHING`,
        [this.accountId, this.pairId],
      );
    });
  }

  /** Ends the trade without another fill. */
  async end(tradeId: string, status: TradeStatus = 'CANCELLED'): Promise<void> {
    const { accountId: exchangeAccountId, pairId: tradePairId } = this;
    await inTransaction(this.core.platform.database, async (tx) => {
      await lockBooks(tx, [{ exchangeAccountId, tradePairId }]);
      await tx.query('UPDATE trades SET status = $2 WHERE id = $1', [tradeId, status]);
      await bookTrades(tx, [
        { trade: { id: tradeId, exchangeAccountId, tradePairId, status }, newFills: [] },
      ]);
    });
  }

  private async updateTrade(tx: Tx, { tradeId, status = 'FILLED' }: FillSpec): Promise<TradeStatus> {
    await tx.query(
      `UPDATE trades SET status = $2, version = version + 1,
         filled_amount = (SELECT coalesce(sum(amount), 0) FROM fills WHERE trade_id = $1) WHERE id = $1`,
      [tradeId, status],
    );
    return status;
  }

  /** Returns false if the fill already exists. */
  private async insertFill(
    tx: Tx,
    id: string,
    { tradeId, amount, price = '100', fee = '0', feeCurrency = 'USDT', at }: FillSpec,
  ): Promise<boolean> {
    const rows = await tx.query(
      `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
         fee_currency, liquidity, executed_at)
       VALUES ($1::uuid, $2, $3, 'BTC/USDT', $1::uuid::text, $4, $5, $6, $7, 'TAKER', $8) ON CONFLICT DO NOTHING RETURNING id`,
      [id, tradeId, this.accountId, price, amount, fee, feeCurrency, FillScenario.at(at)],
    );
    return rows.length > 0;
  }

  /** Places a trade and fills it with one fill. */
  async executeTrade(spec: TradeSpec & Omit<FillSpec, 'tradeId' | 'amount'> & { readonly amount: string }) {
    const tradeId = await this.trade(spec);
    const [fillId] = await this.store({ ...spec, tradeId });
    return { tradeId, fillId: fillId! };
  }

  /** Returns the stored lots, closures and closed trades of the account. */
  async storedState() {
    const [lots, closures, closed] = await Promise.all([
      this.core.rows('SELECT * FROM lots WHERE exchange_account_id = $1 ORDER BY id', this.accountId),
      this.core.rows(
        'SELECT * FROM lot_closures WHERE exchange_account_id = $1 ORDER BY fill_id, lot_id',
        this.accountId,
      ),
      this.core.rows(
        'SELECT id, closed_at, realized_pnl FROM trades WHERE exchange_account_id = $1 ORDER BY id',
        this.accountId,
      ),
    ]);
    return { lots, closures, closed };
  }

  /** Deletes all lots of the account and marks its books as unbooked, so that `backfillLots` replays all fills. */
  async deleteLots(): Promise<void> {
    await this.core.rows('DELETE FROM lot_closures WHERE exchange_account_id = $1', this.accountId);
    await this.core.rows('DELETE FROM lots WHERE exchange_account_id = $1', this.accountId);
    await this.core.rows(
      'UPDATE trades SET closed_at = NULL, realized_pnl = NULL WHERE exchange_account_id = $1',
      this.accountId,
    );
    await this.core.rows(
      `UPDATE lot_books SET last_executed_at = '-infinity', last_fill_id = '00000000-0000-0000-0000-000000000000',
         is_behind = true WHERE exchange_account_id = $1`,
      this.accountId,
    );
  }

  /** Returns the opening trade and the open amount of each open lot of the account, oldest lot first. */
  async openAmounts(): Promise<readonly (readonly [string, string])[]> {
    const rows = await this.core.rows(
      `SELECT trade_id, trim_scale(open_amount)::text AS open FROM lots
       WHERE exchange_account_id = $1 AND open_amount > 0 ORDER BY opened_at, id`,
      this.accountId,
    );
    return rows.map(({ trade_id, open }) => [String(trade_id), String(open)]);
  }

  /** Returns the profit or loss in each `trade.closed` event of the actor. */
  async closedEvents(): Promise<readonly string[]> {
    const events = await this.core.events(this.actor.userId);
    return events.filter(({ type }) => type === 'trade.closed').map(({ data }) => String(data.realized_pnl));
  }
}
