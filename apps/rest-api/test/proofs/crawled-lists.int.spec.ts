/**
 * Requests lists with their sorts, orders, filters and many limits, and counts the named statements that the connections
 * to Postgres keep afterwards. A release that names every statement, or has the limit in its text, keeps all of them.
 */
import { randomUUID } from 'node:crypto';
import {
  encodeId,
  ID_PREFIXES,
  type IdPrefix,
  OPERATIONS,
  type Operation,
} from '@trading-automation/contracts';
import { goodRequest, targetOf } from './contract.js';
import type { GoodRequest } from './requests.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

/** The bound of a connection (`NAMED_STATEMENTS_MAX`). */
const STATEMENTS_MAX = 100;
/** A statement gets a name with its eighth use. */
const USES = 8;
const CONCURRENCY = 2;
const SHAPES_MAX = 160;

let environment: TestEnvironment;
let owner: TestUser;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
});
afterAll(() => environment.close());

/** Values for filters; the first that a filter accepts is used. */
const VALUES = [
  'ACTIVE',
  'OPEN',
  'true',
  'BUY',
  'spot',
  '2026-01-01T00:00:00Z',
  'BTC/USDT',
  'trade.*',
  '1',
  ...Object.keys(ID_PREFIXES).map((prefix) => encodeId(prefix as IdPrefix, randomUUID())),
];

/** Returns queries that differ in sort, order or filter, and so in their statements. */
function shapesOf({ list, query }: Operation): Record<string, string>[] {
  const filters = Object.entries(query?.shape ?? {}).flatMap(([name, schema]) => {
    const value = VALUES.find((each) => schema.safeParse(each).success);
    return value === undefined ? [] : [{ [name]: value }];
  });
  return list!.sorts.flatMap((sort) =>
    ['asc', 'desc'].flatMap((order) => [{}, ...filters].map((filter) => ({ ...filter, sort, order }))),
  );
}

interface Connection {
  query(text: string): Promise<{ rows: readonly { count: number }[] }>;
}
interface Pool {
  readonly _clients: readonly Connection[];
}

/** Returns the pools that read lists until `restore` is called. The API runs in the process of the test. */
function recordPools(): { readonly pools: ReadonlySet<Pool>; restore(): void } {
  const { driver } = environment.backend.platform.database as unknown as { driver: { master: object } };
  const prototype = Object.getPrototypeOf(driver.master) as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  const pools = new Set<Pool>();
  prototype.query = function record(this: Pool, ...args: unknown[]) {
    if (String((args[0] as { text?: string }).text).includes('__sort_key')) pools.add(this);
    return query.apply(this, args);
  };
  return {
    pools,
    restore: () => {
      prototype.query = query;
    },
  };
}

/** Returns how many named statements each connection keeps. */
async function countStatements(pools: ReadonlySet<Pool>): Promise<number[]> {
  return Promise.all(
    [...pools].flatMap(({ _clients }) =>
      _clients.map(async (connection) => {
        const { rows } = await connection.query('SELECT count(*)::int AS count FROM pg_prepared_statements');
        return rows[0]!.count;
      }),
    ),
  );
}

it('a crawl of the lists leaves at most 100 named statements on each connection', async () => {
  const lists = OPERATIONS.filter(({ list }) => list !== undefined);
  const requests = new Map<Operation, GoodRequest>();
  for (const operation of lists) requests.set(operation, await goodRequest(operation, owner));
  const shapes = lists.flatMap((operation) =>
    shapesOf(operation).map((query) => ({ operation, request: requests.get(operation)!, query })),
  );
  expect(shapes.length).toBeGreaterThan(SHAPES_MAX);
  // A step that has no common factor with the number of shapes selects shapes of every list.
  const chosen = shapes.filter((_, i) => (i * SHAPES_MAX) % shapes.length < SHAPES_MAX);
  const targets = chosen.flatMap(({ operation, request, query }) =>
    Array.from({ length: USES }, (_, use) =>
      targetOf(operation, { ...request, query: { ...request.query, ...query, limit: String(use + 1) } }),
    ),
  );
  const rest = targets[Symbol.iterator]();
  const { pools, restore } = recordPools();
  let served = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const target of rest) if ((await owner.call('GET', target)).status === 200) served++;
    }),
  );
  restore();
  expect(served).toBeGreaterThan(USES * STATEMENTS_MAX);
  const counts = await countStatements(pools);
  expect(Math.max(...counts)).toBeLessThanOrEqual(STATEMENTS_MAX);
  // How the pool distributes the requests over its connections is not certain.
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(STATEMENTS_MAX);
});
