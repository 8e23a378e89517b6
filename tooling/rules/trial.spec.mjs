import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemsOf, threatsIn } from './threats.mjs';

const root = join(import.meta.dirname, '..', '..');
const rows = threatsIn(readFileSync(join(root, 'docs', 'trial.md'), 'utf8'));
const FINDINGS = { S: 16, E: 13, P: 10, X: 10 };

describe('docs/trial.md', () => {
  it('names for every finding a test that exists, and only titles that its file contains', () => {
    expect(rows.flatMap((row) => problemsOf(row, root))).toEqual([]);
  });

  it('has every finding of the trial', () => {
    const found = new Set(rows.map(({ threat }) => threat.replace(/[a-z]$/, '')));
    const expected = Object.entries(FINDINGS).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
    );
    expect([...found].sort()).toEqual(expected.sort());
  });
});
