/**
 * The live data of one browser session: one event stream and one WebSocket, shared by all of its tabs.
 *
 * 1. The connections open with the first tab and close 5 s after the last one, so that a reload reuses them.
 * 2. Books are sent at most ten times a second to each tab; each is the latest.
 * 3. The connections do not extend the session: the API counts only requests that a user caused.
 * 4. A tab has data that were loaded before it joins. It gets the events since then; if some may be missing, it gets the report of an
 *    interruption, so that it loads its data again.
 */
import { ApiError, Client } from '@trading-automation/sdk';
import { Realtime } from '@trading-automation/sdk/realtime';
import { createSigner } from '@trading-automation/sdk/signer';

type State = 'live' | 'reconnecting' | 'over';

/** What a tab receives. `id`: its time in milliseconds, unique in the session. `over`: the session has ended. */
export type LiveMessage =
  | { readonly kind: 'book'; readonly data: unknown }
  | { readonly kind: 'event'; readonly id: number; readonly data: unknown }
  | { readonly kind: 'state'; readonly id: number; readonly data: { readonly state: State } };

export interface LiveTab {
  /** The pair whose book the tab shows. */
  readonly pairId?: string | undefined;
  /** When the data of the tab were loaded, in milliseconds by the clock of this process; undefined: they are to be loaded. */
  readonly since?: number | undefined;
  readonly send: (message: LiveMessage) => void;
  /** Ends the stream to the tab, which then connects again. */
  readonly close: () => void;
}

export interface LiveConnection {
  readonly restUrl: string;
  readonly graphqlUrl: string;
  readonly privateKey: string;
  /** The address of the browser. */
  readonly address: string;
}

const BOOK_INTERVAL_MS = 100;
const BOOK_DEPTH = 25;
const LINGER_MS = 5_000;
/** A page has joined within this time after its data were loaded. */
const KEPT_MS = 15_000;
const KEPT_MAX = 1_000;

interface Book {
  readonly stop: AbortController;
  latest?: unknown;
}

export class LiveSession {
  private readonly tabs = new Set<LiveTab>();
  private readonly books = new Map<string, Book>();
  private readonly client: Client<'string'>;
  private readonly realtime: Realtime<'string'>;
  private readonly ended = new AbortController();
  private state: State = 'reconnecting';
  /** No event was missed since then, in milliseconds. */
  private completeSince = Number.POSITIVE_INFINITY;
  private readonly kept: Extract<LiveMessage, { kind: 'event' }>[] = [];
  private lastId = 0;
  private linger: NodeJS.Timeout | undefined;

  /** @param onEnd called when the connections have closed */
  constructor(
    { restUrl, graphqlUrl, privateKey, address }: LiveConnection,
    private readonly onEnd: () => void,
  ) {
    this.client = new Client({
      baseURL: restUrl,
      graphqlURL: graphqlUrl,
      signer: createSigner(privateKey),
      decimals: 'string',
      defaultHeaders: { 'x-forwarded-for': address, 'x-background': 'true' },
      logLevel: 'off',
    });
    this.realtime = new Realtime(this.client);
    void this.readEvents();
  }

  get size(): number {
    return this.tabs.size;
  }

  /** Adds a tab. Returns a function that removes it. */
  join(tab: LiveTab): () => void {
    clearTimeout(this.linger);
    this.tabs.add(tab);
    this.bringUpToDate(tab);
    if (tab.pairId !== undefined) this.openBook(tab.pairId, tab);
    return () => this.leave(tab);
  }

  end(): void {
    if (this.ended.signal.aborted) return;
    this.ended.abort();
    clearTimeout(this.linger);
    for (const { stop } of this.books.values()) stop.abort();
    this.realtime.close().catch(() => undefined);
    this.onEnd();
    // A tab of a session that is over leaves on its own; it would only be refused.
    if (this.state !== 'over') for (const tab of this.tabs) tab.close();
  }

  private bringUpToDate({ since, send }: LiveTab): void {
    const isMissing = since !== undefined && since < this.completeSince;
    if (isMissing) send(this.stateMessage('reconnecting'));
    else if (since !== undefined) for (const event of this.kept) if (event.id >= since) send(event);
    send(this.stateMessage(this.state));
  }

  private keep(data: unknown): LiveMessage {
    const event = { kind: 'event', id: this.nextId(), data } as const;
    const first = this.kept.findIndex(({ id }) => id > event.id - KEPT_MS);
    const expired = first < 0 ? this.kept.length : first;
    const removed = this.kept.splice(0, Math.max(expired, this.kept.length - KEPT_MAX));
    this.completeSince = Math.max(this.completeSince, (removed.at(-1)?.id ?? -1) + 1);
    this.kept.push(event);
    return event;
  }

  private stateMessage(state: State): LiveMessage {
    return { kind: 'state', id: this.nextId(), data: { state } };
  }

  private nextId(): number {
    this.lastId = Math.max(Date.now(), this.lastId + 1);
    return this.lastId;
  }

  private leave(tab: LiveTab): void {
    this.tabs.delete(tab);
    const { pairId } = tab;
    if (pairId !== undefined && ![...this.tabs].some((other) => other.pairId === pairId)) {
      this.books.get(pairId)?.stop.abort();
      this.books.delete(pairId);
    }
    if (this.tabs.size === 0) this.linger = setTimeout(() => this.end(), LINGER_MS);
  }

  private async readEvents(): Promise<void> {
    try {
      const events = this.client.events.stream(
        {},
        {
          signal: this.ended.signal,
          onOpen: () => this.changeState('live'),
          onCut: () => this.changeState('reconnecting'),
        },
      );
      for await (const data of events) this.send(this.keep(data));
    } catch (error) {
      if (!this.ended.signal.aborted) this.changeState(isOver(error) ? 'over' : 'reconnecting');
    }
    this.end();
  }

  private openBook(pairId: string, tab: LiveTab): void {
    const open = this.books.get(pairId);
    if (open !== undefined) {
      if (open.latest !== undefined) tab.send({ kind: 'book', data: open.latest });
      return;
    }
    const book: Book = { stop: new AbortController() };
    this.books.set(pairId, book);
    void this.readBook(pairId, book);
  }

  private async readBook(pairId: string, book: Book): Promise<void> {
    const { signal } = book.stop;
    try {
      for await (const update of this.realtime.orderbook(pairId, { depth: BOOK_DEPTH, signal })) {
        book.latest = { trade_pair_id: pairId, ...update };
        for (const tab of this.tabs) if (tab.pairId === pairId) tab.send({ kind: 'book', data: book.latest });
        // A slow reader gets fewer books, never outdated ones.
        await new Promise((resolve) => setTimeout(resolve, BOOK_INTERVAL_MS));
      }
    } catch {
      // The page asks for the book again when it reconnects, and shows the failure of its first request.
    }
    if (this.books.get(pairId) === book) this.books.delete(pairId);
  }

  private changeState(state: State): void {
    this.state = state;
    const message = this.stateMessage(state);
    if (state === 'live') this.completeSince = this.lastId;
    this.send(message);
  }

  private send(message: LiveMessage): void {
    for (const tab of this.tabs) tab.send(message);
  }
}

const isOver = (error: unknown) =>
  error instanceof ApiError && (error.status === 401 || error.status === 403);
