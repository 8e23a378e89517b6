'use client';
/**
 * Live data of a tab. Events mark what is on screen as old, so that it is loaded again; books are delivered as they are.
 *
 * 1. A hidden tab closes its connection. When it is shown again, it connects and loads everything that is on screen.
 * 2. After any interruption everything on screen is loaded again, so that no missed event leaves a view old.
 * 3. The data with which the page arrived are older than the connection. It begins with the events since then.
 */
import { useQueryClient } from '@tanstack/react-query';
import type { OrderBook, WebhookEvent } from '@trading-automation/sdk';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useArrivedAt } from '../format/clock';
import { keysOfEvent } from './event-keys';

export interface LiveState {
  readonly state: 'live' | 'reconnecting' | 'stale' | 'paused';
  /** When the data on screen was last known to be current, in milliseconds. */
  readonly since: number;
}

export type LiveBook = OrderBook<'string'> & { readonly trade_pair_id: string };
type EventListener = (event: WebhookEvent<'string'>) => void;

interface Live {
  readonly state: LiveState;
  readonly listenToEvents: (listener: EventListener) => () => void;
  /** Names the pair whose book this tab shows. */
  readonly showBook: (pairId: string, listener: (book: LiveBook) => void) => () => void;
}

const STALE_MS = 15_000;
/** A burst of events loads a view once. */
const RELOAD_MS = 400;
const LiveContext = createContext<Live | undefined>(undefined);

export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  /** The data on screen contain everything before this time. */
  const since = useRef(useArrivedAt());
  const [state, setState] = useState<LiveState>(() => ({ state: 'reconnecting', since: Date.now() }));
  const [pairId, setPairId] = useState<string>();
  const listeners = useRef(new Set<EventListener>());
  const bookListener = useRef<(book: LiveBook) => void>(undefined);

  useEffect(() => {
    let source: EventSource | undefined;
    let wasInterrupted = false;
    let staleTimer: ReturnType<typeof setTimeout> | undefined;

    let reloadTimer: ReturnType<typeof setTimeout> | undefined;
    const oldKeys = new Set<string>();

    const reload = () => {
      reloadTimer = undefined;
      for (const key of oldKeys) void queries.invalidateQueries({ queryKey: [key] });
      oldKeys.clear();
    };
    /** The browser reports each failed attempt to connect; only the first one begins the interruption. */
    const interrupt = (next: 'reconnecting' | 'paused') => {
      wasInterrupted = true;
      setState((now) =>
        now.state === 'stale' && next === 'reconnecting'
          ? now
          : { state: next, since: now.state === 'live' ? Date.now() : now.since },
      );
      if (next === 'paused') clearStaleTimer();
      else staleTimer ??= setTimeout(() => setState((now) => ({ ...now, state: 'stale' })), STALE_MS);
    };
    const clearStaleTimer = () => {
      clearTimeout(staleTimer);
      staleTimer = undefined;
    };
    const onState = ({ data, lastEventId }: MessageEvent<string>) => {
      since.current = Number(lastEventId) + 1;
      const message: { state: string } = JSON.parse(data);
      if (message.state === 'over') void queries.invalidateQueries();
      if (message.state !== 'live') return interrupt('reconnecting');
      clearStaleTimer();
      setState({ state: 'live', since: Date.now() });
      if (wasInterrupted) void queries.invalidateQueries();
      wasInterrupted = false;
    };
    const onEvent = ({ data, lastEventId }: MessageEvent<string>) => {
      since.current = Number(lastEventId) + 1;
      const event: WebhookEvent<'string'> = JSON.parse(data);
      for (const key of keysOfEvent(event.type)) oldKeys.add(key);
      reloadTimer ??= setTimeout(reload, RELOAD_MS);
      for (const listener of listeners.current) listener(event);
    };
    const open = () => {
      const query = new URLSearchParams({
        since: String(since.current),
        ...(pairId === undefined ? {} : { pair: pairId }),
      });
      source = new EventSource(`/api/live?${query}`);
      source.addEventListener('state', onState);
      source.addEventListener('event', onEvent);
      source.addEventListener('book', ({ data }: MessageEvent<string>) =>
        bookListener.current?.(JSON.parse(data)),
      );
      source.addEventListener('error', () => {
        interrupt('reconnecting');
        // A refused connection is not opened again by the browser.
        if (source?.readyState === EventSource.CLOSED) setTimeout(reopen, 3_000);
      });
    };
    const close = () => {
      source?.close();
      source = undefined;
    };
    const reopen = () => {
      if (source === undefined || document.hidden) return;
      close();
      open();
    };
    const onVisibility = () => {
      if (document.hidden) {
        close();
        interrupt('paused');
      } else if (source === undefined) {
        interrupt('reconnecting');
        open();
      }
    };
    if (!document.hidden) open();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      clearStaleTimer();
      clearTimeout(reloadTimer);
      close();
    };
  }, [pairId, queries]);

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

function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === undefined) throw new Error('useLive needs a LiveProvider');
  return live;
}

export const useLiveState = () => useLive().state;

/** Calls the listener for each event of the account. */
export function useEvents(listener: EventListener): void {
  const { listenToEvents } = useLive();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => listenToEvents((event) => latest.current(event)), [listenToEvents]);
}

/** Returns the live book of a pair; undefined until it arrives. Changes at most ten times a second. */
export function useLiveBook(pairId: string | undefined): LiveBook | undefined {
  const { showBook } = useLive();
  const [book, setBook] = useState<LiveBook>();
  useEffect(() => {
    if (pairId === undefined) return;
    const hide = showBook(pairId, (next) => {
      if (next.trade_pair_id === pairId) setBook(next);
    });
    return () => {
      hide();
      setBook(undefined);
    };
  }, [pairId, showBook]);
  return book;
}
