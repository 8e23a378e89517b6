import { randomBytes } from 'node:crypto';
import { eventually } from '@trading-automation/runtime/testing';
import { Redis } from 'ioredis';
import { BookFeed } from './book-feed.js';
import { MarketDataKeys } from './market-data-keys.js';
import { MarketDataPublisher, type PublishedBookState } from './market-data-publisher.js';
import type { BookMessage, Level, Price } from './market-messages.js';
import { PriceFeed } from './price-feed.js';

// `PublishAction` in market-data-publisher.ts explains the actions REPEAT and KEEP.
const redisUrl = process.env.TEST_REDIS_URL ?? '';
const pair = { exchange: 'paper', symbol: 'BTC/USDT' };

let prefix: string;
let keyNames: MarketDataKeys;
let redis: Redis;
let closers: (() => void)[];
let errors: unknown[];
beforeEach(() => {
  prefix = `spec-${randomBytes(6).toString('hex')}`;
  keyNames = new MarketDataKeys(prefix);
  redis = new Redis(redisUrl);
  errors = [];
  closers = [() => redis.disconnect()];
});
afterEach(() => {
  for (const close of closers) close();
});

const onError = (error: unknown) => errors.push(error);
function openPublisher(holder: string): MarketDataPublisher {
  const publisher = new MarketDataPublisher({ redisUrl, prefix, holder, onError });
  closers.push(() => publisher.close());
  return publisher;
}
function openFeed(): BookFeed {
  const feed = new BookFeed({ redisUrl, prefix, onError });
  closers.push(() => feed.close());
  return feed;
}
const state = (bids: readonly Level[], asks: readonly Level[] = []): PublishedBookState => ({
  bids,
  asks,
  exchangeTimestamp: '2026-01-01T00:00:00.000Z',
  receivedAt: '2026-01-01T00:00:00.001Z',
});
function listen(feed: BookFeed): BookMessage[] {
  const got: BookMessage[] = [];
  feed.subscribe(pair, (message) => {
    got.push(message);
  });
  return got;
}

describe('a market data publisher', () => {
  it('alone holds the lease of an exchange and can write, until it releases the lease or the lease expires', async () => {
    const [one, two] = [openPublisher('one'), openPublisher('two')];
    expect([
      await one.acquireLease('paper'),
      await two.acquireLease('paper'),
      await one.acquireLease('paper'),
    ]).toEqual([true, false, true]);
    expect(await redis.pttl(keyNames.lease('paper'))).toBeGreaterThan(5_000);
    expect(await redis.pttl(keyNames.lease('paper'))).toBeLessThanOrEqual(10_000);
    await two.releaseLease('paper');
    expect(await two.acquireLease('paper')).toBe(false);
    await one.releaseLease('paper');
    expect(await two.acquireLease('paper')).toBe(true);
    expect(await one.publish(pair, 'SNAPSHOT', state([]))).toBe(false);
    expect(await one.publishPrices('paper', [])).toBe(false);
    expect(await redis.get(keyNames.book(pair))).toBeNull();
    await redis.del(keyNames.lease('paper'));
    expect(await one.acquireLease('paper')).toBe(true);
  });

  it('continues the sequence of a previous publisher, which exceeds 32 bits, and increases it even if Redis lost it', async () => {
    const [one, two] = [openPublisher('one'), openPublisher('two')];
    const got = listen(openFeed());
    await one.acquireLease('paper');
    await eventually(async () => {
      await one.publish(pair, got.length === 0 ? 'SNAPSHOT' : 'KEEP', state([]));
      return got.length > 0;
    });
    await one.publish(pair, 'DELTA', state([['1', '1']]));
    await one.releaseLease('paper');
    await two.acquireLease('paper');
    await two.publish(pair, 'SNAPSHOT', state([['2', '2']]));
    await eventually(() => got.length === 3);
    const [first, second, third] = got.map(({ sequence }) => sequence);
    expect(first).toBeGreaterThan(2 ** 32);
    expect([second, third]).toEqual([first! + 1, first! + 2]);
    expect(got[1]?.previousSequence).toBe(first);
    await redis.del(keyNames.sequence(pair));
    expect(await two.publish(pair, 'KEEP', state([]))).toBe(false);
    await two.publish(pair, 'SNAPSHOT', state([]));
    await eventually(() => got.length === 4);
    expect(got[3]?.sequence).toBeGreaterThan(third!);
    expect(Number.isSafeInteger(got[3]?.sequence)).toBe(true);
  });

  it('gives every stored key a time to live', async () => {
    const publisher = openPublisher('one');
    await publisher.acquireLease('paper');
    await publisher.publish(pair, 'SNAPSHOT', state([]));
    const price: Price = { ...pair, price: '1', exchangeTimestamp: '', receivedAt: '' };
    await publisher.publishPrices('paper', [price]);
    listen(openFeed());
    await eventually(async () => (await publisher.wantedSymbols('paper')).length === 1);
    const keys = await redis.keys(`${prefix}:*`);
    expect(keys).toHaveLength(5);
    for (const key of keys) expect([key, await redis.pttl(key)]).toEqual([key, expect.any(Number)]);
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });
});

describe('a feed of order books', () => {
  it('requests a book that is not published yet, and starts with its snapshot', async () => {
    const publisher = openPublisher('one');
    await publisher.acquireLease('paper');
    const requested: string[] = [];
    await publisher.onSnapshotRequest('paper', (symbol) => requested.push(symbol));
    const got = listen(openFeed());
    await eventually(() => requested.includes('BTC/USDT'));
    expect(await publisher.wantedSymbols('paper')).toEqual(['BTC/USDT']);
    await publisher.publish(pair, 'DELTA', state([['1', '1']]));
    await publisher.publish(pair, 'SNAPSHOT', state([['1', '2']], [['3', '1']]));
    await eventually(() => got.length > 0);
    expect(got).toMatchObject([
      { ...pair, kind: 'SNAPSHOT', previousSequence: null, bids: [['1', '2']], asks: [['3', '1']] },
    ]);
  });

  it('starts with the stored snapshot instead of requesting one', async () => {
    const publisher = openPublisher('one');
    await publisher.acquireLease('paper');
    const requested: string[] = [];
    await publisher.onSnapshotRequest('paper', (symbol) => requested.push(symbol));
    await publisher.publish(pair, 'SNAPSHOT', state([['1', '2']]));
    const feed = openFeed();
    const [first, second] = [listen(feed), listen(feed)];
    await eventually(() => first.length > 0 && second.length > 0);
    expect([first[0]?.kind, second[0]?.kind, requested]).toEqual(['SNAPSHOT', 'SNAPSHOT', []]);
  });

  it('heals a gap automatically: the next message is a snapshot', async () => {
    const publisher = openPublisher('one');
    await publisher.acquireLease('paper');
    let bids: Level[] = [['1', '1']];
    await publisher.onSnapshotRequest('paper', () => {
      publisher.publish(pair, 'REPEAT', state(bids)).catch(onError);
    });
    await publisher.publish(pair, 'SNAPSHOT', state(bids));
    const got = listen(openFeed());
    await eventually(() => got.length === 1);
    // Simulates a lost message: its sequence was used, but it never arrived.
    await redis.incr(keyNames.sequence(pair));
    bids = [['1', '3']];
    await publisher.publish(pair, 'DELTA', state([['1', '3']]));
    await eventually(() => got.length === 2);
    expect(got[1]).toMatchObject({ kind: 'SNAPSHOT', sequence: got[0]!.sequence + 2, bids: [['1', '3']] });
    await publisher.publish(pair, 'DELTA', state([['2', '1']]));
    await eventually(() => got.length === 3);
    expect(got[2]).toMatchObject({ kind: 'DELTA', previousSequence: got[1]!.sequence });
  });

  it('recovers changes that were published while its connection was down', async () => {
    const publisher = openPublisher('one');
    await publisher.acquireLease('paper');
    await publisher.publish(pair, 'SNAPSHOT', state([['1', '1']]));
    const got = listen(openFeed());
    await eventually(() => got.length === 1);
    const clients = ((await redis.client('LIST')) as string).split('\n');
    const feedClients = clients.filter((line) => line.includes(`name=${prefix}:book-feed `));
    expect(feedClients).toHaveLength(2);
    for (const line of feedClients) await redis.client('KILL', 'ID', /^id=(\d+)/.exec(line)?.[1] ?? '');
    await publisher.publish(pair, 'DELTA', state([['1', '2']]));
    await publisher.publish(pair, 'KEEP', state([['1', '2']]));
    await eventually(() => got.at(-1)?.bids[0]?.[1] === '2');
    await eventually(async () => {
      await publisher.publish(pair, 'DELTA', state([['1', '3']]));
      return got.at(-1)?.bids[0]?.[1] === '3';
    });
    for (const [index, { kind, previousSequence }] of got.entries()) {
      if (kind === 'DELTA') expect(previousSequence).toBe(got[index - 1]?.sequence);
    }
  });

  it('recovers a lost last message, even if no message follows it', async () => {
    const publisher = openPublisher('one');
    await publisher.acquireLease('paper');
    await publisher.publish(pair, 'SNAPSHOT', state([['1', '1']]));
    const got = listen(openFeed());
    await eventually(() => got.length === 1);
    await redis.incr(keyNames.sequence(pair));
    await publisher.publish(pair, 'KEEP', state([['1', '9']]));
    await eventually(() => got.length === 2);
    expect(got[1]).toMatchObject({ kind: 'SNAPSHOT', bids: [['1', '9']] });
  });

  it('continues for the other subscribers when one of them closes its subscription', async () => {
    const publisher = openPublisher('one');
    await publisher.acquireLease('paper');
    await publisher.publish(pair, 'SNAPSHOT', state([]));
    const feed = openFeed();
    const got = listen(feed);
    const messagesOfClosed: BookMessage[] = [];
    const subscription = feed.subscribe(pair, (message) => {
      messagesOfClosed.push(message);
    });
    await eventually(() => got.length === 1 && messagesOfClosed.length === 1);
    subscription.close();
    await publisher.publish(pair, 'DELTA', state([['1', '1']]));
    await eventually(() => got.length === 2);
    expect(messagesOfClosed).toHaveLength(1);
    expect(errors).toEqual([]);
  });
});

describe('a feed of prices', () => {
  it('starts with all prices, continues with changed prices, and queues nothing for a slow subscriber', async () => {
    const publisher = openPublisher('one');
    await publisher.acquireLease('paper');
    const priceOf = (symbol: string, price: string, at: number): Price => ({
      exchange: 'paper',
      symbol,
      price,
      exchangeTimestamp: new Date(at).toISOString(),
      receivedAt: new Date(at).toISOString(),
    });
    await publisher.publishPrices('paper', [priceOf('BTC/USDT', '60000', 1), priceOf('ETH/USDT', '3000', 1)]);
    const feed = new PriceFeed({ redisUrl, prefix, onError });
    closers.push(() => feed.close());
    const got: string[][] = [];
    let finish = (): void => undefined;
    feed.subscribe('paper', (prices) => {
      got.push(prices.map(({ symbol, price }) => `${symbol} ${price}`).sort());
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    const fastPrices: string[] = [];
    feed.subscribe('paper', (prices) => {
      fastPrices.push(...prices.map(({ price }) => price));
    });
    await eventually(() => got.length === 1 && fastPrices.length === 2);
    for (let n = 2; n <= 20; n += 1)
      await publisher.publishPrices('paper', [priceOf('BTC/USDT', String(n), n)]);
    await eventually(() => fastPrices.at(-1) === '20');
    finish();
    await eventually(() => got.length === 2);
    expect(got).toEqual([
      ['BTC/USDT 60000', 'ETH/USDT 3000'],
      ['BTC/USDT 20', 'ETH/USDT 3000'],
    ]);
    expect(errors).toEqual([]);
  });
});
