import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemsOf, threatsIn } from './threats.mjs';

const root = join(import.meta.dirname, '..', '..');
const rows = threatsIn(readFileSync(join(root, 'docs', 'security', 'threats.md'), 'utf8'));

describe('docs/security/threats.md', () => {
  it('names for every threat a test that exists, and only titles that its file contains', () => {
    expect(rows.length).toBeGreaterThan(70);
    expect(rows.flatMap((row) => problemsOf(row, root))).toEqual([]);
  });

  it('names every threat once', () => {
    const ids = rows.map(({ threat }) => /^[A-Z]\d+[a-z]?(?= )/.exec(threat)?.[0] ?? threat);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each([
    'starvation',
    'leader privacy',
    'reward farming',
    'sign-in by X',
    'memory growth',
    'pumping',
    'escalation by child credentials',
    'world mix-up',
    'nonce epoch',
    'withdrawals',
  ])('has a threat with the keyword %s', (keyword) => {
    expect(rows.filter(({ threat }) => threat.includes(keyword))).not.toEqual([]);
  });
});

describe('the check of threats', () => {
  const page = (tests) =>
    `| Threat | Defence | Test |\n| --- | --- | --- |\n| X1 a threat | none | ${tests} |\n`;
  const problemsIn = (tests) => threatsIn(page(tests)).flatMap((row) => problemsOf(row, root));

  it.each([
    ['no reference', 'it was tested by hand', ['X1 a threat: no test is named']],
    ['a code word alone', '`standardwebhooks`', ['X1 a threat: no test is named']],
    [
      'a file that does not exist',
      '`packages/core/src/absent.spec.ts`, `tooling/rules/threats.spec.mjs`',
      ['X1 a threat: no test file packages/core/src/absent.spec.ts'],
    ],
    [
      'a file that is no test',
      '`tooling/rules/threats.mjs`',
      ['X1 a threat: no test file tooling/rules/threats.mjs', 'X1 a threat: no test is named'],
    ],
    [
      'a title that does not exist',
      '`tooling/rules/links.spec.mjs` ("an absent title")',
      ['X1 a threat: tooling/rules/links.spec.mjs has no test with the title "an absent title"'],
    ],
  ])('finds %s', (_what, tests, problems) => {
    expect(problemsIn(tests)).toEqual(problems);
  });

  it('accepts abbreviated names, folders with tests, and titles that exist', () => {
    expect(
      problemsIn(
        '`proofs/threats`, `e2e/refusals`, `packages/signed-request`, `tooling/rules/threats.spec.mjs` ("finds %s")',
      ),
    ).toEqual([]);
  });

  it('reads only tables whose last column is headed Test', () => {
    expect(threatsIn('| A | B |\n| --- | --- |\n| x | y |\n')).toEqual([]);
  });
});
