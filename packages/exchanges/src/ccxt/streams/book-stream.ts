/**
 * One order book: a snapshot, then its changes in the order of the exchange's sequence numbers.
 *
 * The stream starts before the snapshot is requested, so no change is missed. Changes that the snapshot already
 * contains are skipped. A gap in the sequence means that a message was lost; a new snapshot is then requested. Some
 * exchanges send the snapshot on the stream itself, after each subscription.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BookHandler, VenueStream } from '../../port.js';
import type { BookDiff, BookReader, BookSnapshot, MarketStreamProtocol } from '../declaration.js';
import { failure, MalformedResponse } from '../failures.js';
import { MarketStream, type MarketStreamSegment, streamNameOf } from './market-stream.js';

/** The minimum time between two snapshots, so that a book that stays out of sync does not use up the call budget. */
const SNAPSHOT_INTERVAL_MS = 250;
/** The maximum number of changes buffered until a snapshot arrives. A snapshot call times out long before. */
const BUFFERED_MAX = 10_000;

export class BookStream implements VenueStream {
  readonly #stream: MarketStream;
  /** The sequence number of the last change passed to the handler; undefined until a snapshot has arrived. */
  #sequence: number | undefined;
  #buffered: BookDiff[] = [];
  #isReadingSnapshot = false;
  #reader: BookReader | undefined;

  constructor(
    private readonly segment: MarketStreamSegment,
    private readonly symbol: string,
    private readonly handler: BookHandler,
  ) {
    this.#stream = new MarketStream(segment, {
      streams: (protocol, ccxt) => {
        const name = streamNameOf(protocol, ccxt, symbol);
        this.#reader = protocol.openBook(ccxt, symbol);
        return [protocol.bookStream(name)];
      },
      onSubscribed: () => {
        if (this.#protocol.bookSnapshots === 'CALL') this.#resync();
      },
      onMessage: (message) => this.#receive(message),
      onLost: (error) => handler.onLost(error),
    });
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  #receive(message: unknown): void {
    const update = this.#reader?.read(message);
    if (update === undefined) return;
    if (update.kind === 'GAP') this.#resync();
    else if (update.kind === 'SNAPSHOT') this.#begin(update, update.at);
    else if (this.#sequence !== undefined) this.#apply(update, this.#sequence);
    else if (this.#protocol.bookSnapshots === 'CALL') this.#buffer(update);
  }

  #buffer(diff: BookDiff): void {
    if (this.#buffered.length >= BUFFERED_MAX)
      throw new MalformedResponse(`more than ${BUFFERED_MAX} changes arrived before the snapshot`);
    this.#buffered.push(diff);
  }

  #apply(diff: BookDiff, sequence: number): void {
    if (diff.last <= sequence) return;
    if (diff.first > sequence + 1) {
      this.#buffered = [diff];
      this.#resync();
      return;
    }
    this.#sequence = diff.last;
    this.handler.onDelta({
      symbol: this.symbol,
      sequence: diff.last,
      previousSequence: sequence,
      bids: diff.bids,
      asks: diff.asks,
      exchangeTimestamp: diff.at,
    });
  }

  #resync(): void {
    this.#sequence = undefined;
    if (this.#protocol.bookSnapshots === 'STREAM') {
      this.#stream.resubscribe();
      return;
    }
    if (this.#isReadingSnapshot) return;
    this.#isReadingSnapshot = true;
    this.#readSnapshots()
      .catch((error: unknown) => this.#stream.lose(error))
      .finally(() => {
        this.#isReadingSnapshot = false;
      });
  }

  /** Reads snapshots until the buffered changes follow one of them without a gap. */
  async #readSnapshots(): Promise<void> {
    while (!this.#stream.hasEnded) {
      const startedAt = performance.now();
      const snapshot = await this.#fetchSnapshot();
      if (this.#stream.hasEnded || this.#startFrom(snapshot)) return;
      await sleep(Math.max(0, SNAPSHOT_INTERVAL_MS - (performance.now() - startedAt)));
    }
  }

  /** Passes the snapshot and the buffered changes on. Returns false if a change after the snapshot is missing. */
  #startFrom(snapshot: BookSnapshot): boolean {
    const later = this.#buffered.filter(({ last }) => last > snapshot.last);
    this.#buffered = later;
    const [oldest] = later;
    if (oldest !== undefined && oldest.first > snapshot.last + 1) return false;
    this.#buffered = [];
    this.#begin(snapshot, oldest?.at ?? new Date());
    for (const diff of later) {
      if (this.#sequence === undefined) {
        this.#buffered.push(diff);
        continue;
      }
      this.#apply(diff, this.#sequence);
    }
    return this.#sequence !== undefined;
  }

  #begin({ last, bids, asks }: BookSnapshot, exchangeTimestamp: Date): void {
    this.#sequence = last;
    this.handler.onSnapshot({ symbol: this.symbol, sequence: last, bids, asks, exchangeTimestamp });
  }

  #fetchSnapshot(): Promise<BookSnapshot> {
    return this.segment.read((ccxt) => this.#protocol.fetchBook(ccxt, this.symbol));
  }

  get #protocol(): MarketStreamProtocol {
    const protocol = this.segment.declaration.marketStream;
    if (protocol === undefined) throw failure(['rejected', 'not_supported']);
    return protocol;
  }
}
