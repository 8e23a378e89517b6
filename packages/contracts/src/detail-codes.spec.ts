import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DETAIL_CODES } from './detail-codes.js';

const PAGE = join(import.meta.dirname, '../../../docs/reference/error-details.md');

it('docs/reference/error-details.md lists each code with its meaning', () => {
  const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(?<code>\w+)` +\| (?<meaning>.+?) *\|$/gm)];
  const listed = rows.map(({ groups }) => [groups?.code, groups?.meaning]);
  expect(listed).toEqual(Object.entries(DETAIL_CODES));
});
