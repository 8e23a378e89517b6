/**
 * The SDK and the contract have the same operations: each has one method, which asks for it and for nothing else, and
 * whose docstring shows how.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { OPERATIONS } from '@trading-automation/contracts';
import { OPERATIONS as TABLE } from '../src/generated/operations.js';
import { Client } from '../src/index.js';

/** Methods that are no operation, but made of some, or a way to what the SDK has no method for. */
const BESIDE_OPERATIONS: readonly string[] = [
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

interface Asked {
  readonly method: string;
  readonly path: string;
}

/** Refuses all, so that nothing goes on: what was asked is what counts. */
function recordingClient() {
  const asked: Asked[] = [];
  const client = new Client({
    baseURL: 'https://api.example.com',
    logLevel: 'off',
    fetch: async (url, { method = '' }) => {
      asked.push({ method, path: new URL(url).pathname });
      return Response.json({ success: false, error: { code: 'permission_denied' } }, { status: 403 });
    },
  });
  return { client, asked };
}

type Method = (...given: unknown[]) => PromiseLike<unknown> | AsyncGenerator<unknown>;

/** Every public method, by the path that a user calls it by. */
function methodsOf(holder: object, name: string): [name: string, call: Method][] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(holder))
    .filter((each) => each !== 'constructor' && !(PRIVATE.get(holder.constructor.name) ?? []).includes(each))
    .map((each): [string, Method] => [
      `${name}.${each}`,
      (...given) => (holder as Record<string, Method>)[each]!(...given),
    ]);
  const nested = Object.entries(holder)
    .filter(([each, value]) => each !== 'caller' && typeof value === 'object')
    .flatMap(([each, value]) => methodsOf(value, name === 'client' ? each : `${name}.${each}`));
  return [...own, ...nested];
}

const SOURCES = ['../src/client.ts', ...readdirSync(new URL('../src/resources', import.meta.url)).map(within)]
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
  .map((path) => ({ path, text: readFileSync(new URL(path, import.meta.url), 'utf8') }));

function within(file: string): string {
  return `../src/resources/${file}`;
}

/** The private members of each class, from the source: they are not visible at run time. */
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

/** The operation that a method requests when each argument is a string. */
async function askedBy(name: string): Promise<readonly Asked[]> {
  const { client, asked } = recordingClient();
  const [, call] = methodsOf(client, 'client').find(([each]) => each === name)!;
  const answer = call('text-1', 'text-2');
  await ('next' in answer ? answer.next() : answer).then(undefined, () => undefined);
  return asked;
}

function operationOf({ method, path }: Asked): string | undefined {
  const isOf = (route: string) => new RegExp(`^${route.replace(/:\w+/g, 'text-[12]')}$`).test(path);
  // A route in words goes before one with a parameter in their place.
  const found = OPERATIONS.filter((operation) => operation.method === method && isOf(operation.path));
  return found.sort((a, b) => a.path.split(':').length - b.path.split(':').length)[0]?.id;
}

it('the table of operations is the one of the contract', () => {
  expect(Object.entries(TABLE).map(([id, [method, path]]) => [id, method, path])).toEqual(
    OPERATIONS.map(({ id, method, path }) => [id, method, path]),
  );
});

it('what is no operation is named here', () => {
  expect(names.filter((name) => BESIDE_OPERATIONS.includes(name)).sort()).toEqual([...BESIDE_OPERATIONS]);
});

it('each operation has one method, and each method asks for one operation', async () => {
  const made: [string | undefined, string][] = [];
  for (const name of names.filter((each) => !BESIDE_OPERATIONS.includes(each))) {
    const asked = await askedBy(name);
    expect([name, asked.length]).toEqual([name, 1]);
    made.push([operationOf(asked[0]!), name]);
  }
  expect(made.map(([id]) => id).sort()).toEqual(OPERATIONS.map(({ id }) => id).sort());
});

it('an operation is one line of a resource: nothing else knows its name', () => {
  const text = SOURCES.map((source) => source.text).join('\n');
  const timesNamed = OPERATIONS.map(({ id }) => [id, text.split(`'${id}'`).length - 1]);
  expect(timesNamed).toEqual(OPERATIONS.map(({ id }) => [id, 1]));
});

it.each(SOURCES)('$path: each method says what it does, and shows it', ({ text }) => {
  const lines = text.split('\n');
  const bare = lines.flatMap((line, at) => {
    const name = /^ {2}(?:async )?\*?(\w+)(?:<.*)?\(/.exec(line)?.[1];
    if (name === undefined || name === 'constructor') return [];
    const end = lines[at - 1] === '   */' ? at - 1 : -1;
    const doc = lines.slice(lines.lastIndexOf('  /**', end), end).join('\n');
    return end !== -1 && /\/\*\*\n {3}\* \S.*\n/.test(doc) && doc.includes('@example\n') ? [] : [name];
  });
  expect(bare).toEqual([]);
});
