/**
 * Checks that the SDK and the contract have the same operations. Each operation has one method, which sends only the
 * request of that operation and has an example.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { OPERATIONS } from '@trading-automation/contracts';
import { OPERATIONS as TABLE } from '../src/generated/operations.js';
import { Client } from '../src/index.js';

/** Methods that are not operations: they combine operations, or send requests to any endpoint. */
const OTHER_METHODS: readonly string[] = [
  'client.delete',
  'client.get',
  'client.graphql',
  'client.list',
  'client.patch',
  'client.post',
  'client.put',
  'client.stream',
  'trades.waitUntil',
  'webhooks.constructEvent',
  'webhooks.generateTestHeaders',
  'webhooks.verify',
];

interface RequestTarget {
  readonly method: string;
  readonly path: string;
}

/** Returns a client that records requests. Each gets a 403, so that no method sends a second one. */
function recordingClient() {
  const requests: RequestTarget[] = [];
  const client = new Client({
    baseURL: 'https://api.example.com',
    logLevel: 'off',
    fetch: async (url, { method = '' }) => {
      requests.push({ method, path: new URL(url).pathname });
      return Response.json({ success: false, error: { code: 'permission_denied' } }, { status: 403 });
    },
  });
  return { client, requests };
}

type Method = (...args: unknown[]) => PromiseLike<unknown> | AsyncGenerator<unknown>;

/** Returns every public method with the path by which users call it. */
function methodsOf(owner: object, name: string): [name: string, call: Method][] {
  const ownMethods = Object.getOwnPropertyNames(Object.getPrototypeOf(owner))
    .filter((each) => each !== 'constructor' && !(PRIVATE.get(owner.constructor.name) ?? []).includes(each))
    .map((each): [string, Method] => [
      `${name}.${each}`,
      (...args) => (owner as Record<string, Method>)[each]!(...args),
    ]);
  const nested = Object.entries(owner)
    .filter(([each, value]) => each !== 'operations' && typeof value === 'object')
    .flatMap(([each, value]) => methodsOf(value, name === 'client' ? each : `${name}.${each}`));
  return [...ownMethods, ...nested];
}

const SOURCES = [
  '../src/client.ts',
  ...readdirSync(new URL('../src/resources', import.meta.url)).map(sourcePath),
]
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
  .map((path) => ({ path, text: readFileSync(new URL(path, import.meta.url), 'utf8') }));

function sourcePath(file: string): string {
  return `../src/resources/${file}`;
}

/** The private members of each class. They are parsed from the source, because they look public at run time. */
const PRIVATE = new Map(
  SOURCES.flatMap(({ text }) =>
    text
      .split(/^export class /m)
      .slice(1)
      .map((body): [string, string[]] => [
        /^\w+/.exec(body)![0],
        [...body.matchAll(/^ {2}private (?:async )?\*?(\w+)/gm)].map(([, name]) => name!),
      ]),
  ),
);

const names = methodsOf(recordingClient().client, 'client').map(([name]) => name);

/** Calls a method with string arguments and returns its requests. */
async function requestsOf(name: string): Promise<readonly RequestTarget[]> {
  const { client, requests } = recordingClient();
  const [, call] = methodsOf(client, 'client').find(([each]) => each === name)!;
  const result = call('text-1', 'text-2');
  await ('next' in result ? result.next() : result).then(undefined, () => undefined);
  return requests;
}

function operationOf({ method, path }: RequestTarget): string | undefined {
  const isMatch = (route: string) => new RegExp(`^${route.replace(/:\w+/g, 'text-[12]')}$`).test(path);
  // A literal segment takes precedence over a parameter.
  const matching = OPERATIONS.filter((operation) => operation.method === method && isMatch(operation.path));
  return matching.sort((a, b) => a.path.split(':').length - b.path.split(':').length)[0]?.id;
}

it('the operation table equals the operations of the contract', () => {
  expect(Object.entries(TABLE).map(([id, [method, path]]) => [id, method, path])).toEqual(
    OPERATIONS.map(({ id, method, path }) => [id, method, path]),
  );
});

it('OTHER_METHODS lists only existing methods', () => {
  expect(names.filter((name) => OTHER_METHODS.includes(name)).sort()).toEqual([...OTHER_METHODS]);
});

it('each operation has one method, and each method sends one request', async () => {
  const pairs: [string | undefined, string][] = [];
  for (const name of names.filter((each) => !OTHER_METHODS.includes(each))) {
    const requests = await requestsOf(name);
    expect([name, requests.length]).toEqual([name, 1]);
    pairs.push([operationOf(requests[0]!), name]);
  }
  expect(pairs.map(([id]) => id).sort()).toEqual(OPERATIONS.map(({ id }) => id).sort());
});

it('each operation is named once in the sources', () => {
  const text = SOURCES.map((source) => source.text).join('\n');
  const counts = OPERATIONS.map(({ id }) => [id, text.split(`'${id}'`).length - 1]);
  expect(counts).toEqual(OPERATIONS.map(({ id }) => [id, 1]));
});

it.each(SOURCES)('$path: each method has a description and an example', ({ text }) => {
  const lines = text.split('\n');
  const undocumented = lines.flatMap((line, at) => {
    const name = /^ {2}(?:async )?\*?(\w+)(?:<.*)?\(/.exec(line)?.[1];
    if (name === undefined || name === 'constructor') return [];
    const end = lines[at - 1] === '   */' ? at - 1 : -1;
    const doc = lines.slice(lines.lastIndexOf('  /**', end), end).join('\n');
    return end !== -1 && /\/\*\*\n {3}\* \S.*\n/.test(doc) && doc.includes('@example\n') ? [] : [name];
  });
  expect(undocumented).toEqual([]);
});
