import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { groupBy } from '../launch/group-by.mjs';

/**
 * `node tooling/rules/compare-assertions.mjs before.jsonl after.jsonl [--within path] [--write-table]`: fails if a test
 * of the first log is missing from the second log, or executed fewer `expect` calls there.
 * `ASSERTION_LOG=$PWD/after.jsonl npm test` writes a log.
 *
 * Moved and renamed tests are mapped. `moved-tests.json` is written by hand and maps files and single titles.
 * `moved-tests.tsv` maps many titles and is written with `--write-table`: for each file, the script pairs the titles
 * that only the first log has with the titles that only the second log has, in the order in which the tests ran.
 *
 * `--within` compares only tests of files whose path, after moves, contains this string.
 *
 * The number of calls of some tests varies from run to run, because of random inputs or races. Therefore each argument
 * can be several logs, joined by commas. A test then counts as weakened only if its largest number in the second logs
 * is below its smallest number in the first logs. A test that runs several times in one log counts once, with its
 * smallest number.
 *
 * @typedef {{ file: string, title: string, calls: number }} RecordedTest
 * @typedef {{ files: Record<string, string>, titles: Record<string, string>, added?: string[] }} MovedTests `added`:
 *   keys (file and title) of tests in merged files that no test of the first log corresponds to; they are not paired
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
 * Merges the logs of several runs of the same code.
 * @param {RecordedTest[][]} logs
 * @param {(a: number, b: number) => number} choose which number of two runs counts
 */
export function mergeLogs(logs, choose) {
  const merged = new Map();
  for (const log of logs) {
    for (const [key, test] of byKey(log)) {
      const other = merged.get(key);
      merged.set(key, other === undefined ? test : { ...test, calls: choose(test.calls, other.calls) });
    }
  }
  return [...merged.values()];
}

/**
 * @param {RecordedTest[]} before
 * @param {RecordedTest[]} after
 * @param {MovedTests} moved
 * @returns {{ compared: number, missing: string[], weakened: string[], unused: string[] }} `unused`: the mapped
 *   titles that belong to no test of the first log
 */
export function compareLogs(before, after, { files, titles }) {
  const testsBefore = byKey(before);
  const testsAfter = byKey(after);
  const missing = [];
  const weakened = [];
  for (const [key, test] of testsBefore) {
    const newKey = titles[key] ?? keyOf({ ...test, file: newFileOf(test.file, files) });
    const now = testsAfter.get(newKey);
    if (now === undefined) missing.push(newKey === key ? key : `${key} (as ${newKey})`);
    else if (now.calls < test.calls)
      weakened.push(`${newKey}: ${test.calls} expect calls before, ${now.calls} now`);
  }
  const unused = Object.keys(titles).filter((key) => !testsBefore.has(key));
  return { compared: testsBefore.size, missing, weakened, unused };
}

/** @param {string} title */
const wordsOf = (title) => new Set(title.toLowerCase().match(/[\p{L}\d_./-]+/gu));

/**
 * Pairs each old title with a new title, in order. If there are more new titles, it omits those that share the fewest
 * words with the old titles: they are new tests.
 * @param {readonly string[]} before
 * @param {readonly string[]} after at least as many
 * @returns {[old: string, now: string][]}
 */
export function alignInOrder(before, after) {
  const surplus = after.length - before.length;
  const [wordsBefore, wordsAfter] = [before.map(wordsOf), after.map(wordsOf)];
  const similarity = (/** @type {number} */ i, /** @type {number} */ j) =>
    [...(wordsBefore[i] ?? [])].filter((word) => wordsAfter[j]?.has(word)).length;
  // best[i][omitted]: the largest similarity of the first i old titles, if `omitted` new titles are unpaired so far.
  const best = [Array.from({ length: surplus + 1 }, () => 0)];
  for (let i = 1; i <= before.length; i++) {
    const row = /** @type {number[]} */ ([]);
    for (let omitted = 0; omitted <= surplus; omitted++)
      row.push(
        Math.max(
          (best[i - 1]?.[omitted] ?? 0) + similarity(i - 1, i - 1 + omitted),
          omitted === 0 ? 0 : (row[omitted - 1] ?? 0),
        ),
      );
    best.push(row);
  }
  const pairs = /** @type {[string, string][]} */ ([]);
  let omitted = surplus;
  for (let i = before.length; i > 0; i--) {
    while (omitted > 0 && best[i]?.[omitted] === best[i]?.[omitted - 1]) omitted--;
    pairs.unshift([String(before[i - 1]), String(after[i - 1 + omitted])]);
  }
  return pairs;
}

/**
 * In each file, pairs the titles that only `before` has with those that only `after` has, in the order in which the
 * tests ran. Where several files were merged, the tests of the file that kept its path come first, then those of the
 * moved files in the order in which `moved-tests.json` lists them.
 * @param {RecordedTest[]} before
 * @param {RecordedTest[]} after
 * @param {MovedTests} moved
 * @returns {{ pairs: [old: string, now: string][], unpaired: string[] }} `unpaired`: the files where more titles
 *   disappeared than appeared; map some of the old titles in `moved-tests.json`
 */
export function pairTitles(before, after, { files, titles, added = [] }) {
  const paths = Object.keys(files);
  const unmovedFirst = before.toSorted((a, b) => paths.indexOf(a.file) - paths.indexOf(b.file));
  const [testsBefore, testsAfter] = [byKey(unmovedFirst), byKey(after)];
  const mapped = new Set([...Object.values(titles), ...added]);
  const old = groupBy(
    [...testsBefore].filter(
      ([key, test]) =>
        !(key in titles) && !testsAfter.has(keyOf({ ...test, file: newFileOf(test.file, files) })),
    ),
    ([, test]) => newFileOf(test.file, files),
  );
  const keptKeys = new Set(
    [...testsBefore.values()].map((test) => keyOf({ ...test, file: newFileOf(test.file, files) })),
  );
  const now = groupBy(
    [...testsAfter].filter(([key]) => !mapped.has(key) && !keptKeys.has(key)),
    ([, { file }]) => file,
  );
  const pairs = /** @type {[string, string][]} */ ([]);
  const unpaired = [];
  for (const [file, tests] of old) {
    const others = now.get(file) ?? [];
    if (others.length < tests.length)
      unpaired.push(`${file}: ${tests.length} titles before, ${others.length} now`);
    else
      pairs.push(
        ...alignInOrder(
          tests.map(([key]) => key),
          others.map(([key]) => key),
        ),
      );
  }
  return { pairs: pairs.sort(([a], [b]) => (a < b ? -1 : 1)), unpaired };
}

const TABLE = new URL('moved-tests.tsv', import.meta.url);

/** Escapes backslashes, tabs and line ends as in JSON. */
const escaped = (/** @type {string} */ title) => JSON.stringify(title).slice(1, -1).replaceAll('\\"', '"');
const unescaped = (/** @type {string} */ title) => JSON.parse(`"${title.replaceAll('"', '\\"')}"`);

/**
 * Writes, for each pair of files, a line with both file names and then one line for each pair of their titles.
 * @param {[old: string, now: string][]} pairs
 */
function writeTable(pairs) {
  const split = (/** @type {string} */ key) => [
    key.slice(0, key.indexOf(' > ')),
    key.slice(key.indexOf(' > ') + 3),
  ];
  const pairsByFiles = groupBy(pairs, ([old, now]) => `# ${split(old)[0]}\t${split(now)[0]}`);
  const sections = [...pairsByFiles].map(([files, titles]) =>
    [files, ...titles.map((pair) => pair.map((key) => escaped(String(split(key)[1]))).join('\t')), ''].join(
      '\n',
    ),
  );
  writeFileSync(TABLE, sections.join(''));
}

/** @returns {MovedTests['titles']} */
function readTable() {
  if (!existsSync(TABLE)) return {};
  let files = /** @type {string[]} */ ([]);
  const pairs = [];
  for (const line of readFileSync(TABLE, 'utf8').split('\n').filter(Boolean)) {
    if (line.startsWith('# ')) files = line.slice(2).split('\t');
    else pairs.push(line.split('\t').map((title, side) => `${files[side]} > ${unescaped(title)}`));
  }
  return Object.fromEntries(pairs);
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      within: { type: 'string', multiple: true, default: [] },
      'write-table': { type: 'boolean', default: false },
    },
  });
  const [before, after] = positionals.map((paths) =>
    paths.split(',').map((path) => parseLog(readFileSync(path, 'utf8'))),
  );
  if (before === undefined || after === undefined)
    throw new Error('Two logs are required. Use: compare-assertions.mjs before.jsonl after.jsonl');
  /** @type {MovedTests} */
  const byHand = JSON.parse(readFileSync(new URL('moved-tests.json', import.meta.url), 'utf8'));
  if (values['write-table']) {
    const { pairs, unpaired } = pairTitles(before.flat(), after.flat(), byHand);
    writeTable(pairs);
    for (const line of unpaired) console.error(`not paired: ${line}`);
    console.log(`${pairs.length} titles written`);
  }
  const moved = { ...byHand, titles: { ...readTable(), ...byHand.titles } };
  const isWithin = (/** @type {RecordedTest} */ { file }) =>
    values.within.length === 0 || values.within.some((path) => newFileOf(file, moved.files).includes(path));
  const { compared, missing, weakened } = compareLogs(
    mergeLogs(before, Math.min).filter(isWithin),
    mergeLogs(after, Math.max),
    moved,
  );
  for (const test of missing) console.error(`missing: ${test}`);
  for (const test of weakened) console.error(`weakened: ${test}`);
  console.log(`${compared} tests compared, ${missing.length} missing, ${weakened.length} weakened`);
  process.exitCode = missing.length + weakened.length === 0 ? 0 : 1;
}
