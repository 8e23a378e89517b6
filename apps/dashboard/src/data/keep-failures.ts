import type { QueryClient } from '@tanstack/react-query';

/**
 * Keeps the failure of a view on screen while the view is loaded again. The library would forget it, so that during an outage
 * a view without data would change between its failure and the placeholder of its first loading.
 */
export function keepFailures(queries: QueryClient): void {
  const failures = new Map<string, Error>();
  queries.getQueryCache().subscribe((event) => {
    const { query } = event;
    if (event.type === 'removed') failures.delete(query.queryHash);
    if (event.type !== 'updated') return;
    const { type } = event.action;
    const failure = failures.get(query.queryHash);
    if (type === 'error' && query.state.error !== null && query.state.data === undefined)
      failures.set(query.queryHash, query.state.error);
    else if (type === 'success') failures.delete(query.queryHash);
    else if (type === 'fetch' && failure !== undefined && query.state.data === undefined)
      query.setState({ status: 'error', error: failure });
  });
}
