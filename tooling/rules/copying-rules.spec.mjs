import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** docs/trading/rules.md and the names of the tests say the same. */
const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs/trading/rules.md'), 'utf8');

/** A test's name that begins with what it proves: `rule 7: …`, `rule 17, row 9: …`, `rows 1, 5: …`. */
const proof = /(?:it|test|describe)(?:\.\w+)?\(\s*[`'"]((?:(?:rules?|rows?) [\d, and]+,? ?)+):/g;

function* proofsIn(text) {
  for (const [, names] of text.matchAll(proof)) {
    for (const [, kind, numbers] of names.matchAll(/(rule|row)s? ([\d, and]+)/g))
      for (const [number] of numbers.matchAll(/\d+/g)) yield `${kind} ${number}`;
  }
}

/** Files by what their tests prove. */
function provenBy() {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.spec.ts', '*.spec.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  const proven = new Map();
  for (const file of listed.trim().split('\n')) {
    if (!existsSync(join(root, file))) continue;
    for (const name of new Set(proofsIn(readFileSync(join(root, file), 'utf8'))))
      proven.set(name, [...(proven.get(name) ?? []), file].toSorted());
  }
  return proven;
}

/** What the page says: each line of its two tables. */
function claimed() {
  const claims = new Map();
  for (const [heading, kind] of [
    ['## Copying', 'rule'],
    ['## Known failures of other products', 'row'],
  ]) {
    const section = page.slice(page.indexOf(heading)).split('\n## ')[0] ?? '';
    for (const [, number, cells] of section.matchAll(/^\| (\d+) +\|(.*)\|$/gm))
      claims.set(
        `${kind} ${number}`,
        [...cells.matchAll(/`([^`]+\.spec\.(?:ts|mjs))`/g)].map(([, file]) => file).toSorted(),
      );
  }
  return claims;
}

const numbered = (kind, count) => Array.from({ length: count }, (_, i) => `${kind} ${i + 1}`);

describe('each rule of copying and each known complaint', () => {
  const proven = provenBy();
  const claims = claimed();

  it.each([...numbered('rule', 30), ...numbered('row', 20)])(
    '%s has a named test, and the page names it',
    (name) => {
      expect(claims.get(name)).toEqual(proven.get(name));
      expect(proven.get(name)?.length).toBeGreaterThan(0);
    },
  );
});
