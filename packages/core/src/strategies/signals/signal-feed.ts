/**
 * Reads the new signals of one strategy, once for all subscribers of a process.
 *
 * 1. `head` is the last sequence that was read. The feed reads each signal once; all subscribers share it.
 * 2. The owner of the strategy gets one rendering of a signal and all other users another one, without amounts.
 * 3. Only the payloads after `floor` up to `head` are buffered. A subscriber behind `floor` reads from the database, so
 *    a slow subscriber does not make the memory grow.
 * 4. Notifications only shorten the wait: the feed also polls every two seconds.
 * 5. Each poll also checks who may read the strategy. A subscriber without access gets an error and no signal of
 *    the poll.
 */
import { DomainError, type TradeSignal } from '@trading-automation/contracts';
import type { Database } from '@trading-automation/persistence';
import { toDomainError } from '../../operations/index.js';
import {
  mayRead,
  type RenderedSignal,
  renderingFor,
  type SignalPage,
  tradeSignalsAfter,
} from './trade-signals.queries.js';

const POLL_MS = 2_000;
const PAGE_MAX = 100;
/** The maximum number of payloads buffered per strategy. */
export const SIGNAL_BUFFER_MAX = 256;

/** One subscriber of the feed. */
export interface SignalReader {
  readonly userId: string;
  /** Notifies the reader that more signals may be available. */
  wake(): void;
  fail(error: unknown): void;
}

export class SignalFeed {
  private readonly readers = new Set<SignalReader>();
  private readonly buffer: RenderedSignal[] = [];
  private readonly timer: NodeJS.Timeout;
  private floor: number;
  private head: number;
  private isPolling = false;
  private isPollRequested = false;

  constructor(
    private readonly database: Database,
    private readonly strategyId: string,
    readonly ownerId: string,
    /** Reading starts after this sequence. */
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

  /** Whether the signals after `sequence` are no longer buffered and must be read from the database. */
  isEvicted(sequence: number): boolean {
    return sequence < this.floor;
  }

  /** Returns the first buffered signal after `sequence`, as the user may see it. */
  next(sequence: number, userId: string): TradeSignal | undefined {
    // Searches from the end, because most subscribers are up to date.
    const next = this.buffer[this.buffer.findLastIndex((buffered) => buffered.sequence <= sequence) + 1];
    return next && renderingFor(next, this, userId);
  }

  /** Reads signals that are no longer buffered. @throws {DomainError} `not_found` if the user has no access */
  async readPage(sequence: number, userId: string): Promise<readonly TradeSignal[]> {
    const limit = Math.min(PAGE_MAX, this.floor - sequence);
    const page = await tradeSignalsAfter(this.database.manager, this.strategyId, sequence, limit);
    if (!isReadable(page, userId)) throw new DomainError('not_found');
    return page.signals.map((signal) => renderingFor(signal, page.access, userId));
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
      // Also wakes readers whose own read of the database failed, so that they retry.
      for (const reader of this.readers) reader.wake();
    }
    this.isPolling = false;
  }

  private async pollOnce(): Promise<void> {
    const page = await tradeSignalsAfter(this.database.manager, this.strategyId, this.head, PAGE_MAX);
    for (const reader of this.readers) {
      if (!isReadable(page, reader.userId)) reader.fail(new DomainError('not_found'));
    }
    if (page === undefined || page.signals.length === 0) return;
    this.buffer.push(...page.signals);
    this.head = page.signals.at(-1)!.sequence;
    const surplus = this.buffer.length - SIGNAL_BUFFER_MAX;
    if (surplus > 0) this.floor = this.buffer.splice(0, surplus).at(-1)!.sequence;
    if (page.signals.length === PAGE_MAX && !this.isUnused) this.isPollRequested = true;
  }

  /** Ignores an outage, because the next poll reads the same signals. Any other error fails all readers. */
  private handlePollError(error: unknown): void {
    const domainError = toDomainError(error);
    if (isOutage(domainError)) return;
    for (const reader of this.readers) reader.fail(domainError);
  }
}

export function isOutage(domainError: unknown): boolean {
  return domainError instanceof DomainError && domainError.code === 'service_unavailable';
}

function isReadable(page: SignalPage | undefined, userId: string): page is SignalPage {
  return page !== undefined && mayRead(page.access, userId);
}
