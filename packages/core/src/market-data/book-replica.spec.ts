import fc from 'fast-check';
import { BookReplica } from './book-replica.js';
import { ConflatingConsumer } from './conflating-consumer.js';
import type { BookMessage, Level } from './market-messages.js';
import { OrderBook } from './order-book.js';

const FIRST_SEQUENCE = 1_700_000_000_000_000;
const header = {
  exchange: 'paper',
  symbol: 'BTC/USDT',
  exchangeTimestamp: '2026-01-01T00:00:00.000Z',
  receivedAt: '2026-01-01T00:00:00.001Z',
};
const delta = (sequence: number, bids: readonly Level[]): BookMessage => ({
  ...header,
  kind: 'DELTA',
  sequence,
  previousSequence: sequence - 1,
  bids,
  asks: [],
});
const snapshot = (sequence: number, bids: readonly Level[]): BookMessage => ({
  ...header,
  kind: 'SNAPSHOT',
  sequence,
  previousSequence: null,
  bids,
  asks: [],
});

/** A client that applies every message to `book`, and expects each DELTA to follow the message before it. */
class TrustingClient {
  readonly kinds: string[] = [];
  readonly book = new OrderBook();
  sequence: number | null = null;
  readonly take = (message: BookMessage): void => {
    this.kinds.push(message.kind);
    if (message.kind === 'SNAPSHOT') this.book.reset(message);
    else {
      expect(message.previousSequence).toBe(this.sequence);
      this.book.apply(message);
    }
    this.sequence = message.sequence;
  };
}

const follow = (book: BookReplica, take: (message: BookMessage) => void | Promise<void>) => {
  const failures: unknown[] = [];
  const consumer = new ConflatingConsumer(take, book.currentSnapshot, (error) => failures.push(error));
  book.add(consumer);
  return failures;
};

describe('a book replica', () => {
  it('delivers the whole book to a new consumer first, and then each change', () => {
    const book = new BookReplica();
    const early = new TrustingClient();
    follow(book, early.take);
    expect(early.kinds).toEqual([]);
    book.receive(snapshot(FIRST_SEQUENCE, [['1', '1']]));
    book.receive(delta(FIRST_SEQUENCE + 1, [['2', '5']]));
    const late = new TrustingClient();
    follow(book, late.take);
    book.receive(delta(FIRST_SEQUENCE + 2, [['1', '0']]));
    expect([early.kinds, late.kinds]).toEqual([
      ['SNAPSHOT', 'DELTA', 'DELTA'],
      ['SNAPSHOT', 'DELTA'],
    ]);
    expect(late.book.sides()).toEqual({ bids: [['2', '5']], asks: [] });
  });

  it('delivers no message after a gap until it receives a snapshot at least as new as the latest message', () => {
    const book = new BookReplica();
    const client = new TrustingClient();
    follow(book, client.take);
    book.receive(snapshot(FIRST_SEQUENCE, [['1', '1']]));
    book.receive(delta(FIRST_SEQUENCE + 2, [['2', '1']]));
    expect(book.needsSnapshot).toBe(true);
    follow(book, () => {
      throw new Error('a new consumer must not receive an outdated book');
    });
    book.receive(snapshot(FIRST_SEQUENCE + 1, [['1', '1']]));
    expect(book.needsSnapshot).toBe(true);
    book.receive(snapshot(FIRST_SEQUENCE + 2, [['2', '1']]));
    expect(book.needsSnapshot).toBe(false);
    expect(client.kinds.at(-1)).toBe('SNAPSHOT');
    expect(client.book.sides().bids).toEqual([['2', '1']]);
  });

  it('is correct after any loss, repetition and reordering, once a current snapshot has arrived', () => {
    const message = fc.record({
      price: fc.integer({ min: 1, max: 5 }),
      amount: fc.integer({ min: 0, max: 3 }),
    });
    const delivery = fc.constantFrom('once', 'lost', 'twice', 'late');
    fc.assert(
      fc.property(fc.array(fc.tuple(message, delivery), { maxLength: 30 }), (steps) => {
        const trueBook = new OrderBook();
        trueBook.reset({ bids: [], asks: [] });
        const book = new BookReplica();
        const client = new TrustingClient();
        follow(book, client.take);
        book.receive(snapshot(FIRST_SEQUENCE, []));
        let lateMessage: BookMessage | undefined;
        steps.forEach(([{ price, amount }, outcome], index) => {
          const sent = delta(FIRST_SEQUENCE + index + 1, [[String(price), String(amount)]]);
          trueBook.apply(sent);
          const arrived = { once: [sent], lost: [], twice: [sent, sent], late: [] }[outcome];
          for (const received of arrived) book.receive(received);
          if (lateMessage !== undefined) book.receive(lateMessage);
          lateMessage = outcome === 'late' ? sent : undefined;
        });
        book.receive(snapshot(FIRST_SEQUENCE + steps.length, trueBook.sides().bids));
        expect(book.needsSnapshot).toBe(false);
        expect(client.book.sides()).toEqual(trueBook.sides());
      }),
    );
  });

  it('queues no messages for a slow consumer, and delivers the current state once it has processed its message', async () => {
    const book = new BookReplica();
    book.receive(snapshot(FIRST_SEQUENCE, [['1', '1']]));
    const got: BookMessage[] = [];
    let finish = (): void => undefined;
    follow(book, (message) => {
      got.push(message);
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    for (let n = 1; n <= 10_000; n += 1) book.receive(delta(FIRST_SEQUENCE + n, [[String(n), '1']]));
    expect(got).toHaveLength(1);
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(got).toHaveLength(2);
    expect(got[1]).toMatchObject({ kind: 'SNAPSHOT', sequence: FIRST_SEQUENCE + 10_000 });
    expect(got[1]?.bids).toHaveLength(10_000);
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    book.receive(delta(FIRST_SEQUENCE + 10_001, [['1', '0']]));
    expect(got.map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'SNAPSHOT', 'DELTA']);
  });

  it('delivers no further message to a failed consumer, and continues for the others', async () => {
    const book = new BookReplica();
    const client = new TrustingClient();
    let calls = 0;
    const failures = follow(book, async () => {
      calls += 1;
      throw new Error('the consumer failed');
    });
    follow(book, client.take);
    book.receive(snapshot(FIRST_SEQUENCE, []));
    await new Promise((resolve) => setImmediate(resolve));
    book.receive(delta(FIRST_SEQUENCE + 1, [['1', '1']]));
    expect([calls, failures.length, client.kinds]).toEqual([1, 1, ['SNAPSHOT', 'DELTA']]);
  });
});
