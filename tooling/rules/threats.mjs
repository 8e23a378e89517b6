import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Checks the tables of threats in docs/security: every row names at least one test, every named test file exists, and
 * contains the title in parentheses after it, if there is one: `path` ("part of a title").
 */

/** The abbreviations that the pages define, and the endings of test files. */
const ABBREVIATIONS = {
  'proofs/': 'apps/rest-api/test/proofs/',
  'http/': 'apps/rest-api/src/http/',
  'access/': 'packages/core/src/access/',
  'delivery/': 'apps/webhook-dispatcher/src/delivery/',
  'e2e/': 'tooling/e2e/',
};
const ENDINGS = ['', '.int.spec.ts', '.spec.ts', '.e2e.spec.mjs', '.int.spec.mjs', '.spec.mjs'];
const TEST_FILE = /\.spec\.(?:ts|mjs)$|^calls-at-once\.mjs$/;

/**
 * Returns the rows of all tables whose last column is headed Test.
 *
 * @param {string} page
 * @returns {{ threat: string, tests: string }[]}
 */
export function threatsIn(page) {
  const rows = [];
  let isTable = false;
  for (const line of page.split('\n')) {
    const cells = line.startsWith('|') ? cellsOf(line) : [];
    if (cells.length === 0) isTable = false;
    else if (/^tests?$/i.test(cells.at(-1) ?? '')) isTable = true;
    else if (isTable && !/^:?-+:?$/.test(cells[0] ?? ''))
      rows.push({ threat: cells[0] ?? '', tests: cells.at(-1) ?? '' });
  }
  return rows;
}

/** @param {string} line a row of a table; a `\|` belongs to a cell */
const cellsOf = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/**
 * Returns what is wrong with the tests of a row.
 *
 * @param {{ threat: string, tests: string }} row
 * @param {string} root the root of the repository
 * @returns {string[]}
 */
export function problemsOf({ threat, tests }, root) {
  const references = [...tests.matchAll(/`([^`\s]+)`(?:\s*\("([^"]+)"\))?/g)];
  const problems = [];
  let testCount = 0;
  for (const [, name = '', title] of references) {
    const file = fileOf(name, root);
    if (file === undefined) {
      if (name.includes('/')) problems.push(`${threat}: no test file ${name}`);
      continue;
    }
    testCount++;
    if (title !== undefined && !contains(file, title))
      problems.push(`${threat}: ${name} has no test with the title "${title}"`);
  }
  if (testCount === 0) problems.push(`${threat}: no test is named`);
  return problems;
}

/**
 * @param {string} name
 * @param {string} root
 * @returns {string | undefined} the path of the test file, or of a folder that contains test files
 */
function fileOf(name, root) {
  const prefix = Object.keys(ABBREVIATIONS).find((each) => name.startsWith(each));
  const path =
    prefix === undefined
      ? name
      : ABBREVIATIONS[/** @type {keyof typeof ABBREVIATIONS} */ (prefix)] + name.slice(prefix.length);
  for (const ending of ENDINGS) {
    const file = join(root, path + ending);
    if (!existsSync(file)) continue;
    if (statSync(file).isDirectory() ? testsIn(file).length > 0 : TEST_FILE.test(file)) return file;
  }
  return undefined;
}

/** @param {string} folder */
const testsIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => TEST_FILE.test(file) && !file.includes('node_modules'));

/**
 * @param {string} file
 * @param {string} title
 */
const contains = (file, title) =>
  !statSync(file).isDirectory() && readFileSync(file, 'utf8').replaceAll("\\'", "'").includes(title);
