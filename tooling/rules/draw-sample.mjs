import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';
import { proseFiles } from './prose.mjs';

/**
 * `npm run sample [-- --reader 2]`: draws files and public texts for a review by a reader who does not
 * know the repository.
 *
 * The seed is the hash of the checked-out commit and the reader's number, so that anyone can draw the same sample, and
 * each commit has another sample.
 */

const FILES = 60;
const TEXTS = 60;
/** Each of these areas has at least ten files of the sample. */
const AREAS = ['apps/', 'packages/core/', 'tooling/', 'docs/'];
const AREA_MIN = 10;

/**
 * Sorts items by a hash of the seed and the item, which is a random order that the seed determines.
 * @param {string} seed
 * @param {string[]} items
 */
export function shuffle(seed, items) {
  const rank = (/** @type {string} */ item) => createHash('sha256').update(`${seed}\0${item}`).digest('hex');
  return items
    .map((item) => ({ item, rank: rank(item) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ item }) => item);
}

/**
 * Draws files: first ten of each area, then the rest from all files.
 * @param {string} seed
 * @param {string[]} files
 */
export function drawFiles(seed, files) {
  const shuffled = shuffle(seed, files);
  const chosen = new Set(
    AREAS.flatMap((area) => shuffled.filter((file) => file.startsWith(area)).slice(0, AREA_MIN)),
  );
  for (const file of shuffled) if (chosen.size < FILES) chosen.add(file);
  return [...chosen].sort();
}

/**
 * Draws public texts, the same number from each source.
 * @param {string} seed
 * @param {Record<string, string[]>} sources
 */
export function drawTexts(seed, sources) {
  const share = TEXTS / Object.keys(sources).length;
  const chosen = new Set();
  return Object.entries(sources).flatMap(([source, texts]) => {
    const fresh = shuffle(seed, [...new Set(texts)]).filter((text) => !chosen.has(text));
    const drawn = fresh.slice(0, share);
    for (const text of drawn) chosen.add(text);
    return drawn.map((text) => ({ source, text }));
  });
}

/** @returns {string[]} the paragraphs of all summaries and descriptions */
function referenceTexts(/** @type {string} */ root) {
  const found = /** @type {string[]} */ ([]);
  JSON.parse(readFileSync(join(root, 'apps/rest-api/openapi.json'), 'utf8'), (key, value) => {
    if ((key === 'summary' || key === 'description') && typeof value === 'string')
      found.push(...value.split('\n\n'));
    return value;
  });
  return found.filter(isSentence);
}

/** @returns {Generator<any>} every node of a syntax tree */
function* nodes(/** @type {any} */ node) {
  if (node === null || typeof node !== 'object') return;
  if (!Array.isArray(node) && typeof node.type === 'string') yield node;
  for (const child of Object.values(node)) yield* nodes(child);
}

/** @returns {string[]} strings and templates of at least four words, without SQL */
function messages(/** @type {string} */ root, /** @type {string[]} */ files) {
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...nodes(parseSync(file, text).program)]
      .filter(
        ({ type, value }) => type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string'),
      )
      .map(({ start, end }) => text.slice(start + 1, end - 1))
      .filter(
        (message) =>
          isSentence(message) && !/\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|FROM|JOIN)\b/.test(message),
      );
  });
}

/** @returns {string[]} paragraphs, list items and table rows outside code */
function paragraphs(/** @type {string} */ root, /** @type {string[]} */ files) {
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .replace(/^ *(```+|~~~+)[\s\S]*?^ *\1/gm, '')
      .split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) ?)/)
      .map((paragraph) => paragraph.trim())
      .filter((paragraph) => isSentence(paragraph) && !paragraph.startsWith('#')),
  );
}

/** @returns {string[]} documentation comments */
function docComments(/** @type {string} */ root, /** @type {string[]} */ files) {
  return files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\/\*\*[\s\S]*?\*\//g)]
      .map(([comment]) => comment.replace(/@example[\s\S]*/, '*/'))
      .filter(isSentence),
  );
}

const isSentence = (/** @type {string} */ text) => (text.match(/\p{L}{2,}/gu)?.length ?? 0) >= 4;

/** @returns {Record<string, string[]>} the texts that users read, by source */
function publicTexts(/** @type {string} */ root) {
  const files = proseFiles(root).filter((file) => !/\.spec\.|\/(?:test|testing|scripts)\//.test(file));
  const under = (/** @type {RegExp} */ pattern) => files.filter((file) => pattern.test(file));
  return {
    'API reference': referenceTexts(root),
    'messages of the services': messages(
      root,
      under(/^(?:apps|packages\/(?:contracts|core|runtime|exchanges))\/.*\.ts$/),
    ),
    'command line': messages(root, under(/^packages\/cli\/src\/.*\.ts$/)),
    SDK: docComments(root, under(/^packages\/sdk\/src\/.*\.ts$/)),
    documentation: paragraphs(root, under(/^(?:README|SECURITY|CONTRIBUTING)\.md$|^docs\/.*\.md$/)),
  };
}

function main() {
  const { values } = parseArgs({ options: { reader: { type: 'string', default: '1' } } });
  const root = join(import.meta.dirname, '..', '..');
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const seed = `${commit} ${values.reader}`;
  console.log(`Commit ${commit}, reader ${values.reader}\n\n# Files`);
  for (const file of drawFiles(seed, proseFiles(root))) console.log(file);
  console.log('\n# Public texts');
  drawTexts(seed, publicTexts(root)).forEach(({ source, text }, index) => {
    console.log(`\n## ${index + 1} (${source})\n${text}`);
  });
}

if (process.argv[1] === import.meta.filename) main();
