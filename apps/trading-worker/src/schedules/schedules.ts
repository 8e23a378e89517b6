import { setTimeout as sleep } from 'node:timers/promises';
import { keepHouse, type Platform } from '@trading-automation/core';
import type { EquitySnapshots, ResultDays } from '@trading-automation/core/analytics';
import {
  type AccountUpkeep,
  forgetOldOwners,
  storeAccountWatches,
} from '@trading-automation/core/exchange-accounts';
import type { PairCatalogue } from '@trading-automation/core/trade-pairs';
import type { TradeExecution } from '@trading-automation/core/trades';
import { ExchangeError, type ExchangeVenue } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { Config } from '../config.js';
import type { Desks } from '../desk/desks.js';
import { forEachOf, type Loop, startLoop } from './loop.js';

const LOOKS_EVERY_MS = 200;
const LOOKS_AT_ONCE = 50;
/** Longer than a look can take: another worker takes it up only when this one is gone. */
const LOOK_LEASE_MS = 30_000;
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

export interface ScheduleParts {
  readonly platform: Platform;
  readonly config: Config;
  readonly desks: Desks;
  readonly pairs: PairCatalogue;
  readonly execution: TradeExecution;
  readonly upkeep: AccountUpkeep;
  readonly snapshots: EquitySnapshots;
  readonly results: ResultDays;
  readonly logger: Logger;
}

/** What the worker does by the clock: looks at open trades, reads balances, pairs and prices. */
export class Schedules {
  private loops: readonly Loop[] = [];

  constructor(private readonly parts: ScheduleParts) {}

  start(): void {
    const { config, desks } = this.parts;
    this.loops = [
      startLoop(LOOKS_EVERY_MS, () => this.lookAtTrades(), this.errorsOf('open trades were not looked at')),
      startLoop(
        SWEEP_EVERY_MS,
        () => desks.submissions.sweep(),
        this.errorsOf('unsent trades were not found'),
      ),
      startLoop(ACCOUNTS_EVERY_MS, () => this.readAccounts(), this.errorsOf('accounts were not read')),
      startLoop(SNAPSHOTS_EVERY_MS, () => this.takeSnapshots(), this.errorsOf('equity was not recorded')),
      startLoop(restAfterResults, () => this.refreshResults(), this.errorsOf('results were not summed up')),
      startLoop(HEALTH_EVERY_MS, () => this.tellHealth(), this.errorsOf('how accounts stand was not told')),
      startLoop(HOUSEKEEPING_EVERY_MS, () => this.keepHouse(), this.errorsOf('the house was not kept')),
      startLoop(config.PRICES_EVERY_MS, () => this.readPrices(), this.errorsOf('prices were not read')),
      ...desks.venues.all.map((venue) =>
        startLoop(
          config.MARKETS_EVERY_MS,
          (signal) => this.readMarkets(venue, signal),
          this.errorsOf('pairs were not read'),
        ),
      ),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  errorsOf(what: string): (error: unknown) => void {
    return this.parts.desks.errorsOf(what);
  }

  private async lookAtTrades(): Promise<void> {
    const { execution, desks } = this.parts;
    const due = await execution.takeDue(LOOK_LEASE_MS, LOOKS_AT_ONCE);
    const onError = this.errorsOf('a look at a trade failed');
    const alone = await desks.restingOrders.sift(due, onError);
    await forEachOf(alone, CONCURRENCY, (id) => desks.trades.look(id), onError);
  }

  private async readAccounts(): Promise<void> {
    const { config, upkeep, desks } = this.parts;
    const due = await upkeep.due(config.BALANCES_AGE_MAX_MS, ACCOUNTS_AT_ONCE, [
      ...desks.ownership.mine().keys(),
    ]);
    const onError = this.errorsOf('an account was not read');
    await forEachOf(due, CONCURRENCY, (id) => desks.accounts.sync(id), onError);
  }

  private async takeSnapshots(): Promise<void> {
    await this.parts.snapshots.take();
  }

  private async refreshResults(): Promise<void> {
    await this.parts.results.refresh();
  }

  /** How the accounts of this worker are heard of, for whoever watches over it. */
  private async tellHealth(): Promise<void> {
    const { desks, platform, logger } = this.parts;
    const health = desks.supervisors.health();
    await storeAccountWatches(platform, health);
    const counts: Record<string, number> = {};
    for (const { state } of health) counts[state] = (counts[state] ?? 0) + 1;
    logger.info({ accounts: counts, workers: desks.ownership.workers }, 'accounts');
  }

  private async keepHouse(): Promise<void> {
    const { platform, logger } = this.parts;
    const removed = await keepHouse(platform);
    const owners = await forgetOldOwners(platform);
    if (removed !== null) logger.debug({ ...removed, owners }, 'house kept');
  }

  private async readPrices(): Promise<void> {
    const { pairs, desks } = this.parts;
    for (const venue of desks.venues.all) {
      const symbols = await pairs.activeSymbols(venue.id);
      if (symbols.length > 0) await pairs.storePrices(venue.id, await venue.fetchPrices(symbols));
    }
  }

  /** Tries again soon where the exchange does not answer: without its pairs nothing can be traded. */
  private async readMarkets(venue: ExchangeVenue, signal: AbortSignal): Promise<void> {
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
        this.errorsOf('pairs were not read')(error);
      }
      await sleep(MARKETS_RETRY_MS, undefined, { signal });
    }
  }
}
