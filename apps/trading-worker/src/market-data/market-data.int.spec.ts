import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  BookFeed,
  type BookMessage,
  MARKET_DATA_LEASE_MS,
  OrderBook,
  PriceFeed,
} from '@trading-automation/core/market-data';
import { CoreUnderTest } from '@trading-automation/core/testing';
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import type { ExchangeClient, ExchangeVenue } from '@trading-automation/exchanges';
import { createVenue, venueConfig } from '@trading-automation/exchanges/ccxt';
import { eventually } from '@trading-automation/runtime/testing';
import { Redis } from 'ioredis';
import { MarketData } from './market-data.js';

const redisUrl = process.env.TEST_REDIS_URL ?? '';
const main = new URL('../../../paper-exchange/dist/main.js', import.meta.url).pathname;
const SYMBOL = 'BTC/USDT';
const pair = { exchange: 'paper', symbol: SYMBOL };

let core: CoreUnderTest;
let pairs: PairCatalogue;
let redis: Redis;
let directory: string;
let child: ChildProcess;
let url: string;
let client: ExchangeClient;
let venues: ExchangeVenue[];
let prefix: string;
let closing: (() => unknown)[];
let failures: unknown[];

beforeAll(async () => {
  core = await CoreUnderTest.open();
  pairs = new PairCatalogue(core.platform);
  redis = new Redis(redisUrl);
});
afterAll(async () => {
  redis.disconnect();
  await core.close();
});
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'market-data-'));
  const env = { PATH: process.env.PATH, DATA_DIR: directory, MARKET: 'off' };
  child = fork(main, [], { silent: true, execArgv: [], env });
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  ({ url } = JSON.parse(line as string) as { url: string });
  venues = [];
  const venue = newVenue();
  await pairs.storeMarkets('paper', await venue.fetchMarkets());
  const keys = await admin<{ api_key: string; api_secret: string }>('POST', 'accounts', {
    balances: { USDT: 1_000_000, BTC: 10 },
  });
  client = venue.connect({ apiKey: keys.api_key, apiSecret: keys.api_secret }, 'spot');
  prefix = `spec-${randomBytes(6).toString('hex')}`;
  closing = [];
  failures = [];
});
afterEach(async () => {
  for (const close of closing) await close();
  await client.close();
  await Promise.all(venues.map((venue) => venue.close()));
  child.kill('SIGKILL');
  await once(child, 'exit');
  rmSync(directory, { recursive: true });
});

const onError = (error: unknown) => failures.push(error);
function newVenue(): ExchangeVenue {
  const venue = createVenue(
    venueConfig.parse({ id: 'paper', name: 'Paper', adapter: 'binance', tradingTypes: ['spot'], url }),
  );
  venues.push(venue);
  return venue;
}
async function admin<T>(method: string, path: string, body: object = {}): Promise<T> {
  const response = await fetch(`${url}/admin/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}
/** Creates the market data of the worker `holder`. */
function newWorker(holder: string, url = redisUrl): MarketData {
  return new MarketData({ redisUrl: url, prefix, holder }, [newVenue()], pairs, onError);
}
function startWorker(holder: string): MarketData {
  const worker = newWorker(holder);
  worker.onApplicationBootstrap();
  closing.push(() => worker.onApplicationShutdown());
  return worker;
}
/** Opens a subscriber that applies every message and fails on a gap. */
function openReader() {
  const feed = new BookFeed({ redisUrl, prefix, onError });
  closing.unshift(() => feed.close());
  const book = new OrderBook();
  const messages: BookMessage[] = [];
  feed.subscribe(pair, (message) => {
    if (message.kind === 'SNAPSHOT') book.reset(message);
    else {
      expect(message.previousSequence).toBe(messages.at(-1)?.sequence);
      book.apply(message);
    }
    messages.push(message);
  });
  return { messages, sides: () => book.sides() };
}
let orders = 0;
async function placeBid(price: string, amount: string): Promise<void> {
  orders += 1;
  await client.placeOrder({
    symbol: SYMBOL,
    venueClientOrderId: `order-${orders}`,
    type: 'LIMIT',
    side: 'BUY',
    timeInForce: 'GTC',
    amount,
    price,
    reduceOnly: false,
  });
}
const leaseHolder = () => redis.get(`${prefix}:lease:paper`);

describe('market data of a venue', () => {
  it('reaches the reader of a requested order book as one snapshot, then as deltas', async () => {
    await placeBid('50000', '0.5');
    startWorker('one');
    const reader = openReader();
    await eventually(() => reader.messages.length > 0);
    expect(reader.messages[0]).toMatchObject({
      ...pair,
      kind: 'SNAPSHOT',
      bids: [['50000', '0.5']],
      asks: [],
    });
    await placeBid('50001', '0.25');
    await placeBid('50000', '0.5');
    await eventually(() => reader.sides().bids[1]?.[1] === '1');
    expect(reader.sides().bids).toEqual([
      ['50001', '0.25'],
      ['50000', '1'],
    ]);
    expect(reader.messages.slice(1).every(({ kind }) => kind === 'DELTA')).toBe(true);
    expect(await redis.exists(`${prefix}:book:paper:ETH/USDT`)).toBe(0);
  });

  it('is complete again after a lost connection during which the order book changed', async () => {
    await placeBid('50000', '0.5');
    startWorker('one');
    const reader = openReader();
    await eventually(() => reader.messages.length > 0);
    await admin('POST', 'streams/disconnect');
    await placeBid('50001', '0.25');
    await eventually(() => reader.sides().bids.length === 2);
    expect(reader.messages.at(-1)?.kind).toBe('SNAPSHOT');
    await placeBid('50002', '0.1');
    await eventually(() => reader.sides().bids.length === 3);
    expect(reader.messages.at(-1)?.kind).toBe('DELTA');
  });

  it('is complete again after a gap in the sequence; without readers, the order book is no longer published', async () => {
    await placeBid('50000', '0.5');
    startWorker('one');
    const reader = openReader();
    await eventually(() => reader.messages.length > 0);
    await redis.incr(`${prefix}:sequence:paper:${SYMBOL}`);
    await placeBid('50001', '0.25');
    await eventually(() => reader.sides().bids.length === 2);
    expect(reader.messages.at(-1)?.kind).toBe('SNAPSHOT');
    closing.shift()?.();
    await redis.del(`${prefix}:wanted:paper`);
    await eventually(async () => (await redis.exists(`${prefix}:book:paper:${SYMBOL}`)) === 0);
    expect(await leaseHolder()).toBe('one');
  });

  it('includes prices, which are also stored with the pairs', async () => {
    startWorker('one');
    const feed = new PriceFeed({ redisUrl, prefix, onError });
    closing.unshift(() => feed.close());
    const received: string[] = [];
    feed.subscribe('paper', (prices) => {
      received.push(...prices.filter(({ symbol }) => symbol === SYMBOL).map(({ price }) => price));
    });
    await placeBid('61234.5', '0.01');
    // The venue's stream reports only changes after the subscription.
    await eventually(async () => {
      await client.placeOrder({
        symbol: SYMBOL,
        venueClientOrderId: `maker-${++orders}`,
        type: 'LIMIT',
        side: 'BUY',
        timeInForce: 'GTC',
        amount: '0.001',
        price: '61234.5',
        reduceOnly: false,
      });
      await admin('POST', 'market', { symbol: SYMBOL, price: '61234.5' });
      return received.includes('61234.5');
    });
    await eventually(async () => {
      const [row] = await core.rows(`SELECT last_price FROM trade_pairs WHERE symbol = '${SYMBOL}'`);
      return Number(row?.last_price) === 61234.5;
    });
  });

  it('has one publisher among two workers; when it stops, the other continues its sequence', async () => {
    await placeBid('50000', '0.5');
    const first = startWorker('one');
    await eventually(async () => (await leaseHolder()) === 'one');
    startWorker('two');
    const reader = openReader();
    await eventually(() => reader.messages.length > 0);
    const before = reader.messages.at(-1)!.sequence;
    await first.onApplicationShutdown();
    await eventually(async () => (await leaseHolder()) === 'two');
    await placeBid('50001', '0.25');
    await eventually(() => reader.sides().bids.length === 2);
    const after = reader.messages.filter(({ sequence }) => sequence > before);
    expect(after[0]).toMatchObject({ kind: 'SNAPSHOT', sequence: before + 1 });
    expect(new Set(reader.messages.map(({ sequence }) => sequence)).size).toBe(reader.messages.length);
  });

  it('is retried while Redis is unavailable, and can still be stopped', async () => {
    const worker = newWorker('one', 'redis://127.0.0.1:1');
    worker.onApplicationBootstrap();
    await eventually(() => failures.length > 3);
    await worker.onApplicationShutdown();
  });

  it('is published by another worker within 15 s after its publisher died, and never without the lease', async () => {
    await placeBid('50000', '0.5');
    await redis.set(`${prefix}:lease:paper`, 'dead', 'PX', MARKET_DATA_LEASE_MS);
    startWorker('one');
    const reader = openReader();
    await eventually(() => reader.messages.length > 0);
    expect(await leaseHolder()).toBe('one');
    await redis.set(`${prefix}:lease:paper`, 'another', 'PX', 60_000);
    const published = reader.messages.length;
    await placeBid('50001', '0.25');
    await eventually(async () => (await redis.exists(`${prefix}:book:paper:${SYMBOL}`)) === 0);
    expect(reader.messages).toHaveLength(published);
  });
});
