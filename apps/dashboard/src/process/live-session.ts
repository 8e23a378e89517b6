/**
 * The live data of one browser session: one event stream and one WebSocket, shared by all of its tabs.
 *
 * 1. The connections open with the first tab and close 5 s after the last one, so that a reload reuses them.
 * 2. Books are sent at most ten times a second to each tab; each is the latest.
 * 3. The connections do not extend the session: the API counts only requests that a user caused.
 */
import { ApiError, Client } from '@trading-automation/sdk';
import { Realtime } from '@trading-automation/sdk/realtime';
import { createSigner } from '@trading-automation/sdk/signer';

/** What a tab receives. `over`: the session has ended. */
export type LiveMessage =
  | { readonly kind: 'event' | 'book'; readonly data: unknown }
  | { readonly kind: 'state'; readonly data: { readonly state: 'live' | 'reconnecting' | 'over' } };

export interface LiveTab {
  /** The pair whose book the tab shows. */
  readonly pairId?: string | undefined;
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
  private state: 'live' | 'reconnecting' | 'over' = 'reconnecting';
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
    tab.send({ kind: 'state', data: { state: this.state } });
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
      for await (const data of events) this.send({ kind: 'event', data });
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

  private changeState(state: 'live' | 'reconnecting' | 'over'): void {
    this.state = state;
    this.send({ kind: 'state', data: { state } });
  }

  private send(message: LiveMessage): void {
    for (const tab of this.tabs) tab.send(message);
  }
}

const isOver = (error: unknown) =>
  error instanceof ApiError && (error.status === 401 || error.status === 403);
