/** The data that the views of one page load while the server renders it. */
import { setImmediate } from 'node:timers/promises';
import type { QueryClient } from '@tanstack/react-query';
import type { Client } from '@trading-automation/sdk';
import type { LoadedQuery, PageQuery, ServerPage } from '../data/server-page.js';

/** The longest that a page waits for all of its data. */
const WAIT_MS = 500;

/** A view is rendered within so many turns of the event loop after its data. */
const RENDER_TURNS = 4;
const NOTHING = Promise.resolve();

export class PageData implements ServerPage {
  client?: Client<'string'>;
  private readonly loading = new Map<string, Promise<void>>();
  private readonly sent = new Set<string>();
  private deadline: Promise<false> | undefined;
  private settling: Promise<void> | undefined;
  private isSettled = false;

  constructor(private readonly waitMs = WAIT_MS) {}

  load(queries: QueryClient, options: PageQuery): Promise<void> {
    if (options.enabled === false) return NOTHING;
    const name = JSON.stringify(options.queryKey);
    let loading = this.loading.get(name);
    if (loading === undefined && this.isSettled) return NOTHING;
    if (loading === undefined) {
      loading = this.begin(queries, options);
      this.loading.set(name, loading);
    }
    return loading;
  }

  settled(): Promise<void> {
    this.settling ??= this.settle();
    return this.settling;
  }

  takeLoaded(queries: QueryClient): LoadedQuery[] {
    return queries
      .getQueryCache()
      .findAll({
        predicate: ({ queryHash, state }) => state.status === 'success' && !this.sent.has(queryHash),
      })
      .map(({ queryHash, queryKey, state }) => {
        this.sent.add(queryHash);
        return { key: queryKey, data: state.data, at: state.dataUpdatedAt };
      });
  }

  private async settle(): Promise<void> {
    let count: number;
    do {
      count = this.loading.size;
      await Promise.all(this.loading.values());
      // The data of a view can show further views, which begin to load when they are rendered.
      for (let turn = 0; turn < RENDER_TURNS; turn++) await setImmediate();
    } while (this.loading.size > count);
    this.isSettled = true;
  }

  private async begin(queries: QueryClient, options: PageQuery): Promise<void> {
    this.deadline ??= new Promise((resolve) => {
      setTimeout(() => resolve(false), this.waitMs).unref();
    });
    const { queryKey, getNextPageParam } = options;
    const fetching: Promise<unknown> =
      getNextPageParam === undefined
        ? queries.fetchQuery(options as Parameters<QueryClient['fetchQuery']>[0])
        : queries.fetchInfiniteQuery(options as Parameters<QueryClient['fetchInfiniteQuery']>[0]);
    const loaded = fetching.then(
      () => true,
      () => false,
    );
    // The browser renders it as loading, so the server must, too.
    if (!(await Promise.race([loaded, this.deadline]))) queries.removeQueries({ queryKey, exact: true });
  }
}
