import { ORDER_BOOK_DEPTH_MAX, type OrderBookUpdate, orderBookUpdate } from '@trading-automation/contracts';
import fc from 'fast-check';
import type { PullStream } from '../platform/index.js';
import type { BookSource } from './book-feed.js';
import { BookReplica } from './book-replica.js';
import { BookStreams } from './book-streams.js';
import { ConflatingConsumer } from './conflating-consumer.js';
import type { BookMessage, BookSides, Level } from './market-messages.js';
import { OrderBook } from './order-book.js';

const SEQUENCE_BEFORE_FIRST = 1_700_000_000_000_000;
const pair = { exchange: 'paper', symbol: 'BTC/USDT' };
const header = {
  ...pair,
  exchangeTimestamp: '2026-01-01T00:00:00.000Z',
  receivedAt: '2026-01-01T00:00:00.001Z',
};
const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

/** Simulates a book that a worker publishes, and records each of its states. */
class SimulatedBook implements BookSource {
  readonly replica = new BookReplica();
  readonly states = new Map<number, BookSides>();
  readonly errors: unknown[] = [];
  readonly streams = new BookStreams(this, (error) => this.errors.push(error));
  subscriptions = 0;
  private readonly trueBook = new OrderBook();
  private readonly sent: BookMessage[] = [];
  private sequence = SEQUENCE_BEFORE_FIRST;

  readonly subscribe: BookSource['subscribe'] = (_pair, onMessage) => {
    const { replica } = this;
    const consumer = new ConflatingConsumer(onMessage, replica.currentSnapshot, (error) =>
      this.errors.push(error),
    );
    this.subscriptions += 1;
    replica.add(consumer);
    const close = () => {
      this.subscriptions -= 1;
      replica.remove(consumer);
    };
    return {
      close,
      get isCurrent() {
        return !replica.needsSnapshot;
      },
    };
  };

  change(sides: Partial<BookSides>, isLost = false): void {
    const change = { bids: sides.bids ?? [], asks: sides.asks ?? [] };
    this.trueBook.apply(change);
    this.sequence += 1;
    this.states.set(this.sequence, this.trueBook.sides());
    const { sequence } = this;
    this.sent.push({ ...header, kind: 'DELTA', sequence, previousSequence: sequence - 1, ...change });
    if (!isLost) this.resend(1);
  }

  /** Sends the last changes again, including lost ones. */
  resend(count: number): void {
    for (const message of this.sent.slice(-count)) this.replica.receive(message);
  }

  /** Sends the whole book at its current sequence. */
  sendSnapshot(): void {
    const { sequence } = this;
    const sides = this.trueBook.sides();
    this.states.set(sequence, sides);
    this.replica.receive({ ...header, kind: 'SNAPSHOT', sequence, previousSequence: null, ...sides });
  }

  best(depth: number, sequence = this.sequence): BookSides | undefined {
    const state = this.states.get(sequence);
    return state && { bids: state.bids.slice(0, depth), asks: state.asks.slice(0, depth) };
  }
}

/** A client that applies every message without checks; `check` compares the results with the true states. */
class TrustingClient {
  readonly kinds: string[] = [];
  readonly got: OrderBookUpdate[] = [];
  readonly book = new OrderBook();
  private isPulling = false;

  constructor(
    private readonly source: SimulatedBook,
    private readonly depth: number,
    readonly stream: PullStream<OrderBookUpdate> = source.streams.open(pair, depth),
  ) {}

  /** Pulls the next message, unless the client already waits for one. */
  pull(): void {
    if (this.isPulling) return;
    this.isPulling = true;
    void this.stream.next().then(({ value }) => {
      this.isPulling = false;
      if (value !== undefined) this.take(value);
    });
  }

  readonly take = (message: OrderBookUpdate): void => {
    if (message.kind === 'SNAPSHOT') this.book.reset(message);
    else this.book.apply(message);
    this.kinds.push(message.kind);
    this.got.push(message);
  };

  /** Expects every message to lead to the true state at its sequence, and to follow the message before it. */
  check(): void {
    const replayed = new OrderBook();
    this.got.forEach((message, index) => {
      const isWhole = message.kind === 'SNAPSHOT';
      expect(message.previous_sequence).toBe(isWhole ? null : this.got[index - 1]?.sequence);
      if (isWhole) replayed.reset(message);
      else {
        expect(message.bids.length + message.asks.length).toBeGreaterThan(0);
        replayed.apply(message);
      }
      expect(replayed.sides()).toEqual(this.source.best(this.depth, message.sequence));
    });
  }
}

const amount = fc.integer({ min: 0, max: 3 }).map(String);
const levels = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 12 }).map((price) => String(price / 2)),
    amount,
  ),
  { maxLength: 4 },
);
const sides = fc.record({ bids: levels, asks: levels });
const step = fc.oneof(
  { weight: 6, arbitrary: sides.map((change) => ({ kind: 'change' as const, change })) },
  { weight: 1, arbitrary: sides.map((change) => ({ kind: 'loss' as const, change })) },
  { weight: 2, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 4 }).map((count) => ({ kind: 'resend' as const, count })),
  },
  { weight: 8, arbitrary: fc.nat(5).map((client) => ({ kind: 'pull' as const, client })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }).map((depth) => ({ kind: 'join' as const, depth })) },
);

describe('streams of an order book', () => {
  it('deliver the best levels of the true book at each sequence to every consumer, despite slow consumers and lost messages', async () => {
    await fc.assert(
      fc.asyncProperty(
        sides,
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }),
        fc.array(step, { maxLength: 40 }),
        async (start, depths, steps) => {
          const source = new SimulatedBook();
          const clients = depths.map((depth) => new TrustingClient(source, depth));
          source.change(start, true);
          source.sendSnapshot();
          for (const one of steps) {
            if (one.kind === 'change') source.change(one.change);
            else if (one.kind === 'loss') source.change(one.change, true);
            else if (one.kind === 'snapshot') source.sendSnapshot();
            else if (one.kind === 'resend') source.resend(one.count);
            else if (one.kind === 'pull') clients[one.client % clients.length]?.pull();
            else clients.push(new TrustingClient(source, one.depth));
            await nextImmediate();
          }
          // A change at a new sequence reveals the gap, so that the last lost message is recovered too.
          source.change({ bids: [['1', '9']] });
          source.sendSnapshot();
          for (let i = 0; i < 3; i += 1) {
            for (const client of clients) client.pull();
            await nextImmediate();
          }
          for (const client of clients) {
            client.check();
            expect(client.kinds[0]).toBe('SNAPSHOT');
          }
          const all = [...depths, ...steps.flatMap((one) => (one.kind === 'join' ? [one.depth] : []))];
          expect(clients.map(({ book }) => book.sides())).toEqual(all.map((depth) => source.best(depth)));
          expect(source.errors).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  const bids: Level[] = [
    ['5', '1'],
    ['4', '1'],
    ['3', '1'],
  ];
  function open(depth: number, ...more: number[]) {
    const source = new SimulatedBook();
    source.change({ bids }, true);
    source.sendSnapshot();
    return { source, clients: [depth, ...more].map((one) => new TrustingClient(source, one)) };
  }
  async function pullAll(clients: readonly TrustingClient[]): Promise<void> {
    for (const client of clients) client.pull();
    await nextImmediate();
  }

  it('send the amount of each level that enters the requested depth, 0 for each level that leaves it, and nothing for levels beyond it', async () => {
    const { source, clients } = open(2);
    const [client] = clients as [TrustingClient];
    await pullAll(clients);
    source.change({ bids: [['3', '7']] });
    source.change({ bids: [['2', '1']] });
    client.pull();
    await nextImmediate();
    expect(client.got).toHaveLength(1);
    source.change({ bids: [['4.5', '2']] });
    await nextImmediate();
    source.change({ bids: [['5', '0']] });
    await pullAll(clients);
    expect(
      client.got.map(({ sequence, previous_sequence, bids }) => [sequence, previous_sequence, bids]),
    ).toEqual([
      [SEQUENCE_BEFORE_FIRST + 1, null, bids.slice(0, 2)],
      [
        SEQUENCE_BEFORE_FIRST + 4,
        SEQUENCE_BEFORE_FIRST + 1,
        [
          ['4.5', '2'],
          ['4', '0'],
        ],
      ],
      [
        SEQUENCE_BEFORE_FIRST + 5,
        SEQUENCE_BEFORE_FIRST + 4,
        [
          ['5', '0'],
          ['4', '1'],
        ],
      ],
    ]);
    for (const message of client.got) expect(orderBookUpdate.parse(message)).toEqual(message);
  });

  it('send the same delta object to all consumers that are up to date, and the same snapshot object to those that join or catch up', async () => {
    const { source, clients } = open(2, 2, 2, 1);
    const [one, two, slow, shallow] = clients as [
      TrustingClient,
      TrustingClient,
      TrustingClient,
      TrustingClient,
    ];
    await pullAll(clients);
    for (const amount of ['2', '3', '4']) {
      source.change({ bids: [['4', amount]] });
      await pullAll([one, two]);
    }
    const late = new TrustingClient(source, 2);
    await pullAll([slow, late]);
    expect(one.kinds).toEqual(['SNAPSHOT', 'DELTA', 'DELTA', 'DELTA']);
    for (const [index, message] of one.got.entries()) expect(two.got[index]).toBe(message);
    expect(slow.kinds).toEqual(['SNAPSHOT', 'SNAPSHOT']);
    expect(slow.got[1]).toBe(late.got[0]);
    expect(slow.got[1]?.bids).toEqual([
      ['5', '1'],
      ['4', '4'],
    ]);
    expect(shallow.got).toHaveLength(1);
    source.change({ bids: [['4', '5']] });
    await pullAll([one, two, slow, late]);
    expect(new Set([one, two, slow, late].map(({ got }) => got.at(-1))).size).toBe(1);
    expect(source.subscriptions).toBe(1);
  });

  it('hold at most one message for a consumer that does not pull, and deliver the current state when it pulls', async () => {
    const { source, clients } = open(2);
    const [client] = clients as [TrustingClient];
    await pullAll(clients);
    source.change({ bids: [['4', '2']] });
    await pullAll(clients);
    for (let n = 1; n <= 1_000; n += 1) source.change({ bids: [['5', String(n)]] });
    await pullAll(clients);
    client.pull();
    await nextImmediate();
    expect(client.kinds).toEqual(['SNAPSHOT', 'DELTA', 'SNAPSHOT']);
    expect(client.got[2]).toMatchObject({
      sequence: SEQUENCE_BEFORE_FIRST + 1_002,
      bids: [
        ['5', '1000'],
        ['4', '2'],
      ],
    });
  });

  it('deliver nothing while the book is outdated, and a snapshot to every consumer once it is current', async () => {
    const { source, clients } = open(2);
    await pullAll(clients);
    source.change({ bids: [['5', '2']] }, true);
    source.change({ bids: [['1', '2']] });
    const late = new TrustingClient(source, 2);
    await pullAll([...clients, late]);
    expect([clients[0]?.kinds, late.kinds]).toEqual([['SNAPSHOT'], []]);
    source.sendSnapshot();
    await nextImmediate();
    expect([clients[0]?.kinds, late.kinds]).toEqual([['SNAPSHOT', 'SNAPSHOT'], ['SNAPSHOT']]);
    expect(late.book.sides().bids).toEqual([
      ['5', '2'],
      ['4', '1'],
    ]);
    // The first change is lost, and the second is beyond the depth of 2. No consumer pulls before the snapshot.
    source.change({ bids: [['5', '3']] }, true);
    source.change({ bids: [['1', '3']] });
    source.sendSnapshot();
    await nextImmediate();
    await pullAll(clients);
    expect(clients[0]?.kinds).toEqual(['SNAPSHOT', 'SNAPSHOT', 'SNAPSHOT']);
    source.change({ bids: [['1', '4']] }, true);
    source.change({ bids: [['1', '5']] });
    const later = new TrustingClient(source, 2);
    await pullAll([later]);
    expect(later.kinds).toEqual([]);
    source.resend(2);
    await nextImmediate();
    expect(later.kinds).toEqual(['SNAPSHOT']);
  });

  it('push one message at a time to subscribers that return a promise, and remove and report a subscriber that throws', async () => {
    const { source } = open(2);
    const got: OrderBookUpdate[] = [];
    let finish = (): void => undefined;
    const subscription = source.streams.subscribe(pair, 2, (message) => {
      got.push(message);
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    source.streams.subscribe(pair, 2, () => {
      throw new Error('the subscriber failed');
    });
    for (const amount of ['2', '3', '4']) source.change({ bids: [['4', amount]] });
    finish();
    await nextImmediate();
    finish();
    await nextImmediate();
    source.change({ bids: [['4', '5']] });
    expect(got.map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'SNAPSHOT', 'DELTA']);
    expect(source.errors).toHaveLength(1);
    subscription.close();
    finish();
    await nextImmediate();
    source.change({ bids: [['4', '6']] });
    expect(got).toHaveLength(3);
  });

  it('end immediately when they are closed; the last one of a book unsubscribes from it', async () => {
    const { source, clients } = open(2, 1);
    const [one, two] = clients as [TrustingClient, TrustingClient];
    await pullAll(clients);
    const pending = one.stream.next();
    await one.stream.return();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(source.subscriptions).toBe(1);
    await two.stream.return();
    expect([source.subscriptions, source.replica.isUnused]).toEqual([0, true]);
    const again = new TrustingClient(source, 2);
    await pullAll([again]);
    expect(again.kinds).toEqual(['SNAPSHOT']);
    const last = again.stream.next();
    source.streams.close();
    expect(await last).toEqual({ done: true, value: undefined });
    expect([source.subscriptions, again.stream.ended.aborted]).toEqual([0, true]);
    expect(() => source.streams.open(pair, 2)).toThrow(
      expect.objectContaining({ code: 'service_unavailable' }) as Error,
    );
  });

  it('reject a depth that is not an integer from 1 to ORDER_BOOK_DEPTH_MAX', () => {
    const { source } = open(ORDER_BOOK_DEPTH_MAX);
    for (const depth of [0, -1, 1.5, Number.NaN, ORDER_BOOK_DEPTH_MAX + 1]) {
      expect(() => source.streams.open(pair, depth)).toThrow(
        expect.objectContaining({
          code: 'invalid_query',
          details: [expect.objectContaining({ field: 'depth' })],
        }) as Error,
      );
    }
    expect(source.subscriptions).toBe(1);
  });
});
