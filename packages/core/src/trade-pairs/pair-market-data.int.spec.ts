import { randomUUID } from 'node:crypto';
import { encodeId, MARKET_DATA_AGE_MAX_MS } from '@trading-automation/contracts';
import { eventually } from '@trading-automation/runtime/testing';
import { Redis } from 'ioredis';
import { serveWorkerCalls } from '../exchange-accounts/index.js';
import type { Actor } from '../operations/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { PairMarketData } from './pair-market-data.service.js';

const AS_OF = '2026-01-31T12:00:00.000Z';
const TICKER = {
  last: '100',
  bid: '99',
  ask: null,
  open: '80',
  high: '120',
  low: '70',
  volume: '5',
  quoteVolume: '500',
  as_of: AS_OF,
};
const level = (price: number) => [String(price), '1'] as const;

let core: CoreUnderTest;
let redis: Redis;
let actor: Actor;
/** The inputs of the calls that reached the worker. */
const calls: object[] = [];
let worker: { stop(): Promise<void> };
beforeAll(async () => {
  core = await CoreUnderTest.open();
  redis = new Redis(process.env.TEST_REDIS_URL ?? '');
  actor = await core.actor();
  const reply =
    <T>(data: T) =>
    (input: object) => {
      calls.push(input);
      return Promise.resolve(data);
    };
  worker = serveWorkerCalls(
    core.platform,
    {
      'trade_pair.ticker': reply(TICKER),
      'trade_pair.order_book': reply({
        bids: Array.from({ length: 100 }, (_, i) => level(1_000 - i)),
        asks: [level(1_001)],
        as_of: AS_OF,
      }),
      'trade_pair.candles': reply({
        candles: [[Date.parse(AS_OF), '1', '4', '0.5', '2', '3'] as const],
        as_of: AS_OF,
      }),
    },
    (error) => {
      throw error;
    },
  );
});
afterAll(async () => {
  await worker.stop();
  redis.disconnect();
  await core.close();
});

/** Creates a pair, and the service with keys of its own in Redis. */
async function open(client: Redis = redis) {
  calls.length = 0;
  const symbol = `${randomUUID()}/USDT`;
  const uuid = randomUUID();
  await core.rows(
    `INSERT INTO trade_pairs (id, exchange, symbol, base, quote, trading_type, price_tick, amount_step, min_amount,
       min_notional, is_active, rules_updated_at)
     VALUES ($1, 'paper', $2, 'BTC', 'USDT', 'spot', 0.01, 0.01, 0.01, 1, true, now())`,
    uuid,
    symbol,
  );
  const prefix = randomUUID();
  const marketData = new PairMarketData({ platform: core.platform, redis: client, prefix });
  const id = encodeId('tpr', uuid);
  return { marketData, prefix, id, header: { trade_pair_id: id, exchange: 'paper', symbol }, symbol };
}

it('returns the ticker with the change in percent', async () => {
  const { marketData, id, header } = await open();
  const { quoteVolume, ...prices } = TICKER;
  expect(await marketData.ticker(actor, id)).toEqual({
    ...header,
    ...prices,
    change_percent: '25',
    quote_volume: quoteVolume,
  });
});

it('returns candles by the time at which they open', async () => {
  const { marketData, id, header, symbol } = await open();
  const query = { interval: '1h', from: '2026-01-31T12:10:00Z', to: '2026-01-31T12:20:00Z' } as const;
  expect(await marketData.candles(actor, id, query)).toEqual({
    ...header,
    interval: '1h',
    candles: [{ at: AS_OF, open: '1', high: '4', low: '0.5', close: '2', volume: '3' }],
    as_of: AS_OF,
  });
  const [from, to] = [Date.parse('2026-01-31T12:00:00Z'), Date.parse('2026-01-31T13:00:00Z')];
  expect(calls).toEqual([{ exchange: 'paper', symbol, interval: '1h', from, to }]);
});

it.each([
  [1, 20, 1],
  [20, 20, 20],
  [21, 100, 21],
  [500, 500, 100],
])('of an order book with depth %i, fetches %i levels and returns %i', async (depth, fetched, returned) => {
  const { marketData, id, header, symbol } = await open();
  const book = await marketData.orderBook(actor, id, { depth });
  expect(book).toMatchObject({ ...header, asks: [['1001', '1']], as_of: AS_OF });
  expect([book.bids.length, book.bids[0]]).toEqual([returned, ['1000', '1']]);
  expect(calls).toEqual([{ exchange: 'paper', symbol, depth: fetched }]);
});

it('shares a response between users until it nears its maximum age', async () => {
  const { marketData, prefix, id } = await open();
  const first = await marketData.ticker(actor, id);
  expect(await marketData.ticker(await core.actor(), id)).toEqual(first);
  expect(calls.length).toBe(1);
  const [key, ...others] = await redis.keys(`${prefix}:*`);
  expect(others).toEqual([]);
  expect(await redis.pexpiretime(key!)).toBeLessThan(Date.now() + MARKET_DATA_AGE_MAX_MS.ticker);
  await eventually(async () => (await redis.exists(key!)) === 0);
  await marketData.ticker(actor, id);
  expect(calls.length).toBe(2);
});

it('fetches each response while Redis is unavailable', async () => {
  const broken = new Redis({
    lazyConnect: true,
    enableOfflineQueue: false,
    port: 1,
    retryStrategy: () => null,
  });
  broken.on('error', () => undefined);
  const { marketData, id } = await open(broken);
  for (let i = 0; i < 2; i++) expect(await marketData.ticker(actor, id)).toMatchObject({ last: '100' });
  expect(calls.length).toBe(2);
});

it('finds only pairs of the catalogue', async () => {
  const { marketData } = await open();
  for (const id of ['tpr_', encodeId('tpr', randomUUID())])
    await expect(marketData.ticker(actor, id)).rejects.toMatchObject({ code: 'not_found' });
});
