/**
 * The connection of a tab. Events mark what is on screen as old, so that it is loaded again; books are delivered as they are.
 *
 * 1. A hidden tab closes its connection. When it is shown again, it connects and loads everything that is on screen.
 * 2. After any interruption everything on screen is loaded again, so that no missed event leaves a view old.
 * 3. The data with which the page arrived are older than the connection. It begins with the events since then.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { OrderBook, WebhookEvent } from '@trading-automation/sdk';
import { keysOfEvent } from './event-keys';

export interface LiveState {
  readonly state: 'live' | 'reconnecting' | 'stale' | 'paused';
  /** When the data on screen was last known to be current, in milliseconds. */
  readonly since: number;
}

export type LiveBook = OrderBook<'string'> & { readonly trade_pair_id: string };

const STALE_MS = 15_000;
/** A burst of events loads a view once. */
const RELOAD_MS = 400;

export interface LiveConnectionOptions {
  readonly queries: QueryClient;
  /** The pair whose book the tab shows. */
  readonly pairId: string | undefined;
  /** The data on screen contain everything before this time, in milliseconds by the server's clock. */
  readonly since: { current: number };
  readonly setState: (change: (now: LiveState) => LiveState) => void;
  readonly onEvent: (event: WebhookEvent<'string'>) => void;
  readonly onBook: (book: LiveBook) => void;
}

/** Connects the tab. Returns a function that ends the connection. */
export function openLiveConnection(options: LiveConnectionOptions): () => void {
  const { queries, pairId, since, setState, onEvent, onBook } = options;
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
    setState(() => ({ state: 'live', since: Date.now() }));
    if (wasInterrupted) void queries.invalidateQueries();
    wasInterrupted = false;
  };
  const receiveEvent = ({ data, lastEventId }: MessageEvent<string>) => {
    since.current = Number(lastEventId) + 1;
    const event: WebhookEvent<'string'> = JSON.parse(data);
    for (const key of keysOfEvent(event.type)) oldKeys.add(key);
    reloadTimer ??= setTimeout(reload, RELOAD_MS);
    onEvent(event);
  };
  const open = () => {
    const query = new URLSearchParams({
      since: String(since.current),
      ...(pairId === undefined ? {} : { pair: pairId }),
    });
    source = new EventSource(`/api/live?${query}`);
    source.addEventListener('state', onState);
    source.addEventListener('event', receiveEvent);
    source.addEventListener('book', ({ data }: MessageEvent<string>) => onBook(JSON.parse(data)));
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
    // Events that it has received are not sent again.
    clearTimeout(reloadTimer);
    reload();
    close();
  };
}
