/** Tests that returned order books equal the book of the server, even if messages are lost. */
import { closeRealtime, openRealtime, take } from './open-realtime.js';
import { type Level, StubRealtimeServer, TIMESTAMP } from './stub-realtime-server.js';

let server: StubRealtimeServer;
beforeEach(async () => {
  server = await StubRealtimeServer.open();
  server.change(
    [
      ['99.5', '1'],
      ['100', '2'],
    ],
    [
      ['101', '3'],
      ['100.5', '4.5'],
    ],
  );
});
afterEach(async () => {
  await closeRealtime();
  await server.close();
});

const numbers = (levels: readonly Level[]) => levels.map((level) => level.map(Number));

/** Reads books until one has at least this sequence, and returns it. */
async function bookAt(stream: AsyncIterable<{ sequence: number }>, sequence: number) {
  const books = stream as AsyncIterator<{ sequence: number }> & typeof stream;
  for (;;) {
    const [book] = await take(books, 1);
    if (book!.sequence >= sequence) return book!;
  }
}

it("a book is complete and sorted, with decimals in the client's form", async () => {
  const [book] = await take(openRealtime(server.client()).orderbook('tpr_1', { depth: 7 }), 1);
  expect(book).toEqual({
    exchange: 'paper',
    symbol: 'BTC/USDT',
    sequence: 2,
    bids: [
      [100, 2],
      [99.5, 1],
    ],
    asks: [
      [100.5, 4.5],
      [101, 3],
    ],
    exchange_timestamp: TIMESTAMP,
    received_at: TIMESTAMP,
  });
  expect(server.subscribes).toEqual([{ pair: 'tpr_1', depth: 7 }]);
  const [stringBook] = await take(openRealtime(server.client({ decimals: 'string' })).orderbook('tpr_1'), 1);
  expect(stringBook).toMatchObject({
    bids: [
      ['100', '2'],
      ['99.5', '1'],
    ],
  });
});

it('a book includes every change: new levels, changed amounts and removed levels', async () => {
  const stream = openRealtime(server.client()).orderbook('tpr_1');
  await take(stream, 1);
  const changes: [Level[], Level[]][] = [
    [[['99.75', '5']], []],
    [[['100', '0']], [['102', '1']]],
    [
      [
        ['99.5', '7'],
        ['1000', '1'],
      ],
      [['100.5', '0.0']],
    ],
  ];
  for (const [bids, asks] of changes) {
    server.change(bids, asks);
    const book = await bookAt(stream, server.book.sequence);
    expect(book).toMatchObject({ bids: numbers(server.book.bids), asks: numbers(server.book.asks) });
  }
});

it('the book is requested again after a gap in the sequence', async () => {
  const stream = openRealtime(server.client()).orderbook('tpr_1');
  await take(stream, 1);
  const isDropped = true;
  server.change([['98', '1']], [], isDropped);
  server.change([['97', '1']]);
  const book = await bookAt(stream, server.book.sequence);
  expect(book).toMatchObject({ bids: numbers(server.book.bids) });
  expect(server.subscribes).toHaveLength(2);
  expect(server.handshakes).toHaveLength(1);
});

it('the book is requested again after a disconnect', async () => {
  const stream = openRealtime(server.client()).orderbook('tpr_1');
  await take(stream, 1);
  server.cut();
  server.change([['100', '0']]);
  expect(await bookAt(stream, server.book.sequence)).toMatchObject({ bids: [[99.5, 1]] });
});

it('a slow reader gets only the latest book, as a copy that it may change', async () => {
  const realtime = openRealtime(server.client());
  const slow = realtime.orderbook('tpr_1');
  const [first] = await take(slow, 1);
  for (let i = 1; i <= 100; i++) server.change([['98', String(i)]]);
  // Once this result arrives on the same connection, the slow stream has received all changes.
  const ticks = realtime.subscribe<{ tick: number }>('subscription { tick(after: 0) }');
  server.tick();
  await take(ticks, 1);
  const [next] = await take(slow, 1);
  expect(next).toMatchObject({ sequence: server.book.sequence, bids: numbers(server.book.bids) });
  expect(first).toMatchObject({
    sequence: 2,
    bids: [
      [100, 2],
      [99.5, 1],
    ],
  });
  (next!.bids as unknown[]).length = 0;
  server.change([['98', '0']]);
  expect(await bookAt(slow, server.book.sequence)).toMatchObject({
    bids: [
      [100, 2],
      [99.5, 1],
    ],
  });
});
