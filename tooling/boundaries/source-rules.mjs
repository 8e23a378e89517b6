import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseSync } from '@swc/core';

/**
 * Rules that dependency-cruiser cannot check. Tests, fixtures, tooling and benchmarks are exempt, because they simulate
 * the environment of the product. The rules inspect the syntax tree, so that comments and messages may mention what the
 * code must not do. Only the rule about venues inspects the whole text.
 */

/** @typedef {{ rule: string, file: string }} SourceViolation */

const EXEMPT = /(?:\.spec\.m?ts$|(?:^|\/)(?:test|testing|fixtures|conformance|vectors|scripts)\/)/;
const VENUES = /binance|bybit|okx|kraken|coinbase|kucoin|bitget|bitfinex|bitstamp|mexc|hyperliquid/i;
/** The names of the venue folders. Some are ordinary words, so they count only as whole strings. */
const VENUE_FOLDERS = readdirSync(new URL('../../packages/exchanges/src/venues/', import.meta.url), {
  withFileTypes: true,
}).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const VENUE_STRINGS = new RegExp(`(['"\`])(?:${VENUE_FOLDERS.join('|')})\\1`);
const NETWORK_GLOBALS = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];
/** The exports of Node's modules that open connections. Servers, types and parsers are allowed. */
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
      "Only an app's src/config.ts, runtime, and the environment.ts of the SDK and of the CLI may read process.env.",
    allowed:
      /^(?:apps\/[^/]+\/src\/config\.ts$|packages\/runtime\/|packages\/(?:cli\/src|sdk\/src\/core)\/environment\.ts$)/,
    violates: (/** @type {Node} */ node) => isMember(node, 'process', 'env'),
  },
  {
    name: 'network-only-at-the-edges',
    comment:
      'Only exchanges, the SDK, webhook delivery, the paper exchange, identity providers at configured addresses, the dashboard (to its own server and to the APIs), the page of GraphiQL (in a browser), and the CLI (to addresses from its user) may open connections.',
    allowed:
      /^(?:packages\/(?:exchanges|sdk)\/|packages\/cli\/src\/(?:environment\.ts$|(?:listen|live|doctor|dev)\/)|apps\/webhook-dispatcher\/src\/delivery\/|apps\/graphql-api\/(?:graphiql|src\/providers)\/|apps\/dashboard\/src\/(?:data|server)\/|apps\/paper-exchange\/)/,
    violates: (/** @type {Node} */ node) =>
      usesNetworkGlobal(node) || importsClient(node) || loadsNetworkModule(node),
  },
  {
    name: 'webhook-urls-are-read-by-the-egress-guard-alone',
    comment:
      'Two parsers of one URL may disagree about its host, so only the egress guard parses webhook URLs. smtp-client.ts is exempt, because it parses only the configured SMTP_URL.',
    allowed:
      /^(?!packages\/core\/src\/webhooks\/|apps\/webhook-dispatcher\/src\/)|\/webhooks\/egress\.ts$|\/smtp-client\.ts$/,
    violates: (/** @type {Node} */ node) => readsUrl(node),
  },
  {
    name: 'collections-have-an-owner',
    comment:
      'A Map or Set of a module lives as long as the process, and no one bounds it. Make it a field of the object whose lifetime it shares, with a bound (docs/security/memory.md). deprecated-mutation.ts is exempt: its names are registered when the code is loaded.',
    allowed: /^apps\/graphql-api\/src\/graphql\/deprecated-mutation\.ts$/,
    violates: (/** @type {Node} */ node) => declaresGlobalCollection(node),
  },
];

const VENUE_RULE = {
  name: 'venues-only-in-exchanges',
  comment:
    'Code and comments outside exchanges and the paper exchange must not name a venue, because venues are configured (VENUES), not coded.',
  allowed: /^(?:packages\/exchanges\/|apps\/paper-exchange\/)/,
};

/** The names of all rules of this file. */
export const sourceRuleNames = [...SOURCE_RULES, VENUE_RULE].map(({ name }) => name);

/** @typedef {Record<string, unknown>} Node */

/**
 * Scans `apps/` and `packages/` of a folder that has the layout of this repository.
 * @param {string} root an absolute path
 * @returns {SourceViolation[]}
 */
export function scanSources(root) {
  return ['apps', 'packages']
    .flatMap((folder) => sourceFiles(root, join(root, folder)))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const violatedRules = SOURCE_RULES.filter(
        (rule) => !rule.allowed.test(file) && anyNode(parse(source, file), rule.violates),
      );
      const rules = violatedRules.map(({ name }) => name);
      if (!VENUE_RULE.allowed.test(file) && namesVenue(source)) rules.push(VENUE_RULE.name);
      return rules.map((rule) => ({ rule, file }));
    });
}

const namesVenue = (/** @type {string} */ source) => VENUES.test(source) || VENUE_STRINGS.test(source);

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

/** @returns {boolean} whether a syntax tree contains a node for which the predicate is true */
function anyNode(/** @type {unknown} */ tree, /** @type {(node: Node) => boolean} */ predicate) {
  if (tree === null || typeof tree !== 'object') return false;
  if (Array.isArray(tree)) return tree.some((child) => anyNode(child, predicate));
  const node = /** @type {Node} */ (tree);
  return predicate(node) || Object.values(node).some((child) => anyNode(child, predicate));
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

/** Returns whether a node calls, constructs or passes on a network global, or reads it from `globalThis`. */
function usesNetworkGlobal(/** @type {Node} */ node) {
  return NETWORK_GLOBALS.some(
    (name) =>
      usedValues(node).some((value) => isIdentifier(value, name)) || isMember(node, 'globalThis', name),
  );
}

/** @returns {unknown[]} the values that a node calls, constructs, passes on or stores */
function usedValues(/** @type {Node} */ node) {
  switch (node.type) {
    case 'CallExpression':
    case 'NewExpression': {
      const args = /** @type {Node[] | undefined} */ (node.arguments) ?? [];
      return [node.callee, ...args.map(({ expression }) => expression)];
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

/** @returns {readonly string[] | undefined} the exports that open connections, of the module that a string literal names */
function clientsOf(/** @type {unknown} */ literal) {
  const name = String(/** @type {Node | null | undefined} */ (literal)?.value ?? '').replace(/^node:/, '');
  return Object.hasOwn(CLIENTS, name) ? CLIENTS[/** @type {keyof typeof CLIENTS} */ (name)] : undefined;
}

/** Matches `import { request } from 'node:http'`, `export * from 'node:net'` and imports of a whole network module. */
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

/**
 * Matches `import('node:net')`, `require('net')`, `process.getBuiltinModule('net')` and any call whose first argument
 * is `'node:net'`.
 */
function loadsNetworkModule(/** @type {Node} */ node) {
  if (node.type !== 'CallExpression') return false;
  const callee = /** @type {Node} */ (node.callee);
  const [firstArgument] = /** @type {{ expression: Node }[]} */ (node.arguments);
  if (clientsOf(firstArgument?.expression) === undefined) return false;
  const isLoader =
    callee.type === 'Import' ||
    isIdentifier(callee, 'require') ||
    isMember(callee, 'process', 'getBuiltinModule');
  return isLoader || String(firstArgument?.expression.value).startsWith('node:');
}

/** Matches `new URL(…)`, `URL.parse(…)`, `URL.canParse(…)` and imports of `node:url`. */
function readsUrl(/** @type {Node} */ node) {
  if (node.type === 'ImportDeclaration')
    return /^(?:node:)?url$/.test(String(/** @type {Node} */ (node.source).value));
  if (node.type === 'NewExpression') return isIdentifier(node.callee, 'URL');
  return isMember(node, 'URL', 'parse') || isMember(node, 'URL', 'canParse');
}

/**
 * Returns whether a module declares an empty Map or Set outside of its functions and classes.
 *
 * @param {Node} node
 */
function declaresGlobalCollection({ type, body }) {
  if (type !== 'Module') return false;
  const statements = /** @type {any[]} */ (body);
  return statements
    .map((statement) => (statement.type === 'ExportDeclaration' ? statement.declaration : statement))
    .filter((statement) => statement.type === 'VariableDeclaration')
    .flatMap(({ declarations }) => declarations)
    .some(({ init }) => {
      const isCollection = init?.type === 'NewExpression' && ['Map', 'Set'].includes(init.callee.value);
      return isCollection && (init.arguments ?? []).length === 0;
    });
}
