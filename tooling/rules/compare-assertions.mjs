import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * `node tooling/rules/compare-assertions.mjs before.jsonl after.jsonl [--within path]`: fails where a test of the first
 * log is missing from the second, or executed fewer `expect` calls there. A log is written by
 * `ASSERTION_LOG=$PWD/after.jsonl npm test`.
 *
 * A test keeps its title, or `tooling/rules/moved-tests.json` maps it: `files` from old to new paths, `titles` from
 * `old file > old title` to `new file > new title`. A test that runs several times in a log counts once, with its
 * smallest number.
 *
 * @typedef {{ file: string, title: string, calls: number }} RecordedTest
 * @typedef {{ files: Record<string, string>, titles: Record<string, string> }} MovedTests
 */

/** @param {string} text @returns {RecordedTest[]} */
export function parseLog(text) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [file, title, calls] = JSON.parse(line);
      return { file, title, calls };
    });
}

/** @param {RecordedTest} test */
const keyOf = ({ file, title }) => `${file} > ${title}`;

/** @param {RecordedTest[]} tests @returns {Map<string, RecordedTest>} */
function byKey(tests) {
  const found = new Map();
  for (const test of tests) {
    const other = found.get(keyOf(test));
    if (other === undefined || test.calls < other.calls) found.set(keyOf(test), test);
  }
  return found;
}

/**
 * @param {string} file
 * @param {MovedTests['files']} files a path that ends in `/` moves a folder
 */
function newFileOf(file, files) {
  const exact = files[file];
  if (exact !== undefined) return exact;
  const folder = Object.keys(files).find((path) => path.endsWith('/') && file.startsWith(path));
  return folder === undefined ? file : `${files[folder]}${file.slice(folder.length)}`;
}

/**
 * @param {RecordedTest[]} before
 * @param {RecordedTest[]} after
 * @param {MovedTests} moved
 * @returns {{ compared: number, missing: string[], weakened: string[], unused: string[] }} `unused` titles of the table
 *   name no test of the first log
 */
export function compareLogs(before, after, { files, titles }) {
  const was = byKey(before);
  const is = byKey(after);
  const missing = [];
  const weakened = [];
  for (const [key, test] of was) {
    const newKey = titles[key] ?? keyOf({ ...test, file: newFileOf(test.file, files) });
    const now = is.get(newKey);
    if (now === undefined) missing.push(newKey === key ? key : `${key} (as ${newKey})`);
    else if (now.calls < test.calls)
      weakened.push(`${newKey}: ${test.calls} expect calls before, ${now.calls} now`);
  }
  const unused = Object.keys(titles).filter((key) => !was.has(key));
  return { compared: was.size, missing, weakened, unused };
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { within: { type: 'string', multiple: true, default: [] } },
  });
  const [before, after] = positionals;
  if (before === undefined || after === undefined) throw new Error('Give two logs: before.jsonl after.jsonl');
  /** @type {MovedTests} */
  const moved = JSON.parse(readFileSync(new URL('moved-tests.json', import.meta.url), 'utf8'));
  const isWithin = (/** @type {RecordedTest} */ { file }) =>
    values.within.length === 0 || values.within.some((path) => newFileOf(file, moved.files).includes(path));
  const { compared, missing, weakened } = compareLogs(
    parseLog(readFileSync(before, 'utf8')).filter(isWithin),
    parseLog(readFileSync(after, 'utf8')),
    moved,
  );
  for (const test of missing) console.error(`missing: ${test}`);
  for (const test of weakened) console.error(`weakened: ${test}`);
  console.log(`${compared} tests compared, ${missing.length} missing, ${weakened.length} weakened`);
  process.exitCode = missing.length + weakened.length === 0 ? 0 : 1;
}
