import { randomBytes } from 'node:crypto';
import { DailyRollups, EquitySnapshots } from '@trading-automation/core/analytics';
import {
  ACCOUNT_OWNERS_CHANNEL,
  callWorker,
  LEASE_RENEWAL_MS,
  VenueCatalogue,
} from '@trading-automation/core/exchange-accounts';
import { FundingRates } from '@trading-automation/core/funding';
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import { FeeValuation } from '@trading-automation/core/trades';
import { ExchangeError } from '@trading-automation/exchanges';
import { eventually } from '@trading-automation/runtime/testing';
import { Queue } from 'bullmq';
import type { Config } from './config.js';
import { BookMids } from './copying/book-mids.js';
import { SubmissionRelay } from './jobs/submission-relay.js';
import { TRADES_QUEUE, type TradeJob, TradeQueue, TradeQueueConnection } from './jobs/trade-queue.js';
import { MarketSnapshots } from './market-data/market-snapshots.js';
import { OwnershipLoop } from './ownership/ownership-loop.js';
import { Maintenance } from './schedules/maintenance.js';
import { PairRefresher } from './schedules/pair-refresher.js';
import { ResultUpkeep } from './schedules/result-upkeep.js';
import { Scheduler } from './schedules/scheduler.js';
import { GatewayUnderTest } from './testing/gateway-under-test.js';
import { marketOf } from './testing/scripted-exchange.js';
import { Worker } from './worker.js';
import { WorkerCallServer } from './worker-call-server.js';

let env: GatewayUnderTest;
let api: Awaited<ReturnType<GatewayUnderTest['core']['openSecondPlatform']>>;
const redisUrl = process.env.TEST_REDIS_URL ?? '';
let prefix: string;
let queue: Queue<TradeJob>;
let worker: Worker;
/** The numbers of workers that the ownership loop reported, in the order of the reports. */
let reportedWorkers: number[];

beforeAll(async () => {
  env = await GatewayUnderTest.open();
  api = await env.core.openSecondPlatform();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  prefix = `spec-${randomBytes(6).toString('hex')}`;
  queue = new Queue(TRADES_QUEUE, { connection: { url: redisUrl }, prefix });
});
afterEach(async () => {
  await worker.onApplicationShutdown();
  await queue.obliterate({ force: true });
  await queue.close();
  await env.gateway.close();
});

async function start(more: Partial<Config> = {}): Promise<void> {
  const { gateway, logger, core } = env;
  const config: Config = {
    WORLD: 'test',
    DATABASE_URL: 'postgres://unused',
    REDIS_URL: 'redis://unused',
    EXCHANGE_OPENING_KEYS: [],
    VENUES: [],
    LOG_LEVEL: 'info',
    MARKETS_EVERY_MS: 3_600_000,
    PRICES_EVERY_MS: 50,
    BALANCES_AGE_MAX_MS: 3_600_000,
    RECONCILE_EVERY_MS: 3_600_000,
    METRICS_HOST: '127.0.0.1',
    ...more,
  };
  const schedules = new Scheduler(
    gateway,
    new PairRefresher(gateway.venues, new PairCatalogue(core.platform), logger),
    new Maintenance(
      core.platform,
      new ResultUpkeep(
        new EquitySnapshots(core.platform),
        new DailyRollups(core.platform),
        new FeeValuation({
          platform: core.platform,
          readPriceAt: async (exchange, symbol, at) => gateway.venues.get(exchange).fetchPriceAt(symbol, at),
          onError: gateway.errorLogger('fee_price.failed', 'Could not read the price of a past minute.'),
        }),
        new FundingRates({
          platform: core.platform,
          venueOf: (exchange) => gateway.venues.get(exchange),
          onError: gateway.errorLogger('funding_rate.failed', 'Could not read funding rates.'),
        }),
      ),
      logger,
    ),
    config,
  );
  const connection = new TradeQueueConnection(
    redisUrl,
    schedules.errorLogger('trade_queue.unavailable', 'Redis is unavailable.'),
  );
  const trades = new TradeQueue(
    new Queue(TRADES_QUEUE, { ...connection.queueOptions(), connection: connection.redis, prefix }),
    connection,
  );
  reportedWorkers = [];
  const ownership = new OwnershipLoop(
    core.platform,
    gateway,
    schedules.errorLogger('account_claim.failed', 'Could not claim exchange accounts.'),
    (workers) => reportedWorkers.push(workers),
  );
  const relay = new SubmissionRelay(
    core.platform,
    trades,
    schedules.errorLogger('trade_submission_relay.failed', 'Could not queue new trades for submission.'),
  );
  const bookMids = new BookMids(() => env.exchange.fetchBestPrices());
  const catalogue = new VenueCatalogue(core.platform);
  const calls = new WorkerCallServer(
    core.platform,
    gateway,
    catalogue,
    new MarketSnapshots(() => env.exchange, bookMids),
  );
  worker = new Worker(calls, ownership, relay, schedules);
  await worker.onApplicationBootstrap();
}
const fails =
  (...args: ConstructorParameters<typeof ExchangeError>) =>
  () => {
    throw new ExchangeError(...args);
  };
describe('a trading worker', () => {
  it('queues each new trade once, by its id only', async () => {
    await start();
    const trades = [await env.place(), await env.place()];
    await eventually(async () => (await queue.count()) >= 2);
    const jobs = await queue.getJobs();
    expect(jobs.map(({ data }) => data).sort((a, b) => (a.trade_id < b.trade_id ? -1 : 1))).toEqual(
      trades.toSorted().map((trade_id) => ({ trade_id })),
    );
  });

  it('submits a trade whose job no worker has processed', async () => {
    await start();
    const trade = await env.place();
    await env.core.rows('UPDATE trades SET look_at = now() WHERE id = $1', trade);
    await eventually(async () => (await env.read(trade)).sub_status === 'ACCEPTED');
    expect(env.exchange.placed).toHaveLength(1);
  });

  it('publishes its exchanges, reads their pairs and prices, and syncs an account on request', async () => {
    env.exchange.markets = [marketOf('READ'), marketOf('BTC')];
    env.exchange.prices = { 'READ/USDT': '12.5' };
    await start();
    await eventually(async () => {
      const rows = await env.core.rows("SELECT last_price FROM trade_pairs WHERE symbol = 'READ/USDT'");
      return Number(rows[0]?.last_price) === 12.5;
    });
    expect(await env.core.rows('SELECT code, is_active FROM supported_exchanges')).toEqual([
      { code: 'paper', is_active: true },
    ]);
    await env.core.rows(
      'UPDATE exchange_accounts SET sync_requested_at = clock_timestamp() WHERE id = $1',
      env.account.uuid,
    );
    await eventually(async () => (await env.eventTypes('exchange')).includes('exchange.synced'));
    expect(env.exchange.balanceReads).toBeGreaterThan(0);
  });

  it('releases its accounts immediately when it stops', async () => {
    await start();
    await eventually(() => env.gateway.ownership.ownedAccounts().size === 1);
    await worker.onApplicationShutdown();
    expect(
      await env.core.rows('SELECT worker FROM account_owners WHERE account_id = $1', env.account.uuid),
    ).toEqual([{ worker: null }]);
    expect(await env.core.rows('SELECT FROM worker_leases')).toEqual([]);
    expect(env.gateway.ownership.ownedAccounts().size).toBe(0);
  });

  it('reports how many workers share the exchanges’ limits, and claims no account after it has stopped', async () => {
    await start();
    await eventually(() => reportedWorkers.length > 0);
    expect(reportedWorkers[0]).toBe(1);
    await worker.onApplicationShutdown();
    const reportCount = reportedWorkers.length;
    await env.core.rows(`SELECT pg_notify('${ACCOUNT_OWNERS_CHANNEL}', '')`);
    await new Promise((resolve) => setTimeout(resolve, LEASE_RENEWAL_MS + 500));
    expect(reportedWorkers).toHaveLength(reportCount);
    expect(await env.core.rows('SELECT worker FROM worker_leases')).toEqual([]);
  });

  it('takes over accounts immediately when another worker releases them', async () => {
    const other = env.newGateway();
    await other.renewOwnership();
    await start();
    await eventually(async () => (await env.core.rows('SELECT FROM worker_leases')).length === 2);
    const releasedAt = performance.now();
    await other.releaseAccounts();
    await eventually(() => env.gateway.ownership.ownedAccounts().size === 1);
    expect(performance.now() - releasedAt).toBeLessThan(15_000);
    await other.close();
  });

  it('records heartbeats', async () => {
    await start();
    await eventually(
      async () => (await env.core.rows("SELECT FROM heartbeats WHERE service = 'trading-worker'")).length > 0,
    );
  });
});

describe('the worker calls of the APIs', () => {
  const owner = () => ({ userId: env.actor.userId, accountId: env.account.uuid });

  it('read balances and cancel trades', async () => {
    await start();
    await expect(
      callWorker(api, 'exchange_account.sync', { account_id: env.account.uuid }, owner()),
    ).resolves.toBeNull();
    const { balances } = await env.core.row(
      'SELECT balances FROM exchange_accounts WHERE id = $1',
      env.account.uuid,
    );
    expect(balances).toEqual(env.exchange.balances);
    const trade = await env.place();
    await expect(callWorker(api, 'trade.cancel', { trade_id: trade }, owner())).resolves.toBeNull();
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED' });
  });

  it('test credentials without storing them, and return what they permit or why they fail', async () => {
    await start();
    const context = 'credentials_test/1';
    const sealed = await env.sealed('another secret', context);
    const input = { exchange: 'paper', trading_type: 'spot', sealed, context } as const;
    await eventually(() => env.gateway.accounts.streams.health()[0]?.state === 'POLLING');
    await expect(callWorker(api, 'exchange_account.test', input, owner())).resolves.toEqual({
      tradingTypes: ['spot'],
      canTrade: true,
      canWithdraw: false,
    });
    // Other connections belong to accounts, which the worker supervises in the background.
    const connectedForTest = env.exchange.connectedWith.filter(({ apiSecret }) => apiSecret !== 'a secret');
    expect(connectedForTest).toEqual([{ apiKey: 'key', apiSecret: 'another secret' }]);
    expect(env.exchange.closeCount).toBe(1);
    for (const [outcome, code, apiCode] of [
      ['fatal', 'credentials_rejected', 'exchange_credentials_rejected'],
      ['retryable', 'unreachable', 'exchange_unavailable'],
      ['unknown', 'bad_answer', 'exchange_unavailable'],
    ] as const) {
      env.exchange.onCall = fails(outcome, code, 'No.');
      await expect(callWorker(api, 'exchange_account.test', input, owner())).rejects.toMatchObject({
        code: apiCode,
      });
    }
    expect(env.exchange.closeCount).toBe(4);
    const elsewhere = { ...input, exchange: 'elsewhere' };
    await expect(callWorker(api, 'exchange_account.test', elsewhere, owner())).rejects.toMatchObject({
      code: 'exchange_unavailable',
    });
    const otherContext = callWorker(
      api,
      'exchange_account.test',
      {
        ...input,
        context: 'credentials_test/2',
      },
      owner(),
    );
    await expect(otherContext).rejects.not.toMatchObject({ code: expect.anything() });
    expect(env.logged.join('')).not.toContain('another secret');
  });

  it('fetch market data; equal calls that are made together share one request to the exchange', async () => {
    await start();
    const pair = { exchange: 'paper', symbol: 'BTC/USDT' };
    const openedAt = new Date('2026-01-31T12:00:00.000Z');
    env.exchange.candles = [{ openedAt, open: '1', high: '4', low: '0.5', close: '2', volume: '3' }];
    const range = { interval: '1h', from: openedAt.getTime(), to: openedAt.getTime() + 3_600_000 } as const;
    const requests: string[] = [];
    let respond = () => {};
    const responding = new Promise<void>((resolve) => {
      respond = resolve;
    });
    env.exchange.onCall = (name) => {
      requests.push(name);
      return responding;
    };
    const fetch = () =>
      Promise.all([
        callWorker(api, 'trade_pair.ticker', pair, owner()),
        callWorker(api, 'trade_pair.order_book', { ...pair, depth: 20 }, owner()),
        callWorker(api, 'trade_pair.candles', { ...pair, ...range }, owner()),
      ]);
    const first = fetch();
    const others = callWorker(api, 'trade_pair.ticker', pair, owner());
    const isClaimed = async () =>
      (
        await env.core.rows(
          "SELECT FROM process_calls WHERE name LIKE 'trade_pair.%' AND claimed_at IS NOT NULL",
        )
      ).length === 4;
    await eventually(isClaimed);
    respond();
    const [ticker, book, candles] = await first;
    expect(ticker).toMatchObject({ ...env.exchange.ticker, as_of: expect.stringMatching(/Z$/) });
    expect(await others).toEqual(ticker);
    expect(book).toMatchObject(env.exchange.book);
    expect(candles).toMatchObject({ candles: [[openedAt.getTime(), '1', '4', '0.5', '2', '3']] });
    const requested = requests.filter((name) => ['fetchTicker', 'fetchBook', 'fetchCandles'].includes(name));
    expect(requested.sort()).toEqual(['fetchBook', 'fetchCandles', 'fetchTicker']);
  });

  it.each([
    ['retryable', 'unreachable', 'exchange_unavailable'],
    ['rejected', 'not_supported', 'exchange_unavailable'],
    ['rejected', 'refused', 'service_unavailable'],
  ] as const)('report market data that fails as %s/%s with %s', async (outcome, reason, code) => {
    await start();
    const pair = { exchange: 'paper', symbol: 'BTC/USDT' };
    await eventually(() => env.gateway.accounts.streams.health()[0]?.state === 'POLLING');
    env.exchange.onCall = fails(outcome, reason, 'No.');
    await expect(callWorker(api, 'trade_pair.ticker', pair, owner())).rejects.toMatchObject({ code });
  });

  it('report that the exchange is unavailable while it is unreachable', async () => {
    await start();
    env.exchange.onCall = fails('retryable', 'unreachable', 'The exchange is unavailable.');
    await expect(
      callWorker(api, 'exchange_account.sync', { account_id: env.account.uuid }, owner()),
    ).rejects.toMatchObject({ code: 'exchange_unavailable', message: 'The exchange is unavailable.' });
  });

  it('report how long to wait if the user’s calls used up the user’s share of the limit', async () => {
    await start();
    await eventually(() => env.gateway.accounts.streams.health()[0]?.state === 'POLLING');
    env.exchange.onCall = fails('retryable', 'rate_limited', 'Limited.', { retryInMs: 41_200 });
    const context = 'credentials_test/3';
    const sealed = await env.sealed('another secret', context);
    const input = { exchange: 'paper', trading_type: 'spot', sealed, context } as const;
    const limited = { code: 'rate_limited', retryAfterSeconds: 42 };
    await expect(callWorker(api, 'exchange_account.test', input, owner())).rejects.toMatchObject(limited);
    await expect(
      callWorker(api, 'exchange_account.sync', { account_id: env.account.uuid }, owner()),
    ).rejects.toMatchObject(limited);
    env.exchange.onCall = fails('retryable', 'rate_limited', 'Limited.');
    await expect(
      callWorker(api, 'exchange_account.sync', { account_id: env.account.uuid }, owner()),
    ).rejects.toMatchObject({ code: 'exchange_unavailable' });
  });

  it('record rejected credentials in the account: a sync succeeds, but a cancellation fails', async () => {
    const trade = await env.place();
    await eventually(async () => {
      await env.send();
      return (await env.read(trade)).sub_status === 'ACCEPTED';
    });
    await start();
    await eventually(() => env.gateway.accounts.streams.health()[0]?.state === 'POLLING');
    env.exchange.onCall = fails('fatal', 'credentials_rejected', 'The exchange refused the credentials.');
    await expect(callWorker(api, 'trade.cancel', { trade_id: trade }, owner())).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await expect(
      callWorker(api, 'exchange_account.sync', { account_id: env.account.uuid }, owner()),
    ).resolves.toBeNull();
    expect(await env.accountSync.find(env.account.uuid)).toMatchObject({ isActive: false });
  });
});
