import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTS } from './parts.mjs';

describe('the nightly parts', () => {
  it('are those of the table in CONTRIBUTING.md', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../../CONTRIBUTING.md'), 'utf8');
    const [, section = ''] = guide.split('### The nightly tests');
    const [table = ''] = section.split('`npm run test:nightly -- faults`');
    const listed = [...table.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual(PARTS.map(({ name }) => name).toSorted());
  });
});
