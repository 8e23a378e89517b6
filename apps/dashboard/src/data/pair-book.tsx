'use client';
/**
 * The order book of the pair on screen, for all parts of a page. It begins with a request and goes on live; while there is
 * no live book, the request is repeated.
 *
 * Readers choose how often they draw, so that a form beside the book does not draw ten times a second.
 */
import { useQuery } from '@tanstack/react-query';
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
import { useLiveBook } from './live';

export type BookLevel = readonly [price: string, amount: string];

export interface PairBook {
  /** Highest price first. */
  readonly bids: readonly BookLevel[];
  /** Lowest price first. */
  readonly asks: readonly BookLevel[];
  readonly isLive: boolean;
}

/** A price that the reader has chosen in the book. */
export interface PickedPrice {
  readonly price: string;
}

interface PairBookContext {
  readonly subscribe: (listener: () => void) => () => void;
  readonly read: () => PairBook | undefined;
  readonly error: unknown;
  readonly retry: () => void;
  readonly picked: PickedPrice | undefined;
  readonly pick: (price: string) => void;
}

const DEPTH = 25;
const POLL_MS = 2_000;
const Context = createContext<PairBookContext | undefined>(undefined);

/** Gives the book of a pair to everything in it. Use `key={pairId}`, so that no book outlives its pair. */
export function PairBookProvider({
  pairId,
  children,
}: {
  readonly pairId: string | undefined;
  readonly children: ReactNode;
}) {
  const live = useLiveBook(pairId);
  const first = useQuery({
    queryKey: ['market', 'book', pairId],
    queryFn: ({ signal }) => api().tradePairs.orderBook(pairId ?? '', { depth: DEPTH }, { signal }),
    enabled: pairId !== undefined,
    refetchInterval: live === undefined ? POLL_MS : false,
  });
  const latest = useRef<PairBook>(undefined);
  const listeners = useRef(new Set<() => void>());
  const book = live ?? first.data;
  const isLive = live !== undefined;
  useEffect(() => {
    if (book === undefined) return;
    latest.current = { bids: book.bids, asks: book.asks, isLive };
    for (const listener of listeners.current) listener();
  }, [book, isLive]);

  const subscribe = useCallback((listener: () => void) => {
    listeners.current.add(listener);
    return () => listeners.current.delete(listener);
  }, []);
  const read = useCallback(() => latest.current, []);
  const [picked, setPicked] = useState<PickedPrice>();
  const pick = useCallback((price: string) => setPicked({ price }), []);
  const error = book === undefined && first.isError ? first.error : undefined;
  const { refetch } = first;
  const value = useMemo<PairBookContext>(
    () => ({ subscribe, read, error, retry: () => void refetch(), picked, pick }),
    [subscribe, read, error, refetch, picked, pick],
  );
  return <Context value={value}>{children}</Context>;
}

function usePairBookContext(): PairBookContext {
  const context = useContext(Context);
  if (context === undefined) throw new Error('usePairBook needs a PairBookProvider');
  return context;
}

/** Returns the book, drawn at most once per interval; undefined until it arrives. */
export function usePairBook(everyMs = 100): PairBook | undefined {
  const { subscribe, read } = usePairBookContext();
  const shown = useRef<PairBook>(undefined);
  const follow = useCallback(
    (onChange: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let shownAt = Number.NEGATIVE_INFINITY;
      const show = () => {
        timer = undefined;
        shownAt = performance.now();
        shown.current = read();
        onChange();
      };
      const stop = subscribe(() => {
        timer ??= setTimeout(show, Math.max(0, shownAt + everyMs - performance.now()));
      });
      show();
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
    [subscribe, read, everyMs],
  );
  return useSyncExternalStore(
    follow,
    () => shown.current,
    () => undefined,
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
