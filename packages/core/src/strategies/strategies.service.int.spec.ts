import {
  encodeId,
  type Strategy,
  strategyCreate,
  strategyOperations,
  strategy as strategySchema,
} from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { type Actor, querySchemaOf, ResponseReplayed } from '../operations/index.js';
import { CoreUnderTest, countStatements, type RecordIds } from '../testing/index.js';
import { StrategiesService } from './strategies.service.js';

let core: CoreUnderTest;
let strategies: StrategiesService;
let actor: Actor;
let account: RecordIds;
let pair: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  strategies = new StrategiesService(core.platform, core.lists, core.commands);
  pair = await core.pair();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor);
});

const inputOf = (more: Record<string, unknown> = {}) =>
  strategyCreate.parse({ name: 'Trend', exchange_account_id: account.id, ...more });
const create = (more: Record<string, unknown> = {}) => strategies.create(actor, inputOf(more));
const queryOf = (queryString: string) =>
  querySchemaOf(strategyOperations.list).parse(
    Object.fromEntries(new URLSearchParams(queryString)),
  ) as Parameters<StrategiesService['list']>[1];
const namesOf = async (queryString = '', reader = actor) =>
  (await strategies.list(reader, queryOf(queryString))).items.map(({ name }) => name);
const archive = ({ name }: Strategy) =>
  core.rows("UPDATE strategies SET status = 'ARCHIVED' WHERE name = $1", name);

/** A strategy without results as users other than its owner see it. */
function asOthersSee(strategy: Strategy): Strategy {
  const { since } = strategy.performance;
  return {
    ...strategy,
    exchange_account_id: undefined,
    performance: {
      since,
      closed_count: 0,
      win_rate: null,
      profit_factor: null,
      roi: null,
      max_drawdown_percent: null,
      sharpe: null,
      low_sample: true,
      fees_incomplete: false,
      copier_roi: null,
      curve: [],
    },
  };
}

describe('creating a strategy', () => {
  it('returns the strategy as its owner sees it, with empty results', async () => {
    const created = await create({
      description: 'Follows trends.',
      trade_pair_ids: [pair.id, pair.id],
      visibility: 'PUBLIC',
      profit_share: { rate: '0.125', period: 'WEEK' },
      min_copy_equity: '100.5',
      capacity: 3,
    });
    expect(strategySchema.parse(created)).toEqual(created);
    expect(created).toMatchObject({
      name: 'Trend',
      description: 'Follows trends.',
      exchange_account_id: account.id,
      trade_pair_ids: [pair.id],
      visibility: 'PUBLIC',
      status: 'ACTIVE',
      copier_count: 0,
      profit_share: { rate: '0.125', basis: 'HIGH_WATER_MARK', period: 'WEEK' },
      min_copy_equity: '100.5',
      capacity: 3,
      performance: { closed_count: 0, win_rate: null, net_pnl: '0', roi: null, sharpe: null },
    });
    expect(await strategies.get(actor, created.id)).toEqual(created);
  });

  it('omits the optional fields that the input does not set', async () => {
    expect(Object.entries(await create()).filter(([, value]) => value === undefined)).toEqual(
      ['description', 'trade_pair_ids', 'profit_share', 'min_copy_equity', 'capacity'].map((name) => [
        name,
        undefined,
      ]),
    );
  });

  it('happens once for the same Idempotency-Key', async () => {
    const once = core.idempotencyContext(actor.userId, 'the-key');
    const attempts = await Promise.allSettled([
      strategies.create({ ...actor, idempotency: once }, inputOf()),
      strategies.create({ ...actor, idempotency: once }, inputOf()),
    ]);
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(strategies.create({ ...actor, idempotency: once }, inputOf())).rejects.toBeInstanceOf(
      ResponseReplayed,
    );
    expect(await namesOf()).toEqual(['Trend']);
  });

  it('is rejected for an account that is unknown, removed or another user’s; the error names the field', async () => {
    const removed = await core.account(actor);
    await core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', removed.uuid);
    const foreign = await core.account(await core.actor());
    for (const id of ['exa_x', encodeId('exa', newUuid()), foreign.id, removed.id]) {
      await expect(create({ exchange_account_id: id })).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field: 'exchange_account_id', code: 'not_found' }],
      });
    }
  });

  it('is rejected for unknown pairs, with an error detail for each', async () => {
    const trade_pair_ids = [encodeId('tpr', newUuid()), pair.id, 'tpr_x'];
    await expect(create({ trade_pair_ids })).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'trade_pair_ids.0' }, { field: 'trade_pair_ids.2' }],
    });
    expect(await namesOf()).toEqual([]);
  });

  it('is rejected for pairs of another exchange or trading type', async () => {
    const others = [
      await core.pair({ exchange: 'elsewhere' }),
      await core.pair({ trading_type: 'perpetual', symbol: 'BTC/USDT:USDT' }),
    ];
    await expect(create({ trade_pair_ids: [pair.id, ...others.map(({ id }) => id)] })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [
        { field: 'trade_pair_ids.1', code: 'other_exchange' },
        { field: 'trade_pair_ids.2', code: 'other_exchange' },
      ],
    });
  });

  it('requires the permission TRADE; listing requires only READ', async () => {
    await expect(strategies.create(await core.actor('READ'), inputOf())).rejects.toMatchObject({
      code: 'permission_denied',
    });
    await expect(strategies.list(await core.actor('READ'), queryOf(''))).resolves.toMatchObject({
      items: [],
    });
  });
});

describe('reading a strategy', () => {
  it('succeeds for other users while it is public, active or archived, but hides its account and exact figures', async () => {
    const otherActor = await core.actor('READ');
    const created = await create({ name: newUuid(), visibility: 'PUBLIC' });
    const seen = await strategies.get(otherActor, created.id);
    expect(seen).toEqual(asOthersSee(created));
    expect(JSON.stringify(seen)).not.toContain(account.id);
    await archive(created);
    await expect(strategies.get(otherActor, created.id)).resolves.toMatchObject({ status: 'ARCHIVED' });
    await expect(strategies.get(actor, created.id)).resolves.toMatchObject({ status: 'ARCHIVED' });
  });

  it('fails for private strategies of others, and for removed and unknown ones', async () => {
    const otherActor = await core.actor();
    const hidden = await create();
    const removed = await create({ name: newUuid(), visibility: 'PUBLIC' });
    await core.rows('UPDATE strategies SET deleted_at = now() WHERE name = $1', removed.name);
    for (const id of [hidden.id, removed.id, encodeId('str', newUuid()), encodeId('trd', newUuid()), 'x']) {
      await expect(strategies.get(otherActor, id)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(strategies.get(actor, removed.id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('strategies by their ids', () => {
  it('are loaded in input order, each as `get` returns it; null for those that the actor may not read', async () => {
    const otherActor = await core.actor('READ');
    const named = (more: object = {}) => create({ name: newUuid(), ...more });
    const [hidden, shared] = [await named(), await named({ visibility: 'PUBLIC' })];
    const [archived, removed] = [
      await named({ visibility: 'PUBLIC' }),
      await named({ visibility: 'PUBLIC' }),
    ];
    await archive(archived);
    await core.rows('UPDATE strategies SET deleted_at = now() WHERE name = $1', removed.name);
    const unknown = [encodeId('str', newUuid()), encodeId('trd', newUuid()), 'x'];
    const ids = [shared.id, removed.id, hidden.id, ...unknown, archived.id, shared.id];
    const nulls = unknown.map(() => null);
    expect(await strategies.getMany(actor, ids)).toEqual([
      shared,
      null,
      hidden,
      ...nulls,
      await strategies.get(actor, archived.id),
      shared,
    ]);
    const shown = asOthersSee(shared);
    const seen = await strategies.getMany(otherActor, ids);
    expect(seen).toEqual([shown, null, null, ...nulls, await strategies.get(otherActor, archived.id), shown]);
    expect(JSON.stringify(seen)).not.toContain(account.id);
    const withoutPermissions: Actor = { ...actor, credential: { ...actor.credential, permissions: [] } };
    await expect(strategies.getMany(withoutPermissions, ids)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });

  it('are loaded with all metrics by one statement, and a page of the list by two', async () => {
    const { database } = core.platform;
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await create({ name })).id);
    expect(await countStatements(database, () => strategies.getMany(actor, ids))).toBe(1);
    expect(await countStatements(database, () => strategies.list(actor, queryOf('')))).toBe(2);
    expect(await countStatements(database, () => strategies.getMany(actor, ['str_x']))).toBe(0);
  });
});

describe('the list of strategies', () => {
  it("contains the actor's own strategies; with visibility=PUBLIC, the public strategies of all users, active and archived", async () => {
    const label = newUuid();
    const mine = [`${label} a`, `${label} b`, `${label} c`] as const;
    await create({ name: mine[0] });
    await create({ name: mine[1], visibility: 'PUBLIC' });
    await archive(await create({ name: mine[2], visibility: 'PUBLIC' }));
    const other = await core.actor();
    const foreign = await core.account(other);
    await strategies.create(
      other,
      inputOf({ name: `${label} d`, visibility: 'PUBLIC', exchange_account_id: foreign.id }),
    );
    await strategies.create(other, inputOf({ name: `${label} e`, exchange_account_id: foreign.id }));

    expect(await namesOf('sort=name&order=asc')).toEqual(mine);
    expect(await namesOf('visibility=PRIVATE')).toEqual([mine[0]]);
    expect(await namesOf('status=ARCHIVED')).toEqual([mine[2]]);
    const page = await strategies.list(actor, queryOf('visibility=PUBLIC&limit=100&sort=name&order=asc'));
    const labelled = page.items.filter(({ name }) => name.startsWith(label));
    expect(labelled.map(({ name }) => name)).toEqual([mine[1], mine[2], `${label} d`]);
    expect(labelled.map(({ status }) => status)).toEqual(['ACTIVE', 'ARCHIVED', 'ACTIVE']);
    expect(labelled.map(({ exchange_account_id }) => exchange_account_id)).toEqual([
      account.id,
      account.id,
      undefined,
    ]);
  });

  it('has pages without gaps or duplicates, sorted by name or by creation time', async () => {
    for (const name of ['c', 'a', 'b', 'e', 'd']) await create({ name });
    for (const [sort, expected] of [
      ['sort=name&order=asc', ['a', 'b', 'c', 'd', 'e']],
      ['sort=created_at&order=desc', ['d', 'e', 'b', 'a', 'c']],
    ] as const) {
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const queryString = `limit=2&${sort}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
        const page = await strategies.list(actor, queryOf(queryString));
        seen.push(...page.items.map(({ name }) => name));
        cursor = page.pagination.next_cursor;
      }
      expect(seen).toEqual(expected);
    }
  });

  it('rejects a cursor that was issued to another user or for another filter', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name });
    const { pagination } = await strategies.list(actor, queryOf('limit=1'));
    const cursor = encodeURIComponent(String(pagination.next_cursor));
    const other = await core.actor();
    await expect(namesOf(`limit=1&cursor=${cursor}`, other)).rejects.toMatchObject({ code: 'invalid_query' });
    await expect(namesOf(`limit=1&visibility=PRIVATE&cursor=${cursor}`)).rejects.toMatchObject({
      code: 'invalid_query',
    });
  });
});
