import { type Copier, copier as copierSchema, stoppedCopier } from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { serveWorkerCall } from '../exchange-accounts/index.js';
import { pauseAllCopiers } from './copier-stops.service.js';
import { CopiersUnderTest, stateRefusal } from './testing/copiers-under-test.js';

let the: CopiersUnderTest;
beforeAll(async () => {
  the = await CopiersUnderTest.open();
});
afterAll(() => the.close());
beforeEach(() => the.begin());

describe('starting a copier', () => {
  it('sets the watermark and tells of it, once', async () => {
    const copier = await the.createLinked();
    const active = await the.copiers.start(the.actor, copier.id);
    expect(copierSchema.parse(active)).toEqual(active);
    expect(active).toMatchObject({ status: 'ACTIVE', stopped_at: undefined });
    expect(active.started_at).toBeDefined();
    expect(await the.copiers.start(the.actor, copier.id)).toEqual(active);
    expect(await the.core.events(the.actor.userId)).toMatchObject([
      { type: 'copier.started', data: { id: copier.id, status: 'ACTIVE', started_at: active.started_at } },
    ]);
  });

  it('happens once however many ask at once', async () => {
    const copier = await the.createLinked();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => the.copiers.start(the.actor, copier.id)),
    );
    expect(new Set(answers.map(({ started_at }) => started_at)).size).toBe(1);
    expect(await the.kindsOf()).toEqual(['copier.started']);
  });

  it('again after a stop sets a new watermark and clears the reason', async () => {
    const first = await the.started();
    const watermark = async () =>
      String(
        (await the.core.row('SELECT started_at::text FROM copiers WHERE user_id = $1', the.actor.userId))
          .started_at,
      );
    const before = await watermark();
    const stopped = await the.copiers.stop(the.actor, first.id, { mode: 'CLOSE_ONLY' });
    expect(stopped).toMatchObject({ status: 'CLOSE_ONLY', status_reason: 'USER' });
    const second = await the.copiers.start(the.actor, first.id);
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

  it('has balances read that nobody has read yet, so that the first copy has something to spend', async () => {
    the.account = await the.core.account(the.actor, null);
    const copier = await the.createLinked();
    const asked: string[] = [];
    const serving = serveWorkerCall(
      await the.core.another(),
      'exchange_account.sync',
      async ({ account_id }) => {
        asked.push(account_id);
        await the.core.rows(
          'UPDATE exchange_accounts SET balances_taken_at = clock_timestamp() WHERE id = $1',
          account_id,
        );
        return null;
      },
      () => undefined,
    );
    await expect(the.copiers.start(the.actor, copier.id)).resolves.toMatchObject({ status: 'ACTIVE' });
    await the.copiers.start(the.actor, copier.id);
    await serving.stop();
    expect(asked).toEqual([the.account.uuid]);
  });

  it('is refused without a strategy, or with one that is archived or removed', async () => {
    const lone = await the.create();
    await expect(the.copiers.start(the.actor, lone.id)).rejects.toMatchObject(stateRefusal('NO_STRATEGY'));
    const copier = await the.createLinked();
    await the.setStrategy("status = 'ARCHIVED'");
    await expect(the.copiers.start(the.actor, copier.id)).rejects.toMatchObject(
      stateRefusal('STRATEGY_ARCHIVED'),
    );
    await the.setStrategy('deleted_at = now()');
    await expect(the.copiers.start(the.actor, copier.id)).rejects.toMatchObject(
      stateRefusal('STRATEGY_REMOVED'),
    );
    expect(await the.kindsOf()).toEqual([]);
  });

  it('is refused on an account that the exchange refused or that was removed', async () => {
    const copier = await the.createLinked();
    await the.core.rows('UPDATE exchange_accounts SET is_active = false WHERE id = $1', the.account.uuid);
    await expect(the.copiers.start(the.actor, copier.id)).rejects.toMatchObject(
      stateRefusal('ACCOUNT_INACTIVE'),
    );
    await the.core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', the.account.uuid);
    await expect(the.copiers.start(the.actor, copier.id)).rejects.toMatchObject(
      stateRefusal('ACCOUNT_REMOVED'),
    );
  });

  it('goes on to work for the copiers of a strategy that its owner made private, which takes no new ones', async () => {
    const open = await the.foreignStrategy({ visibility: 'PUBLIC', name: newUuid() });
    const copier = await the.create({ strategy_id: open.id });
    await the.core.rows("UPDATE strategies SET visibility = 'PRIVATE' WHERE name = $1", open.name);
    await expect(the.copiers.start(the.actor, copier.id)).resolves.toMatchObject({ status: 'ACTIVE' });
    await expect(the.create({ strategy_id: open.id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(the.namesOf(`strategy_id=${open.id}`)).resolves.toEqual(['Follower']);
  });
});

describe('stopping a copier', () => {
  it('pauses it, lists what stays open, and tells the same', async () => {
    const copier = await the.started();
    const stopped = await the.copiers.stop(the.actor, copier.id);
    expect(stoppedCopier.parse(stopped)).toEqual(stopped);
    expect(stopped).toMatchObject({ status: 'PAUSED', status_reason: 'USER', open_lots: [] });
    expect(stopped.stopped_at).toBeDefined();
    expect((await the.core.events(the.actor.userId)).at(-1)).toMatchObject({
      type: 'copier.stopped',
      data: { id: copier.id, status: 'PAUSED', status_reason: 'USER', open_lots: [] },
    });
  });

  it('goes from CLOSE_ONLY to PAUSED, never from PAUSED to CLOSE_ONLY', async () => {
    const copier = await the.started();
    await the.copiers.stop(the.actor, copier.id, { mode: 'CLOSE_ONLY' });
    const paused = await the.copiers.stop(the.actor, copier.id, { mode: 'PAUSED' });
    expect(await the.copiers.stop(the.actor, copier.id, { mode: 'CLOSE_ONLY' })).toEqual(paused);
    expect(await the.kindsOf()).toEqual(['copier.started', 'copier.stopped', 'copier.stopped']);
  });

  it('changes nothing and tells nothing of one that is paused or in that mode already', async () => {
    const fresh = await the.createLinked();
    expect(await the.copiers.stop(the.actor, fresh.id)).toEqual({ ...fresh, open_lots: [] });
    expect(await the.kindsOf()).toEqual([]);
    const copier = await the.started();
    const first = await the.copiers.stop(the.actor, copier.id, { mode: 'CLOSE_ONLY' });
    expect(await the.copiers.stop(the.actor, copier.id, { mode: 'CLOSE_ONLY' })).toEqual(first);
    expect(await the.kindsOf()).toEqual(['copier.started', 'copier.stopped']);
  });

  it('happens once however many ask at once', async () => {
    const copier = await the.started();
    await Promise.all(Array.from({ length: 10 }, () => the.copiers.stop(the.actor, copier.id)));
    expect(await the.kindsOf()).toEqual(['copier.started', 'copier.stopped']);
  });
});

describe('removing a copier', () => {
  it('is refused unless it is paused', async () => {
    const copier = await the.started();
    await expect(the.copiers.delete(the.actor, copier.id)).rejects.toMatchObject(stateRefusal('ACTIVE'));
    await the.copiers.stop(the.actor, copier.id, { mode: 'CLOSE_ONLY' });
    await expect(the.copiers.delete(the.actor, copier.id)).rejects.toMatchObject(stateRefusal('CLOSE_ONLY'));
    await the.copiers.stop(the.actor, copier.id);
    expect(await the.copiers.delete(the.actor, copier.id)).toEqual({ id: copier.id, deleted: true });
    await expect(the.copiers.get(the.actor, copier.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(the.copiers.delete(the.actor, copier.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await the.namesOf()).toEqual([]);
    expect(await the.strategies.get(the.actor, the.strategy.id)).toMatchObject({ copier_count: 0 });
  });

  it('and starting it at once never leave a removed copier that is active', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await the.createLinked();
      await Promise.allSettled([the.copiers.start(the.actor, id), the.copiers.delete(the.actor, id)]);
    }
    const broken = "SELECT FROM copiers WHERE deleted_at IS NOT NULL AND status <> 'PAUSED'";
    expect(await the.core.rows(broken)).toEqual([]);
  });
});

describe('pausing all copiers of a user', () => {
  it('stops those that follow, tells of each, and leaves other users and paused ones alone', async () => {
    const running = [await the.started({ name: 'a' }), await the.started({ name: 'b' })];
    await the.copiers.stop(the.actor, running[1]!.id, { mode: 'CLOSE_ONLY' });
    const paused = await the.createLinked({ name: 'c' });
    const other = await the.core.actor();
    const open = await the.makeStrategy(the.actor, the.source, { visibility: 'PUBLIC' });
    const on = await the.core.account(other);
    const theirs = await the.copiers.create(
      other,
      the.inputOf({ strategy_id: open.id, exchange_account_id: on.id }),
    );
    await the.copiers.start(other, theirs.id);

    const stopped = await inTransaction(the.core.platform.database, (tx) =>
      pauseAllCopiers(tx, the.actor.userId),
    );
    expect(stopped.map(({ id }) => id)).toEqual(running.map(({ id }) => id));
    for (const copier of stopped) {
      expect(copier).toMatchObject({ status: 'PAUSED', status_reason: 'USER' });
      expect(await the.copiers.get(the.actor, copier.id)).toEqual(copier);
    }
    expect(await the.copiers.get(the.actor, paused.id)).toEqual(paused);
    expect(await the.copiers.get(other, theirs.id)).toMatchObject({ status: 'ACTIVE' });
    expect((await the.kindsOf()).filter((kind) => kind === 'copier.stopped')).toHaveLength(3);
    await expect(
      inTransaction(the.core.platform.database, (tx) => pauseAllCopiers(tx, the.actor.userId)),
    ).resolves.toEqual([]);
  });

  it('waits for a start that is under way, and stops that one too', async () => {
    const { id } = await the.createLinked();
    let stopping: Promise<Copier[]> | undefined;
    await inTransaction(the.core.platform.database, async (tx) => {
      await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [the.actor.userId]);
      await tx.query("UPDATE copiers SET status = 'ACTIVE', started_at = now() WHERE user_id = $1", [
        the.actor.userId,
      ]);
      stopping = inTransaction(the.core.platform.database, (other) =>
        pauseAllCopiers(other, the.actor.userId),
      );
    });
    expect(await stopping).toMatchObject([{ id, status: 'PAUSED' }]);
  });
});
