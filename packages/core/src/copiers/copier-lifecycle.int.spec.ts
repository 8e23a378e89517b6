import {
  type Copier,
  copierCreate,
  copierOperations,
  copier as copierSchema,
  type Strategy,
  stoppedCopier,
  strategyCreate,
} from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import type { Actor } from '../access/index.js';
import { querySchemaOf } from '../lists.js';
import { StrategiesService } from '../strategies/index.js';
import { CoreUnderTest, type Named } from '../testing/index.js';
import { pauseAllCopiers } from './copier-stops.service.js';
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

describe('starting a copier', () => {
  it('sets the watermark and tells of it, once', async () => {
    const copier = await createLinked();
    const active = await copiers.start(actor, copier.id);
    expect(copierSchema.parse(active)).toEqual(active);
    expect(active).toMatchObject({ status: 'ACTIVE', stopped_at: undefined });
    expect(active.started_at).toBeDefined();
    expect(await copiers.start(actor, copier.id)).toEqual(active);
    expect(await core.events(actor.userId)).toMatchObject([
      { type: 'copier.started', data: { id: copier.id, status: 'ACTIVE', started_at: active.started_at } },
    ]);
  });

  it('happens once however many ask at once', async () => {
    const copier = await createLinked();
    const answers = await Promise.all(Array.from({ length: 10 }, () => copiers.start(actor, copier.id)));
    expect(new Set(answers.map(({ started_at }) => started_at)).size).toBe(1);
    expect(await kindsOf()).toEqual(['copier.started']);
  });

  it('again after a stop sets a new watermark and clears the reason', async () => {
    const first = await started();
    const watermark = async () =>
      String(
        (await core.row('SELECT started_at::text FROM copiers WHERE user_id = $1', actor.userId)).started_at,
      );
    const before = await watermark();
    const stopped = await copiers.stop(actor, first.id, { mode: 'CLOSE_ONLY' });
    expect(stopped).toMatchObject({ status: 'CLOSE_ONLY', status_reason: 'USER' });
    const second = await copiers.start(actor, first.id);
    expect(second).toMatchObject({
      status: 'ACTIVE',
      status_reason: undefined,
      stopped_at: stopped.stopped_at,
    });
    expect(Date.parse(String(second.started_at))).toBeGreaterThanOrEqual(
      Date.parse(String(first.started_at)),
    );
    expect(await watermark()).not.toBe(before);
  });

  it('is refused without a strategy, or with one that is archived or removed', async () => {
    const lone = await create();
    await expect(copiers.start(actor, lone.id)).rejects.toMatchObject(stateRefusal('NO_STRATEGY'));
    const copier = await createLinked();
    await setStrategy("status = 'ARCHIVED'");
    await expect(copiers.start(actor, copier.id)).rejects.toMatchObject(stateRefusal('STRATEGY_ARCHIVED'));
    await setStrategy('deleted_at = now()');
    await expect(copiers.start(actor, copier.id)).rejects.toMatchObject(stateRefusal('STRATEGY_REMOVED'));
    expect(await kindsOf()).toEqual([]);
  });

  it('is refused on an account that the exchange refused or that was removed', async () => {
    const copier = await createLinked();
    await core.rows('UPDATE exchange_accounts SET is_active = false WHERE id = $1', account.uuid);
    await expect(copiers.start(actor, copier.id)).rejects.toMatchObject(stateRefusal('ACCOUNT_INACTIVE'));
    await core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', account.uuid);
    await expect(copiers.start(actor, copier.id)).rejects.toMatchObject(stateRefusal('ACCOUNT_REMOVED'));
  });

  it('goes on to work for the copiers of a strategy that its owner made private, which takes no new ones', async () => {
    const open = await foreignStrategy({ visibility: 'PUBLIC', name: newUuid() });
    const copier = await create({ strategy_id: open.id });
    await core.rows("UPDATE strategies SET visibility = 'PRIVATE' WHERE name = $1", open.name);
    await expect(copiers.start(actor, copier.id)).resolves.toMatchObject({ status: 'ACTIVE' });
    await expect(create({ strategy_id: open.id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(namesOf(`strategy_id=${open.id}`)).resolves.toEqual(['Follower']);
  });
});

describe('stopping a copier', () => {
  it('pauses it, lists what stays open, and tells the same', async () => {
    const copier = await started();
    const stopped = await copiers.stop(actor, copier.id);
    expect(stoppedCopier.parse(stopped)).toEqual(stopped);
    expect(stopped).toMatchObject({ status: 'PAUSED', status_reason: 'USER', open_lots: [] });
    expect(stopped.stopped_at).toBeDefined();
    expect((await core.events(actor.userId)).at(-1)).toMatchObject({
      type: 'copier.stopped',
      data: { id: copier.id, status: 'PAUSED', status_reason: 'USER', open_lots: [] },
    });
  });

  it('goes from CLOSE_ONLY to PAUSED, never from PAUSED to CLOSE_ONLY', async () => {
    const copier = await started();
    await copiers.stop(actor, copier.id, { mode: 'CLOSE_ONLY' });
    const paused = await copiers.stop(actor, copier.id, { mode: 'PAUSED' });
    expect(await copiers.stop(actor, copier.id, { mode: 'CLOSE_ONLY' })).toEqual(paused);
    expect(await kindsOf()).toEqual(['copier.started', 'copier.stopped', 'copier.stopped']);
  });

  it('changes nothing and tells nothing of one that is paused or in that mode already', async () => {
    const fresh = await createLinked();
    expect(await copiers.stop(actor, fresh.id)).toEqual({ ...fresh, open_lots: [] });
    expect(await kindsOf()).toEqual([]);
    const copier = await started();
    const first = await copiers.stop(actor, copier.id, { mode: 'CLOSE_ONLY' });
    expect(await copiers.stop(actor, copier.id, { mode: 'CLOSE_ONLY' })).toEqual(first);
    expect(await kindsOf()).toEqual(['copier.started', 'copier.stopped']);
  });

  it('happens once however many ask at once', async () => {
    const copier = await started();
    await Promise.all(Array.from({ length: 10 }, () => copiers.stop(actor, copier.id)));
    expect(await kindsOf()).toEqual(['copier.started', 'copier.stopped']);
  });
});

describe('removing a copier', () => {
  it('is refused unless it is paused', async () => {
    const copier = await started();
    await expect(copiers.delete(actor, copier.id)).rejects.toMatchObject(stateRefusal('ACTIVE'));
    await copiers.stop(actor, copier.id, { mode: 'CLOSE_ONLY' });
    await expect(copiers.delete(actor, copier.id)).rejects.toMatchObject(stateRefusal('CLOSE_ONLY'));
    await copiers.stop(actor, copier.id);
    expect(await copiers.delete(actor, copier.id)).toEqual({ id: copier.id, deleted: true });
    await expect(copiers.get(actor, copier.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(copiers.delete(actor, copier.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await namesOf()).toEqual([]);
    expect(await strategies.get(actor, strategy.id)).toMatchObject({ copier_count: 0 });
  });

  it('and starting it at once never leave a removed copier that is active', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await createLinked();
      await Promise.allSettled([copiers.start(actor, id), copiers.delete(actor, id)]);
    }
    const broken = "SELECT FROM copiers WHERE deleted_at IS NOT NULL AND status <> 'PAUSED'";
    expect(await core.rows(broken)).toEqual([]);
  });
});

describe('pausing all copiers of a user', () => {
  it('stops those that follow, tells of each, and leaves other users and paused ones alone', async () => {
    const running = [await started({ name: 'a' }), await started({ name: 'b' })];
    await copiers.stop(actor, running[1]!.id, { mode: 'CLOSE_ONLY' });
    const paused = await createLinked({ name: 'c' });
    const other = await core.actor();
    const open = await makeStrategy({ visibility: 'PUBLIC' });
    const on = await core.account(other);
    const theirs = await copiers.create(other, inputOf({ strategy_id: open.id, exchange_account_id: on.id }));
    await copiers.start(other, theirs.id);

    const stopped = await inTransaction(core.platform.database, (tx) => pauseAllCopiers(tx, actor.userId));
    expect(stopped.map(({ id }) => id)).toEqual(running.map(({ id }) => id));
    for (const copier of stopped) {
      expect(copier).toMatchObject({ status: 'PAUSED', status_reason: 'USER' });
      expect(await copiers.get(actor, copier.id)).toEqual(copier);
    }
    expect(await copiers.get(actor, paused.id)).toEqual(paused);
    expect(await copiers.get(other, theirs.id)).toMatchObject({ status: 'ACTIVE' });
    expect((await kindsOf()).filter((kind) => kind === 'copier.stopped')).toHaveLength(3);
    await expect(
      inTransaction(core.platform.database, (tx) => pauseAllCopiers(tx, actor.userId)),
    ).resolves.toEqual([]);
  });

  it('waits for a start that is under way, and stops that one too', async () => {
    const { id } = await createLinked();
    let stopping: Promise<Copier[]> | undefined;
    await inTransaction(core.platform.database, async (tx) => {
      await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [actor.userId]);
      await tx.query("UPDATE copiers SET status = 'ACTIVE', started_at = now() WHERE user_id = $1", [
        actor.userId,
      ]);
      stopping = inTransaction(core.platform.database, (other) => pauseAllCopiers(other, actor.userId));
    });
    expect(await stopping).toMatchObject([{ id, status: 'PAUSED' }]);
  });
});
