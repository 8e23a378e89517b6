import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** For each rule, docs/trading/rules.md must name the files of the tests whose titles begin with that rule's name. */
const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs/trading/rules.md'), 'utf8');

/** Matches the title of a test that begins with the rules it proves: `rule 7: …`, `rule 17, row 9: …`, `rows 1, 5: …`. */
const proof = /(?:it|test|describe)(?:\.\w+)?\(\s*[`'"]((?:(?:rules?|rows?) [\d, and]+,? ?)+):/g;

function* proofsIn(text) {
  for (const [, names] of text.matchAll(proof)) {
    for (const [, kind, numbers] of names.matchAll(/(rule|row)s? ([\d, and]+)/g))
      for (const [number] of numbers.matchAll(/\d+/g)) yield `${kind} ${number}`;
  }
}

/** Returns the test files by the rules that they prove. */
function testFilesByRule() {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.spec.ts', '*.spec.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  const filesByRule = new Map();
  for (const file of listed.trim().split('\n')) {
    if (!existsSync(join(root, file))) continue;
    for (const name of new Set(proofsIn(readFileSync(join(root, file), 'utf8'))))
      filesByRule.set(name, [...(filesByRule.get(name) ?? []), file].toSorted());
  }
  return filesByRule;
}

/** Returns the test files that the page names, for each row of its two tables. */
function documentedFiles() {
  const documented = new Map();
  for (const [heading, kind] of [
    ['## Copying', 'rule'],
    ['## Known failures of other products', 'row'],
  ]) {
    const section = page.slice(page.indexOf(heading)).split('\n## ')[0] ?? '';
    for (const [, number, cells] of section.matchAll(/^\| (\d+) +\|(.*)\|$/gm))
      documented.set(
        `${kind} ${number}`,
        [...cells.matchAll(/`([^`]+\.spec\.(?:ts|mjs))`/g)].map(([, file]) => file).toSorted(),
      );
  }
  return documented;
}

const numbered = (kind, count) => Array.from({ length: count }, (_, i) => `${kind} ${i + 1}`);

describe('each rule of copying and each known failure:', () => {
  const filesByRule = testFilesByRule();
  const documented = documentedFiles();

  it.each([...numbered('rule', 33), ...numbered('row', 20)])(
    '%s is named at the beginning of a test title, and the page names the file of that test',
    (name) => {
      expect(documented.get(name)).toEqual(filesByRule.get(name));
      expect(filesByRule.get(name)?.length).toBeGreaterThan(0);
    },
  );
});
