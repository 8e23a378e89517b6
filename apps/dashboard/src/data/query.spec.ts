/** Views use the queries of this folder, so that the server loads them too. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, Fragment, type ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { Late } from './late';
import { LATE, useQuery } from './query';
import { ArrivedContext, ArrivedData, useEarlyData } from './server-data';
import { provideServerPage } from './server-page';

const src = join(import.meta.dirname, '..');
/** The hooks themselves, and one query that only the browser loads. */
const OWN = ['data/infinite-query.ts', 'data/openapi.ts', 'data/queries.ts', 'data/query.ts'];

it('is the only use of the hooks of the library', () => {
  const importing = readdirSync(src, { recursive: true })
    .map(String)
    .filter((path) => /(?<!\.spec)\.tsx?$/.test(path))
    .filter((path) =>
      /\buse(?:Suspense|Infinite|SuspenseInfinite)?Quer(?:y|ies)\b[^;]*from '@tanstack\/react-query'/.test(
        readFileSync(join(src, path), 'utf8'),
      ),
    );
  expect(importing.sort()).toEqual(OWN);
});

const All = ({ children }: { readonly children: ReactNode }) => createElement(Fragment, null, children);
/** As React marks a promise whose value it has. */
const LOADED = Object.assign(Promise.resolve(), { status: 'fulfilled', value: undefined });

it.each([
  ['what is loaded', All, undefined, 'success 1'],
  ['a late query as loading, even if another view has loaded it', All, LATE, 'pending'],
  ['a query within `Late` as loading, even if another view has loaded it', Late, undefined, 'pending'],
])('renders %s on the server', (_, Part, meta, expected) => {
  const queries = new QueryClient();
  queries.setQueryData(['a'], 1);
  function View() {
    const { status, data } = useQuery({ queryKey: ['a'], queryFn: async () => 1, meta });
    return `${status} ${data ?? ''}`.trim();
  }
  expect(render(queries, createElement(Part, { children: createElement(View) }))).toBe(expected);
});

it.each([
  ['loads the queries of a view on the server', All, [['b'], ['a']]],
  ['loads nothing within `Late` on the server', Late, []],
])('%s', (_, Part, expected) => {
  const loaded: unknown[] = [];
  provideServerPage(() => ({
    waitMs: 500,
    load: (_, { queryKey }) => {
      loaded.push(queryKey);
      return LOADED;
    },
    settled: async () => undefined,
    takeLoaded: () => [],
  }));
  function View() {
    useEarlyData([{ queryKey: ['b'] }]);
    return useQuery({ queryKey: ['a'], queryFn: async () => 1 }).status;
  }
  try {
    expect(render(new QueryClient(), createElement(Part, { children: createElement(View) }))).toBe('pending');
    expect(loaded).toEqual(expected);
  } finally {
    provideServerPage(() => undefined);
  }
});

function render(queries: QueryClient, view: ReactNode): string {
  const page = createElement(ArrivedContext, { value: new ArrivedData(queries) }, view);
  return renderToString(createElement(QueryClientProvider, { client: queries }, page));
}
