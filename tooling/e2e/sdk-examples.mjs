import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../launch/commands.mjs';
import { root } from '../launch/paths.mjs';

/**
 * Reads the examples of the SDK's documentation from its source, and turns them into modules that are compiled and run.
 *
 * 1. Everything that the entry points export is public. Each public method and function has an example, or its name is in
 *    `selfEvident`.
 * 2. Each module contains one example, unchanged. The module provides the names that the example uses but does
 *    not declare.
 */

const source = join(root, 'packages/sdk/src');

/** Methods that need no example: constructors and the methods of promises. */
const selfEvident = ['constructor', 'then', 'catch', 'finally'];

/**
 * @typedef {object} Member a public method or function, or a class
 * @property {string} name `trades.list`, `createSigner`
 * @property {string} exportedAs the name of the exported class or function
 * @property {string} file
 * @property {string | undefined} operation the id of the operation that it calls
 * @property {string | undefined} example
 * @property {boolean} isClass if true, an example covers the whole class
 */

/** Returns every public member of the SDK. @returns {Member[]} */
export function publicMembers() {
  const resources = readdirSync(join(source, 'resources')).filter((name) => /^[a-z-]+\.ts$/.test(name));
  const entries = [
    'index.ts',
    ...['realtime', 'signer', 'testing', 'webhooks'].map((name) => `${name}/index.ts`),
  ];
  const members = [
    ...resources.flatMap((name) => membersIn(`resources/${name}`)),
    ...entries.flatMap(exportedMembers),
  ];
  return [...new Map(members.map((member) => [`${member.file} ${member.name}`, member])).values()];
}

/** Returns the members that an entry point defines or re-exports. @param {string} entry @returns {Member[]} */
function exportedMembers(entry) {
  const text = readFileSync(join(source, entry), 'utf8');
  const defined = membersIn(entry);
  const others = [...text.matchAll(/^export (\{[^}]*\}|\*) from '(\.[^']+)\.js';/gm)].flatMap(
    ([, names = '', path]) => {
      const file = join(dirname(entry), `${path}.ts`);
      const isAll = names === '*';
      const exported = names.replace(/\btype\s+\w+/g, '');
      return membersIn(file).filter(
        ({ exportedAs }) => isAll || new RegExp(`\\b${exportedAs}\\b`).test(exported),
      );
    },
  );
  return [...defined, ...others];
}

/** Returns the public classes, methods and functions of a file. @param {string} file @returns {Member[]} */
function membersIn(file) {
  const lines = readFileSync(join(source, file), 'utf8').split('\n');
  /** @type {Member[]} */
  const members = [];
  let [owner, className] = ['', ''];
  lines.forEach((line, at) => {
    const [, asClass] = /^export (?:abstract )?class (\w+)/.exec(line) ?? [];
    const [, asFunction] = /^export (?:async )?function\*? ?(\w+)/.exec(line) ?? [];
    const [, asMethod] = owner === '' ? [] : (/^ {2}(?:async )?\*?(\w+)(?:<.*)?\(/.exec(line) ?? []);
    if (asClass !== undefined) [owner, className] = [nameOf(asClass, file), asClass];
    else if (line === '}') owner = '';
    const name = asMethod === undefined ? (asClass ?? asFunction) : `${owner}.${asMethod}`;
    if (name === undefined || selfEvident.includes(asMethod ?? '')) return;
    const comment = commentAbove(lines, at);
    if (comment.includes('@internal')) return;
    members.push({
      name,
      exportedAs: asMethod === undefined ? name : className,
      file,
      operation: asMethod === undefined ? undefined : operationIn(lines, at),
      example: exampleIn(comment),
      isClass: asClass !== undefined,
    });
  });
  return members;
}

/** Returns the name of the client's property for a resource class. @param {string} className @param {string} file */
function nameOf(className, file) {
  if (file === 'client.ts') return 'client';
  if (!file.startsWith('resources/')) return className;
  const name = className.replace(/Resource$/, '');
  return name[0]?.toLowerCase() + name.slice(1);
}

/** @param {readonly string[]} lines @param {number} at */
function commentAbove(lines, at) {
  if (lines[at - 1]?.trim() !== '*/' && !lines[at - 1]?.trim().startsWith('/**')) return '';
  let from = at - 1;
  while (from > 0 && !lines[from]?.trim().startsWith('/**')) from--;
  return lines.slice(from, at).join('\n');
}

/** Returns the id of the operation that a method calls. @param {readonly string[]} lines @param {number} at */
function operationIn(lines, at) {
  const end = lines.findIndex((line, index) => index > at && line === '  }');
  const body = lines.slice(at, end).join('\n');
  return /(?:operations\.(?:call|list)|buildRequest)\(\s*'([\w.]+)'/.exec(body)?.[1];
}

/** @param {string} comment */
function exampleIn(comment) {
  const text = comment
    .split('\n')
    .map((line) => line.replace(/^\s*(\/\*\*|\*\/|\*) ?/, ''))
    .join('\n');
  const [, found] = /^@example\n([\s\S]*?)(?=^@\w|(?![\s\S]))/m.exec(text) ?? [];
  return found?.trim() || undefined;
}

/** The names that an example may use without a declaration, with their types. */
const PROVIDED = /** @type {const} */ ({
  client: "import('@trading-automation/sdk').Client",
  signer: "import('@trading-automation/sdk/signer').Signer",
  live: "import('@trading-automation/sdk/realtime').Realtime",
  credentials: '{ api_key: string; api_secret: string }',
  request: 'Request',
  privateKey: 'Uint8Array',
  ...Object.fromEntries(
    [
      'accountId',
      'baseURL',
      'browserSessionId',
      'code',
      'copierId',
      'deadLetterId',
      'deviceCode',
      'eventId',
      'lotId',
      'openLotId',
      'otherAccountId',
      'pairId',
      'publicKeyId',
      'restingTradeId',
      'secret',
      'strategyId',
      'tradeId',
      'unusedAccountId',
      'userCode',
      'webhookId',
      'withdrawalAddressId',
      'withdrawalId',
    ].map((name) => [name, 'string']),
  ),
});

/** Returns the provided names that an example uses. @param {string} example @returns {string[]} */
export function namesUsed(example) {
  const code = example.replace(/\/\/.*$/gm, '').replace(/'(?:[^'\\\n]|\\.)*'/g, "''");
  const declared = new Set(
    [
      ...code.matchAll(/\b(?:const|let|import)\s+(?:type\s+)?([\w$]+|[{[][^=;]*?[}\]])\s*(?:=|:|from|of)/g),
    ].flatMap(([, pattern = '']) => pattern.match(/\w+/g) ?? []),
  );
  for (const [, name] of code.matchAll(/\bfunction (\w+)/g)) declared.add(/** @type {string} */ (name));
  for (const [, names = ''] of code.matchAll(/\bfunction \w+\(([^)]*)\)/g))
    for (const [, name] of names.matchAll(/(\w+):/g)) declared.add(/** @type {string} */ (name));
  return Object.keys(PROVIDED).filter(
    (name) => !declared.has(name) && new RegExp(`(?<![.\\w])${name}\\b(?!:)`).test(code),
  );
}

/** The URLs in the examples, and the environment variables that replace them. */
const ADDRESSES = /** @type {const} */ ({
  "'http://127.0.0.1:4000'": 'process.env.EXAMPLE_REST_URL!',
  "'http://127.0.0.1:8080/hook'": 'process.env.EXAMPLE_RECEIVER_URL!',
  "'https://example.com/hooks'": 'process.env.EXAMPLE_RECEIVER_URL!',
});

/**
 * Turns an example into a module. The module's function runs the example with the provided values, and returns the
 * function that the example exports, if any.
 *
 * @param {string} example
 */
function moduleOf(example) {
  const lines = example.split('\n');
  const imports = lines.filter((line) => line.startsWith('import '));
  let body = lines.filter((line) => !line.startsWith('import ')).join('\n');
  const [, exported] = /^export (?:async )?function (\w+)/m.exec(body) ?? [];
  for (const [url, variable] of Object.entries(ADDRESSES)) body = body.replaceAll(url, variable);
  const names = namesUsed(example);
  return `${imports.join('\n')}
// The example must not print to the output of the test.
const console = { log(..._values: unknown[]) {} };
export default async function example(provided: {
${names.map((name) => `  ${name}: ${/** @type {Record<string, string>} */ (PROVIDED)[name]};`).join('\n')}
}) {
  const { ${names.join(', ')} } = provided;
${body.replace(/^export /m, '')}
${exported === undefined ? '' : `return ${exported};`}
}
`;
}

/**
 * Writes a module for each example into a folder where the SDK is installed, and compiles all of them in strict mode.
 *
 * @param {string} folder
 * @param {readonly Member[]} members must have examples
 * @returns {Promise<{ errors: string, pathOf: (member: Member) => string }>} `errors`: the output of the compiler, empty on success
 */
export async function compileExamples(folder, members) {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  for (const member of members)
    writeFileSync(join(folder, `${fileOf(member)}.mts`), moduleOf(/** @type {string} */ (member.example)));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        verbatimModuleSyntax: true,
      },
      include: ['*.mts'],
    }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr } = await run(process.execPath, [tsc, '-p', folder]);
  return { errors: stdout + stderr, pathOf: (member) => join(folder, `${fileOf(member)}.mjs`) };
}

/** @param {Member} member */
const fileOf = ({ name }) => name.replaceAll('.', '-');
