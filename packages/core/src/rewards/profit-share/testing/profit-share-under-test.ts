import { type Reward, type RewardType, rewardOperations } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { Ledger } from '../../../ledger/index.js';
import { type Actor, querySchemaOf } from '../../../operations/index.js';
import type { Platform } from '../../../platform/index.js';
import { CoreUnderTest, type RecordIds } from '../../../testing/index.js';
import { TradeFixtures } from '../../../testing/trade-fixtures.js';
import { RewardsService } from '../../rewards.service.js';
import { type ProfitShareSettings, ProfitSharesService } from '../profit-shares.service.js';

/** Week 0 starts at this Monday, 2026-01-05. */
const START = Date.UTC(2026, 0, 5);
const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

export interface LeaderFixture {
  readonly owner: Actor;
  readonly account: RecordIds;
  /** The uuid of the strategy. */
  readonly strategy: string;
  /** The uuid of the leader's trade that all copies refer to. */
  readonly lotTrade: string;
}

export interface CopierFixture {
  readonly actor: Actor;
  readonly account: RecordIds;
  /** The uuid of the copier. */
  readonly id: string;
}

interface CopyFixture {
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly amount?: string;
  readonly fee?: string;
  readonly feeCurrency?: string;
  readonly pair?: RecordIds;
}

/** The test environment of profit shares: strategies, copiers and copies, at instants that the test chooses. */
export class ProfitShareUnderTest {
  readonly ledger: Ledger;
  readonly rewards: RewardsService;
  private readonly fixtures: TradeFixtures;

  private constructor(
    readonly core: CoreUnderTest,
    readonly pair: RecordIds,
  ) {
    const { platform, lists, commands } = core;
    this.fixtures = new TradeFixtures(core);
    this.ledger = new Ledger(platform);
    this.rewards = new RewardsService({ platform, lists, commands, ledger: this.ledger });
  }

  static async open(): Promise<ProfitShareUnderTest> {
    const core = await CoreUnderTest.open();
    const env = new ProfitShareUnderTest(core, await core.pair());
    await env.createService().publishRewardType();
    return env;
  }

  close(): Promise<void> {
    return this.core.close();
  }

  /** Marks all periods that ended before week 0 as settled, and no others. Makes no month final. */
  async resetProgress(): Promise<void> {
    await this.core.rows('ALTER TABLE profit_share_months DISABLE TRIGGER profit_share_months_append_only');
    await this.core.rows('DELETE FROM profit_share_months');
    await this.core.rows('ALTER TABLE profit_share_months ENABLE TRIGGER profit_share_months_append_only');
    await this.core.rows('DELETE FROM pair_day_prices');
    await this.core.rows('DELETE FROM profit_share_progress');
    await this.core.rows(
      `INSERT INTO profit_share_progress (period, settled_until)
       VALUES ('WEEK', '2026-01-05Z'), ('MONTH', '2026-01-01Z'), ('QUARTER', '2026-01-01Z')`,
    );
  }

  /** Creates the service of a worker. */
  createService(
    settings: ProfitShareSettings = {},
    platform: Platform = this.core.platform,
    ledger = this.ledger,
  ) {
    return new ProfitSharesService(platform, ledger, settings);
  }

  /** Returns the instant that is `week` weeks and `hour` hours after the start of week 0. */
  at(week: number, hour = 0): Date {
    return new Date(START + week * WEEK_MS + hour * HOUR_MS);
  }

  /** Settles all periods that are due one hour after the end of week `week`. */
  settle(week: number, settings: ProfitShareSettings = {}): Promise<number> {
    return this.createService(settings).settleDue(this.at(week + 1, 1));
  }

  /** Settles as the end of January requires, so that the grants of January are final. */
  settleJanuary(settings: ProfitShareSettings = {}): Promise<number> {
    return this.createService(settings).settleDue(new Date('2026-02-01T01:00:00Z'));
  }

  /** Creates a strategy with one trade of its leader. `rate` is null for a strategy that is free to copy. */
  async createLeader(
    rate: string | null = '0.1',
    period = 'WEEK',
    owner?: Actor,
    onAccount?: RecordIds,
  ): Promise<LeaderFixture> {
    const user = owner ?? (await this.core.actor());
    const account = onAccount ?? (await this.core.account(user));
    const strategy = newUuid();
    await this.core.rows(
      `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status, profit_share_rate,
         profit_share_period) VALUES ($1, $2, $3, 's', 'PUBLIC', 'ACTIVE', $4, $5)`,
      strategy,
      user.userId,
      account.uuid,
      rate,
      rate === null ? null : period,
    );
    const { uuid: lotTrade } = await this.fixtures.order({
      owner: user,
      account,
      pair: this.pair,
      side: 'BUY',
      strategy,
      fills: [{ at: this.at(-1).toISOString(), price: '100', amount: '1' }],
    });
    return { owner: user, account, strategy, lotTrade };
  }

  /**
   * Stores terms that the copier of the strategy has accepted.
   * @param since the time from which they are in effect; null: from the beginning
   */
  async acceptTerms(
    { strategy }: LeaderFixture,
    { id }: CopierFixture,
    since: Date | null,
    rate: string,
    period = 'WEEK',
  ): Promise<void> {
    await this.core.rows(
      `INSERT INTO copier_terms (copier_id, strategy_id, rate, period, since, accepted_at)
       VALUES ($1, $2, $3, $4, coalesce($5, '-infinity'::timestamptz), now())`,
      id,
      strategy,
      rate,
      period,
      since,
    );
  }

  /** Stores the last price of a pair on the day that ends with the given week. */
  async priceAtEnd(week: number, price: string, pair = this.pair): Promise<void> {
    const lastDay = new Date(this.at(week + 1).getTime() - 1);
    await this.core.rows(
      `INSERT INTO pair_day_prices (trade_pair_id, day, price, taken_at) VALUES ($1, $2::date, $3, $4)
       ON CONFLICT (trade_pair_id, day) DO UPDATE SET price = excluded.price`,
      pair.uuid,
      lastDay.toISOString().slice(0, 10),
      price,
      lastDay,
    );
  }

  /** Stores the price of one quote currency in another from the instant `at`. */
  async quotePrice(base: string, quote: string, at: Date, price: string): Promise<void> {
    await this.core.rows(
      `INSERT INTO quote_prices (exchange, base, quote, at, price) VALUES ('paper', $1, $2, $3, $4)`,
      base,
      quote,
      at,
      price,
    );
  }

  /** Creates a copier of the strategy, for `user` or for a new user. */
  async createCopier({ strategy }: LeaderFixture, user?: Actor): Promise<CopierFixture> {
    const actor = user ?? (await this.core.actor());
    const account = await this.core.account(actor);
    const id = newUuid();
    await this.core.rows(
      `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
         max_signal_age_ms, on_breach, below_minimum, copy_existing, started_at)
       VALUES ($1, $2, $3, $4, 'c', 'ACTIVE', 'MULTIPLIER', 1, 60000, 'CLOSE_ONLY', 'SKIP', false, now())`,
      id,
      actor.userId,
      strategy,
      account.uuid,
    );
    return { actor, account, id };
  }

  /** Inserts a copy that was filled at the instant `at`. */
  async insertCopy(
    { strategy, lotTrade }: LeaderFixture,
    copier: CopierFixture,
    at: Date,
    copy: CopyFixture,
  ): Promise<void> {
    const { side, price, amount = '1', fee = '0', feeCurrency, pair = this.pair } = copy;
    const currency = feeCurrency === undefined ? {} : { feeCurrency };
    await this.fixtures.order({
      owner: copier.actor,
      account: copier.account,
      pair,
      side,
      copiedStrategy: strategy,
      copy: { copier: copier.id, lotTrade, referencePrice: price },
      fills: [{ at: at.toISOString(), price, amount, fee, ...currency }],
    });
    await this.fixtures.rebuildLots();
  }

  /** Buys one unit at 1,000 and sells it in the same week at 1,000 plus `result`. */
  async realizeProfit(
    leader: LeaderFixture,
    copier: CopierFixture,
    week: number,
    result: string,
    pair = this.pair,
  ): Promise<void> {
    await this.insertCopy(leader, copier, this.at(week, 1), { side: 'BUY', price: '1000', pair });
    await this.insertCopy(leader, copier, this.at(week, 2), {
      side: 'SELL',
      price: String(1000 + Number(result)),
      pair,
    });
  }

  /** Returns the rewards that were granted to the owner of the strategy, oldest first. */
  async grantedRewards({ owner }: LeaderFixture): Promise<readonly Reward[]> {
    const query = querySchemaOf(rewardOperations.list).parse({ order: 'asc', limit: '100' });
    const page = await this.rewards.list(owner, query as Parameters<RewardsService['list']>[1]);
    return page.items;
  }

  /** Returns the catalogue of reward types. */
  async rewardTypes(): Promise<readonly RewardType[]> {
    const query = querySchemaOf(rewardOperations.types).parse({});
    const parsed = query as Parameters<RewardsService['types']>[1];
    return (await this.rewards.types(await this.core.actor(), parsed)).items;
  }

  /** Returns the amounts of `grantedRewards`. */
  async grantedAmounts(leader: LeaderFixture): Promise<string[]> {
    return (await this.grantedRewards(leader)).map(({ amount }) => amount);
  }
}
