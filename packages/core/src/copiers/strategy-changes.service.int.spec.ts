import { type Copier, encodeId, type Strategy, strategyUpdate } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import type { StrategiesService } from '../strategies/index.js';
import type { CoreUnderTest, RecordIds } from '../testing/index.js';
import type { CopiersService } from './copiers.service.js';
import { StrategyChangesService } from './strategy-changes.service.js';
import { CopiersUnderTest, invalidStateError } from './testing/copiers-under-test.js';

let env: CopiersUnderTest;
let core: CoreUnderTest;
let strategies: StrategiesService;
let strategyChanges: StrategyChangesService;
let copiers: CopiersService;
/** The owner of the strategy. */
let leader: Actor;
let source: RecordIds;
let strategy: Strategy;
/** The user whose copiers follow the strategy. */
let follower: Actor;
let followerAccount: RecordIds;

beforeAll(async () => {
  env = await CopiersUnderTest.open();
  ({ core, copiers, strategies } = env);
  strategyChanges = new StrategyChangesService(core.commands);
});
afterAll(() => env.close());
beforeEach(async () => {
  leader = await core.actor();
  source = await core.account(leader);
  strategy = await env.makeStrategy(leader, source, { visibility: 'PUBLIC' });
  follower = await core.actor();
  followerAccount = await core.account(follower);
});

const makeCopier = (more: Record<string, unknown> = {}, owner = follower, on = followerAccount) =>
  copiers.create(owner, env.inputOf(more, on));
async function activeCopier(): Promise<Copier> {
  const { id } = await makeCopier({ strategy_id: strategy.id });
  return copiers.start(follower, id);
}
const update = (input: object, actor = leader) =>
  strategyChanges.update(actor, strategy.id, strategyUpdate.parse(input));
const link = (ids: readonly string[], actor = follower, to = strategy) =>
  strategyChanges.linkCopiers(actor, to.id, { copier_ids: [...ids] });
const stopsOf = async (actor: Actor) =>
  (await core.events(actor.userId)).filter(({ type }) => type === 'copier.stopped');

describe('changing a strategy', () => {
  it('changes nothing for an empty input', async () => {
    expect(await update({})).toEqual(strategy);
  });

  it('changes the fields in the input and clears those that are null', async () => {
    const pair = await core.pair({ base: 'CHG' });
    const full = await update({
      name: 'Renamed',
      description: 'text',
      trade_pair_ids: [pair.id],
      visibility: 'PRIVATE',
      profit_share: { rate: 0.1, period: 'QUARTER' },
      min_copy_equity: 5,
      capacity: 2,
    });
    expect(full).toMatchObject({
      name: 'Renamed',
      description: 'text',
      trade_pair_ids: [pair.id],
      visibility: 'PRIVATE',
      profit_share: { rate: '0.1', basis: 'HIGH_WATER_MARK', period: 'QUARTER' },
      min_copy_equity: '5',
      capacity: 2,
    });
    const cleared = await update({
      description: null,
      trade_pair_ids: null,
      profit_share: null,
      min_copy_equity: null,
      capacity: null,
    });
    expect(cleared).toEqual({
      ...strategy,
      name: 'Renamed',
      visibility: 'PRIVATE',
      updated_at: cleared.updated_at,
    });
  });

  it('is restricted to its owner, even if others can read it', async () => {
    await expect(update({ name: 'taken' }, follower)).rejects.toMatchObject({ code: 'not_found' });
    await expect(strategyChanges.delete(follower, strategy.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await strategies.get(leader, strategy.id)).toEqual(strategy);
  });

  it('accepts only pairs of the exchange of its account', async () => {
    const elsewhere = await core.pair({ exchange: 'other', base: 'CHG' });
    await expect(update({ trade_pair_ids: [elsewhere.id] })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'trade_pair_ids.0', code: 'other_exchange' }],
    });
    await expect(update({ trade_pair_ids: [encodeId('tpr', newUuid())] })).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'trade_pair_ids.0' }],
    });
  });
});

describe('archiving a strategy', () => {
  it('switches its active copiers to CLOSE_ONLY, and emits an event for each of them', async () => {
    const active = await activeCopier();
    const closing = await activeCopier();
    await copiers.stop(follower, closing.id, { mode: 'CLOSE_ONLY' });
    const paused = await makeCopier({ strategy_id: strategy.id });
    await expect(update({ status: 'ARCHIVED' })).resolves.toMatchObject({
      status: 'ARCHIVED',
      copier_count: 3,
    });
    expect(await copiers.get(follower, active.id)).toMatchObject({
      status: 'CLOSE_ONLY',
      status_reason: 'STRATEGY_ARCHIVED',
    });
    expect(await copiers.get(follower, closing.id)).toMatchObject({
      status: 'CLOSE_ONLY',
      status_reason: 'USER',
    });
    expect(await copiers.get(follower, paused.id)).toEqual(paused);
    const stops = await stopsOf(follower);
    expect(stops.map(({ data }) => [data.id, data.status, data.status_reason])).toEqual([
      [closing.id, 'CLOSE_ONLY', 'USER'],
      [active.id, 'CLOSE_ONLY', 'STRATEGY_ARCHIVED'],
    ]);
    expect(await stopsOf(leader)).toEqual([]);
    await update({ status: 'ARCHIVED' });
    expect(await stopsOf(follower)).toHaveLength(2);
  });

  it('can be undone, but its copiers stay CLOSE_ONLY', async () => {
    const active = await activeCopier();
    await update({ status: 'ARCHIVED' });
    await expect(update({ status: 'ACTIVE' })).resolves.toMatchObject({ status: 'ACTIVE' });
    expect(await copiers.get(follower, active.id)).toMatchObject({ status: 'CLOSE_ONLY' });
  });

  it('cannot be undone once the account of the strategy is removed', async () => {
    await update({ status: 'ARCHIVED' });
    await core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', source.uuid);
    await expect(update({ status: 'ACTIVE' })).rejects.toMatchObject(invalidStateError('ACCOUNT_REMOVED'));
    await expect(update({ name: 'Renamed' })).resolves.toMatchObject({ status: 'ARCHIVED' });
  });

  it('never leaves a copier active when it runs concurrently with starts', async () => {
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => (await makeCopier({ strategy_id: strategy.id })).id),
    );
    await Promise.allSettled([
      ...ids.slice(0, 3).map((id) => copiers.start(follower, id)),
      update({ status: 'ARCHIVED' }),
      ...ids.slice(3).map((id) => copiers.start(follower, id)),
    ]);
    const statuses = await Promise.all(ids.map(async (id) => (await copiers.get(follower, id)).status));
    expect(statuses).not.toContain('ACTIVE');
  });
});

describe('removing a strategy', () => {
  it('succeeds without stop_copiers if all its copiers are paused', async () => {
    const paused = await makeCopier({ strategy_id: strategy.id });
    expect(await strategyChanges.delete(leader, strategy.id)).toEqual({ id: strategy.id, deleted: true });
    await expect(strategies.get(leader, strategy.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(strategyChanges.delete(leader, strategy.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await copiers.get(follower, paused.id)).toEqual(paused);
    await expect(copiers.start(follower, paused.id)).rejects.toMatchObject(
      invalidStateError('STRATEGY_REMOVED'),
    );
  });

  it('fails while a copier is ACTIVE or CLOSE_ONLY, unless stop_copiers is true', async () => {
    const copier = await activeCopier();
    for (const input of [undefined, { stop_copiers: false }]) {
      await expect(strategyChanges.delete(leader, strategy.id, input)).rejects.toMatchObject(
        invalidStateError('ACTIVE_COPIERS'),
      );
    }
    await copiers.stop(follower, copier.id, { mode: 'CLOSE_ONLY' });
    await expect(strategyChanges.delete(leader, strategy.id)).rejects.toMatchObject(
      invalidStateError('ACTIVE_COPIERS'),
    );
    await strategyChanges.delete(leader, strategy.id, { stop_copiers: true });
    expect(await copiers.get(follower, copier.id)).toMatchObject({
      status: 'PAUSED',
      status_reason: 'STRATEGY_ARCHIVED',
    });
    expect((await stopsOf(follower)).at(-1)).toMatchObject({
      data: { id: copier.id, status: 'PAUSED', status_reason: 'STRATEGY_ARCHIVED', open_lots: [] },
    });
  });

  it('excludes a concurrent start of a copier: exactly one of the two succeeds', async () => {
    const { id } = await makeCopier({ strategy_id: strategy.id });
    const [started, removed] = await Promise.allSettled([
      copiers.start(follower, id),
      strategyChanges.delete(leader, strategy.id),
    ]);
    expect([started.status, removed.status].sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('linking copiers', () => {
  it('links all copiers, and returns the strategy as the caller may see it', async () => {
    const ids = [(await makeCopier()).id, (await makeCopier()).id];
    const linked = await link([...ids, ids[0]!]);
    expect(linked).toEqual({ ...(await strategies.get(follower, strategy.id)), copier_count: 2 });
    expect(linked).toMatchObject({ exchange_account_id: undefined, copier_count: 2 });
    for (const id of ids) {
      expect(await copiers.get(follower, id)).toMatchObject({ strategy_id: strategy.id, status: 'PAUSED' });
    }
    expect(await link(ids)).toEqual(linked);
    const own = await core.account(leader);
    const mine = await makeCopier({}, leader, own);
    await expect(link([mine.id], leader)).resolves.toMatchObject({
      exchange_account_id: source.id,
      copier_count: 3,
    });
  });

  it('links no copier if some are unknown or of another user; the error lists each of these', async () => {
    const mine = await makeCopier();
    const foreign = await makeCopier({}, leader, await core.account(leader));
    const ids = [foreign.id, mine.id, encodeId('cpr', newUuid()), 'cpr_x'];
    await expect(link(ids)).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'copier_ids.0' }, { field: 'copier_ids.2' }, { field: 'copier_ids.3' }],
    });
    expect(await copiers.get(follower, mine.id)).toEqual(mine);
  });

  it('links a copier that follows another strategy only while it is paused', async () => {
    const other = await env.makeStrategy(leader, source, { visibility: 'PUBLIC' });
    const running = await activeCopier();
    const mine = await makeCopier();
    await expect(link([mine.id, running.id], follower, other)).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ field: 'copier_ids.1', state: 'ACTIVE' }],
    });
    expect(await copiers.get(follower, mine.id)).toEqual(mine);
    await expect(link([running.id])).resolves.toMatchObject({ copier_count: 1 });
    await copiers.stop(follower, running.id);
    await expect(link([running.id], follower, other)).resolves.toMatchObject({ copier_count: 1 });
  });

  it('rejects a copier on the account of the strategy', async () => {
    const mine = await makeCopier({}, leader, source);
    await expect(link([mine.id], leader)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'copier_ids.0', code: 'own_account' }],
    });
  });

  it('reports a private strategy of another user as not found, and rejects an archived strategy of the caller', async () => {
    const { id } = await makeCopier();
    await update({ visibility: 'PRIVATE' });
    await expect(link([id])).rejects.toMatchObject({ code: 'not_found' });
    await update({ status: 'ARCHIVED' });
    const mine = await makeCopier({}, leader, await core.account(leader));
    await expect(link([mine.id], leader)).rejects.toMatchObject(invalidStateError('STRATEGY_ARCHIVED'));
  });

  it('links either all copiers of a request or none if the capacity is limited, even with concurrent requests', async () => {
    await update({ capacity: 3 });
    const pairs = await Promise.all(
      Array.from({ length: 3 }, async () => [(await makeCopier()).id, (await makeCopier()).id]),
    );
    const attempts = await Promise.allSettled(pairs.map((ids) => link(ids)));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'limit_reached' });
    }
    expect(await strategies.get(leader, strategy.id)).toMatchObject({ copier_count: 2 });
  });
});
