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

it('views of a published book start with a snapshot, continue, heal a gap, and end with the last subscriber', async () => {
  const prefix = `spec-${randomBytes(6).toString('hex')}`;
  const board = new MarketDataPublisher({ redisUrl, prefix, holder: 'one', onError });
  const feed = new BookFeed({ redisUrl, prefix, onError });
  const redis = new Redis(redisUrl);
  const views = new BookStreams(feed, onError);
  close = () => {
    for (const each of [views, feed, board]) each.close();
    redis.disconnect();
  };
  const names = new MarketDataKeys(prefix);
  let bids: Level[] = [
    ['3', '1'],
    ['2', '1'],
    ['1', '1'],
  ];
  await board.acquireLease('paper');
  await board.onSnapshotRequest('paper', () => {
    board.publish(pair, 'REPEAT', state(bids)).catch(onError);
  });
  await board.publish(pair, 'SNAPSHOT', state(bids));

  const stream = views.open(pair, 2);
  const next = async (): Promise<OrderBookUpdate | undefined> => (await stream.next()).value;
  const first = await next();
  expect(first).toMatchObject({ ...pair, kind: 'SNAPSHOT', bids: bids.slice(0, 2) });
  await board.publish(pair, 'DELTA', state([['1', '5']]));
  await board.publish(pair, 'DELTA', state([['2', '0']]));
  expect(await next()).toMatchObject({
    kind: 'DELTA',
    sequence: first!.sequence + 2,
    previous_sequence: first!.sequence,
    bids: [
      ['2', '0'],
      ['1', '5'],
    ],
  });
  // A message that was counted and never arrived.
  await redis.incr(names.sequence(pair));
  bids = [['7', '1']];
  const late = views.open(pair, 1);
  await board.publish(pair, 'DELTA', state([['7', '1']]));
  const healed = await next();
  expect(healed).toMatchObject({ kind: 'SNAPSHOT', sequence: first!.sequence + 4, bids });
  expect((await late.next()).value).toMatchObject({ kind: 'SNAPSHOT', sequence: healed?.sequence, bids });

  await Promise.all([stream.return(), late.return()]);
  // Redis reports the number of subscribers of the book: none is left.
  let listening: unknown;
  do [, listening] = (await redis.pubsub('NUMSUB', names.book(pair))) as unknown[];
  while (listening !== 0);
  expect(errors).toEqual([]);
});
