import { setTimeout as sleep } from 'node:timers/promises';
import { type Platform, runHousekeeping } from '@trading-automation/core';
import type { DailyRollups, EquitySnapshots } from '@trading-automation/core/analytics';
import {
  type AccountSyncService,
  purgeStaleOwners,
  storeStreamStatuses,
} from '@trading-automation/core/exchange-accounts';
import type { PairCatalogue } from '@trading-automation/core/trade-pairs';
import type { TradeExecution } from '@trading-automation/core/trades';
import { ExchangeError, type ExchangeVenue } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { Config } from '../config.js';
import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { forEachConcurrent, type Loop, startLoop } from './loop.js';

const CHECKS_EVERY_MS = 200;
const CHECK_BATCH = 50;
/** Longer than any check takes: another worker repeats a check only after this one has died. */
const CHECK_LEASE_MS = 30_000;
const ACCOUNTS_EVERY_MS = 500;
const ACCOUNTS_BATCH = 20;
const CONCURRENCY = 8;
const MARKETS_RETRY_MS = 2_000;
const HOUSEKEEPING_EVERY_MS = 600_000;
const SNAPSHOTS_EVERY_MS = 60_000;
const ROLLUPS_EVERY_MS = 5_000;
const HEALTH_EVERY_MS = 30_000;
/** The idle time as a multiple of the last refresh, so that rollups leave the database to the writes of trades. */
const ROLLUP_IDLE_RATIO = 10;
const rollupDelayMs = (tookMs: number) => Math.max(ROLLUPS_EVERY_MS, tookMs * ROLLUP_IDLE_RATIO);
/** The maximum time until an unsent trade without a wake-up is found. */
const SWEEP_EVERY_MS = 1_000;

export interface SchedulerDependencies {
  readonly platform: Platform;
  readonly config: Config;
  readonly gateway: ExchangeGateway;
  readonly pairs: PairCatalogue;
  readonly execution: TradeExecution;
  readonly accountSync: AccountSyncService;
  readonly snapshots: EquitySnapshots;
  readonly rollups: DailyRollups;
  readonly logger: Logger;
}

/** The scheduled work of the worker: checks open trades, reads balances, pairs and prices. */
export class Scheduler {
  private loops: readonly Loop[] = [];

  constructor(private readonly parts: SchedulerDependencies) {}

  start(): void {
    const { config, gateway } = this.parts;
    this.loops = [
      startLoop(
        CHECKS_EVERY_MS,
        () => this.checkDueTrades(),
        this.errorLogger('trade_check.failed', 'Could not check open trades.'),
      ),
      startLoop(
        SWEEP_EVERY_MS,
        () => gateway.orderSubmitter.sweep(),
        this.errorLogger('order_sweep.failed', 'Could not find unsent trades.'),
      ),
      startLoop(
        ACCOUNTS_EVERY_MS,
        () => this.syncDueAccounts(),
        this.errorLogger('balance_sync.failed', 'Could not find accounts that are due for a balance sync.'),
      ),
      startLoop(
        SNAPSHOTS_EVERY_MS,
        () => this.takeSnapshots(),
        this.errorLogger('equity_snapshot.failed', 'Could not record equity.'),
      ),
      startLoop(
        rollupDelayMs,
        () => this.refreshRollups(),
        this.errorLogger('rollup_refresh.failed', 'Could not refresh the daily rollups.'),
      ),
      startLoop(
        HEALTH_EVERY_MS,
        () => this.reportStreamHealth(),
        this.errorLogger('stream_status.report_failed', 'Could not store the status of account streams.'),
      ),
      startLoop(
        HOUSEKEEPING_EVERY_MS,
        () => this.runHousekeeping(),
        this.errorLogger('housekeeping.failed', 'Housekeeping failed.'),
      ),
      startLoop(
        config.PRICES_EVERY_MS,
        () => this.refreshPrices(),
        this.errorLogger('price_refresh.failed', 'Could not refresh prices.'),
      ),
      ...gateway.venues.all.map((venue) =>
        startLoop(
          config.MARKETS_EVERY_MS,
          (signal) => this.refreshMarkets(venue, signal),
          this.errorLogger('market_refresh.failed', 'Could not refresh the pairs of an exchange.'),
        ),
      ),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  errorLogger(event: string, message: string): (error: unknown) => void {
    return this.parts.gateway.errorLogger(event, message);
  }

  private async checkDueTrades(): Promise<void> {
    const { execution, gateway } = this.parts;
    const due = await execution.claimDueChecks(CHECK_LEASE_MS, CHECK_BATCH);
    const onError = this.errorLogger('trade_check.failed', 'Could not check a trade.');
    const changed = await gateway.restingOrders.filterChanged(due, onError);
    await forEachConcurrent(changed, CONCURRENCY, (id) => gateway.orderReconciler.checkTrade(id), onError);
  }

  private async syncDueAccounts(): Promise<void> {
    const { config, accountSync, gateway } = this.parts;
    const due = await accountSync.dueForSync(config.BALANCES_AGE_MAX_MS, ACCOUNTS_BATCH, [
      ...gateway.ownership.ownedAccounts().keys(),
    ]);
    const onError = this.errorLogger('balance_sync.failed', 'Could not read the balances of an account.');
    await forEachConcurrent(due, CONCURRENCY, (id) => gateway.balanceSync.sync(id), onError);
  }

  private async takeSnapshots(): Promise<void> {
    await this.parts.snapshots.take();
  }

  private async refreshRollups(): Promise<void> {
    await this.parts.rollups.refresh();
  }

  /** Stores and logs the stream status of this worker's accounts, for monitoring. */
  private async reportStreamHealth(): Promise<void> {
    const { gateway, platform, logger } = this.parts;
    const health = gateway.supervisors.health();
    await storeStreamStatuses(platform, health);
    const counts: Record<string, number> = {};
    for (const { state } of health) counts[state] = (counts[state] ?? 0) + 1;
    logger.info(
      { event: 'stream_status.reported', accounts: counts, workers: gateway.ownership.workers },
      'Stored the status of account streams.',
    );
  }

  private async runHousekeeping(): Promise<void> {
    const { platform, logger } = this.parts;
    const removed = await runHousekeeping(platform);
    const owners = await purgeStaleOwners(platform);
    if (removed !== null)
      logger.debug(
        { event: 'housekeeping.completed', ...removed, owners },
        'Housekeeping deleted expired rows.',
      );
  }

  private async refreshPrices(): Promise<void> {
    const { pairs, gateway } = this.parts;
    for (const venue of gateway.venues.all) {
      const symbols = await pairs.activeSymbols(venue.id);
      if (symbols.length > 0) await pairs.storePrices(venue.id, await venue.fetchPrices(symbols));
    }
  }

  /** Retries soon after a failure of the exchange: without its pairs nothing can be traded. */
  private async refreshMarkets(venue: ExchangeVenue, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        const markets = await venue.fetchMarkets();
        // An empty list is an error of the exchange; storing it would close every pair.
        if (markets.length === 0)
          throw new ExchangeError('retryable', 'bad_answer', 'The exchange returned no pairs.');
        await this.parts.pairs.storeMarkets(venue.id, markets);
        return;
      } catch (error) {
        if (signal.aborted || !(error instanceof ExchangeError)) throw error;
        this.errorLogger('market_refresh.failed', 'Could not refresh the pairs of an exchange.')(error);
      }
      await sleep(MARKETS_RETRY_MS, undefined, { signal });
    }
  }
}
