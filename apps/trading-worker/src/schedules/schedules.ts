import { setTimeout as sleep } from 'node:timers/promises';
import { keepHouse, type Platform } from '@trading-automation/core';
import type { AccountUpkeep } from '@trading-automation/core/exchange-accounts';
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

export interface ScheduleParts {
  readonly platform: Platform;
  readonly config: Config;
  readonly desks: Desks;
  readonly pairs: PairCatalogue;
  readonly execution: TradeExecution;
  readonly upkeep: AccountUpkeep;
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
      startLoop(ACCOUNTS_EVERY_MS, () => this.readAccounts(), this.errorsOf('accounts were not read')),
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

  /** Writes errors to the log: an exchange that is away is no fault of ours. */
  errorsOf(what: string): (error: unknown) => void {
    return (error) => {
      if (error instanceof ExchangeError) {
        this.parts.logger.warn({ outcome: error.outcome, code: error.code }, what);
      } else this.parts.logger.error({ err: error }, what);
    };
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
    const due = await upkeep.due(config.BALANCES_AGE_MAX_MS, ACCOUNTS_AT_ONCE);
    const onError = this.errorsOf('an account was not read');
    await forEachOf(due, CONCURRENCY, (id) => desks.accounts.sync(id), onError);
  }

  private async keepHouse(): Promise<void> {
    const removed = await keepHouse(this.parts.platform);
    if (removed !== null) this.parts.logger.debug(removed, 'house kept');
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
