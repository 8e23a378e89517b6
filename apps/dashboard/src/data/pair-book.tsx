'use client';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { api } from './api';
import { useLiveBook } from './live-book';
/**
 * The order book of the pair on screen, for all parts of a page. It begins with a request and goes on live; while there is
 * no live book, the request is repeated.
 *
 * Readers choose how often they draw, so that a form beside the book does not draw ten times a second.
 */
import { queryOptions, useQuery } from './query';

type BookLevel = readonly [price: string, amount: string];

export interface PairBook {
  /** Highest price first. */
  readonly bids: readonly BookLevel[];
  /** Lowest price first. */
  readonly asks: readonly BookLevel[];
  readonly isLive: boolean;
}

/** A price that the reader has chosen in the book. */
export interface PickedPrice {
  readonly pairId: string;
  readonly price: string;
}

interface PairBookContext {
  readonly books: BookStore;
  readonly error: unknown;
  readonly retry: () => void;
  readonly picked: PickedPrice | undefined;
  readonly pick: (price: string) => void;
}

const DEPTH = 25;
const POLL_MS = 2_000;
const Context = createContext<PairBookContext | undefined>(undefined);

export const bookQuery = (pairId: string) =>
  queryOptions({
    queryKey: ['market', 'book', pairId],
    queryFn: ({ signal }) => api().tradePairs.orderBook(pairId, { depth: DEPTH }, { signal }),
  });

/** Gives the book of a pair to everything in it. */
export function PairBookProvider({
  pairId,
  children,
}: {
  readonly pairId: string;
  readonly children: ReactNode;
}) {
  const liveBook = useLiveBook(pairId);
  const live = liveBook?.trade_pair_id === pairId ? liveBook : undefined;
  const { data, dataUpdatedAt, isError, error, refetch } = useQuery({
    ...bookQuery(pairId),
    refetchInterval: live === undefined ? POLL_MS : false,
  });
  const store = useRef<BookStore>(undefined);
  store.current ??= new BookStore(pairId, data && { ...data, isLive: false }, dataUpdatedAt);
  const { current: books } = store;
  useEffect(() => {
    if (live !== undefined) books.put(pairId, { ...live, isLive: true }, Date.now());
    else if (data !== undefined) books.put(pairId, { ...data, isLive: false }, dataUpdatedAt);
    else books.empty(pairId);
  }, [books, pairId, live, data, dataUpdatedAt]);

  const [picked, setPicked] = useState<PickedPrice>();
  const failure = data === undefined && isError ? error : undefined;
  // A new book is no new value: React would replace a part whose code is not there yet by its skeleton.
  const value = useMemo<PairBookContext>(
    () => ({
      books,
      error: failure,
      retry: () => void refetch(),
      picked: picked?.pairId === pairId ? picked : undefined,
      pick: (price) => setPicked({ pairId, price }),
    }),
    [books, failure, refetch, picked, pairId],
  );
  return <Context value={value}>{children}</Context>;
}

/** The latest book of one pair. A book that is older than the latest one never replaces it. */
class BookStore {
  private latest: PairBook | undefined;
  private readonly listeners = new Set<() => void>();

  /** @param arrived the book with which the page arrived */
  constructor(
    private pairId: string,
    readonly arrived: PairBook | undefined,
    private latestAt: number,
  ) {
    this.latest = arrived;
  }

  readonly read = () => this.latest;

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  put(pairId: string, { bids, asks, isLive }: PairBook, at: number): void {
    this.empty(pairId);
    if (at < this.latestAt) return;
    this.latestAt = at;
    this.latest = { bids, asks, isLive };
    this.notify();
  }

  /** Forgets the book of another pair. */
  empty(pairId: string): void {
    if (this.pairId === pairId) return;
    this.pairId = pairId;
    this.latest = undefined;
    this.latestAt = 0;
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

function usePairBookContext(): PairBookContext {
  const context = useContext(Context);
  if (context === undefined) throw new Error('usePairBook needs a PairBookProvider');
  return context;
}

/** Returns the book, drawn at most once per interval; undefined until it arrives. */
export function usePairBook(everyMs = 100): PairBook | undefined {
  const { books } = usePairBookContext();
  const shown = useRef(books.read());
  const follow = useCallback(
    (onChange: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let shownAt = Number.NEGATIVE_INFINITY;
      const show = () => {
        timer = undefined;
        shownAt = performance.now();
        shown.current = books.read();
        onChange();
      };
      const stop = books.subscribe(() => {
        timer ??= setTimeout(show, Math.max(0, shownAt + everyMs - performance.now()));
      });
      show();
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
    [books, everyMs],
  );
  return useSyncExternalStore(
    follow,
    () => shown.current,
    () => books.arrived,
  );
}

/** The failure of the first request, if there is no book at all. */
export function usePairBookFailure() {
  const { error, retry } = usePairBookContext();
  return { error, retry };
}

/** The price that the reader has chosen in the book, and how to choose one. */
export function usePickedPrice() {
  const { picked, pick } = usePairBookContext();
  return { picked, pick };
}
