import { strategyOperations } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { DailyRollups } from '../src/analytics/index.js';
import { CopiersService, StrategyChangesService } from '../src/copiers/index.js';
import { type Actor, querySchemaOf } from '../src/operations/index.js';
import { StrategiesService } from '../src/strategies/index.js';
import { CoreUnderTest, type RecordIds } from '../src/testing/index.js';
import { TradeFixtures } from '../src/testing/trade-fixtures.js';

let core: CoreUnderTest;
let fixtures: TradeFixtures;
let strategies: StrategiesService;
let copiers: CopiersService;
let changes: StrategyChangesService;
let asker: Actor;
let pair: RecordIds;
/** Each test has its own pair, by which its lists are filtered. */
let symbol: string;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  fixtures = new TradeFixtures(core);
  strategies = new StrategiesService(core.platform, core.lists, core.commands);
  copiers = new CopiersService(core.platform, core.lists, core.commands);
  changes = new StrategyChangesService(core.commands);
});
afterAll(() => core.close());
beforeEach(async () => {
  asker = await core.actor();
  symbol = `T${newUuid().slice(-8).toUpperCase()}/USDT`;
  pair = await core.pair({ symbol, base: symbol.split('/')[0]!, last_price: '100' });
});

/** The trade that opened the newest lot of a strategy, by its uuid. */
const leaderLots = new Map<string, string>();

interface Led {
  readonly id: string;
  readonly uuid: string;
  readonly name: string;
  readonly owner: Actor;
  readonly account: RecordIds;
}

/** Creates a public strategy on a new account, or on the account of another one, with this result of 1,000. */
async function lead(name: string, result?: number, of?: Pick<Led, 'owner' | 'account'>): Promise<Led> {
  const owner = of?.owner ?? (await core.actor());
  const account = of?.account ?? (await core.account(owner));
  const { id } = await strategies.create(owner, {
    name,
    exchange_account_id: account.id,
    visibility: 'PUBLIC',
    trade_pair_ids: [pair.id],
  });
  const { uuid } = await core.row(
    'SELECT id AS uuid FROM strategies WHERE exchange_account_id = $1 AND name = $2',
    account.uuid,
    name,
  );
  const led = { id, uuid: String(uuid), name, owner, account };
  if (result !== undefined) await trade(led, result);
  return led;
}

/** Buys one at 100 on 1 March and sells it on 2 March, with an equity of 1,000. */
async function trade(
  { uuid, owner, account }: Pick<Led, 'uuid' | 'owner' | 'account'>,
  result: number,
  copier?: string,
): Promise<void> {
  const common = {
    owner,
    account,
    pair,
    strategy: copier === undefined ? uuid : undefined,
    ...(copier === undefined
      ? {}
      : { copiedStrategy: uuid, copy: { copier, lotTrade: leaderLots.get(uuid)!, referencePrice: '100' } }),
  };
  const fill = (at: string, price: number) => [{ at: `2026-03-${at}Z`, price: String(price), amount: '1' }];
  const lot = await fixtures.order({ ...common, side: 'BUY', fills: fill('01T10:00:00', 100) });
  if (copier === undefined) leaderLots.set(uuid, lot.uuid);
  await fixtures.order({ ...common, side: 'SELL', fills: fill('02T10:00:00', 100 + result) });
  await core.rows(
    `INSERT INTO equity_snapshots (exchange_account_id, currency, period, taken_at, amount)
     VALUES ($1, 'USDT', '2026-03-01T00:01:00Z', '2026-03-01T00:01:00Z', 1000) ON CONFLICT DO NOTHING`,
    account.uuid,
  );
}

async function refresh(): Promise<void> {
  await fixtures.rebuildLots();
  await new DailyRollups(core.platform).refresh();
}

function page(query: string, actor = asker) {
  const params = Object.fromEntries(new URLSearchParams(`visibility=PUBLIC&symbol=${symbol}&${query}`));
  const parsed = querySchemaOf(strategyOperations.list).parse(params);
  return strategies.list(actor, parsed as Parameters<StrategiesService['list']>[1]);
}

const namesOf = async (query: string, actor = asker) =>
  (await page(query, actor)).items.map(({ name }) => name);

/** Reads all pages of two strategies each. */
async function pagedNamesOf(query: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor = ''; ; ) {
    const { items, pagination } = await page(`limit=2&${query}${cursor}`);
    names.push(...items.map(({ name }) => name));
    if (pagination.next_cursor === null) return names;
    cursor = `&cursor=${encodeURIComponent(pagination.next_cursor)}`;
  }
}

/** Starts a copier of another user, which makes the strategy a copied one. */
async function copy({ id }: Pick<Led, 'id'>, user?: Actor) {
  const actor = user ?? (await core.actor());
  const account = await core.account(actor);
  const copier = await copiers.create(actor, {
    name: 'c',
    strategy_id: id,
    exchange_account_id: account.id,
    sizing: { mode: 'FIXED_QUOTE', value: '10' },
    limits: { max_signal_age_ms: 60_000 },
    quote_aliases: [],
    symbol_map: {},
    overrides: {},
    on_breach: 'CLOSE_ONLY',
    below_minimum: 'SKIP',
    copy_existing: false,
  });
  await copiers.start(actor, copier.id);
  return { actor, account, copier };
}

describe('the public list of strategies', () => {
  it.each(['asc', 'desc'])(
    'is sorted by return %s, page by page, with unknown returns last',
    async (order) => {
      for (const [name, result] of [
        ['a', 50],
        ['b', undefined],
        ['c', -20],
        ['d', undefined],
        ['e', 70],
      ] as const)
        await lead(name, result);
      await refresh();
      const known = order === 'asc' ? ['c', 'a', 'e'] : ['e', 'a', 'c'];
      const unknown = order === 'asc' ? ['b', 'd'] : ['d', 'b'];
      expect(await pagedNamesOf(`sort=roi&order=${order}`)).toEqual([...known, ...unknown]);
      expect(await pagedNamesOf(`sort=roi&order=${order}&include=total`)).toHaveLength(5);
    },
  );

  it('is sorted by drawdown, by the number of copiers, by name and by age', async () => {
    const [a, b, c] = [await lead('a', -50), await lead('b', -90), await lead('c', 10)];
    await copy(b);
    await copy(c);
    await copy(c);
    await refresh();
    expect(await namesOf('sort=max_drawdown_percent&order=asc')).toEqual(['a', 'b', 'c']);
    expect(await namesOf('sort=copier_count&order=desc')).toEqual(['c', 'b', 'a']);
    expect(await namesOf('sort=name&order=desc')).toEqual(['c', 'b', 'a']);
    expect(await namesOf('sort=created_at&order=asc')).toEqual([a.name, b.name, c.name]);
  });

  it('is filtered by status, trading type, symbol and age', async () => {
    const [old, fresh] = [await lead('old'), await lead('fresh')];
    await core.rows(`UPDATE strategies SET created_at = now() - interval '40 days' WHERE id = $1`, old.uuid);
    await changes.update(fresh.owner, fresh.id, { status: 'ARCHIVED' });
    expect(await namesOf('status=ACTIVE')).toEqual(['old']);
    expect(await namesOf('status=ARCHIVED')).toEqual(['fresh']);
    expect((await namesOf('trading_type=spot')).sort()).toEqual(['fresh', 'old']);
    expect(await namesOf('trading_type=margin')).toEqual([]);
    expect(await namesOf('min_days=40')).toEqual(['old']);
    expect(await namesOf('min_days=41')).toEqual([]);
    expect(await namesOf(`symbol=${symbol}X`)).toEqual([]);
    await expect(async () => page('min_days=-1')).rejects.toThrow('min_days');
  });

  it('keeps a strategy that another user copied, as archived, after its deletion and while it is private', async () => {
    const [deleted, hidden, neverCopied] = [
      await lead('deleted', 40),
      await lead('hidden'),
      await lead('never'),
    ];
    const { actor, copier } = await copy(deleted);
    await copy(hidden);
    await refresh();
    await changes.delete(deleted.owner, deleted.id, { stop_copiers: true });
    await changes.update(hidden.owner, hidden.id, { visibility: 'PRIVATE' });
    await changes.update(neverCopied.owner, neverCopied.id, { visibility: 'PRIVATE' });
    await refresh();
    const { items } = await page('sort=name&order=asc&status=ARCHIVED');
    expect(items.map(({ name, status, performance: { roi } }) => [name, status, roi])).toEqual([
      ['deleted', 'ARCHIVED', '0.04'],
      ['hidden', 'ARCHIVED', null],
    ]);
    await expect(strategies.get(asker, deleted.id)).resolves.toMatchObject({ status: 'ARCHIVED' });
    await expect(strategies.get(asker, neverCopied.id)).rejects.toMatchObject({ code: 'not_found' });
    for (const { id } of [deleted, hidden])
      await expect(copy({ id })).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(copy(neverCopied)).rejects.toMatchObject({ code: 'not_found' });
    await expect(copiers.start(actor, copier.id)).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('does not show what a strategy earns after it became private', async () => {
    const hidden = await lead('hidden', 40);
    await copy(hidden);
    await refresh();
    await changes.update(hidden.owner, hidden.id, { visibility: 'PRIVATE' });
    await trade(hidden, 300);
    await refresh();
    expect((await strategies.get(asker, hidden.id)).performance.roi).toBe('0.04');
    expect((await strategies.get(hidden.owner, hidden.id)).performance.roi).toBe('0.34');
  });

  it('shows an archived strategy’s record in its successor on the same account, and not in others', async () => {
    const first = await lead('first', -90);
    await core.rows(
      `UPDATE strategies SET created_at = now() - interval '50 days' WHERE id = $1`,
      first.uuid,
    );
    const parallel = await lead('second', undefined, first);
    await refresh();
    expect((await strategies.get(asker, parallel.id)).performance).toMatchObject({
      closed_count: 0,
      roi: null,
    });
    await changes.update(first.owner, first.id, { status: 'ARCHIVED' });
    await refresh();
    const { performance } = await strategies.get(asker, parallel.id);
    expect(performance).toMatchObject({ closed_count: 1, roi: '-0.09', win_rate: '0' });
    const { performance: former } = await strategies.get(asker, first.id);
    expect(performance.since).toBe(former.since);
    expect(await namesOf('min_days=45&sort=name&order=asc')).toEqual(['first', 'second']);
    const elsewhere = await lead('third', undefined, {
      owner: first.owner,
      account: await core.account(first.owner),
    });
    await refresh();
    expect((await strategies.get(asker, elsewhere.id)).performance.closed_count).toBe(0);
  });
});

describe('the return of copiers', () => {
  const shownTo = async (led: Led, actor: Actor) =>
    (await strategies.get(actor, led.id)).performance.copier_roi;
  /** Sets the day of the figures that others see, relative to the current one. The figures are then due. */
  const setDay = ({ uuid }: Led, days: number) =>
    core.rows(
      `UPDATE strategy_figures SET computed_at = '-infinity', public_copier_roi_day = (now() AT TIME ZONE 'UTC')::date + $2::int
       WHERE strategy_id = $1`,
      uuid,
      days,
    );

  /** Makes users copy the strategy once, each with one of the results. */
  async function copiesOf(led: Led, results: readonly number[], user?: Actor): Promise<Actor[]> {
    const users: Actor[] = [];
    for (const result of results) {
      const { actor: owner, account } = await copy(led, user);
      const { id } = await core.row('SELECT id FROM copiers WHERE user_id = $1', owner.userId);
      await trade({ uuid: led.uuid, owner, account }, result, String(id));
      users.push(owner);
    }
    return users;
  }

  it('is shown if five users other than the owner and the asker copy the strategy', async () => {
    const led = await lead('led', 10);
    const users = await copiesOf(led, [10, 20, 30, 40]);
    // Copies of the owner do not count.
    await copiesOf(led, [900], led.owner);
    await refresh();
    expect([await shownTo(led, asker), await shownTo(led, led.owner)]).toEqual([null, null]);
    await copiesOf(led, [50]);
    await refresh();
    // (10 + 20 + 30 + 40 + 50) ÷ 5,000
    expect([await shownTo(led, asker), await shownTo(led, led.owner)]).toEqual(['0.03', '0.03']);
    // For one of the five, only four others are left.
    expect(await shownTo(led, users[0]!)).toBeNull();
    await lead('other', 5);
    await refresh();
    expect(await namesOf('sort=copier_roi&order=asc')).toEqual(['led', 'other']);
    await copiesOf(led, [60]);
    await setDay(led, -1);
    await refresh();
    // 0.035, rounded: more decimals would show the result of one copier to a user who has the others.
    expect(await shownTo(led, users[0]!)).toBe('0.04');
  });

  it('changes at most once a day for others, and with it the number of users of which it was computed', async () => {
    const led = await lead('led', 10);
    const [first] = await copiesOf(led, [10, 20, 30, 40, 50]);
    const other = await lead('other', 10);
    await copiesOf(other, [100, 100, 100, 100, 100]);
    await refresh();
    // Even if midnight comes now.
    await setDay(led, 1);
    await copiesOf(led, [900]);
    await refresh();
    expect(await shownTo(led, asker)).toBe('0.03');
    expect(await namesOf('sort=copier_roi&order=asc')).toEqual(['led', 'other']);
    // The result that is shown was computed from five users, of which this is one.
    expect(await shownTo(led, first!)).toBeNull();
    expect(await shownTo(led, led.owner)).toBe('0.175');
    await setDay(led, -1);
    await refresh();
    expect([await shownTo(led, asker), await shownTo(led, first!)]).toEqual(['0.18', '0.18']);
    expect(await namesOf('sort=copier_roi&order=asc')).toEqual(['other', 'led']);
  });
});
