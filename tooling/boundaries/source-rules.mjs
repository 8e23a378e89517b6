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
/** What of Node's own modules calls out; their servers, types and parsers are no harm. */
const CLIENTS = {
  http: ['request', 'get', 'Agent', 'globalAgent', 'ClientRequest'],
  https: ['request', 'get', 'Agent', 'globalAgent'],
  http2: ['connect'],
  net: ['connect', 'createConnection', 'Socket', 'Stream'],
  tls: ['connect', 'TLSSocket'],
  dgram: ['createSocket', 'Socket'],
  dns: ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'Resolver', 'promises'],
  'dns/promises': ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'Resolver'],
};

const SOURCE_RULES = [
  {
    name: 'environment-only-in-config',
    comment:
      "process.env is read once, by an app's src/config.ts, by runtime, or by the environment.ts of the SDK and of the command line.",
    allowed:
      /^(?:apps\/[^/]+\/src\/config\.ts$|packages\/runtime\/|packages\/(?:cli\/src|sdk\/src\/core)\/environment\.ts$)/,
    breaks: (/** @type {Node} */ node) => isMember(node, 'process', 'env'),
  },
  {
    name: 'network-only-at-the-edges',
    comment:
      'Calls to the outside are made by exchanges, the SDK, webhook delivery, the paper exchange, to providers of identities at configured addresses, and by the command line to addresses that its user gives.',
    allowed:
      /^(?:packages\/(?:exchanges|sdk)\/|packages\/cli\/src\/(?:environment\.ts$|(?:listen|live|doctor|dev)\/)|apps\/webhook-dispatcher\/src\/delivery\/|apps\/graphql-api\/src\/providers\/|apps\/paper-exchange\/)/,
    breaks: (/** @type {Node} */ node) =>
      usesNetworkGlobal(node) || importsClient(node) || loadsNetworkModule(node),
  },
  {
    name: 'webhook-urls-are-read-by-the-egress-guard-alone',
    comment: 'Two parsers of one URL may disagree about its host. (The URL of the mail server is a setting.)',
    allowed:
      /^(?!packages\/core\/src\/webhooks\/|apps\/webhook-dispatcher\/src\/)|\/webhooks\/egress\.ts$|\/smtp-client\.ts$/,
    breaks: (/** @type {Node} */ node) => readsUrl(node),
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

/** A call or a `new` of a network global, the global handed on, or taken from `globalThis`. */
function usesNetworkGlobal(/** @type {Node} */ node) {
  return NETWORK_GLOBALS.some(
    (name) =>
      usedValues(node).some((value) => isIdentifier(value, name)) || isMember(node, 'globalThis', name),
  );
}

/** @returns {unknown[]} what a node calls, makes, hands on or keeps */
function usedValues(/** @type {Node} */ node) {
  switch (node.type) {
    case 'CallExpression':
    case 'NewExpression': {
      const given = /** @type {Node[] | undefined} */ (node.arguments) ?? [];
      return [node.callee, ...given.map(({ expression }) => expression)];
    }
    case 'VariableDeclarator':
      return [node.init];
    case 'AssignmentExpression':
    case 'AssignmentPattern':
      return [node.right];
    case 'KeyValueProperty':
      return [node.value];
    default:
      return [];
  }
}

/** @returns {readonly string[] | undefined} what calls out of the module that is named by a literal */
function clientsOf(/** @type {unknown} */ literal) {
  const name = String(/** @type {Node | null | undefined} */ (literal)?.value ?? '').replace(/^node:/, '');
  return Object.hasOwn(CLIENTS, name) ? CLIENTS[/** @type {keyof typeof CLIENTS} */ (name)] : undefined;
}

/** `import { request } from 'node:http'`, `export * from 'node:net'`, or a whole module of the kind. */
function importsClient(/** @type {Node} */ node) {
  if (node.typeOnly === true) return false;
  const clients = clientsOf(node.source);
  if (clients === undefined) return false;
  if (node.type === 'ExportAllDeclaration') return true;
  return /** @type {Node[]} */ (node.specifiers).some((specifier) => {
    if (specifier.isTypeOnly === true) return false;
    const named = /** @type {Node | undefined} */ (specifier.imported ?? specifier.local ?? specifier.orig);
    const isNamed = specifier.type === 'ImportSpecifier' || specifier.type === 'ExportSpecifier';
    return !isNamed || clients.includes(String(named?.value));
  });
}

/** `import('node:net')`, `require('net')`, `process.getBuiltinModule('net')`, and whatever is given `node:net`. */
function loadsNetworkModule(/** @type {Node} */ node) {
  if (node.type !== 'CallExpression') return false;
  const callee = /** @type {Node} */ (node.callee);
  const [first] = /** @type {{ expression: Node }[]} */ (node.arguments);
  if (clientsOf(first?.expression) === undefined) return false;
  const isLoader =
    callee.type === 'Import' ||
    isIdentifier(callee, 'require') ||
    isMember(callee, 'process', 'getBuiltinModule');
  return isLoader || String(first?.expression.value).startsWith('node:');
}

/** `new URL(…)`, `URL.parse(…)`, `URL.canParse(…)`, or the module of that name. */
function readsUrl(/** @type {Node} */ node) {
  if (node.type === 'ImportDeclaration')
    return /^(?:node:)?url$/.test(String(/** @type {Node} */ (node.source).value));
  if (node.type === 'NewExpression') return isIdentifier(node.callee, 'URL');
  return isMember(node, 'URL', 'parse') || isMember(node, 'URL', 'canParse');
}
