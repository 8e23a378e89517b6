/**
 * Tests that page 10,000 of a list costs the same as page 1 if it is requested by cursor. Every list must read an index
 * from the position of the cursor, but for the sorts in SORTED_ROWS.
 */
import { OPERATIONS, type Operation } from '@trading-automation/contracts';
import { perform, populate } from './contract.js';
import type { GoodRequest } from './requests.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

/**
 * Sorts by figures of strategies. Prices, fills and other users' copiers change them all the time, the owner sees exact
 * values and other users rounded ones, and `copier_roi` depends on who asks. No index holds that order, so a page sorts
 * the rows of the list. Tests below bound the rows it reads.
 */
const SORTED_ROWS: ReadonlySet<string> = new Set([
  'strategies.list roi',
  'strategies.list max_drawdown_percent',
  'strategies.list copier_roi',
  'strategies.list copier_count',
]);

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}
interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Cond'?: string;
  readonly Alias?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Plan[];
}

let environment: TestEnvironment;
let owner: TestUser;
let requests: ReadonlyMap<Operation, GoodRequest>;
const statements: Statement[] = [];
let restore: () => void;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
  requests = await populate(owner);
  restore = recordStatements();
});
afterAll(async () => {
  restore?.();
  await environment?.close();
});

/** Records the list statements of every pool of this process, including the API's. Returns a function that stops it. */
function recordStatements(): () => void {
  const { driver } = environment.backend.platform.database as unknown as { driver: { master: object } };
  const pool = Object.getPrototypeOf(driver.master) as { query: (...args: unknown[]) => unknown };
  const { query } = pool;
  pool.query = function record(this: unknown, ...args: unknown[]) {
    const [statement] = args;
    if (typeof statement === 'object' && String((statement as Statement).text).includes('__sort_key'))
      statements.push(statement as Statement);
    return query.apply(this, args);
  };
  return () => {
    pool.query = query;
  };
}

/** Requests one page. Returns the statement that read the page, and the cursor of the next page. */
async function readPage(operation: Operation, query: Readonly<Record<string, string>>) {
  const request = requests.get(operation)!;
  statements.length = 0;
  const { json, text } = await perform(operation, owner, {
    ...request,
    query: { ...request.query, ...query },
  });
  if (statements.length !== 1) throw new Error(`expected one statement of a list: ${text}`);
  return {
    statement: statements[0]!,
    cursor: (json.pagination as { next_cursor: string | null }).next_cursor,
  };
}

/** Returns the plan of a statement. The planner avoids table scans and sorts if it can, as it does for large tables. */
async function planOf({ text, values }: Statement, options = 'COSTS OFF'): Promise<Plan> {
  const runner = environment.backend.platform.database.createQueryRunner();
  await runner.startTransaction();
  try {
    for (const setting of ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'])
      await runner.query(`SET LOCAL ${setting} = off`);
    const [row] = await runner.query(`EXPLAIN (FORMAT JSON, ${options}) ${text}`, [...values]);
    return row['QUERY PLAN'][0].Plan;
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const sorts = OPERATIONS.flatMap((operation) =>
  (operation.list?.sorts ?? []).map((sort) => [operation.id, sort, operation] as const),
);
const [sortsOfRows, sortsByIndex] = [true, false].map((isOfRows) =>
  sorts.filter(([id, sort]) => SORTED_ROWS.has(`${id} ${sort}`) === isOfRows),
) as [typeof sorts, typeof sorts];

it('the sorts that no index serves are sorts of lists', () => {
  expect(sortsOfRows).toHaveLength(SORTED_ROWS.size);
});

it.each(sortsByIndex)(
  '%s sorted by %s reads an index from the position of the cursor',
  async (_id, sort, operation) => {
    const first = await readPage(operation, { sort, limit: '1' });
    expect(first.cursor).not.toBeNull();
    const { statement } = await readPage(operation, { sort, limit: '1', cursor: first.cursor! });
    const nodes = nodesOf(await planOf(statement));
    const types = nodes.map((node) => node['Node Type']);
    expect(types.filter((type) => /Sort|Seq Scan/.test(type))).toEqual([]);
    const conditions = nodes.flatMap((node) => node['Index Cond'] ?? []);
    expect(conditions.join(' ')).toMatch(/ROW\(|\) < |\) > /);
  },
);

describe('of 10,000 strategies of other users', () => {
  let ownCount: number;
  let allCount: number;
  beforeAll(async () => {
    const other = await TestUser.create(environment);
    const strategy = environment.uuidOf(await other.strategy());
    await environment.rows(
      `INSERT INTO strategies SELECT copied.* FROM strategies s, generate_series(1, 10000) AS n,
         jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'name', 'other ' || n,
           'visibility', 'PUBLIC')) AS copied
       WHERE s.id = $1`,
      strategy,
    );
    await environment.rows(
      `INSERT INTO strategy_figures (strategy_id, computed_at, has_open_lots, performance, copying_users)
       SELECT id, now(), false, '{}', 0 FROM strategies ON CONFLICT DO NOTHING`,
    );
    for (const table of ['strategies', 'strategy_figures', 'copiers'])
      await environment.rows(`VACUUM ANALYZE ${table}`);
    const [counts] = await environment.rows(
      'SELECT count(*)::int AS all, count(*) FILTER (WHERE user_id = $1)::int AS own FROM strategies',
      owner.uuid,
    );
    ({ all: allCount, own: ownCount } = counts as { all: number; own: number });
  });

  /** Returns how many rows of the table with this alias the plan reads. */
  const rowsRead = (plan: Plan, alias: string) =>
    nodesOf(plan)
      .filter((node) => node.Alias === alias)
      .reduce(
        (sum, node) =>
          sum +
          ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0),
        0,
      );

  it.each(sortsOfRows)(
    '%s sorted by %s reads only the rows of the list, each once',
    async (_id, sort, operation) => {
      const readsOf = async (query: Readonly<Record<string, string>>) => {
        const first = await readPage(operation, { ...query, sort, limit: '1' });
        const { statement } = await readPage(operation, {
          ...query,
          sort,
          limit: '1',
          cursor: first.cursor!,
        });
        const plan = await planOf(statement, 'ANALYZE, COSTS OFF, TIMING OFF');
        return Math.max(rowsRead(plan, 's'), rowsRead(plan, 'f'));
      };
      expect(ownCount).toBeLessThan(100);
      expect(await readsOf({})).toBeLessThanOrEqual(ownCount);
      expect(await readsOf({ visibility: 'PUBLIC' })).toBeLessThanOrEqual(allCount);
    },
  );
});

it('page 10,000 of trades reads at most ten more blocks of the database than page 1', async () => {
  const trade = environment.uuidOf(await owner.trade());
  // Insert in parts, because one statement could exceed the statement timeout on a busy machine.
  for (let inserted = 0; inserted < 100_000; inserted += 10_000)
    await environment.rows(
      `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id, origin,
       type, side, reduce_only, time_in_force, price, amount, reserved_asset, reserved_amount, status, look_at, created_at)
     SELECT gen_random_uuid(), user_id, exchange_account_id, trade_pair_id, symbol, trading_type, 'bulk-' || n, origin,
       type, side, reduce_only, time_in_force, price, amount, reserved_asset, 0, 'FILLED', look_at,
       created_at - n * interval '1 second'
     FROM trades, generate_series($2::int + 1, $2 + 10000) AS n WHERE id = $1`,
      trade,
      inserted,
    );
  await environment.rows('VACUUM ANALYZE trades');
  const operation = OPERATIONS.find(({ id }) => id === 'trades.list')!;
  requests = new Map([[operation, {}]]);
  const first = await readPage(operation, { limit: '10' });
  const before = await readPage(operation, { limit: '1', offset: '99990' });
  const last = await readPage(operation, { limit: '10', cursor: before.cursor! });
  const blocksOf = async (statement: Statement) => {
    const plan = await planOf(statement, 'ANALYZE, BUFFERS, COSTS OFF, TIMING OFF');
    return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  };
  const [page1, page10000] = [await blocksOf(first.statement), await blocksOf(last.statement)];
  const byOffset = await blocksOf(before.statement);
  // A cursor reads at most one more level of the index; an offset reads all rows before the page.
  expect(page10000).toBeLessThanOrEqual(page1 + 10);
  expect(byOffset).toBeGreaterThan(100 * page10000);
});
