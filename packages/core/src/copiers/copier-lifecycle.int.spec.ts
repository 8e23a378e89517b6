import { type Copier, copier as copierSchema, stoppedCopier } from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { serveWorkerCalls } from '../exchange-accounts/index.js';
import { pauseAllCopiers } from './stop-copiers.js';
import { CopiersUnderTest, invalidStateError } from './testing/copiers-under-test.js';

let env: CopiersUnderTest;
beforeAll(async () => {
  env = await CopiersUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

describe('starting a copier', () => {
  it('sets the start time and emits one event, even if it is repeated', async () => {
    const copier = await env.createLinked();
    const active = await env.copiers.start(env.actor, copier.id);
    expect(copierSchema.parse(active)).toEqual(active);
    expect(active).toMatchObject({ status: 'ACTIVE', stopped_at: undefined });
    expect(active.started_at).toBeDefined();
    expect(await env.copiers.start(env.actor, copier.id)).toEqual(active);
    expect(await env.core.events(env.actor.userId)).toMatchObject([
      { type: 'copier.started', data: { id: copier.id, status: 'ACTIVE', started_at: active.started_at } },
    ]);
  });

  it('happens once for many concurrent requests', async () => {
    const copier = await env.createLinked();
    const records = await Promise.all(
      Array.from({ length: 10 }, () => env.copiers.start(env.actor, copier.id)),
    );
    expect(new Set(records.map(({ started_at }) => started_at)).size).toBe(1);
    expect(await env.eventTypes()).toEqual(['copier.started']);
  });

  it('sets a new start time after a stop, and clears the status reason', async () => {
    const first = await env.started();
    const storedStart = async () =>
      String(
        (await env.core.row('SELECT started_at::text FROM copiers WHERE user_id = $1', env.actor.userId))
          .started_at,
      );
    const before = await storedStart();
    const stopped = await env.copiers.stop(env.actor, first.id, { mode: 'CLOSE_ONLY' });
    expect(stopped).toMatchObject({ status: 'CLOSE_ONLY', status_reason: 'USER' });
    const second = await env.copiers.start(env.actor, first.id);
    expect(second).toMatchObject({
      status: 'ACTIVE',
      status_reason: undefined,
      stopped_at: stopped.stopped_at,
    });
    expect(Date.parse(String(second.started_at))).toBeGreaterThanOrEqual(
      Date.parse(String(first.started_at)),
    );
    expect(await storedStart()).not.toBe(before);
  });

  it('first syncs an account whose balances were never read, so that the first copy has funds', async () => {
    env.account = await env.core.account(env.actor, null);
    const copier = await env.createLinked();
    const syncedAccounts: string[] = [];
    const serving = serveWorkerCalls(
      await env.core.openSecondPlatform(),
      {
        'exchange_account.sync': async ({ account_id }) => {
          syncedAccounts.push(account_id);
          await env.core.rows(
            'UPDATE exchange_accounts SET balances_taken_at = clock_timestamp() WHERE id = $1',
            account_id,
          );
          return null;
        },
      },
      () => undefined,
    );
    await expect(env.copiers.start(env.actor, copier.id)).resolves.toMatchObject({ status: 'ACTIVE' });
    await env.copiers.start(env.actor, copier.id);
    await serving.stop();
    expect(syncedAccounts).toEqual([env.account.uuid]);
  });

  it('fails without a strategy, or if the strategy is archived or removed', async () => {
    const unlinked = await env.create();
    await expect(env.copiers.start(env.actor, unlinked.id)).rejects.toMatchObject(
      invalidStateError('NO_STRATEGY'),
    );
    const copier = await env.createLinked();
    await env.setStrategy("status = 'ARCHIVED'");
    await expect(env.copiers.start(env.actor, copier.id)).rejects.toMatchObject(
      invalidStateError('STRATEGY_ARCHIVED'),
    );
    await env.setStrategy('deleted_at = now()');
    await expect(env.copiers.start(env.actor, copier.id)).rejects.toMatchObject(
      invalidStateError('STRATEGY_REMOVED'),
    );
    expect(await env.eventTypes()).toEqual([]);
  });

  it('fails on an account that was removed or whose credentials the exchange rejected', async () => {
    const copier = await env.createLinked();
    await env.core.rows('UPDATE exchange_accounts SET is_active = false WHERE id = $1', env.account.uuid);
    await expect(env.copiers.start(env.actor, copier.id)).rejects.toMatchObject(
      invalidStateError('ACCOUNT_INACTIVE'),
    );
    await env.core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', env.account.uuid);
    await expect(env.copiers.start(env.actor, copier.id)).rejects.toMatchObject(
      invalidStateError('ACCOUNT_REMOVED'),
    );
  });

  it('still works if the strategy has become private, although the strategy then accepts no new copiers', async () => {
    const open = await env.foreignStrategy({ visibility: 'PUBLIC', name: newUuid() });
    const copier = await env.create({ strategy_id: open.id });
    await env.core.rows("UPDATE strategies SET visibility = 'PRIVATE' WHERE name = $1", open.name);
    await expect(env.copiers.start(env.actor, copier.id)).resolves.toMatchObject({ status: 'ACTIVE' });
    await expect(env.create({ strategy_id: open.id })).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(env.namesOf(`strategy_id=${open.id}`)).resolves.toEqual(['Follower']);
  });
});

describe('stopping a copier', () => {
  it('pauses it, and lists the open lots in the response and in the event', async () => {
    const copier = await env.started();
    const stopped = await env.copiers.stop(env.actor, copier.id);
    expect(stoppedCopier.parse(stopped)).toEqual(stopped);
    expect(stopped).toMatchObject({ status: 'PAUSED', status_reason: 'USER', open_lots: [] });
    expect(stopped.stopped_at).toBeDefined();
    expect((await env.core.events(env.actor.userId)).at(-1)).toMatchObject({
      type: 'copier.stopped',
      data: { id: copier.id, status: 'PAUSED', status_reason: 'USER', open_lots: [] },
    });
  });

  it('changes CLOSE_ONLY to PAUSED, but never PAUSED to CLOSE_ONLY', async () => {
    const copier = await env.started();
    await env.copiers.stop(env.actor, copier.id, { mode: 'CLOSE_ONLY' });
    const paused = await env.copiers.stop(env.actor, copier.id, { mode: 'PAUSED' });
    expect(await env.copiers.stop(env.actor, copier.id, { mode: 'CLOSE_ONLY' })).toEqual(paused);
    expect(await env.eventTypes()).toEqual(['copier.started', 'copier.stopped', 'copier.stopped']);
  });

  it('does not change a copier that is paused or already in the requested mode, and emits no event', async () => {
    const fresh = await env.createLinked();
    expect(await env.copiers.stop(env.actor, fresh.id)).toEqual({ ...fresh, open_lots: [] });
    expect(await env.eventTypes()).toEqual([]);
    const copier = await env.started();
    const first = await env.copiers.stop(env.actor, copier.id, { mode: 'CLOSE_ONLY' });
    expect(await env.copiers.stop(env.actor, copier.id, { mode: 'CLOSE_ONLY' })).toEqual(first);
    expect(await env.eventTypes()).toEqual(['copier.started', 'copier.stopped']);
  });

  it('happens once for many concurrent requests', async () => {
    const copier = await env.started();
    await Promise.all(Array.from({ length: 10 }, () => env.copiers.stop(env.actor, copier.id)));
    expect(await env.eventTypes()).toEqual(['copier.started', 'copier.stopped']);
  });
});

describe('removing a copier', () => {
  it('fails unless the copier is paused', async () => {
    const copier = await env.started();
    await expect(env.copiers.delete(env.actor, copier.id)).rejects.toMatchObject(invalidStateError('ACTIVE'));
    await env.copiers.stop(env.actor, copier.id, { mode: 'CLOSE_ONLY' });
    await expect(env.copiers.delete(env.actor, copier.id)).rejects.toMatchObject(
      invalidStateError('CLOSE_ONLY'),
    );
    await env.copiers.stop(env.actor, copier.id);
    expect(await env.copiers.delete(env.actor, copier.id)).toEqual({ id: copier.id, deleted: true });
    await expect(env.copiers.get(env.actor, copier.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(env.copiers.delete(env.actor, copier.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await env.namesOf()).toEqual([]);
    expect(await env.strategies.get(env.actor, env.strategy.id)).toMatchObject({ copier_count: 0 });
  });

  it('never leaves a removed copier active when it runs concurrently with a start', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await env.createLinked();
      await Promise.allSettled([env.copiers.start(env.actor, id), env.copiers.delete(env.actor, id)]);
    }
    const broken = "SELECT FROM copiers WHERE deleted_at IS NOT NULL AND status <> 'PAUSED'";
    expect(await env.core.rows(broken)).toEqual([]);
  });
});

describe('pausing all copiers of a user', () => {
  it('pauses all copiers that are not paused and emits an event for each; copiers of other users continue', async () => {
    const running = [await env.started({ name: 'a' }), await env.started({ name: 'b' })];
    await env.copiers.stop(env.actor, running[1]!.id, { mode: 'CLOSE_ONLY' });
    const paused = await env.createLinked({ name: 'c' });
    const other = await env.core.actor();
    const open = await env.makeStrategy(env.actor, env.source, { visibility: 'PUBLIC' });
    const otherAccount = await env.core.account(other);
    const copierOfOther = await env.copiers.create(
      other,
      env.inputOf({ strategy_id: open.id, exchange_account_id: otherAccount.id }),
    );
    await env.copiers.start(other, copierOfOther.id);

    const stopped = await inTransaction(env.core.platform.database, (tx) =>
      pauseAllCopiers(tx, env.actor.userId),
    );
    expect(stopped.map(({ id }) => id)).toEqual(running.map(({ id }) => id));
    for (const copier of stopped) {
      expect(copier).toMatchObject({ status: 'PAUSED', status_reason: 'USER' });
      expect(await env.copiers.get(env.actor, copier.id)).toEqual(copier);
    }
    expect(await env.copiers.get(env.actor, paused.id)).toEqual(paused);
    expect(await env.copiers.get(other, copierOfOther.id)).toMatchObject({ status: 'ACTIVE' });
    expect((await env.eventTypes()).filter((kind) => kind === 'copier.stopped')).toHaveLength(3);
    await expect(
      inTransaction(env.core.platform.database, (tx) => pauseAllCopiers(tx, env.actor.userId)),
    ).resolves.toEqual([]);
  });

  it('waits for a start in progress, and pauses that copier too', async () => {
    const { id } = await env.createLinked();
    let stopping: Promise<Copier[]> | undefined;
    await inTransaction(env.core.platform.database, async (tx) => {
      await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [env.actor.userId]);
      await tx.query("UPDATE copiers SET status = 'ACTIVE', started_at = now() WHERE user_id = $1", [
        env.actor.userId,
      ]);
      stopping = inTransaction(env.core.platform.database, (other) =>
        pauseAllCopiers(other, env.actor.userId),
      );
    });
    expect(await stopping).toMatchObject([{ id, status: 'PAUSED' }]);
  });
});
