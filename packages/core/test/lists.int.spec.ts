import { tradePairOperations } from '@trading-automation/contracts';
import { type ListQuery, querySchemaOf } from '../src/operations/list-reader.js';
import { CoreUnderTest } from '../src/testing/index.js';
import { TradePairsService } from '../src/trade-pairs/index.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  for (const base of ['AAA', 'BBB', 'CCC']) await core.pair({ base });
});
afterAll(() => core.close());

const source = {
  select: 'p.symbol',
  from: 'trade_pairs p',
  where: [],
  params: [],
  sorts: { symbol: { column: 'p.symbol', type: 'text' } },
  idColumn: 'p.id',
} as const;
const { list } = tradePairOperations;
const queryOf = (more: Partial<ListQuery> & Record<string, unknown> = {}): ListQuery => ({
  limit: 1,
  sort: 'symbol',
  order: 'asc',
  include: [],
  ...more,
});
const page = (userId: string | null, query: ListQuery) =>
  core.lists.page<{ symbol: string }>(list, userId, source, query);

describe('the query of a list', () => {
  it('accepts only the parameters that every list has and the filters of the operation', () => {
    expect(querySchemaOf(list).parse({ exchange: 'paper', limit: '5' })).toMatchObject({
      exchange: 'paper',
      limit: 5,
      sort: 'created_at',
      order: 'desc',
    });
    for (const invalidQuery of [
      { user_id: 'x' },
      { limit: '0' },
      { limit: '101' },
      { sort: 'id' },
      { include: 'revoked' },
    ]) {
      expect(querySchemaOf(list).safeParse(invalidQuery).success).toBe(false);
    }
  });

  it('of an operation that is not a list accepts no parameters', () => {
    const schema = querySchemaOf(tradePairOperations.get);
    expect(schema.safeParse({}).success).toBe(true);
    expect(schema.safeParse({ limit: '5' }).success).toBe(false);
  });
});

describe('a cursor', () => {
  it('continues after its page, but only for the same user, filters, order and includes', async () => {
    const first = await page('ann', queryOf({ exchange: 'paper' }));
    const cursor = first.pagination.next_cursor ?? '';
    expect(first.items).toEqual([{ symbol: 'AAA/USDT' }]);
    const second = await page('ann', queryOf({ exchange: 'paper', cursor }));
    expect(second.items).toEqual([{ symbol: 'BBB/USDT' }]);
    for (const [userId, query] of [
      ['bob', queryOf({ exchange: 'paper', cursor })],
      [null, queryOf({ exchange: 'paper', cursor })],
      ['ann', queryOf({ exchange: 'other', cursor })],
      ['ann', queryOf({ cursor })],
      ['ann', queryOf({ exchange: 'paper', order: 'desc', cursor })],
      ['ann', queryOf({ exchange: 'paper', include: ['removed'], cursor })],
      [
        'ann',
        queryOf({ exchange: 'paper', cursor: `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}` }),
      ],
      ['ann', queryOf({ exchange: 'paper', cursor: 'nonsense' })],
    ] as const) {
      await expect(page(userId, query)).rejects.toMatchObject({
        code: 'invalid_query',
        details: [{ field: 'cursor', code: 'invalid' }],
      });
    }
  });

  it('of an item continues after that item, whatever the size of the pages', async () => {
    const whole = await page('ann', queryOf({ exchange: 'paper', limit: 3 }));
    const rest = await page('ann', queryOf({ exchange: 'paper', limit: 100, cursor: whole.cursorAt(0) }));
    expect(rest.items).toEqual(whole.items.slice(1));
    const { cursorAt, pagination } = await page('ann', queryOf({ exchange: 'paper' }));
    expect(cursorAt(0)).toBe(pagination.next_cursor);
    expect(cursorAt(0)).toBe(whole.cursorAt(0));
  });

  it('is valid for requests with and without the total', async () => {
    const counted = await page('ann', queryOf({ include: ['total'] }));
    const cursor = counted.pagination.next_cursor ?? '';
    expect(counted.pagination.total).toBeGreaterThan(1);
    const next = await page('ann', queryOf({ cursor }));
    expect(next.items).toEqual((await page('ann', queryOf({ include: ['total'], cursor }))).items);
    expect(next.pagination).not.toHaveProperty('total');
  });

  it('of one list is rejected by another list', async () => {
    const { pagination } = await page('ann', queryOf());
    const cursor = pagination.next_cursor ?? '';
    const other = core.lists.page({ ...list, id: 'trades.list' }, 'ann', source, queryOf({ cursor }));
    await expect(other).rejects.toMatchObject({ code: 'invalid_query' });
  });
});

describe('the list of trade pairs', () => {
  it("is the same for every user, and is filtered by an exchange's id or name", async () => {
    await core.rows(
      `INSERT INTO supported_exchanges (id, code, name, trading_types, is_active)
       VALUES (gen_random_uuid(), 'kraken', 'Kraken Pro', '{spot}', true)`,
    );
    await core.pair({ base: 'XBT', exchange: 'kraken' });
    const pairs = new TradePairsService(core.platform, core.lists);
    const actor = await core.actor('READ');
    const symbols = async (exchange?: string) => {
      const query = queryOf({ limit: 10, ...(exchange === undefined ? {} : { exchange }) });
      return (await pairs.list(actor, query)).items.map(({ symbol }) => symbol);
    };
    expect(await symbols()).toEqual(['AAA/USDT', 'BBB/USDT', 'CCC/USDT', 'XBT/USDT']);
    for (const name of ['kraken', 'Kraken Pro', 'kraken pro'])
      expect(await symbols(name)).toEqual(['XBT/USDT']);
    expect(await symbols('nowhere')).toEqual([]);
  });
});
