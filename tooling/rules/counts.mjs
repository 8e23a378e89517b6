import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'oxc-parser';
import { findBannedWords } from './banned-words.mjs';
import { COLLABORATORS_MAX, ConstructorCounter, PRODUCT } from './constructors.mjs';
import { proseFiles } from './prose.mjs';

/**
 * `npm run counts [-- <root>] [--list]`: prints figures about the structure of the repository, for the comparison of
 * two releases. `--list` also prints the long functions, the short files, and the constructors with too many
 * collaborators, one a line.
 *
 * Functions, constructors and short files are counted only in product code, without tests, test support and migrations.
 */

const LONG_FUNCTION_LINES = 60;
const SHORT_FILE_LINES = 15;

const root =
  process.argv.slice(2).find((argument) => !argument.startsWith('-')) ??
  join(import.meta.dirname, '..', '..');
const sources = proseFiles(root).filter((file) => /^(?:apps|packages)\/[^/]+\/src\/.*\.ts$/.test(file));
const product = sources.filter((file) => PRODUCT.test(file));
const modules = product.map((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  return { file, lines: text.split('\n').length - 1, text, ...parseSync(file, text) };
});

/** @typedef {{ type: string, start: number, end: number, [key: string]: any }} Node */

/** @returns {Generator<Node>} */
function* nodes(/** @type {any} */ node) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) yield* nodes(child);
    return;
  }
  if (typeof node.type === 'string') yield node;
  for (const child of Object.values(node)) yield* nodes(child);
}

const linesOf = (/** @type {string} */ text, /** @type {Node} */ { start, end }) =>
  text.slice(start, end).split('\n').length;

/** Returns the folder of core that contains a file; for a file at the root of core, the file's name. */
const unitOf = (/** @type {string} */ file) => file.replace('packages/core/src/', '').split('/')[0] ?? '';

function coreImports() {
  const pairs = new Map();
  for (const { file, program } of modules.filter((module) => module.file.startsWith('packages/core/src/'))) {
    for (const node of program.body) {
      const source = 'source' in node ? node.source?.value : undefined;
      if (source === undefined || !source.startsWith('.')) continue;
      const target = unitOf(normalize(join(dirname(file), source)));
      const importer = unitOf(file);
      const pair = `${importer} -> ${target}`;
      if (importer !== target) pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
  }
  return pairs;
}

const counter = new ConstructorCounter(root);
const longFunctions = [];
const constructors = [];
for (const { file, text, program } of modules) {
  for (const { className, collaborators } of counter.count(file)) {
    if (collaborators.length > COLLABORATORS_MAX)
      constructors.push(`${file}: ${className} takes ${collaborators.length} (${collaborators.join(', ')})`);
  }
  for (const node of nodes(program)) {
    const isFunction = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(
      node.type,
    );
    if (isFunction && linesOf(text, node) > LONG_FUNCTION_LINES)
      longFunctions.push(`${file}: ${linesOf(text, node)} lines`);
  }
}

const imports = coreImports();
const units = new Set(sources.filter((file) => file.startsWith('packages/core/src/')).map(unitOf));
const shortFiles = modules.filter(
  ({ file, lines }) => lines < SHORT_FILE_LINES && !/(?:index|main)\.ts$/.test(file),
);
const figures = [
  ['files of hand-written code and prose', proseFiles(root).length],
  ['folders and loose files of core', units.size],
  ['pairs of folders or files where one imports the other', imports.size],
  ['imports between these folders and files', [...imports.values()].reduce((sum, count) => sum + count, 0)],
  [`functions over ${LONG_FUNCTION_LINES} lines`, longFunctions.length],
  [`constructors with more than ${COLLABORATORS_MAX} collaborators`, constructors.length],
  [`product files under ${SHORT_FILE_LINES} lines`, shortFiles.length],
  [`product files`, product.length],
  ['banned words in prose', findBannedWords(root).length],
];
for (const [name, value] of figures) console.log(`${String(value).padStart(7)}  ${name}`);
if (process.argv.includes('--list')) {
  for (const line of [...longFunctions, ...constructors, ...shortFiles.map(({ file }) => `${file}: short`)])
    console.log(line);
}
