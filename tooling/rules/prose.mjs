import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * A piece of prose in a file, and its line.
 * @typedef {{ file: string, line: number, text: string }} Prose
 */

const SOURCE = /\.(?:ts|tsx|mts|mjs|cjs)$/;
/** Files that a program or a third party wrote, and files that record the past. */
const NOT_HAND_WRITTEN =
  /(?:^|\/)(?:generated|fixtures|vectors|recordings|migrations)\/|^packages\/sdk\/(?:docs|etc)\/|CHANGELOG\.md$|^LICENSE|^tooling\/rules\/banned-words/;

/**
 * Lists the files of a repository whose prose is hand-written: sources and Markdown.
 * @param {string} root an absolute path
 * @returns {string[]} relative to the root
 */
export function proseFiles(root) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  return listed
    .split('\0')
    .filter((file) => (SOURCE.test(file) || file.endsWith('.md')) && !NOT_HAND_WRITTEN.test(file))
    .filter((file) => existsSync(join(root, file)));
}

/**
 * Extracts the prose of a file: comments, strings with at least two words, and Markdown outside code.
 * @param {string} root
 * @param {string} file relative to the root
 * @returns {Prose[]}
 */
export function proseOf(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.md') ? markdownProse(file, text) : sourceProse(file, text);
}

/** @returns {Prose[]} one for each line outside fenced code, without inline code and link targets */
function markdownProse(/** @type {string} */ file, /** @type {string} */ text) {
  const lines = text.split('\n');
  let fence = '';
  return lines.flatMap((line, index) => {
    const [, mark] = /^ *(```+|~~~+)/.exec(line) ?? [];
    if (mark !== undefined) fence = fence === '' ? mark : line.trim() === fence ? '' : fence;
    if (fence !== '' || mark !== undefined) return [];
    const prose = line.replace(/`[^`]*`/g, ' ').replace(/\]\([^)]*\)/g, ']');
    return prose.trim() === '' ? [] : [{ file, line: index + 1, text: prose }];
  });
}

/** @returns {Prose[]} */
function sourceProse(/** @type {string} */ file, /** @type {string} */ text) {
  const { comments, program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} could not be parsed: ${errors[0]?.message}`);
  const lineAt = lineIndex(text);
  const prose = comments.map(({ value, start }) => ({
    file,
    line: lineAt(start),
    text: value.replace(/`[^`]*`/g, ' '),
  }));
  for (const { value, start } of strings(program)) {
    if (/\p{L}{2,}\s+\p{L}{2,}/u.test(value) && !isQuery(value))
      prose.push({ file, line: lineAt(start), text: value });
  }
  return prose;
}

/** SQL is not prose. Its few comments are not checked either. */
const isQuery = (/** @type {string} */ value) =>
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|WITH|JOIN|WHERE|FROM|ORDER BY|LOCK|NOTIFY)\b/.test(
    value,
  );

/** @returns {Generator<{ value: string, start: number }>} */
function* strings(/** @type {unknown} */ node) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) yield* strings(child);
    return;
  }
  const { type, value, start } = /** @type {{ type?: string, value?: any, start: number }} */ (node);
  if (type === 'Literal' && typeof value === 'string') yield { value, start };
  else if (type === 'TemplateElement') yield { value: value.cooked ?? value.raw, start };
  else if (type === 'ImportDeclaration') return;
  else for (const child of Object.values(node)) yield* strings(child);
}

/** @returns {(offset: number) => number} */
function lineIndex(/** @type {string} */ text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (Number(starts[middle]) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
