import type {
  AccountStreamHandler,
  Balances,
  BookHandler,
  BookUpdate,
  ExchangeError,
  VenueFill,
  VenueOrder,
  VenuePosition,
} from '../src/index.js';

/** Lets a test wait for a condition, which is checked after each event. */
class Recorder {
  readonly #waiting = new Set<() => void>();

  protected notify(): void {
    for (const check of [...this.#waiting]) check();
  }

  /** Resolves once `isTrue` returns true. It has no time limit of its own. */
  until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!isTrue()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
}

/** Records all events of one account. */
export class AccountStreamRecorder extends Recorder implements AccountStreamHandler {
  connections = 0;
  readonly lost: string[] = [];
  readonly orders: VenueOrder[] = [];
  readonly fills: VenueFill[] = [];
  readonly balances: Balances[] = [];
  readonly balanceTimes: Date[] = [];
  readonly positions: VenuePosition[] = [];

  onConnected(): void {
    this.connections += 1;
    this.notify();
  }

  onLost({ outcome, code }: ExchangeError): void {
    this.lost.push(`${outcome}/${code}`);
    this.notify();
  }

  onOrder(order: VenueOrder, fills: readonly VenueFill[]): void {
    this.orders.push(order);
    this.fills.push(...fills);
    this.notify();
  }

  onBalances(balances: Balances, at: Date): void {
    this.balances.push(balances);
    this.balanceTimes.push(at);
    this.notify();
  }

  onPositions(positions: readonly VenuePosition[]): void {
    this.positions.push(...positions);
    this.notify();
  }

  connected(): Promise<void> {
    return this.until(() => this.connections > 0);
  }

  /** The last reported balance of each asset. */
  get latest(): Balances {
    return Object.assign({}, ...this.balances);
  }
}

/** Assembles a book from its messages. */
export class BookStreamRecorder extends Recorder implements BookHandler {
  readonly lost: string[] = [];
  readonly kinds: string[] = [];
  readonly #bids = new Map<string, string>();
  readonly #asks = new Map<string, string>();
  sequence = -1;
  /** Whether each change continued the sequence of the previous message. */
  isGapless = true;

  onSnapshot(book: BookUpdate): void {
    this.#bids.clear();
    this.#asks.clear();
    this.#record('SNAPSHOT', book);
  }

  onDelta(change: BookUpdate & { readonly previousSequence: number }): void {
    if (change.previousSequence !== this.sequence || change.sequence <= this.sequence) this.isGapless = false;
    this.#record('DELTA', change);
  }

  onLost({ outcome, code }: ExchangeError): void {
    this.lost.push(`${outcome}/${code}`);
    this.notify();
  }

  get bids(): readonly (readonly [string, string])[] {
    return [...this.#bids].sort(([a], [b]) => Number(b) - Number(a));
  }

  get asks(): readonly (readonly [string, string])[] {
    return [...this.#asks].sort(([a], [b]) => Number(a) - Number(b));
  }

  #record(kind: string, { bids, asks, sequence }: BookUpdate): void {
    this.kinds.push(kind);
    for (const [side, levels] of [
      [this.#bids, bids],
      [this.#asks, asks],
    ] as const)
      for (const [price, amount] of levels)
        if (amount === '0') side.delete(price);
        else side.set(price, amount);
    this.sequence = sequence;
    this.notify();
  }
}
