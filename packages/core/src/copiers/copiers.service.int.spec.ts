import { type Copier, copier as copierSchema, copierUpdate, encodeId } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { type Actor, ResponseReplayed } from '../operations/index.js';
import { countStatements } from '../testing/index.js';
import { CopiersUnderTest, invalidStateError, parseListQuery } from './testing/copiers-under-test.js';

let env: CopiersUnderTest;
beforeAll(async () => {
  env = await CopiersUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const update = ({ id }: Copier, input: object) =>
  env.copiers.update(env.actor, id, copierUpdate.parse(input));

describe('creating a copier', () => {
  it('returns it as PAUSED with every setting unchanged, and emits no event', async () => {
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
    const created = await env.createLinked({
      sizing: { mode: 'EQUITY_RATIO', value: '0.1', capital: '5000' },
      limits,
      on_breach: 'PAUSE',
      below_minimum: 'SKIP',
      copy_existing: true,
    });
    expect(copierSchema.parse(created)).toEqual(created);
    expect(created).toMatchObject({
      name: 'Follower',
      strategy_id: env.strategy.id,
      exchange_account_id: env.account.id,
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
    expect(await env.copiers.get(env.actor, created.id)).toEqual(created);
    expect(await env.eventTypes()).toEqual([]);
    expect(await env.strategies.get(env.actor, env.strategy.id)).toMatchObject({ copier_count: 1 });
  });

  it('succeeds without a strategy, and with a public strategy of another user', async () => {
    await expect(env.create()).resolves.toMatchObject({ strategy_id: undefined });
    const open = await env.foreignStrategy({ visibility: 'PUBLIC' });
    await expect(env.create({ strategy_id: open.id })).resolves.toMatchObject({ strategy_id: open.id });
  });

  it('reports a private or unknown strategy as not found, with the field, and rejects an archived one', async () => {
    const hidden = await env.foreignStrategy();
    const archived = await env.foreignStrategy({ visibility: 'PUBLIC', name: newUuid() });
    await env.core.rows("UPDATE strategies SET status = 'ARCHIVED' WHERE name = $1", archived.name);
    await expect(env.create({ strategy_id: archived.id })).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'STRATEGY_ARCHIVED' }],
    });
    for (const strategy_id of [hidden.id, encodeId('str', newUuid()), 'str_x']) {
      await expect(env.create({ strategy_id })).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field: 'strategy_id', code: 'not_found' }],
      });
    }
  });

  it('reports an account of another user as not found, and rejects the account of the strategy', async () => {
    const foreign = await env.core.account(await env.core.actor());
    await expect(env.create({ exchange_account_id: foreign.id })).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'exchange_account_id', code: 'not_found' }],
    });
    await expect(env.createLinked({ exchange_account_id: env.source.id })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'exchange_account_id', code: 'own_account' }],
    });
    expect(await env.namesOf()).toEqual([]);
  });

  it('fails for an archived strategy of the caller, and for pairs that are both allowed and blocked', async () => {
    await env.setStrategy("status = 'ARCHIVED'");
    await expect(env.createLinked()).rejects.toMatchObject(invalidStateError('STRATEGY_ARCHIVED'));
    const limits = { allowed_pairs: ['BTC/USDT'], blocked_pairs: ['ETH/USDT', 'BTC/USDT'] };
    await expect(env.create({ limits })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'limits.blocked_pairs', code: 'contradiction' }],
    });
  });

  it('never exceeds the capacity of the strategy, even with concurrent requests', async () => {
    await env.setStrategy('capacity = 3');
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => env.createLinked()));
    const errors = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason] : []));
    expect(errors).toHaveLength(5);
    for (const reason of errors)
      expect(reason).toMatchObject({ code: 'limit_reached', details: [{ limit: 3 }] });
    expect(await env.strategies.get(env.actor, env.strategy.id)).toMatchObject({ copier_count: 3 });
  });

  it('fails above 1,000 copiers of a user, even with concurrent requests; removed copiers do not count', async () => {
    const { id } = await env.create();
    await env.core.rows(
      `INSERT INTO copiers (id, user_id, exchange_account_id, name, status, sizing_mode, sizing_value,
         max_signal_age_ms, on_breach, below_minimum, copy_existing)
       SELECT gen_random_uuid(), $1, $2, 'many', 'PAUSED', 'MULTIPLIER', 1, 1, 'PAUSE', 'SKIP', false
       FROM generate_series(1, 998)`,
      env.actor.userId,
      env.account.uuid,
    );
    const attempts = await Promise.allSettled([env.create(), env.create(), env.create()]);
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(env.create()).rejects.toMatchObject({
      code: 'limit_reached',
      details: [{ limit: 1000 }],
    });
    await env.copiers.delete(env.actor, id);
    await expect(env.create()).resolves.toMatchObject({ status: 'PAUSED' });
  });

  it('happens once for the same Idempotency-Key', async () => {
    const once = env.core.idempotencyContext(env.actor.userId, 'the-key');
    await env.copiers.create({ ...env.actor, idempotency: once }, env.inputOf());
    await expect(
      env.copiers.create({ ...env.actor, idempotency: once }, env.inputOf()),
    ).rejects.toBeInstanceOf(ResponseReplayed);
    expect(await env.namesOf()).toEqual(['Follower']);
  });
});

describe('a copier', () => {
  it('is invisible to other users, who cannot change it', async () => {
    const copier = await env.started();
    const stranger = await env.core.actor();
    const attempts = [
      () => env.copiers.get(stranger, copier.id),
      () => env.copiers.update(stranger, copier.id, copierUpdate.parse({ name: 'taken' })),
      () => env.copiers.delete(stranger, copier.id),
      () => env.copiers.start(stranger, copier.id),
      () => env.copiers.stop(stranger, copier.id),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    expect(await env.copiers.get(env.actor, copier.id)).toEqual(copier);
    expect((await env.copiers.list(stranger, parseListQuery(''))).items).toEqual([]);
  });

  it('is not found by unknown or invalid ids', async () => {
    for (const id of [encodeId('cpr', newUuid()), encodeId('str', newUuid()), 'cpr_x', '']) {
      await expect(env.copiers.get(env.actor, id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(env.copiers.start(env.actor, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('requires the permission TRADE for changes', async () => {
    const copier = await env.createLinked();
    const reader = { ...env.actor, credential: { ...env.actor.credential, permissions: ['READ'] as const } };
    await expect(env.copiers.get(reader, copier.id)).resolves.toEqual(copier);
    for (const attempt of [
      () => env.copiers.start(reader, copier.id),
      () => env.copiers.stop(reader, copier.id),
      () => env.copiers.update(reader, copier.id, {}),
      () => env.copiers.delete(reader, copier.id),
      () => env.copiers.create(reader, env.inputOf()),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });
});

describe('copiers by their ids', () => {
  it('are loaded in input order, with null for unknown ids', async () => {
    const [first, second, gone] = [await env.started(), await env.create(), await env.create()];
    await env.copiers.delete(env.actor, gone.id);
    const stranger = await env.core.actor();
    const unknown = [encodeId('cpr', newUuid()), 'cpr_x', ''];
    const requested = [second.id, gone.id, first.id, ...unknown, second.id];
    const expected = [second, null, first, null, null, null, second];
    expect(await env.copiers.getMany(env.actor, requested)).toEqual(expected);
    expect(await env.copiers.getMany(stranger, requested)).toEqual(requested.map(() => null));
    const withoutPermissions: Actor = {
      ...env.actor,
      credential: { ...env.actor.credential, permissions: [] },
    };
    await expect(env.copiers.getMany(withoutPermissions, requested)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });

  it('are loaded with their stats by one statement, and a page of the list by two', async () => {
    const { database } = env.core.platform;
    const created = [await env.create(), await env.createLinked(), await env.create()];
    const ids = created.map(({ id }) => id);
    expect(await countStatements(database, () => env.copiers.getMany(env.actor, ids))).toBe(1);
    expect(await countStatements(database, () => env.copiers.list(env.actor, parseListQuery('')))).toBe(2);
    expect(await countStatements(database, () => env.copiers.getMany(env.actor, ['cpr_x']))).toBe(0);
  });
});

describe('changing a copier', () => {
  it('changes nothing for an empty input', async () => {
    const copier = await env.createLinked();
    expect(await update(copier, {})).toEqual(copier);
    expect(await update(copier, { strategy_id: env.strategy.id, limits: {} })).toEqual(copier);
  });

  it('changes each setting and limit in the input, and clears those that are null', async () => {
    const copier = await env.started({
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
    const copier = await env.create({ limits: { allowed_pairs: ['BTC/USDT'] } });
    await expect(update(copier, { limits: { blocked_pairs: ['BTC/USDT'] } })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'limits.blocked_pairs' }],
    });
    const swapped = { allowed_pairs: null, blocked_pairs: ['BTC/USDT'] };
    await expect(update(copier, { limits: swapped })).resolves.toMatchObject({
      limits: { blocked_pairs: ['BTC/USDT'] },
    });
  });

  it('changes its strategy only while it is paused', async () => {
    const other = await env.foreignStrategy({ visibility: 'PUBLIC' });
    const copier = await env.started();
    for (const strategy_id of [other.id, null]) {
      await expect(update(copier, { strategy_id })).rejects.toMatchObject({
        code: 'invalid_state',
        details: [{ field: 'strategy_id', state: 'ACTIVE' }],
      });
    }
    await env.copiers.stop(env.actor, copier.id);
    await expect(update(copier, { strategy_id: other.id })).resolves.toMatchObject({ strategy_id: other.id });
    expect((await update(copier, { strategy_id: null })).strategy_id).toBeUndefined();
  });

  it('checks a new strategy like the strategy of a new copier', async () => {
    const copier = await env.create({ exchange_account_id: env.source.id });
    await expect(update(copier, { strategy_id: env.strategy.id })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'strategy_id', code: 'own_account' }],
    });
    const hidden = await env.foreignStrategy();
    await expect(update(copier, { strategy_id: hidden.id })).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'strategy_id' }],
    });
    const full = await env.foreignStrategy({ visibility: 'PUBLIC', capacity: 1 });
    await env.create({ strategy_id: full.id });
    await expect(update(copier, { strategy_id: full.id })).rejects.toMatchObject({ code: 'limit_reached' });
  });
});

describe('the list of copiers', () => {
  it('is filtered by status, strategy and account, and sorted by name', async () => {
    const elsewhere = await env.core.account(env.actor);
    await env.create({ name: 'c' });
    await env.createLinked({ name: 'a', exchange_account_id: elsewhere.id });
    await env.started({ name: 'b' });
    expect(await env.namesOf('sort=name&order=asc')).toEqual(['a', 'b', 'c']);
    expect(await env.namesOf('status=ACTIVE')).toEqual(['b']);
    expect(await env.namesOf(`strategy_id=${env.strategy.id}&sort=name&order=desc`)).toEqual(['b', 'a']);
    expect(await env.namesOf(`exchange_account_id=${elsewhere.id}`)).toEqual(['a']);
    expect(await env.namesOf(`exchange_account_id=${elsewhere.id}&status=ACTIVE`)).toEqual([]);
  });

  it('fails if it is filtered by a strategy or account that does not exist or is not visible', async () => {
    const hidden = await env.foreignStrategy();
    const foreign = await env.core.account(await env.core.actor());
    for (const [field, id] of [
      ['strategy_id', hidden.id],
      ['strategy_id', 'str_x'],
      ['exchange_account_id', foreign.id],
    ] as const) {
      await expect(env.namesOf(`${field}=${id}`)).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field }],
      });
    }
  });
});
