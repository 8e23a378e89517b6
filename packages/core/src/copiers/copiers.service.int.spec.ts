import {
  type Copier,
  copierCreate,
  copierOperations,
  copier as copierSchema,
  copierUpdate,
  encodeId,
  type Strategy,
  strategyCreate,
} from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import type { Actor } from '../access/index.js';
import { AnswerReplayed } from '../commands.js';
import { querySchemaOf } from '../lists.js';
import { StrategiesService } from '../strategies/index.js';
import { CoreUnderTest, type Named } from '../testing/index.js';
import { CopiersService } from './copiers.service.js';

let core: CoreUnderTest;
let copiers: CopiersService;
let strategies: StrategiesService;
let actor: Actor;
/** Where the strategy trades. */
let source: Named;
/** Where copies are made. */
let account: Named;
let strategy: Strategy;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  copiers = new CopiersService(core.platform, core.lists, core.commands);
  strategies = new StrategiesService(core.platform, core.lists, core.commands);
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  source = await core.account(actor);
  account = await core.account(actor);
  strategy = await makeStrategy();
});

const inputOf = (more: Record<string, unknown> = {}) =>
  copierCreate.parse({
    name: 'Follower',
    exchange_account_id: account.id,
    sizing: { mode: 'MULTIPLIER', value: '0.5' },
    ...more,
  });
const create = (more: Record<string, unknown> = {}) => copiers.create(actor, inputOf(more));
const createLinked = (more: Record<string, unknown> = {}) => create({ strategy_id: strategy.id, ...more });
const update = ({ id }: Copier, input: object) => copiers.update(actor, id, copierUpdate.parse(input));
async function started(more: Record<string, unknown> = {}): Promise<Copier> {
  return copiers.start(actor, (await createLinked(more)).id);
}
async function makeStrategy(
  more: Record<string, unknown> = {},
  owner = actor,
  on = source,
): Promise<Strategy> {
  return strategies.create(owner, strategyCreate.parse({ name: 's', exchange_account_id: on.id, ...more }));
}
async function foreignStrategy(more: Record<string, unknown> = {}): Promise<Strategy> {
  const owner = await core.actor();
  return makeStrategy(more, owner, await core.account(owner));
}
/** Changes strategies of this test's source account. */
const setStrategy = (columns: string, on = source) =>
  core.rows(`UPDATE strategies SET ${columns} WHERE exchange_account_id = $1`, on.uuid);
const asked = (text: string) =>
  querySchemaOf(copierOperations.list).parse(Object.fromEntries(new URLSearchParams(text))) as Parameters<
    CopiersService['list']
  >[1];
const namesOf = async (text = '') => (await copiers.list(actor, asked(text))).items.map(({ name }) => name);
const kindsOf = async () => (await core.events(actor.userId)).map(({ type }) => type);
const stateRefusal = (state: string) => ({
  code: 'invalid_state',
  details: [{ code: 'invalid_state', state }],
});

describe('creating a copier', () => {
  it('answers with it as PAUSED, with every setting digit by digit, and tells nobody yet', async () => {
    const limits = {
      max_trade_quote: '100.000000000000000001',
      max_open_quote: '1000',
      max_open_trades: 5,
      max_daily_loss_quote: '50',
      max_drawdown_percent: '12.5',
      max_slippage_bps: 0,
      max_signal_age_ms: 30_000,
      max_leverage: '3',
      allowed_pairs: ['BTC/USDT', 'ETH/USDT'],
      blocked_pairs: ['DOGE/USDT'],
      allowed_sides: ['BUY'],
    };
    const created = await createLinked({
      sizing: { mode: 'EQUITY_RATIO', value: '0.1', capital: '5000' },
      limits,
      on_breach: 'PAUSE',
      below_minimum: 'SKIP',
      copy_existing: true,
    });
    expect(copierSchema.parse(created)).toEqual(created);
    expect(created).toMatchObject({
      name: 'Follower',
      strategy_id: strategy.id,
      exchange_account_id: account.id,
      status: 'PAUSED',
      status_reason: undefined,
      sizing: { mode: 'EQUITY_RATIO', value: '0.1', capital: '5000' },
      limits,
      on_breach: 'PAUSE',
      below_minimum: 'SKIP',
      copy_existing: true,
      high_water_mark: '0',
      started_at: undefined,
      stopped_at: undefined,
    });
    expect(created.stats).toMatchObject({ copied: 0, median_latency_ms: null, net_pnl: '0' });
    expect(await copiers.get(actor, created.id)).toEqual(created);
    expect(await kindsOf()).toEqual([]);
    expect(await strategies.get(actor, strategy.id)).toMatchObject({ copier_count: 1 });
  });

  it('follows nothing, a strategy of its own, or a public one of another user', async () => {
    await expect(create()).resolves.toMatchObject({ strategy_id: undefined });
    const open = await foreignStrategy({ visibility: 'PUBLIC' });
    await expect(create({ strategy_id: open.id })).resolves.toMatchObject({ strategy_id: open.id });
  });

  it('finds no private, archived, removed or unknown strategy of others, naming the field', async () => {
    const hidden = await foreignStrategy();
    const archived = await foreignStrategy({ visibility: 'PUBLIC', name: newUuid() });
    await core.rows("UPDATE strategies SET status = 'ARCHIVED' WHERE name = $1", archived.name);
    for (const strategy_id of [hidden.id, archived.id, encodeId('str', newUuid()), 'str_x']) {
      await expect(create({ strategy_id })).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field: 'strategy_id', code: 'not_found' }],
      });
    }
  });

  it("finds no foreign account, and copies nothing to the strategy's own", async () => {
    const foreign = await core.account(await core.actor());
    await expect(create({ exchange_account_id: foreign.id })).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'exchange_account_id', code: 'not_found' }],
    });
    await expect(createLinked({ exchange_account_id: source.id })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'exchange_account_id', code: 'own_account' }],
    });
    expect(await namesOf()).toEqual([]);
  });

  it('is refused for an own strategy that is archived, and for pairs both allowed and blocked', async () => {
    await setStrategy("status = 'ARCHIVED'");
    await expect(createLinked()).rejects.toMatchObject(stateRefusal('STRATEGY_ARCHIVED'));
    const limits = { allowed_pairs: ['BTC/USDT'], blocked_pairs: ['ETH/USDT', 'BTC/USDT'] };
    await expect(create({ limits })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'limits.blocked_pairs', code: 'contradiction' }],
    });
  });

  it('keeps to the capacity of the strategy when many link at once', async () => {
    await setStrategy('capacity = 3');
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => createLinked()));
    const refused = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason] : []));
    expect(refused).toHaveLength(5);
    for (const reason of refused)
      expect(reason).toMatchObject({ code: 'limit_reached', details: [{ limit: 3 }] });
    expect(await strategies.get(actor, strategy.id)).toMatchObject({ copier_count: 3 });
  });

  it('ends at 1,000 copiers of a user, also when two are made at once; removed ones make room', async () => {
    const { id } = await create();
    await core.rows(
      `INSERT INTO copiers (id, user_id, exchange_account_id, name, status, sizing_mode, sizing_value,
         max_signal_age_ms, on_breach, below_minimum, copy_existing)
       SELECT gen_random_uuid(), $1, $2, 'many', 'PAUSED', 'MULTIPLIER', 1, 1, 'PAUSE', 'SKIP', false
       FROM generate_series(1, 998)`,
      actor.userId,
      account.uuid,
    );
    const attempts = await Promise.allSettled([create(), create(), create()]);
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(create()).rejects.toMatchObject({ code: 'limit_reached', details: [{ limit: 1000 }] });
    await copiers.delete(actor, id);
    await expect(create()).resolves.toMatchObject({ status: 'PAUSED' });
  });

  it('happens once for one Idempotency-Key', async () => {
    const once = core.once(actor.userId, 'the-key');
    await copiers.create({ ...actor, once }, inputOf());
    await expect(copiers.create({ ...actor, once }, inputOf())).rejects.toBeInstanceOf(AnswerReplayed);
    expect(await namesOf()).toEqual(['Follower']);
  });
});

describe('a copier', () => {
  it('is nobody else’s to see or to change', async () => {
    const copier = await started();
    const stranger = await core.actor();
    const attempts = [
      () => copiers.get(stranger, copier.id),
      () => copiers.update(stranger, copier.id, copierUpdate.parse({ name: 'taken' })),
      () => copiers.delete(stranger, copier.id),
      () => copiers.start(stranger, copier.id),
      () => copiers.stop(stranger, copier.id),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    expect(await copiers.get(actor, copier.id)).toEqual(copier);
    expect((await copiers.list(stranger, asked(''))).items).toEqual([]);
  });

  it('is not found by ids that name none', async () => {
    for (const id of [encodeId('cpr', newUuid()), encodeId('str', newUuid()), 'cpr_x', '']) {
      await expect(copiers.get(actor, id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(copiers.start(actor, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('needs TRADE to be changed', async () => {
    const copier = await createLinked();
    const reader = { ...actor, credential: { ...actor.credential, permissions: ['READ'] as const } };
    await expect(copiers.get(reader, copier.id)).resolves.toEqual(copier);
    for (const attempt of [
      () => copiers.start(reader, copier.id),
      () => copiers.stop(reader, copier.id),
      () => copiers.update(reader, copier.id, {}),
      () => copiers.delete(reader, copier.id),
      () => copiers.create(reader, inputOf()),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });
});

describe('changing a copier', () => {
  it('with nothing changes nothing', async () => {
    const copier = await createLinked();
    expect(await update(copier, {})).toEqual(copier);
    expect(await update(copier, { strategy_id: strategy.id, limits: {} })).toEqual(copier);
  });

  it('changes what is given, limit by limit, and clears what is null', async () => {
    const copier = await started({
      limits: { max_trade_quote: 5, max_open_trades: 2, allowed_pairs: ['A/B'] },
    });
    const changed = await update(copier, {
      name: 'Renamed',
      sizing: { mode: 'FIXED_QUOTE', value: '7.5' },
      limits: { max_trade_quote: null, max_slippage_bps: 10 },
    });
    expect(changed).toMatchObject({
      name: 'Renamed',
      status: 'ACTIVE',
      sizing: { mode: 'FIXED_QUOTE', value: '7.5' },
      limits: { max_open_trades: 2, max_slippage_bps: 10, max_signal_age_ms: 60_000, allowed_pairs: ['A/B'] },
    });
    expect(changed.limits.max_trade_quote).toBeUndefined();
    expect(changed.updated_at >= copier.updated_at).toBe(true);
  });

  it('never leaves a pair both allowed and blocked', async () => {
    const copier = await create({ limits: { allowed_pairs: ['BTC/USDT'] } });
    await expect(update(copier, { limits: { blocked_pairs: ['BTC/USDT'] } })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'limits.blocked_pairs' }],
    });
    const swapped = { allowed_pairs: null, blocked_pairs: ['BTC/USDT'] };
    await expect(update(copier, { limits: swapped })).resolves.toMatchObject({
      limits: { blocked_pairs: ['BTC/USDT'] },
    });
  });

  it('moves it to another strategy only while it is paused', async () => {
    const other = await foreignStrategy({ visibility: 'PUBLIC' });
    const copier = await started();
    for (const strategy_id of [other.id, null]) {
      await expect(update(copier, { strategy_id })).rejects.toMatchObject({
        code: 'invalid_state',
        details: [{ field: 'strategy_id', state: 'ACTIVE' }],
      });
    }
    await copiers.stop(actor, copier.id);
    await expect(update(copier, { strategy_id: other.id })).resolves.toMatchObject({ strategy_id: other.id });
    expect((await update(copier, { strategy_id: null })).strategy_id).toBeUndefined();
  });

  it('links by the rules of a new link', async () => {
    const copier = await create({ exchange_account_id: source.id });
    await expect(update(copier, { strategy_id: strategy.id })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'strategy_id', code: 'own_account' }],
    });
    const hidden = await foreignStrategy();
    await expect(update(copier, { strategy_id: hidden.id })).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'strategy_id' }],
    });
    const full = await foreignStrategy({ visibility: 'PUBLIC', capacity: 1 });
    await create({ strategy_id: full.id });
    await expect(update(copier, { strategy_id: full.id })).rejects.toMatchObject({ code: 'limit_reached' });
  });
});

describe('the list of copiers', () => {
  it('is filtered by state, strategy and account, and sorted by name', async () => {
    const elsewhere = await core.account(actor);
    await create({ name: 'c' });
    await createLinked({ name: 'a', exchange_account_id: elsewhere.id });
    await started({ name: 'b' });
    expect(await namesOf('sort=name&order=asc')).toEqual(['a', 'b', 'c']);
    expect(await namesOf('status=ACTIVE')).toEqual(['b']);
    expect(await namesOf(`strategy_id=${strategy.id}&sort=name&order=desc`)).toEqual(['b', 'a']);
    expect(await namesOf(`exchange_account_id=${elsewhere.id}`)).toEqual(['a']);
    expect(await namesOf(`exchange_account_id=${elsewhere.id}&status=ACTIVE`)).toEqual([]);
  });

  it('is refused for a strategy or account that is not there or hidden', async () => {
    const hidden = await foreignStrategy();
    const foreign = await core.account(await core.actor());
    for (const [field, id] of [
      ['strategy_id', hidden.id],
      ['strategy_id', 'str_x'],
      ['exchange_account_id', foreign.id],
    ] as const) {
      await expect(namesOf(`${field}=${id}`)).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field }],
      });
    }
  });
});
