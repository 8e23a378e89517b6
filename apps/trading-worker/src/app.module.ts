import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { type Platform, PlatformModule, REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import {
  AnalyticsMaintenanceModule,
  DailyRollups,
  EquitySnapshots,
} from '@trading-automation/core/analytics';
import { CopierRiskMonitor, CopyPlanner, CopySettlement } from '@trading-automation/core/copiers';
import { AccountSyncModule, AccountSyncService } from '@trading-automation/core/exchange-accounts';
import { ProfitSharesService, RewardAccrual, RewardAccrualModule } from '@trading-automation/core/rewards';
import type { Opener } from '@trading-automation/core/sealing';
import { PairCatalogue, PairCatalogueModule } from '@trading-automation/core/trade-pairs';
import { Reconciliation, TradeExecution, TradeExecutionModule } from '@trading-automation/core/trades';
import type { ExchangeVenue } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { RedisCallBudget } from './budgets/redis-call-budget.js';
import type { Config } from './config.js';
import { createBalanceRefresher } from './copying/balance-refresh.js';
import { CopyLoops } from './copying/copy-loops.js';
import { ExchangeGateway } from './exchange/exchange-gateway.js';
import { ProfitSharing } from './jobs/profit-sharing.js';
import { RewardGrants } from './jobs/reward-grants.js';
import { TRADES_PRODUCER, TradeQueue, TradeQueueConnection } from './jobs/trade-queue.js';
import { TradesProcessor } from './jobs/trades.processor.js';
import { MarketData } from './market-data/market-data.js';
import { OwnershipLoop } from './ownership/ownership-loop.js';
import { Scheduler } from './schedules/scheduler.js';
import { Worker } from './worker.js';

export interface WorkerContext {
  readonly config: Config;
  readonly logger: Logger;
  readonly platform: Platform;
  readonly opener: Opener;
  readonly venues: readonly ExchangeVenue[];
  /** The shared call budget of all venues. */
  readonly budget: RedisCallBudget;
}

@Module({})
export class AppModule {
  static with(context: WorkerContext): DynamicModule {
    const { config, platform } = context;
    return {
      module: AppModule,
      // So that the registration of the queue finds its connection.
      global: true,
      exports: [TradeQueueConnection],
      imports: [
        PlatformModule.with(platform),
        AccountSyncModule,
        AnalyticsMaintenanceModule,
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
          connection: { url: config.REDIS_URL, maxRetriesPerRequest: null, ...REDIS_FAILOVER_OPTIONS },
          prefix: prefixOf(config),
        }),
        BullModule.registerQueueAsync({
          name: TRADES_PRODUCER,
          inject: [TradeQueueConnection],
          useFactory: (connection: TradeQueueConnection) => connection.queueOptions(),
        }),
      ],
      providers: [
        ...trading(context),
        ...scheduling(context),
        copying(context),
        marketData(context),
        TradesProcessor,
        Worker,
      ],
    };
  }
}

const prefixOf = ({ WORLD }: Config) => `trading-${WORLD}`;

/** Accounts and their orders. */
function trading({ config, logger, platform, opener, venues, budget }: WorkerContext): Provider[] {
  return [
    {
      provide: ExchangeGateway,
      useFactory: (
        accountSync: AccountSyncService,
        execution: TradeExecution,
        reconciliation: Reconciliation,
        pairs: PairCatalogue,
      ) => {
        const times = { reconcileEveryMs: config.RECONCILE_EVERY_MS };
        const dependencies = {
          platform,
          venues,
          opener,
          logger,
          accountSync,
          execution,
          reconciliation,
          pairs,
          times,
        };
        return new ExchangeGateway(dependencies);
      },
      inject: [AccountSyncService, TradeExecution, Reconciliation, PairCatalogue],
    },
    {
      provide: OwnershipLoop,
      useFactory: (gateway: ExchangeGateway) =>
        new OwnershipLoop(
          platform,
          gateway,
          gateway.errorLogger('account_claim.failed', 'Could not claim exchange accounts.'),
          (workers) => {
            budget.workers = workers;
          },
        ),
      inject: [ExchangeGateway],
    },
    {
      provide: TradeQueueConnection,
      useFactory: (gateway: ExchangeGateway) =>
        new TradeQueueConnection(
          config.REDIS_URL,
          gateway.errorLogger(
            'trade_queue.unavailable',
            'Redis is unavailable; the check of open trades finds new trades instead.',
          ),
        ),
      inject: [ExchangeGateway],
    },
    TradeQueue,
  ];
}

/** Scheduled work, and work that follows from events. */
function scheduling({ config, logger, platform }: WorkerContext): Provider[] {
  return [
    {
      provide: Scheduler,
      useFactory: (
        gateway: ExchangeGateway,
        pairs: PairCatalogue,
        execution: TradeExecution,
        accountSync: AccountSyncService,
        snapshots: EquitySnapshots,
        rollups: DailyRollups,
      ) =>
        new Scheduler({
          platform,
          config,
          gateway,
          pairs,
          execution,
          accountSync,
          snapshots,
          rollups,
          logger,
        }),
      inject: [
        ExchangeGateway,
        PairCatalogue,
        TradeExecution,
        AccountSyncService,
        EquitySnapshots,
        DailyRollups,
      ],
    },
    {
      provide: RewardGrants,
      useFactory: (accrual: RewardAccrual, gateway: ExchangeGateway) =>
        new RewardGrants(accrual, gateway.errorLogger('reward_grant.failed', 'Could not grant rewards.')),
      inject: [RewardAccrual, ExchangeGateway],
    },
    {
      provide: ProfitSharing,
      useFactory: (shares: ProfitSharesService, gateway: ExchangeGateway) =>
        new ProfitSharing(
          shares,
          gateway.errorLogger('profit_share.failed', 'Could not settle profit shares.'),
        ),
      inject: [ProfitSharesService, ExchangeGateway],
    },
  ];
}

function copying({ platform }: WorkerContext): Provider {
  return {
    provide: CopyLoops,
    useFactory: (gateway: ExchangeGateway) =>
      new CopyLoops({
        platform,
        planner: new CopyPlanner(platform, {
          refreshBalances: createBalanceRefresher((accountId) => gateway.balanceSync.sync(accountId)),
        }),
        settlement: new CopySettlement(platform),
        riskMonitor: new CopierRiskMonitor(platform),
        errorLogger: (event, message) => gateway.errorLogger(event, message),
      }),
    inject: [ExchangeGateway],
  };
}

function marketData({ config, platform, venues }: WorkerContext): Provider {
  return {
    provide: MarketData,
    useFactory: (pairs: PairCatalogue, gateway: ExchangeGateway) =>
      new MarketData({
        redisUrl: config.REDIS_URL,
        prefix: `market-${config.WORLD}`,
        holder: platform.instance,
        venues,
        pairs,
        onError: gateway.errorLogger('market_data.interrupted', 'Market data is interrupted.'),
      }),
    inject: [PairCatalogue, ExchangeGateway],
  };
}
