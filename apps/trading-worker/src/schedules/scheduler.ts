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
/** Longer than a look can take: another worker takes it up only when this one is gone. */
const CHECK_LEASE_MS = 30_000;
const ACCOUNTS_EVERY_MS = 500;
const ACCOUNTS_AT_ONCE = 20;
const CONCURRENCY = 8;
const MARKETS_RETRY_MS = 2_000;
const HOUSEKEEPING_EVERY_MS = 600_000;
const SNAPSHOTS_EVERY_MS = 60_000;
const RESULTS_EVERY_MS = 5_000;
const HEALTH_EVERY_MS = 30_000;
/** Of the time it takes itself: summing up never keeps the database busy that trades are written to. */
const RESULTS_REST = 10;
const restAfterResults = (tookMs: number) => Math.max(RESULTS_EVERY_MS, tookMs * RESULTS_REST);
/** What nobody told of waits no longer than this to be sent. */
const SWEEP_EVERY_MS = 1_000;

export interface SchedulerDependencies {
  readonly platform: Platform;
  readonly config: Config;
  readonly gateway: ExchangeGateway;
  readonly pairs: PairCatalogue;
  readonly execution: TradeExecution;
  readonly accountSync: AccountSyncService;
  readonly snapshots: EquitySnapshots;
  readonly results: DailyRollups;
  readonly logger: Logger;
}

/** What the worker does by the clock: looks at open trades, reads balances, pairs and prices. */
export class Scheduler {
  private loops: readonly Loop[] = [];

  constructor(private readonly parts: SchedulerDependencies) {}

  start(): void {
    const { config, gateway } = this.parts;
    this.loops = [
      startLoop(
        CHECKS_EVERY_MS,
        () => this.checkDueTrades(),
        this.errorLogger('open trades were not looked at'),
      ),
      startLoop(
        SWEEP_EVERY_MS,
        () => gateway.orderSubmitter.sweep(),
        this.errorLogger('unsent trades were not found'),
      ),
      startLoop(ACCOUNTS_EVERY_MS, () => this.syncDueAccounts(), this.errorLogger('accounts were not read')),
      startLoop(SNAPSHOTS_EVERY_MS, () => this.takeSnapshots(), this.errorLogger('equity was not recorded')),
      startLoop(
        restAfterResults,
        () => this.refreshRollups(),
        this.errorLogger('results were not summed up'),
      ),
      startLoop(
        HEALTH_EVERY_MS,
        () => this.reportStreamHealth(),
        this.errorLogger('how accounts stand was not told'),
      ),
      startLoop(
        HOUSEKEEPING_EVERY_MS,
        () => this.runHousekeeping(),
        this.errorLogger('the house was not kept'),
      ),
      startLoop(config.PRICES_EVERY_MS, () => this.refreshPrices(), this.errorLogger('prices were not read')),
      ...gateway.venues.all.map((venue) =>
        startLoop(
          config.MARKETS_EVERY_MS,
          (signal) => this.refreshMarkets(venue, signal),
          this.errorLogger('pairs were not read'),
        ),
      ),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  errorLogger(what: string): (error: unknown) => void {
    return this.parts.gateway.errorLogger(what);
  }

  private async checkDueTrades(): Promise<void> {
    const { execution, gateway } = this.parts;
    const due = await execution.claimDueChecks(CHECK_LEASE_MS, CHECK_BATCH);
    const onError = this.errorLogger('a look at a trade failed');
    const alone = await gateway.restingOrders.filterChanged(due, onError);
    await forEachConcurrent(alone, CONCURRENCY, (id) => gateway.orderReconciler.checkTrade(id), onError);
  }

  private async syncDueAccounts(): Promise<void> {
    const { config, accountSync, gateway } = this.parts;
    const due = await accountSync.dueForSync(config.BALANCES_AGE_MAX_MS, ACCOUNTS_AT_ONCE, [
      ...gateway.ownership.ownedAccounts().keys(),
    ]);
    const onError = this.errorLogger('an account was not read');
    await forEachConcurrent(due, CONCURRENCY, (id) => gateway.balanceSync.sync(id), onError);
  }

  private async takeSnapshots(): Promise<void> {
    await this.parts.snapshots.take();
  }

  private async refreshRollups(): Promise<void> {
    await this.parts.results.refresh();
  }

  /** How the accounts of this worker are heard of, for whoever watches over it. */
  private async reportStreamHealth(): Promise<void> {
    const { gateway, platform, logger } = this.parts;
    const health = gateway.supervisors.health();
    await storeStreamStatuses(platform, health);
    const counts: Record<string, number> = {};
    for (const { state } of health) counts[state] = (counts[state] ?? 0) + 1;
    logger.info({ accounts: counts, workers: gateway.ownership.workers }, 'accounts');
  }

  private async runHousekeeping(): Promise<void> {
    const { platform, logger } = this.parts;
    const removed = await runHousekeeping(platform);
    const owners = await purgeStaleOwners(platform);
    if (removed !== null) logger.debug({ ...removed, owners }, 'house kept');
  }

  private async refreshPrices(): Promise<void> {
    const { pairs, gateway } = this.parts;
    for (const venue of gateway.venues.all) {
      const symbols = await pairs.activeSymbols(venue.id);
      if (symbols.length > 0) await pairs.storePrices(venue.id, await venue.fetchPrices(symbols));
    }
  }

  /** Tries again soon where the exchange does not answer: without its pairs nothing can be traded. */
  private async refreshMarkets(venue: ExchangeVenue, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        const markets = await venue.fetchMarkets();
        // None at all is no news but a fault: every pair would be closed by it.
        if (markets.length === 0)
          throw new ExchangeError('retryable', 'bad_answer', 'The exchange names no pairs.');
        await this.parts.pairs.storeMarkets(venue.id, markets);
        return;
      } catch (error) {
        if (signal.aborted || !(error instanceof ExchangeError)) throw error;
        this.errorLogger('pairs were not read')(error);
      }
      await sleep(MARKETS_RETRY_MS, undefined, { signal });
    }
  }
}
