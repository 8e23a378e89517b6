import type { Config } from '../config.js';
import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { forEachConcurrent, type Loop, startLoop } from './loop.js';
import type { Maintenance } from './maintenance.js';
import { startMarginWatch } from './margin-watch.js';
import type { PairRefresher } from './pair-refresher.js';
import { startTradeChecks } from './trade-checks.js';

const ACCOUNTS_EVERY_MS = 500;
const ACCOUNTS_BATCH = 20;
const CONCURRENCY = 8;
const HOUSEKEEPING_EVERY_MS = 600_000;
const SNAPSHOTS_EVERY_MS = 60_000;
const ROLLUPS_EVERY_MS = 5_000;
const FEE_VALUES_EVERY_MS = 2_000;
const HEALTH_EVERY_MS = 30_000;
const KEY_RIGHTS_EVERY_MS = 60_000;
const FUNDING_EVERY_MS = 30_000;
const FUNDING_RATES_EVERY_MS = 60_000;
/** The minimum delay after a refresh of the rollups, as a multiple of its duration; it leaves time for other writes. */
const ROLLUP_IDLE_RATIO = 10;
const rollupDelayMs = (tookMs: number) => Math.max(ROLLUPS_EVERY_MS, tookMs * ROLLUP_IDLE_RATIO);
/** How often the worker looks for unsent trades whose wake-up was lost. */
const SWEEP_EVERY_MS = 1_000;

/** The scheduled work of the worker: for example, it checks open trades and reads balances, pairs and prices. */
export class Scheduler {
  private loops: readonly Loop[] = [];

  constructor(
    private readonly gateway: ExchangeGateway,
    private readonly pairs: PairRefresher,
    private readonly maintenance: Maintenance,
    private readonly config: Config,
  ) {}

  start(): void {
    const { config, gateway, maintenance, pairs } = this;
    this.loops = [
      ...startTradeChecks(gateway),
      startMarginWatch(gateway),
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
        () => maintenance.results.takeSnapshots(),
        this.errorLogger('equity_snapshot.failed', 'Could not record equity.'),
      ),
      startLoop(
        rollupDelayMs,
        () => maintenance.results.refreshRollups(),
        this.errorLogger('rollup_refresh.failed', 'Could not refresh the daily rollups.'),
      ),
      startLoop(
        FEE_VALUES_EVERY_MS,
        () => maintenance.results.valueFees(),
        this.errorLogger('fee_value.failed', 'Could not store the value of fees in a third asset.'),
      ),
      startLoop(
        HEALTH_EVERY_MS,
        () => gateway.accounts.reportStreamHealth(),
        this.errorLogger('stream_status.report_failed', 'Could not store the status of account streams.'),
      ),
      startLoop(
        KEY_RIGHTS_EVERY_MS,
        () => gateway.accounts.readDueRights(),
        this.errorLogger('key_rights.failed', 'Could not read the rights of credentials.'),
      ),
      startLoop(
        FUNDING_EVERY_MS,
        () => gateway.accounts.readDueFunding(),
        this.errorLogger('funding_read.failed', 'Could not store the funding or the interest of accounts.'),
      ),
      startLoop(
        FUNDING_RATES_EVERY_MS,
        () => maintenance.results.readFundingRates(),
        this.errorLogger('funding_rates.failed', 'Could not store the funding rates of perpetuals.'),
      ),
      startLoop(
        HOUSEKEEPING_EVERY_MS,
        () => maintenance.runHousekeeping(),
        this.errorLogger('housekeeping.failed', 'Housekeeping failed.'),
      ),
      startLoop(
        config.PRICES_EVERY_MS,
        () => pairs.refreshPrices(),
        this.errorLogger('price_refresh.failed', 'Could not refresh prices.'),
      ),
      ...gateway.venues.all.map((venue) =>
        startLoop(
          config.MARKETS_EVERY_MS,
          (signal) => pairs.refreshMarkets(venue, signal),
          this.errorLogger('market_refresh.failed', 'Could not refresh the pairs of an exchange.'),
        ),
      ),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  errorLogger(event: string, message: string): (error: unknown) => void {
    return this.gateway.errorLogger(event, message);
  }

  private async syncDueAccounts(): Promise<void> {
    const { config, gateway } = this;
    const due = await gateway.accounts.dueForSync(config.BALANCES_AGE_MAX_MS, ACCOUNTS_BATCH);
    const onError = this.errorLogger('balance_sync.failed', 'Could not read the balances of an account.');
    await forEachConcurrent(
      due,
      CONCURRENCY,
      ({ id, isRequested }) => gateway.balanceSync.sync(id, isRequested ? 'user' : 'check'),
      onError,
    );
  }
}
