/** Views use the queries of this folder, so that the server loads them too. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
