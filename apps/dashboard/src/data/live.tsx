'use client';
/** Live data of a tab, for its views. The code of the connection is loaded after the page. */
import { useQueryClient } from '@tanstack/react-query';
import type { WebhookEvent } from '@trading-automation/sdk';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useArrivedAt } from '../format/clock';
import { loadLate } from './late-code';
import type { LiveBook, LiveState } from './live-connection';
import { Stored } from './stored';

type EventListener = (event: WebhookEvent<'string'>) => void;

/** Never changes: React would replace a part whose code is not there yet by its skeleton. */
interface Live {
  readonly state: Stored<LiveState>;
  readonly listenToEvents: (listener: EventListener) => () => void;
  /** Names the pair whose book this tab shows. */
  readonly showBook: (pairId: string, listener: (book: LiveBook) => void) => () => void;
}

/** Another process than the one that rendered the page may serve the connection. Their clocks differ by less. */
const CLOCK_DIFFERENCE_MS = 1_000;
const LiveContext = createContext<Live | undefined>(undefined);

export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  /** The data on screen contain everything before this time. */
  const since = useRef(useArrivedAt() - CLOCK_DIFFERENCE_MS);
  const [state] = useState(() => new Stored<LiveState>({ state: 'reconnecting', since: Date.now() }));
  const [pairId, setPairId] = useState<string>();
  const listeners = useRef(new Set<EventListener>());
  const bookListener = useRef<(book: LiveBook) => void>(undefined);

  useEffect(() => {
    let isOver = false;
    let close = () => {};
    const onBook = (book: LiveBook) => bookListener.current?.(book);
    const onEvent = (event: WebhookEvent<'string'>) => {
      for (const listener of listeners.current) listener(event);
    };
    loadLate(() => import('./live-connection')).then(
      ({ openLiveConnection }) => {
        if (!isOver)
          close = openLiveConnection({ queries, pairId, since, setState: state.change, onEvent, onBook });
      },
      // The notice of missing code says that nothing is live.
      () => undefined,
    );
    return () => {
      isOver = true;
      close();
    };
  }, [pairId, queries, state]);

  const live = useMemo<Live>(
    () => ({
      state,
      listenToEvents: (listener) => {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
      showBook: (id, listener) => {
        bookListener.current = listener;
        setPairId(id);
        return () => {
          bookListener.current = undefined;
          setPairId(undefined);
        };
      },
    }),
    [state],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** For hooks of live data. */
export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === undefined) throw new Error('useLive needs a LiveProvider');
  return live;
}

export function useLiveState(): LiveState {
  const { state } = useLive();
  return useSyncExternalStore(state.subscribe, state.get, state.get);
}

/** Calls the listener for each event of the account. */
export function useEvents(listener: EventListener): void {
  const { listenToEvents } = useLive();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => listenToEvents((event) => latest.current(event)), [listenToEvents]);
}
