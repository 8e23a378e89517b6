/** The data that the views of one page load while the server renders it. */
import { setImmediate } from 'node:timers/promises';
import type { QueryClient } from '@tanstack/react-query';
import type { Client } from '@trading-automation/sdk';
import type { LoadedQuery, PageQuery, ServerPage } from '../data/server-page.js';

/** A view is rendered within so many turns of the event loop after its code or its data. */
const RENDER_TURNS = 8;
const NOTHING = fulfilled(Promise.resolve());

export class PageData implements ServerPage {
  client?: Client<'string'>;
  sendHead?: ServerPage['sendHead'];
  private readonly loading = new Map<string, Promise<void>>();
  private readonly sent = new Set<string>();
  private deadline: Promise<false> | undefined;
  private settling: Promise<void> | undefined;
  private isSettled = false;
  /** How often a view has asked for data: as long as this grows, the page is being rendered. */
  private asked = 0;

  constructor(readonly waitMs: number) {}

  load(queries: QueryClient, options: PageQuery): Promise<void> {
    if (options.enabled === false || options.meta?.isLate === true) return NOTHING;
    this.asked++;
    const name = JSON.stringify(options.queryKey);
    let loading = this.loading.get(name);
    if (loading === undefined && this.isSettled) return NOTHING;
    if (loading === undefined) {
      loading = this.begin(queries, options);
      this.loading.set(name, loading);
      void loading.then(() => fulfilled(loading as Promise<void>));
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
    let asked: number;
    do {
      asked = this.asked;
      await Promise.all(this.loading.values());
      // The data of a view can show further views, which ask for theirs when they are rendered.
      for (let turn = 0; turn < RENDER_TURNS; turn++) await setImmediate();
    } while (this.asked > asked);
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

/** Marks a promise as React marks those that it has waited for, so that a view does not wait for it again. */
function fulfilled(promise: Promise<void>): Promise<void> {
  return Object.assign(promise, { status: 'fulfilled', value: undefined });
}
