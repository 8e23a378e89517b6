import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CoreModule, FAILOVER, type Platform } from '@trading-automation/core';
import { AnalyticsUpkeepModule, EquitySnapshots, ResultDays } from '@trading-automation/core/analytics';
import { CopyGuard, CopyPlanner, CopySettlement } from '@trading-automation/core/copiers';
import { AccountUpkeep, AccountUpkeepModule } from '@trading-automation/core/exchange-accounts';
import { ProfitShares, RewardAccrual, RewardAccrualModule } from '@trading-automation/core/rewards';
import type { Opener } from '@trading-automation/core/sealing';
import { PairCatalogue, PairCatalogueModule } from '@trading-automation/core/trade-pairs';
import { Reconciliation, TradeExecution, TradeExecutionModule } from '@trading-automation/core/trades';
import type { ExchangeVenue } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { RedisCallBudget } from './budgets/redis-call-budget.js';
import type { Config } from './config.js';
import { refreshWith } from './copying/balance-refresh.js';
import { Copying } from './copying/copying.js';
import { Desks } from './desk/desks.js';
import { ProfitSharing } from './jobs/profit-sharing.js';
import { RewardGrants } from './jobs/reward-grants.js';
import { TradeQueue } from './jobs/trade-queue.js';
import { TradesJob } from './jobs/trades.job.js';
import { MarketData } from './market-data/market-data.js';
import { OwnershipLoop } from './ownership/ownership-loop.js';
import { Schedules } from './schedules/schedules.js';
import { Worker } from './worker.js';

export interface WorkerSurroundings {
  readonly config: Config;
  readonly logger: Logger;
  readonly platform: Platform;
  readonly opener: Opener;
  readonly venues: readonly ExchangeVenue[];
  /** What the venues' calls are spent from. */
  readonly budget: RedisCallBudget;
}

@Module({})
export class AppModule {
  static in(surroundings: WorkerSurroundings): DynamicModule {
    const { config, platform } = surroundings;
    return {
      module: AppModule,
      imports: [
        CoreModule.with(platform),
        AccountUpkeepModule,
        AnalyticsUpkeepModule,
        PairCatalogueModule,
        TradeExecutionModule,
        RewardAccrualModule.with({
          amounts: {
            SIGN_UP: config.REWARD_SIGN_UP_AMOUNT,
            FIRST_TRADE: config.REWARD_FIRST_TRADE_AMOUNT,
          },
          tokensPerQuote: config.REWARD_TOKENS_PER_QUOTE,
          expiresDays: config.REWARD_EXPIRES_DAYS,
        }),
        BullModule.forRoot({
          connection: { url: config.REDIS_URL, maxRetriesPerRequest: null, ...FAILOVER },
          prefix: prefixOf(config),
        }),
        BullModule.registerQueue(),
      ],
      providers: [
        ...trading(surroundings),
        ...upkeep(surroundings),
        copying(surroundings),
        marketData(surroundings),
        TradesJob,
        Worker,
      ],
    };
  }
}

const prefixOf = ({ WORLD }: Config) => `trading-${WORLD}`;

/** Accounts, and the orders on them. */
function trading({ config, logger, platform, opener, venues, budget }: WorkerSurroundings): Provider[] {
  return [
    {
      provide: Desks,
      useFactory: (
        upkeep: AccountUpkeep,
        execution: TradeExecution,
        reconciliation: Reconciliation,
        pairs: PairCatalogue,
      ) => {
        const times = { repairEveryMs: config.RECONCILE_EVERY_MS };
        const parts = { platform, venues, opener, logger, upkeep, execution, reconciliation, pairs, times };
        return new Desks(parts);
      },
      inject: [AccountUpkeep, TradeExecution, Reconciliation, PairCatalogue],
    },
    {
      provide: OwnershipLoop,
      useFactory: (desks: Desks) =>
        new OwnershipLoop(platform, desks, desks.errorsOf('accounts were not claimed'), (workers) => {
          budget.workers = workers;
        }),
      inject: [Desks],
    },
    {
      provide: TradeQueue,
      useFactory: (desks: Desks) =>
        new TradeQueue(config.REDIS_URL, prefixOf(config), desks.errorsOf('the queue of trades is away')),
      inject: [Desks],
    },
  ];
}

/** What is done by the clock, and what follows from events. */
function upkeep({ config, logger, platform }: WorkerSurroundings): Provider[] {
  return [
    {
      provide: Schedules,
      useFactory: (
        desks: Desks,
        pairs: PairCatalogue,
        execution: TradeExecution,
        upkeep: AccountUpkeep,
        snapshots: EquitySnapshots,
        results: ResultDays,
      ) => new Schedules({ platform, config, desks, pairs, execution, upkeep, snapshots, results, logger }),
      inject: [Desks, PairCatalogue, TradeExecution, AccountUpkeep, EquitySnapshots, ResultDays],
    },
    {
      provide: RewardGrants,
      useFactory: (accrual: RewardAccrual, desks: Desks) =>
        new RewardGrants(accrual, desks.errorsOf('rewards were not granted')),
      inject: [RewardAccrual, Desks],
    },
    {
      provide: ProfitSharing,
      useFactory: (shares: ProfitShares, desks: Desks) =>
        new ProfitSharing(shares, desks.errorsOf('profit was not shared')),
      inject: [ProfitShares, Desks],
    },
  ];
}

function copying({ platform }: WorkerSurroundings): Provider {
  return {
    provide: Copying,
    useFactory: (desks: Desks) =>
      new Copying({
        platform,
        planner: new CopyPlanner(platform, {
          refreshBalances: refreshWith((accountId) => desks.accounts.sync(accountId)),
        }),
        settlement: new CopySettlement(platform),
        guard: new CopyGuard(platform),
        errorsOf: (what) => desks.errorsOf(what),
      }),
    inject: [Desks],
  };
}

function marketData({ config, platform, venues }: WorkerSurroundings): Provider {
  return {
    provide: MarketData,
    useFactory: (pairs: PairCatalogue, desks: Desks) =>
      new MarketData({
        redisUrl: config.REDIS_URL,
        prefix: `market-${config.WORLD}`,
        holder: platform.instance,
        venues,
        pairs,
        onError: desks.errorsOf('market data is interrupted'),
      }),
    inject: [PairCatalogue, Desks],
  };
}
