import { type Reward, type RewardType, rewardOperations } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { Ledger } from '../../ledger/index.js';
import { type Actor, querySchemaOf } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import { CoreUnderTest, type RecordIds } from '../../testing/index.js';
import { TradeFixtures } from '../../testing/trade-fixtures.js';
import { type ProfitShareSettings, ProfitSharesService } from '../profit-shares.service.js';
import { RewardsService } from '../rewards.service.js';

/** Week 0 starts at this Monday, 2026-01-05. */
const START = Date.UTC(2026, 0, 5);
const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

export interface LeaderFixture {
  readonly owner: Actor;
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

  /** Marks all periods that ended before week 0 as settled, and no others. */
  async resetProgress(): Promise<void> {
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

  /** Creates a strategy with one trade of its leader. `rate` is null for a strategy that is free to copy. */
  async createLeader(rate: string | null = '0.1', period = 'WEEK', owner?: Actor): Promise<LeaderFixture> {
    const user = owner ?? (await this.core.actor());
    const account = await this.core.account(user);
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
    return { owner: user, strategy, lotTrade };
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
