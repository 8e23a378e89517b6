import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseSync } from '@swc/core';

/**
 * The rules that no import can show. Tests, fixtures, tooling and benchmarks are exempt: they play the
 * product's surroundings. Code is read as a syntax tree, so that a comment or a message may speak of what the
 * code may not do.
 */

/** @typedef {{ rule: string, file: string }} SourceViolation */

const EXEMPT = /(?:\.spec\.m?ts$|(?:^|\/)(?:test|testing|fixtures|conformance|vectors|scripts)\/)/;
const VENUES = /binance|bybit|okx|kraken|coinbase|kucoin|bitget|bitfinex|bitstamp|mexc|hyperliquid/i;
const NETWORK_GLOBALS = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];
const REQUEST_FUNCTIONS = ['request', 'get'];

const SOURCE_RULES = [
  {
    name: 'environment-only-in-config',
    comment: "process.env is read once, by an app's src/config.ts or by runtime.",
    allowed: /^(?:apps\/[^/]+\/src\/config\.ts$|packages\/runtime\/)/,
    breaks: (/** @type {Node} */ node) => isMember(node, 'process', 'env'),
  },
  {
    name: 'network-only-at-the-edges',
    comment: 'Calls to the outside are made by exchanges, the SDK, webhook delivery and the paper exchange.',
    allowed:
      /^(?:packages\/(?:exchanges|sdk)\/|apps\/webhook-dispatcher\/src\/delivery\/|apps\/paper-exchange\/)/,
    breaks: (/** @type {Node} */ node) => usesNetworkGlobal(node) || importsRequestFunction(node),
  },
];

const VENUE_RULE = {
  name: 'venues-only-in-exchanges',
  comment:
    'A venue is a value in a list; code outside exchanges and the paper exchange names none, in comments neither.',
  allowed: /^(?:packages\/exchanges\/|apps\/paper-exchange\/)/,
};

/** The names of all rules of this file. */
export const sourceRuleNames = [...SOURCE_RULES, VENUE_RULE].map(({ name }) => name);

/** @typedef {Record<string, unknown>} Node */

/**
 * Scans the sources of `apps/` and `packages/` of a tree laid out like this repository.
 * @param {string} root absolute
 * @returns {SourceViolation[]}
 */
export function scanSources(root) {
  return ['apps', 'packages']
    .flatMap((folder) => sourceFiles(root, join(root, folder)))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const found = SOURCE_RULES.filter(
        (rule) => !rule.allowed.test(file) && anyNode(parse(source, file), rule.breaks),
      );
      const rules = found.map(({ name }) => name);
      if (!VENUE_RULE.allowed.test(file) && VENUES.test(source)) rules.push(VENUE_RULE.name);
      return rules.map((rule) => ({ rule, file }));
    });
}

/** @returns {string[]} paths relative to the root, with `/` */
function sourceFiles(/** @type {string} */ root, /** @type {string} */ folder) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return ['node_modules', 'dist', '.next', '.turbo'].includes(entry.name) ? [] : sourceFiles(root, path);
    }
    const file = relative(root, path).split(sep).join('/');
    return /\.[cm]?tsx?$/.test(file) && !EXEMPT.test(file) ? [file] : [];
  });
}

const parse = (/** @type {string} */ source, /** @type {string} */ file) =>
  parseSync(source, { syntax: 'typescript', decorators: true, tsx: file.endsWith('.tsx'), target: 'es2022' });

/** @returns {boolean} whether a syntax tree holds a node that answers the question */
function anyNode(/** @type {unknown} */ tree, /** @type {(node: Node) => boolean} */ question) {
  if (tree === null || typeof tree !== 'object') return false;
  if (Array.isArray(tree)) return tree.some((child) => anyNode(child, question));
  const node = /** @type {Node} */ (tree);
  return question(node) || Object.values(node).some((child) => anyNode(child, question));
}

const isIdentifier = (/** @type {unknown} */ node, /** @type {string} */ name) =>
  /** @type {Node | undefined} */ (node)?.type === 'Identifier' && /** @type {Node} */ (node).value === name;

/** `object.property`, `object['property']` */
function isMember(/** @type {Node} */ node, /** @type {string} */ object, /** @type {string} */ property) {
  if (node.type !== 'MemberExpression' || !isIdentifier(node.object, object)) return false;
  const key = /** @type {Node} */ (node.property);
  if (key.type === 'Computed') return /** @type {Node} */ (key.expression).value === property;
  return key.value === property;
}

/** A call or a `new` of a network global, or the global passed along as a value of `globalThis`. */
function usesNetworkGlobal(/** @type {Node} */ node) {
  const isCall = node.type === 'CallExpression' || node.type === 'NewExpression';
  return NETWORK_GLOBALS.some(
    (name) => (isCall && isIdentifier(node.callee, name)) || isMember(node, 'globalThis', name),
  );
}

/** `import { request } from 'node:http'`: a client by another name; the server types of the module are no harm. */
function importsRequestFunction(/** @type {Node} */ node) {
  if (node.type !== 'ImportDeclaration' || node.typeOnly === true) return false;
  const source = String(/** @type {Node} */ (node.source).value);
  if (!/^(?:node:)?https?$/.test(source)) return false;
  return /** @type {Node[]} */ (node.specifiers).some((specifier) => {
    const imported = /** @type {Node} */ (specifier.imported ?? specifier.local);
    return specifier.type !== 'ImportSpecifier' || REQUEST_FUNCTIONS.includes(String(imported.value));
  });
}
