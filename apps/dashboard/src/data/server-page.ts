/**
 * The page that the server renders, for the code of views, which runs on the server and in the browser. It cannot be a
 * property of a component, because properties are sent to the browser. The process provides it (src/process).
 */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { Client } from '@trading-automation/sdk';

/** The options of a query; an infinite one has `getNextPageParam`. */
export interface PageQuery {
  readonly queryKey: QueryKey;
  /** Only `false` prevents loading. */
  readonly enabled?: unknown;
  /** With `isLate`, only the browser loads it. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly getNextPageParam?: unknown;
}

export interface LoadedQuery {
  readonly key: QueryKey;
  readonly data: unknown;
  /** When it was loaded, in milliseconds. */
  readonly at: number;
}

export interface ServerPage {
  /** The longest that the page waits for all of its data, and so for one read, in milliseconds. */
  readonly waitMs: number;
  /** The API with the credential of the page's session; undefined for a page without a session. */
  client?: Client<'string'>;
  /** Sends the head of the response: the page will be rendered. */
  sendHead?: (() => void) | undefined;
  /** Returns when the query has its data, has failed or is late. Never rejects. */
  load(queries: QueryClient, options: PageQuery): Promise<void>;
  /** Returns when everything is loaded, has failed or is late. Nothing is loaded afterwards. Never rejects. */
  settled(): Promise<void>;
  /** Returns what was loaded since the last call. */
  takeLoaded(queries: QueryClient): LoadedQuery[];
}

type Find = () => ServerPage | undefined;

// The process and the pages are separate bundles, which share the global scope.
const KEY = Symbol.for('trading-automation.dashboard.page');

/** Returns the page that is being rendered; undefined in the browser. */
export const serverPage: Find = () => (globalThis as { [KEY]?: Find })[KEY]?.();

export function provideServerPage(find: Find): void {
  (globalThis as { [KEY]?: Find })[KEY] = find;
}
