/** Views use the queries of this folder, so that the server loads them too. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { LATE, useQuery } from './query';

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

it.each([
  ['what is loaded', undefined, 'success 1'],
  ['a late query as loading, even if another view has loaded it', LATE, 'pending'],
])('renders %s on the server', (_, meta, expected) => {
  const queries = new QueryClient();
  queries.setQueryData(['a'], 1);
  function View() {
    const { status, data } = useQuery({ queryKey: ['a'], queryFn: async () => 1, meta });
    return `${status} ${data ?? ''}`.trim();
  }
  const page = createElement(QueryClientProvider, { client: queries }, createElement(View));
  expect(renderToString(page)).toBe(expected);
});
