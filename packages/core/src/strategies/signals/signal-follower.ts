/**
 * Follows the signals of one strategy, once for a whole process.
 *
 * 1. `head` is how far it has read. Each signal is read once, and the same payload is handed to all its subscribers.
 * 2. It keeps the last payloads alone, those after `floor` through `head`; who has fallen behind `floor` reads from the
 *    database. So no subscriber, however slow, costs memory that grows.
 * 3. Notifications only shorten the wait: it looks every two seconds, too.
 * 4. Whoever may not read the strategy any more is told so before anything of that look is handed on.
 */
import { DomainError, type TradeSignal } from '@trading-automation/contracts';
import type { Database } from '@trading-automation/persistence';
import { toDomainError } from '../../operations/index.js';
import { mayRead, type SignalPage, tradeSignalsAfter } from './trade-signals.queries.js';

const POLL_MS = 2_000;
const PAGE = 100;
/** Most payloads that are kept of a strategy. */
export const SIGNAL_BUFFER_MAX = 256;

/** Who is handed signals. */
export interface SignalReader {
  readonly userId: string;
  /** Tells that there may be more to read. */
  wake(): void;
  fail(error: unknown): void;
}

export class SignalFollower {
  private readonly readers = new Set<SignalReader>();
  private readonly buffer: TradeSignal[] = [];
  private readonly timer: NodeJS.Timeout;
  private floor: number;
  private head: number;
  private isPolling = false;
  private isPollRequested = false;

  constructor(
    private readonly database: Database,
    private readonly strategyId: string,
    /** The sequence after which it begins. */
    after: number,
  ) {
    this.floor = after;
    this.head = after;
    this.timer = setInterval(() => this.requestPoll(), POLL_MS).unref();
  }

  get isUnused(): boolean {
    return this.readers.size === 0;
  }

  get bufferedCount(): number {
    return this.buffer.length;
  }

  add(reader: SignalReader): void {
    this.readers.add(reader);
    this.requestPoll();
  }

  remove(reader: SignalReader): void {
    this.readers.delete(reader);
    if (!this.isUnused) return;
    clearInterval(this.timer);
    this.isPollRequested = false;
  }

  /** Whether what comes after `sequence` must be read, as it is no longer kept. */
  isEvicted(sequence: number): boolean {
    return sequence < this.floor;
  }

  /** The signal after `sequence`, of those that are kept. */
  next(sequence: number): TradeSignal | undefined {
    // From the end: mostly it is the last one.
    return this.buffer[this.buffer.findLastIndex((kept) => kept.sequence <= sequence) + 1];
  }

  /** What is no longer kept, for one who is behind. @throws {DomainError} `not_found` where they may not read it */
  async readPage(sequence: number, userId: string): Promise<readonly TradeSignal[]> {
    const limit = Math.min(PAGE, this.floor - sequence);
    const page = await tradeSignalsAfter(this.database.manager, this.strategyId, sequence, limit);
    if (!isReadable(page, userId)) throw new DomainError('not_found');
    return page.signals;
  }

  requestPoll(): void {
    this.isPollRequested = true;
    if (!this.isPolling) void this.pollUntilIdle();
  }

  private async pollUntilIdle(): Promise<void> {
    this.isPolling = true;
    while (this.isPollRequested) {
      this.isPollRequested = false;
      await this.pollOnce().catch((error) => this.handlePollError(error));
      // Those whose own reading failed try again, too.
      for (const reader of this.readers) reader.wake();
    }
    this.isPolling = false;
  }

  private async pollOnce(): Promise<void> {
    const page = await tradeSignalsAfter(this.database.manager, this.strategyId, this.head, PAGE);
    for (const reader of this.readers) {
      if (!isReadable(page, reader.userId)) reader.fail(new DomainError('not_found'));
    }
    if (page === undefined || page.signals.length === 0) return;
    this.buffer.push(...page.signals);
    this.head = page.signals.at(-1)!.sequence;
    const surplus = this.buffer.length - SIGNAL_BUFFER_MAX;
    if (surplus > 0) this.floor = this.buffer.splice(0, surplus).at(-1)!.sequence;
    if (page.signals.length === PAGE && !this.isUnused) this.isPollRequested = true;
  }

  /** An outage is waited out: nothing is lost by it. Any other failure would come again and again. */
  private handlePollError(error: unknown): void {
    const refusal = toDomainError(error);
    if (isOutage(refusal)) return;
    for (const reader of this.readers) reader.fail(refusal);
  }
}

export function isOutage(refusal: unknown): boolean {
  return refusal instanceof DomainError && refusal.code === 'service_unavailable';
}

function isReadable(page: SignalPage | undefined, userId: string): page is SignalPage {
  return page !== undefined && mayRead(page.access, userId);
}
