import { randomBytes } from 'node:crypto';
import type { OrderBookUpdate } from '@trading-automation/contracts';
import { Redis } from 'ioredis';
import { BookFeed } from './book-feed.js';
import { BookStreams } from './book-streams.js';
import { MarketDataKeys } from './market-data-keys.js';
import { MarketDataPublisher, type PublishedBookState } from './market-data-publisher.js';
import type { Level } from './market-messages.js';

const redisUrl = process.env.TEST_REDIS_URL ?? '';
const pair = { exchange: 'paper', symbol: 'BTC/USDT' };
const errors: unknown[] = [];
const onError = (error: unknown) => errors.push(error);
const state = (bids: readonly Level[]): PublishedBookState => ({
  bids,
  asks: [],
  exchangeTimestamp: '2026-01-01T00:00:00.000Z',
  receivedAt: '2026-01-01T00:00:00.001Z',
});

let close = () => {};
afterEach(() => close());

it('streams of a book start with a snapshot, continue with deltas, recover from a gap, and unsubscribe once the last reader has left', async () => {
  const prefix = `spec-${randomBytes(6).toString('hex')}`;
  const publisher = new MarketDataPublisher({ redisUrl, prefix, holder: 'one', onError });
  const feed = new BookFeed({ redisUrl, prefix, onError });
  const redis = new Redis(redisUrl);
  const bookStreams = new BookStreams(feed, onError);
  close = () => {
    for (const service of [bookStreams, feed, publisher]) service.close();
    redis.disconnect();
  };
  const keyNames = new MarketDataKeys(prefix);
  let bids: Level[] = [
    ['3', '1'],
    ['2', '1'],
    ['1', '1'],
  ];
  await publisher.acquireLease('paper');
  await publisher.onSnapshotRequest('paper', () => {
    publisher.publish(pair, 'REPEAT', state(bids)).catch(onError);
  });
  await publisher.publish(pair, 'SNAPSHOT', state(bids));

  const stream = bookStreams.open(pair, 2);
  const next = async (): Promise<OrderBookUpdate | undefined> => (await stream.next()).value;
  const first = await next();
  expect(first).toMatchObject({ ...pair, kind: 'SNAPSHOT', bids: bids.slice(0, 2) });
  await publisher.publish(pair, 'DELTA', state([['1', '5']]));
  await publisher.publish(pair, 'DELTA', state([['2', '0']]));
  expect(await next()).toMatchObject({
    kind: 'DELTA',
    sequence: first!.sequence + 2,
    previous_sequence: first!.sequence,
    bids: [
      ['2', '0'],
      ['1', '5'],
    ],
  });
  // Simulates a lost message: its sequence was used, but it never arrived.
  await redis.incr(keyNames.sequence(pair));
  bids = [['7', '1']];
  const late = bookStreams.open(pair, 1);
  await publisher.publish(pair, 'DELTA', state([['7', '1']]));
  const healed = await next();
  expect(healed).toMatchObject({ kind: 'SNAPSHOT', sequence: first!.sequence + 4, bids });
  expect((await late.next()).value).toMatchObject({ kind: 'SNAPSHOT', sequence: healed?.sequence, bids });

  await Promise.all([stream.return(), late.return()]);
  // Waits until Redis reports no subscriber of the book.
  let subscriberCount: unknown;
  do [, subscriberCount] = (await redis.pubsub('NUMSUB', keyNames.book(pair))) as unknown[];
  while (subscriberCount !== 0);
  expect(errors).toEqual([]);
});
