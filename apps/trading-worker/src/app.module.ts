import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { type Platform, PlatformModule, REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import {
  AnalyticsMaintenanceModule,
  DailyRollups,
  EquitySnapshots,
} from '@trading-automation/core/analytics';
import {
  AccountSyncModule,
  AccountSyncService,
  VenueCatalogue,
} from '@trading-automation/core/exchange-accounts';
import { FundingRates } from '@trading-automation/core/funding';
import { ProfitSharesService, RewardAccrual, RewardAccrualModule } from '@trading-automation/core/rewards';
import { PairCatalogue, PairCatalogueModule } from '@trading-automation/core/trade-pairs';
import {
  FeeValuation,
  Reconciliation,
  TradeExecution,
  TradeExecutionModule,
} from '@trading-automation/core/trades';
import type { Logger } from '@trading-automation/runtime';
import type { RedisCallBudget } from './budgets/redis-call-budget.js';
import type { Config } from './config.js';
import { BookMids } from './copying/book-mids.js';
import { CopyEngine } from './copying/copy-engine.js';
import { CopyLoops } from './copying/copy-loops.js';
import { AccountOrders } from './exchange/account-orders.js';
import { ExchangeAccounts } from './exchange/exchange-accounts.js';
import { ExchangeGateway } from './exchange/exchange-gateway.js';
import type { Venues } from './exchange/venues.js';
import { ProfitSharing } from './jobs/profit-sharing.js';
import { RewardGrants } from './jobs/reward-grants.js';
import { SubmissionRelay } from './jobs/submission-relay.js';
import { TRADES_PRODUCER, TradeQueue, TradeQueueConnection } from './jobs/trade-queue.js';
import { TradesProcessor } from './jobs/trades.processor.js';
import { MarketData } from './market-data/market-data.js';
import { MarketSnapshots } from './market-data/market-snapshots.js';
import { OwnershipLoop } from './ownership/ownership-loop.js';
import { Maintenance } from './schedules/maintenance.js';
import { PairRefresher } from './schedules/pair-refresher.js';
import { ResultUpkeep } from './schedules/result-upkeep.js';
import { Scheduler } from './schedules/scheduler.js';
import { AccountReconciler } from './streams/account-reconciler.js';
import { AccountSupervisors } from './streams/account-supervisors.js';
import { ReconcileActions } from './streams/reconcile-actions.js';
import { StreamRecorder } from './streams/stream-recorder.js';
import { StreamStates } from './streams/stream-states.js';
import { Worker } from './worker.js';
import { WorkerCallServer } from './worker-call-server.js';

export interface WorkerContext {
  readonly config: Config;
  readonly logger: Logger;
  readonly platform: Platform;
  readonly venues: Venues;
  /** The shared call budget of all venues. */
  readonly budget: RedisCallBudget;
}

@Module({})
export class AppModule {
  static with(context: WorkerContext): DynamicModule {
    const { config, platform } = context;
    return {
      module: AppModule,
      // Global, so that `BullModule.registerQueueAsync` can inject TradeQueueConnection.
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
          monthlyBudget: config.REWARDS_PROFIT_SHARE_BUDGET,
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
        ...exchange(context),
        ...trading(context),
        ...scheduling(context),
        ...copying(context),
        marketData(context),
        TradesProcessor,
        Worker,
      ],
    };
  }
}

const prefixOf = ({ WORLD }: Config) => `trading-${WORLD}`;

/** A few streams connect within this time. Exits must not wait longer, and entries no longer than workers may live. */
const STREAM_WAIT_MS = 1_000;

/** Provides the components that call exchanges: the accounts, their orders and their streams. */
function exchange({ config, logger, platform, venues }: WorkerContext): Provider[] {
  return [
    {
      provide: ExchangeAccounts,
      useFactory: (accountSync: AccountSyncService) =>
        new ExchangeAccounts(platform, accountSync, venues, logger),
      inject: [AccountSyncService],
    },
    {
      provide: AccountOrders,
      useFactory: (execution: TradeExecution, accounts: ExchangeAccounts) =>
        new AccountOrders(execution, accounts, logger, STREAM_WAIT_MS),
      inject: [TradeExecution, ExchangeAccounts],
    },
    {
      provide: AccountReconciler,
      useFactory: (
        reconciliation: Reconciliation,
        pairs: PairCatalogue,
        { balances, positions, funding }: ExchangeAccounts,
        orders: AccountOrders,
      ) =>
        new AccountReconciler(
          reconciliation,
          balances,
          pairs,
          new ReconcileActions(orders.reconciler, positions, funding, logger),
        ),
      inject: [Reconciliation, PairCatalogue, ExchangeAccounts, AccountOrders],
    },
    {
      provide: AccountSupervisors,
      useFactory: (accounts: ExchangeAccounts, orders: AccountOrders, reconciler: AccountReconciler) => {
        const { balanceSync, positions, streams } = accounts;
        const recorder = new StreamRecorder(
          orders.updates,
          balanceSync,
          positions,
          new StreamStates(streams, logger),
        );
        const times = { reconcileEveryMs: config.RECONCILE_EVERY_MS };
        return new AccountSupervisors(accounts, reconciler, recorder, { times, takeover: orders });
      },
      inject: [ExchangeAccounts, AccountOrders, AccountReconciler],
    },
    {
      provide: ExchangeGateway,
      useFactory: (accounts: ExchangeAccounts, orders: AccountOrders, supervisors: AccountSupervisors) =>
        new ExchangeGateway(accounts, orders, supervisors, logger),
      inject: [ExchangeAccounts, AccountOrders, AccountSupervisors],
    },
  ];
}

/** Provides the ownership of accounts, the queue of new trades, and the server for calls from the APIs. */
function trading({ config, platform, budget, venues }: WorkerContext): Provider[] {
  return [
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
    {
      provide: SubmissionRelay,
      useFactory: (queue: TradeQueue, gateway: ExchangeGateway) =>
        new SubmissionRelay(
          platform,
          queue,
          gateway.errorLogger('trade_submission_relay.failed', 'Could not queue new trades for submission.'),
        ),
      inject: [TradeQueue, ExchangeGateway],
    },
    {
      provide: WorkerCallServer,
      useFactory: (gateway: ExchangeGateway, catalogue: VenueCatalogue, bookMids: BookMids) =>
        new WorkerCallServer(
          platform,
          gateway,
          catalogue,
          new MarketSnapshots((exchange) => venues.get(exchange), bookMids),
        ),
      inject: [ExchangeGateway, VenueCatalogue, BookMids],
    },
  ];
}

/** Provides the work that runs on a schedule or after events. */
function scheduling({ config, logger, platform, venues }: WorkerContext): Provider[] {
  return [
    {
      provide: PairRefresher,
      useFactory: (pairs: PairCatalogue) => new PairRefresher(venues, pairs, logger),
      inject: [PairCatalogue],
    },
    {
      provide: Maintenance,
      useFactory: (snapshots: EquitySnapshots, rollups: DailyRollups, gateway: ExchangeGateway) => {
        const feeValuation = new FeeValuation({
          platform,
          readPriceAt: async (exchange, symbol, at) => venues.get(exchange).fetchPriceAt(symbol, at),
          onError: gateway.errorLogger(
            'fee_price.failed',
            'Could not read the price of a past minute for a fee in a third asset.',
          ),
        });
        const fundingRates = new FundingRates({
          platform,
          venueOf: (exchange) => venues.all.find(({ id }) => id === exchange),
          onError: gateway.errorLogger(
            'funding_rate.failed',
            'Could not read the funding rates of a perpetual.',
          ),
        });
        const results = new ResultUpkeep(snapshots, rollups, feeValuation, fundingRates);
        return new Maintenance(platform, results, logger);
      },
      inject: [EquitySnapshots, DailyRollups, ExchangeGateway],
    },
    {
      provide: Scheduler,
      useFactory: (gateway: ExchangeGateway, pairs: PairRefresher, maintenance: Maintenance) =>
        new Scheduler(gateway, pairs, maintenance, config),
      inject: [ExchangeGateway, PairRefresher, Maintenance],
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

function copying({ platform, venues }: WorkerContext): Provider[] {
  const bookMids = {
    provide: BookMids,
    useFactory: () => new BookMids(async (exchange, symbol) => venues.get(exchange).fetchBestPrices(symbol)),
  };
  const loops = {
    provide: CopyLoops,
    useFactory: (gateway: ExchangeGateway, bookMids: BookMids) =>
      new CopyLoops(
        platform,
        new CopyEngine(
          platform,
          (accountId) => gateway.balanceSync.sync(accountId, 'copy_read'),
          (exchange, symbol) => bookMids.read(exchange, symbol),
        ),
        (event, message) => gateway.errorLogger(event, message),
      ),
    inject: [ExchangeGateway, BookMids],
  };
  return [bookMids, loops];
}

function marketData({ config, platform, venues }: WorkerContext): Provider {
  return {
    provide: MarketData,
    useFactory: (pairs: PairCatalogue, gateway: ExchangeGateway) =>
      new MarketData(
        { redisUrl: config.REDIS_URL, prefix: `market-${config.WORLD}`, holder: platform.instance },
        venues.all,
        pairs,
        gateway.errorLogger('market_data.interrupted', 'Market data is interrupted.'),
      ),
    inject: [PairCatalogue, ExchangeGateway],
  };
}
