/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { exchangeAccount } from '@trading-automation/contracts';
import type { Balances } from '@trading-automation/exchanges';
import { newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import type { Actor } from '../operations/index.js';

import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { AccountSyncService } from './account-sync.service.js';

let core: CoreUnderTest;
let accountSync: AccountSyncService;
let actor: Actor;
let account: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  accountSync = new AccountSyncService(core.platform);
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor, null);
  await core.rows('UPDATE exchange_accounts SET sync_requested_at = NULL WHERE id = $1', account.uuid);
});

const usdt = (free: string, locked = '0') => ({ USDT: { free, locked } });
const requestSync = () =>
  core.rows('UPDATE exchange_accounts SET sync_requested_at = clock_timestamp() WHERE id = $1', account.uuid);
const read = () => core.row('SELECT * FROM exchange_accounts WHERE id = $1', account.uuid);
const eventTypes = async () => (await core.events(actor.userId)).map(({ type }) => type);
const sync = async (free: string) =>
  accountSync.storeBalances(account.uuid, usdt(free), await accountSync.databaseTime());

const snapshotOf = async (accountId: string, balances: Balances) => {
  const takenAt = await accountSync.databaseTime();
  const at = new Date(takenAt);
  return { accountId, balances, takenAt, at, until: at };
};

/** Returns the ids of the accounts that are due. */
const dueForSync = async (...asked: Parameters<AccountSyncService['dueForSync']>) =>
  (await accountSync.dueForSync(...asked)).map(({ id }) => id);

describe('balances', () => {
  it('are stored with the instant at which they were read, and are shown as free plus locked', async () => {
    const takenAt = await accountSync.databaseTime();
    await accountSync.storeBalances(account.uuid, usdt('0.1', '0.000000000000000002'), takenAt);
    const { taken_at } = await core.row(
      'SELECT balances_taken_at::text AS taken_at FROM exchange_accounts WHERE id = $1',
      account.uuid,
    );
    expect(taken_at).toBe(takenAt);
    const [event] = await core.events(actor.userId);
    expect(event).toMatchObject({ type: 'exchange.synced', data: { id: account.id } });
    const { payload } = await core.row('SELECT payload FROM outbox_events WHERE user_id = $1', actor.userId);
    expect((payload as Buffer).toString()).toContain('"balance":{"USDT":0.100000000000000002}');
    expect(exchangeAccount.shape.last_sync_at.parse(event?.data.last_sync_at)).not.toBeNull();
  });

  it('never replace newer balances, even if they arrive out of order', async () => {
    const times = [];
    for (let i = 0; i < 8; i++) times.push(await accountSync.databaseTime());
    const arrivals = times.map((takenAt, i) => ({ takenAt, balances: usdt(String(i)) }));
    const shuffled = [3, 7, 0, 5, 1, 6, 2, 4].map((i) => arrivals[i]!);
    await Promise.all(
      shuffled.map(({ balances, takenAt }) => accountSync.storeBalances(account.uuid, balances, takenAt)),
    );
    expect((await read()).balances).toEqual(usdt('7'));
    await accountSync.storeBalances(account.uuid, usdt('older'), times[6]!);
    await accountSync.storeBalances(account.uuid, usdt('as old'), times[7]!);
    expect((await read()).balances).toEqual(usdt('7'));
  });

  it('of many accounts are stored together: each account gets its newest balances, and an event if they changed; unknown accounts are skipped', async () => {
    const other = await core.account(actor, null);
    await accountSync.storeBalances(other.uuid, usdt('5'), await accountSync.databaseTime());
    const snapshots = [];
    for (const free of ['1', '2']) {
      for (const { uuid } of [account, other]) {
        const balances = usdt(uuid === other.uuid ? '5' : free);
        snapshots.push(await snapshotOf(uuid, balances));
      }
    }
    const unknown = await snapshotOf(newUuid(), usdt('9'));
    await accountSync.storeSnapshots([...snapshots.toReversed(), unknown]);
    expect([await accountSync.holdingsOf(account.uuid), await accountSync.holdingsOf(other.uuid)]).toEqual([
      { balances: usdt('2'), loans: null },
      { balances: usdt('5'), loans: null },
    ]);
    const events = await core.events(actor.userId);
    expect(events.map(({ data }) => data.id)).toEqual([other.id, account.id]);
  });

  it.each([
    [
      'snapshots',
      async (ids: readonly string[]) =>
        accountSync.storeSnapshots(await Promise.all(ids.map((id) => snapshotOf(id, usdt('7'))))),
    ],
    [
      'reports of a stream',
      async (ids: readonly string[]) => {
        const at = new Date();
        const update = { balances: usdt('7'), at, receivedAt: at, seen: [] };
        await accountSync.storeUpdates(ids.map((accountId) => ({ accountId, ...update })));
      },
    ],
  ])(
    'of many accounts (%s) neither wait together for one that is locked nor hold the others meanwhile',
    async (_, store) => {
      const ids = [account.uuid];
      while (ids.length < 3) ids.push((await core.account(actor, null)).uuid);
      for (const id of ids) await accountSync.storeSnapshots([await snapshotOf(id, usdt('1'))]);
      // Accounts are locked in the order of their ids, so the first one would be held while the second is waited for.
      const [first, busy, last] = ids.toSorted();
      const freeOf = async (id: string | undefined) =>
        (await core.row("SELECT balances->'USDT'->>'free' AS free FROM exchange_accounts WHERE id = $1", id))
          .free;
      let storing = Promise.resolve();
      await core.platform.database.transaction(async (tx) => {
        await tx.query('SELECT FROM exchange_accounts WHERE id = $1 FOR NO KEY UPDATE', [busy]);
        storing = store(ids);
        await eventually(
          async () => {
            expect([await freeOf(first), await freeOf(last)]).toEqual(['7', '7']);
            return true;
          },
          { timeoutMs: 10_000 },
        );
        const others = 'SELECT id FROM exchange_accounts WHERE id = ANY ($1) FOR NO KEY UPDATE NOWAIT';
        expect(await tx.query(others, [[first, last]])).toHaveLength(2);
        expect(await freeOf(busy)).toBe('1');
      });
      await storing;
      expect(await freeOf(busy)).toBe('7');
    },
  );

  it('emit an event only if they changed or if a sync was requested', async () => {
    await sync('1');
    await sync('1');
    expect(await eventTypes()).toEqual(['exchange.synced']);
    await requestSync();
    await sync('1');
    await sync('1');
    expect(await eventTypes()).toHaveLength(2);
    await sync('2');
    expect(await eventTypes()).toHaveLength(3);
  });

  it('do not fulfil a sync request made after they were read; it gets its event from the next sync', async () => {
    await sync('1');
    const takenAt = await accountSync.databaseTime();
    await requestSync();
    await accountSync.storeBalances(account.uuid, usdt('1'), takenAt);
    expect(await eventTypes()).toHaveLength(1);
    expect(await dueForSync(60_000, 100, [account.uuid])).toContain(account.uuid);
    await sync('1');
    expect(await eventTypes()).toHaveLength(2);
    expect(await dueForSync(60_000, 100, [account.uuid])).not.toContain(account.uuid);
  });

  it('of a removed or unknown account are not stored', async () => {
    await core.rows(
      'UPDATE exchange_accounts SET deleted_at = now(), credentials_sealed = NULL WHERE id = $1',
      account.uuid,
    );
    await sync('1');
    expect(await read()).toMatchObject({ balances: {}, balances_taken_at: null });
    expect(await accountSync.find(account.uuid)).toBeNull();
    expect(await eventTypes()).toEqual([]);
  });
});

describe('a failed sync', () => {
  it('emits exchange.sync_failed if the sync was requested, and leaves account and balances unchanged', async () => {
    await sync('1');
    const { balances, balances_taken_at } = await read();
    await accountSync.recordSyncFailure(account.uuid, null);
    expect(await eventTypes()).toEqual(['exchange.synced']);
    await requestSync();
    await accountSync.recordSyncFailure(account.uuid, null);
    await accountSync.recordSyncFailure(account.uuid, null);
    expect(await eventTypes()).toEqual(['exchange.synced', 'exchange.sync_failed']);
    expect(await read()).toMatchObject({ is_active: true, balances, balances_taken_at });
  });

  it('within the grace period leaves the requested sync due, and emits nothing', async () => {
    await requestSync();
    await accountSync.recordSyncFailure(account.uuid, null, 60_000);
    expect(await eventTypes()).toEqual([]);
    expect(await dueForSync(60_000, 100, [account.uuid])).toContain(account.uuid);
    await core.rows(
      "UPDATE exchange_accounts SET sync_requested_at = sync_requested_at - interval '1 minute' WHERE id = $1",
      account.uuid,
    );
    await accountSync.recordSyncFailure(account.uuid, null, 60_000);
    expect(await eventTypes()).toEqual(['exchange.sync_failed']);
    expect(await dueForSync(60_000, 100, [account.uuid])).not.toContain(account.uuid);
  });

  it('with rejected credentials deactivates the account and emits one exchange.credentials_rejected, even if it is repeated', async () => {
    await requestSync();
    await Promise.all(
      Array.from({ length: 10 }, () => accountSync.recordSyncFailure(account.uuid, 'sealed')),
    );
    await accountSync.recordSyncFailure(account.uuid, 'sealed');
    const events = await core.events(actor.userId);
    expect(events.map(({ type }) => type)).toEqual(['exchange.credentials_rejected', 'exchange.sync_failed']);
    expect(events[0]).toMatchObject({ data: { id: account.id, is_active: false } });
    expect(await accountSync.find(account.uuid)).toMatchObject({ isActive: false });
    await requestSync();
    expect(await dueForSync(0, 100, [account.uuid])).not.toContain(account.uuid);
  });

  it('with credentials that were replaced meanwhile leaves the account active and the requested sync due', async () => {
    await core.rows("UPDATE exchange_accounts SET credentials_sealed = 'newer' WHERE id = $1", account.uuid);
    await requestSync();
    await accountSync.recordSyncFailure(account.uuid, 'sealed');
    expect(await eventTypes()).toEqual([]);
    expect(await accountSync.find(account.uuid)).toMatchObject({ isActive: true });
    expect(await dueForSync(60_000, 100, [account.uuid])).toContain(account.uuid);
    await accountSync.recordSyncFailure(account.uuid, 'newer');
    expect(await accountSync.find(account.uuid)).toMatchObject({ isActive: false });
  });
});

describe('the accounts due for a sync', () => {
  it('are accounts with a requested sync, and accounts that were not synced for `maxAgeMs`', async () => {
    await core.rows('UPDATE exchange_accounts SET is_active = false');
    const [requested, old, fresh] = [account, await core.account(actor), await core.account(actor)];
    const all = [requested, old, fresh].map(({ uuid }) => uuid);
    await core.rows(
      'UPDATE exchange_accounts SET is_active = true, sync_served_at = now() WHERE id = $1',
      requested.uuid,
    );
    await requestSync();
    await core.rows(
      "UPDATE exchange_accounts SET sync_requested_at = NULL, sync_served_at = now() - interval '61 seconds' WHERE id = $1",
      old.uuid,
    );
    expect(await dueForSync(60_000, 10, all)).toEqual([requested.uuid, old.uuid]);
    expect(await dueForSync(60_000, 1, all)).toEqual([requested.uuid]);
    await core.rows(
      "UPDATE exchange_accounts SET sync_requested_at = NULL, sync_served_at = now() - interval '1 day' WHERE id = $1",
      fresh.uuid,
    );
    expect(await dueForSync(60_000, 10, all)).toEqual([requested.uuid, fresh.uuid, old.uuid]);
    expect(await dueForSync(60_000, 10, [old.uuid])).toEqual([old.uuid]);
    expect(await dueForSync(60_000, 10, [])).toEqual([]);
  });
});

describe('accounts with a live stream', () => {
  it('are due only if a user requested a sync, however old their balances are', async () => {
    const live = await core.account(actor);
    await core.rows(
      "UPDATE exchange_accounts SET sync_requested_at = NULL, sync_served_at = now() - interval '1 hour' WHERE id = $1",
      live.uuid,
    );
    const due = () => accountSync.dueForSync(60_000, 10, [live.uuid], [live.uuid]);
    expect(await accountSync.dueForSync(60_000, 10, [live.uuid])).toEqual([
      { id: live.uuid, isRequested: false },
    ]);
    expect(await due()).toEqual([]);
    await core.rows(
      'UPDATE exchange_accounts SET sync_requested_at = clock_timestamp() WHERE id = $1',
      live.uuid,
    );
    expect(await due()).toEqual([{ id: live.uuid, isRequested: true }]);
  });
});

describe('the local address of an account', () => {
  it('is stored, and is part of what a worker needs to connect', async () => {
    expect(await accountSync.find(account.uuid)).toMatchObject({ userId: actor.userId, egressAddress: null });
    await accountSync.storeEgress(account.uuid, '10.0.0.2');
    expect(await accountSync.find(account.uuid)).toMatchObject({ egressAddress: '10.0.0.2' });
  });
});

describe("a stream's update of some assets", () => {
  /** Returns an update that is received at least a millisecond after the preceding steps of the test. */
  const updateOf = async (balances: Balances, accountId = account.uuid) => {
    await core.rows('SELECT pg_sleep(0.002)');
    const { ms } = await core.row('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
    const receivedAt = new Date(Number(ms));
    return { accountId, balances, receivedAt, at: receivedAt, seen: [] };
  };
  const snapshot = { USDT: { free: '10', locked: '1' }, BTC: { free: '2', locked: '0' } };

  it('row 9: is stored for each asset, whether its balance rose or fell, and leaves the instant of the snapshot unchanged', async () => {
    await accountSync.storeBalances(account.uuid, snapshot, await accountSync.databaseTime());
    const before = await read();
    await accountSync.storeUpdates([
      await updateOf({ USDT: { free: '12.5', locked: '0' }, BTC: { free: '0', locked: '0' } }),
      await updateOf({ ETH: { free: '3', locked: '0' } }),
      await updateOf({ USDT: { free: '13', locked: '0' } }),
    ]);
    expect(await read()).toMatchObject({
      balances: { USDT: { free: '13', locked: '0' }, ETH: { free: '3', locked: '0' } },
      balances_taken_at: before.balances_taken_at,
    });
  });

  it('is stored for many accounts together', async () => {
    const others = [await core.account(actor), await core.account(actor)];
    await accountSync.storeUpdates(
      await Promise.all(
        others.map(({ uuid }, i) => updateOf({ ETH: { free: `${i + 1}`, locked: '0' } }, uuid)),
      ),
    );
    for (const [i, { uuid }] of others.entries()) {
      const row = await core.row('SELECT balances FROM exchange_accounts WHERE id = $1', uuid);
      expect(row.balances).toMatchObject({ ETH: { free: `${i + 1}` }, USDT: { free: '100000' } });
    }
  });

  it('never replaces a later snapshot, and is not stored for an account without a snapshot', async () => {
    const early = await updateOf(usdt('1'));
    await accountSync.storeUpdates([early]);
    expect(await read()).toMatchObject({ balances: {}, balances_taken_at: null });
    await accountSync.storeBalances(account.uuid, snapshot, await accountSync.databaseTime());
    await accountSync.storeUpdates([early]);
    expect((await read()).balances).toEqual(snapshot);
  });
});
