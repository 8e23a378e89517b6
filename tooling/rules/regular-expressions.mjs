import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * Finds the regular expressions of product code, and judges how much time they can take. An expression that backtracks
 * takes quadratic or exponential time for some inputs, and blocks its process meanwhile.
 *
 * 1. An expression is safe if its time is linear in the length of its input.
 * 2. `BOUNDED_INPUT` lists quadratic expressions whose input is short, with what bounds it. A changed expression is
 *    judged again.
 * 3. `BUILT` lists the files that build expressions at run time, with what they are built from.
 */

/** @typedef {{ file: string, source: string, flags: string }} Expression */

const LOG_TEXT = 'removeSecrets cuts its input to 4,000 characters';
const TERMINAL = "the user's own text, in the user's own process";

/** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} the bounds by file and expression */
export const BOUNDED_INPUT = {
  'packages/contracts/src/decimal.ts': {
    '/0+$/': 'readDecimal refuses more than 400 digits',
    '/\\.?0+$/': 'a decimal of Postgres has at most 60 characters',
  },
  'apps/dashboard/src/features/settings/values/json.rules.ts': {
    '/"(?:\\\\.|[^"\\\\])*"/g': 'valid JSON of the user, in which every string ends',
  },
  'packages/contracts/src/samples/with-derived.ts': { '/\\.(?: .*)?$/': 'a description of the contracts' },
  'packages/contracts/src/stored-json.ts': {
    '/"(?:[^"\\\\]|\\\\.)*"|-?\\d[\\d.eE+-]*|[{}[\\]]/g': 'valid JSON, in which every string ends',
  },
  'packages/core/src/trades/lots/lots.rules.ts': { '/0+$/': 'a decimal has at most 60 characters' },
  'apps/paper-exchange/src/engine/decimal.ts': { '/\\.?0+$/': 'a decimal has at most 60 characters' },
  'packages/persistence/src/statement-names.ts': {
    '/(?<!\\(\\s*)\\*(?=\\s*(?:[,);]|$|FROM\\b(?!\\s+(?:unnest\\b|\\())))/i':
      'SQL of the code, at its first use',
  },
  'packages/runtime/src/remove-secrets.ts': {
    '/[{[][\\s\\S]*[}\\]]/g': LOG_TEXT,
    '/\\S+$/': LOG_TEXT,
    '/"(?:[^"\\\\]|\\\\.)*"?|\'(?:[^\'\\\\]|\\\\.)*\'(?!\\w)|`[^`]*`?/g': LOG_TEXT,
    '/(?<![\\w-])([\\w-]*(?:key|secret|token|password|passphrase|signature|authorization|bearer|cookie|nonce|seed|code))(\\s*[:=]\\s*|\\s+is\\s+)(?:(?:bearer|basic)\\s+)?\\S+/gi':
      LOG_TEXT,
  },
  'packages/cli/src/commands/derived-commands.ts': { '/.*:(\\w+)/': 'a path of an operation' },
  'packages/cli/src/dev/pages.ts': { '/\\/+$/': TERMINAL },
  'packages/cli/src/dev/practice-account.ts': { '/\\/+$/': TERMINAL },
  'packages/cli/src/json/json-text.ts': {
    '/"(?:[^"\\\\]|\\\\.)*"|-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|[a-z]+|[{}[\\]:,]/g': TERMINAL,
    '/[eE].*$/': TERMINAL,
  },
  'packages/cli/src/listen/receiver.ts': {
    "/^([!#$%&'*+.^_`|~\\w-]+)\\s*:\\s*([\\t\\x20-\\x7e]*)$/": TERMINAL,
  },
};

/** @type {Readonly<Record<string, string>>} what expressions are built from, by file */
export const BUILT = {
  'apps/rest-api/src/http/route-table.ts': 'the path of an operation; a slash separates its parameters',
  'packages/contracts/src/identity-proof.ts': 'a number of digits',
  'packages/contracts/src/decimal.ts': 'numbers of digits',
  'packages/contracts/src/ids.ts': 'a prefix and an alphabet',
  'packages/core/src/access/api-key.ts': 'numbers of characters',
  'packages/core/src/access/nonce-epoch.ts': 'the name of a field',
  'packages/core/src/sealing/sealing-settings.ts': 'two expressions of fixed length',
};

/**
 * Reads the regular expressions of files.
 *
 * @param {string} root
 * @param {readonly string[]} files relative to the root
 * @returns {{ written: Expression[], built: string[] }} `built`: the files that build expressions at run time
 */
export function readExpressions(root, files) {
  /** @type {Expression[]} */
  const written = [];
  const built = new Set();
  for (const file of files) {
    for (const node of nodes(parseSync(file, readFileSync(join(root, file), 'utf8')).program)) {
      if (node.type === 'Literal' && node.regex !== undefined && node.regex !== null)
        written.push({ file, source: node.regex.pattern, flags: node.regex.flags });
      if (/^(?:New|Call)Expression$/.test(node.type) && node.callee.name === 'RegExp') built.add(file);
    }
  }
  return { written, built: [...built] };
}

/**
 * Judges expressions in a process of its own, because Jest runs the checker many times slower.
 *
 * @param {readonly Pick<Expression, 'source' | 'flags'>[]} expressions
 * @returns {(string | null)[]} null if an expression takes linear time; otherwise `exponential`, `polynomial of
 *   degree 2`, or why it could not be judged
 */
export function complexitiesOf(expressions) {
  const judge = join(import.meta.dirname, 'judge-expressions.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [judge], {
    input: JSON.stringify(expressions),
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (status !== 0) throw new Error(`${judge} failed: ${stderr}`);
  return JSON.parse(stdout);
}

/** @returns {Generator<any>} */
function* nodes(/** @type {any} */ node) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) yield* nodes(child);
    return;
  }
  if (typeof node.type === 'string') yield node;
  for (const child of Object.values(node)) yield* nodes(child);
}
