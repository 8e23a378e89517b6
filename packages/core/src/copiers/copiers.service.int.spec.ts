import { type Copier, copier as copierSchema, copierUpdate, encodeId } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { type Actor, AnswerReplayed } from '../operations/index.js';
import { statementsOf } from '../testing/index.js';
import { CopiersUnderTest, copiersAsked, stateRefusal } from './testing/copiers-under-test.js';

let the: CopiersUnderTest;
beforeAll(async () => {
  the = await CopiersUnderTest.open();
});
afterAll(() => the.close());
beforeEach(() => the.begin());

const update = ({ id }: Copier, input: object) =>
  the.copiers.update(the.actor, id, copierUpdate.parse(input));

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
    const created = await the.createLinked({
      sizing: { mode: 'EQUITY_RATIO', value: '0.1', capital: '5000' },
      limits,
      on_breach: 'PAUSE',
      below_minimum: 'SKIP',
      copy_existing: true,
    });
    expect(copierSchema.parse(created)).toEqual(created);
    expect(created).toMatchObject({
      name: 'Follower',
      strategy_id: the.strategy.id,
      exchange_account_id: the.account.id,
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
    expect(await the.copiers.get(the.actor, created.id)).toEqual(created);
    expect(await the.kindsOf()).toEqual([]);
    expect(await the.strategies.get(the.actor, the.strategy.id)).toMatchObject({ copier_count: 1 });
  });

  it('follows nothing, a strategy of its own, or a public one of another user', async () => {
    await expect(the.create()).resolves.toMatchObject({ strategy_id: undefined });
    const open = await the.foreignStrategy({ visibility: 'PUBLIC' });
    await expect(the.create({ strategy_id: open.id })).resolves.toMatchObject({ strategy_id: open.id });
  });

  it('finds no private, archived, removed or unknown strategy of others, naming the field', async () => {
    const hidden = await the.foreignStrategy();
    const archived = await the.foreignStrategy({ visibility: 'PUBLIC', name: newUuid() });
    await the.core.rows("UPDATE strategies SET status = 'ARCHIVED' WHERE name = $1", archived.name);
    for (const strategy_id of [hidden.id, archived.id, encodeId('str', newUuid()), 'str_x']) {
      await expect(the.create({ strategy_id })).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field: 'strategy_id', code: 'not_found' }],
      });
    }
  });

  it("finds no foreign account, and copies nothing to the strategy's own", async () => {
    const foreign = await the.core.account(await the.core.actor());
    await expect(the.create({ exchange_account_id: foreign.id })).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'exchange_account_id', code: 'not_found' }],
    });
    await expect(the.createLinked({ exchange_account_id: the.source.id })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'exchange_account_id', code: 'own_account' }],
    });
    expect(await the.namesOf()).toEqual([]);
  });

  it('is refused for an own strategy that is archived, and for pairs both allowed and blocked', async () => {
    await the.setStrategy("status = 'ARCHIVED'");
    await expect(the.createLinked()).rejects.toMatchObject(stateRefusal('STRATEGY_ARCHIVED'));
    const limits = { allowed_pairs: ['BTC/USDT'], blocked_pairs: ['ETH/USDT', 'BTC/USDT'] };
    await expect(the.create({ limits })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'limits.blocked_pairs', code: 'contradiction' }],
    });
  });

  it('keeps to the capacity of the strategy when many link at once', async () => {
    await the.setStrategy('capacity = 3');
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => the.createLinked()));
    const refused = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason] : []));
    expect(refused).toHaveLength(5);
    for (const reason of refused)
      expect(reason).toMatchObject({ code: 'limit_reached', details: [{ limit: 3 }] });
    expect(await the.strategies.get(the.actor, the.strategy.id)).toMatchObject({ copier_count: 3 });
  });

  it('ends at 1,000 copiers of a user, also when two are made at once; removed ones make room', async () => {
    const { id } = await the.create();
    await the.core.rows(
      `INSERT INTO copiers (id, user_id, exchange_account_id, name, status, sizing_mode, sizing_value,
         max_signal_age_ms, on_breach, below_minimum, copy_existing)
       SELECT gen_random_uuid(), $1, $2, 'many', 'PAUSED', 'MULTIPLIER', 1, 1, 'PAUSE', 'SKIP', false
       FROM generate_series(1, 998)`,
      the.actor.userId,
      the.account.uuid,
    );
    const attempts = await Promise.allSettled([the.create(), the.create(), the.create()]);
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(the.create()).rejects.toMatchObject({
      code: 'limit_reached',
      details: [{ limit: 1000 }],
    });
    await the.copiers.delete(the.actor, id);
    await expect(the.create()).resolves.toMatchObject({ status: 'PAUSED' });
  });

  it('happens once for one Idempotency-Key', async () => {
    const once = the.core.once(the.actor.userId, 'the-key');
    await the.copiers.create({ ...the.actor, once }, the.inputOf());
    await expect(the.copiers.create({ ...the.actor, once }, the.inputOf())).rejects.toBeInstanceOf(
      AnswerReplayed,
    );
    expect(await the.namesOf()).toEqual(['Follower']);
  });
});

describe('a copier', () => {
  it('is nobody else’s to see or to change', async () => {
    const copier = await the.started();
    const stranger = await the.core.actor();
    const attempts = [
      () => the.copiers.get(stranger, copier.id),
      () => the.copiers.update(stranger, copier.id, copierUpdate.parse({ name: 'taken' })),
      () => the.copiers.delete(stranger, copier.id),
      () => the.copiers.start(stranger, copier.id),
      () => the.copiers.stop(stranger, copier.id),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    expect(await the.copiers.get(the.actor, copier.id)).toEqual(copier);
    expect((await the.copiers.list(stranger, copiersAsked(''))).items).toEqual([]);
  });

  it('is not found by ids that name none', async () => {
    for (const id of [encodeId('cpr', newUuid()), encodeId('str', newUuid()), 'cpr_x', '']) {
      await expect(the.copiers.get(the.actor, id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(the.copiers.start(the.actor, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('needs TRADE to be changed', async () => {
    const copier = await the.createLinked();
    const reader = { ...the.actor, credential: { ...the.actor.credential, permissions: ['READ'] as const } };
    await expect(the.copiers.get(reader, copier.id)).resolves.toEqual(copier);
    for (const attempt of [
      () => the.copiers.start(reader, copier.id),
      () => the.copiers.stop(reader, copier.id),
      () => the.copiers.update(reader, copier.id, {}),
      () => the.copiers.delete(reader, copier.id),
      () => the.copiers.create(reader, the.inputOf()),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });
});

describe('copiers by their ids', () => {
  it('stand at the places of these; nothing stands for what is not there', async () => {
    const [first, second, gone] = [await the.started(), await the.create(), await the.create()];
    await the.copiers.delete(the.actor, gone.id);
    const stranger = await the.core.actor();
    const unknown = [encodeId('cpr', newUuid()), 'cpr_x', ''];
    const asked = [second.id, gone.id, first.id, ...unknown, second.id];
    const expected = [second, null, first, null, null, null, second];
    expect(await the.copiers.getMany(the.actor, asked)).toEqual(expected);
    expect(await the.copiers.getMany(stranger, asked)).toEqual(asked.map(() => null));
    const idle: Actor = { ...the.actor, credential: { ...the.actor.credential, permissions: [] } };
    await expect(the.copiers.getMany(idle, asked)).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('cost one statement with what came of them, however many; a page of them costs two', async () => {
    const { database } = the.core.platform;
    const made = [await the.create(), await the.createLinked(), await the.create()];
    const ids = made.map(({ id }) => id);
    expect(await statementsOf(database, () => the.copiers.getMany(the.actor, ids))).toBe(1);
    expect(await statementsOf(database, () => the.copiers.list(the.actor, copiersAsked('')))).toBe(2);
    expect(await statementsOf(database, () => the.copiers.getMany(the.actor, ['cpr_x']))).toBe(0);
  });
});

describe('changing a copier', () => {
  it('with nothing changes nothing', async () => {
    const copier = await the.createLinked();
    expect(await update(copier, {})).toEqual(copier);
    expect(await update(copier, { strategy_id: the.strategy.id, limits: {} })).toEqual(copier);
  });

  it('changes what is given, limit by limit, and clears what is null', async () => {
    const copier = await the.started({
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
    const copier = await the.create({ limits: { allowed_pairs: ['BTC/USDT'] } });
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
    const other = await the.foreignStrategy({ visibility: 'PUBLIC' });
    const copier = await the.started();
    for (const strategy_id of [other.id, null]) {
      await expect(update(copier, { strategy_id })).rejects.toMatchObject({
        code: 'invalid_state',
        details: [{ field: 'strategy_id', state: 'ACTIVE' }],
      });
    }
    await the.copiers.stop(the.actor, copier.id);
    await expect(update(copier, { strategy_id: other.id })).resolves.toMatchObject({ strategy_id: other.id });
    expect((await update(copier, { strategy_id: null })).strategy_id).toBeUndefined();
  });

  it('links by the rules of a new link', async () => {
    const copier = await the.create({ exchange_account_id: the.source.id });
    await expect(update(copier, { strategy_id: the.strategy.id })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'strategy_id', code: 'own_account' }],
    });
    const hidden = await the.foreignStrategy();
    await expect(update(copier, { strategy_id: hidden.id })).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'strategy_id' }],
    });
    const full = await the.foreignStrategy({ visibility: 'PUBLIC', capacity: 1 });
    await the.create({ strategy_id: full.id });
    await expect(update(copier, { strategy_id: full.id })).rejects.toMatchObject({ code: 'limit_reached' });
  });
});

describe('the list of copiers', () => {
  it('is filtered by state, strategy and account, and sorted by name', async () => {
    const elsewhere = await the.core.account(the.actor);
    await the.create({ name: 'c' });
    await the.createLinked({ name: 'a', exchange_account_id: elsewhere.id });
    await the.started({ name: 'b' });
    expect(await the.namesOf('sort=name&order=asc')).toEqual(['a', 'b', 'c']);
    expect(await the.namesOf('status=ACTIVE')).toEqual(['b']);
    expect(await the.namesOf(`strategy_id=${the.strategy.id}&sort=name&order=desc`)).toEqual(['b', 'a']);
    expect(await the.namesOf(`exchange_account_id=${elsewhere.id}`)).toEqual(['a']);
    expect(await the.namesOf(`exchange_account_id=${elsewhere.id}&status=ACTIVE`)).toEqual([]);
  });

  it('is refused for a strategy or account that is not there or hidden', async () => {
    const hidden = await the.foreignStrategy();
    const foreign = await the.core.account(await the.core.actor());
    for (const [field, id] of [
      ['strategy_id', hidden.id],
      ['strategy_id', 'str_x'],
      ['exchange_account_id', foreign.id],
    ] as const) {
      await expect(the.namesOf(`${field}=${id}`)).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field }],
      });
    }
  });
});
