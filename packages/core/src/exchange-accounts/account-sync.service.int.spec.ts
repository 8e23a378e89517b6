import { exchangeAccount } from '@trading-automation/contracts';
import type { Balances } from '@trading-automation/exchanges';
import { newUuid } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { AccountSyncService } from './account-sync.service.js';

let core: CoreUnderTest;
let upkeep: AccountSyncService;
let actor: Actor;
let account: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  upkeep = new AccountSyncService(core.platform);
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor, null);
  await core.rows('UPDATE exchange_accounts SET sync_requested_at = NULL WHERE id = $1', account.uuid);
});

const usdt = (free: string, locked = '0') => ({ USDT: { free, locked } });
const ask = () =>
  core.rows('UPDATE exchange_accounts SET sync_requested_at = clock_timestamp() WHERE id = $1', account.uuid);
const read = () => core.row('SELECT * FROM exchange_accounts WHERE id = $1', account.uuid);
const eventTypes = async () => (await core.events(actor.userId)).map(({ type }) => type);
const sync = async (free: string) =>
  upkeep.storeBalances(account.uuid, usdt(free), await upkeep.databaseTime());

describe('balances', () => {
  it('are kept with the moment that they include everything up to, and are told as free and locked together', async () => {
    const takenAt = await upkeep.databaseTime();
    await upkeep.storeBalances(account.uuid, usdt('0.1', '0.000000000000000002'), takenAt);
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

  it('that are older never replace newer ones, in whatever order they arrive', async () => {
    const times = [];
    for (let i = 0; i < 8; i++) times.push(await upkeep.databaseTime());
    const arrivals = times.map((takenAt, i) => ({ takenAt, balances: usdt(String(i)) }));
    const shuffled = [3, 7, 0, 5, 1, 6, 2, 4].map((i) => arrivals[i]!);
    await Promise.all(
      shuffled.map(({ balances, takenAt }) => upkeep.storeBalances(account.uuid, balances, takenAt)),
    );
    expect((await read()).balances).toEqual(usdt('7'));
    await upkeep.storeBalances(account.uuid, usdt('older'), times[6]!);
    await upkeep.storeBalances(account.uuid, usdt('as old'), times[7]!);
    expect((await read()).balances).toEqual(usdt('7'));
  });

  it('of many accounts are kept together: of each the newest, told where it is another, the unknown left out', async () => {
    const other = await core.account(actor, null);
    await upkeep.storeBalances(other.uuid, usdt('5'), await upkeep.databaseTime());
    const readings = [];
    for (const free of ['1', '2']) {
      for (const { uuid } of [account, other]) {
        const balances = usdt(uuid === other.uuid ? '5' : free);
        readings.push({ accountId: uuid, balances, takenAt: await upkeep.databaseTime() });
      }
    }
    const unknown = { accountId: newUuid(), balances: usdt('9'), takenAt: await upkeep.databaseTime() };
    await upkeep.storeSnapshots([...readings.toReversed(), unknown]);
    expect([await upkeep.balancesOf(account.uuid), await upkeep.balancesOf(other.uuid)]).toEqual([
      usdt('2'),
      usdt('5'),
    ]);
    const told = await core.events(actor.userId);
    expect(told.map(({ data }) => data.id)).toEqual([other.id, account.id]);
  });

  it('are announced when they changed or when somebody asked, and else not', async () => {
    await sync('1');
    await sync('1');
    expect(await eventTypes()).toEqual(['exchange.synced']);
    await ask();
    await sync('1');
    await sync('1');
    expect(await eventTypes()).toHaveLength(2);
    await sync('2');
    expect(await eventTypes()).toHaveLength(3);
  });

  it('answer whoever asked before the look began; who asked during it waits for the next one, and is told once', async () => {
    await sync('1');
    const takenAt = await upkeep.databaseTime();
    await ask();
    await upkeep.storeBalances(account.uuid, usdt('1'), takenAt);
    expect(await eventTypes()).toHaveLength(1);
    expect(await upkeep.dueForSync(60_000, 100, [account.uuid])).toContain(account.uuid);
    await sync('1');
    expect(await eventTypes()).toHaveLength(2);
    expect(await upkeep.dueForSync(60_000, 100, [account.uuid])).not.toContain(account.uuid);
  });

  it('of a removed or unknown account are not kept', async () => {
    await core.rows(
      'UPDATE exchange_accounts SET deleted_at = now(), credentials_sealed = NULL WHERE id = $1',
      account.uuid,
    );
    await sync('1');
    expect(await read()).toMatchObject({ balances: {}, balances_taken_at: null });
    expect(await upkeep.find(account.uuid)).toBeNull();
    expect(await eventTypes()).toEqual([]);
  });
});

describe('a look that failed', () => {
  it('is told to whoever asked, and leaves account and balances as they were', async () => {
    await sync('1');
    const { balances, balances_taken_at } = await read();
    await upkeep.recordSyncFailure(account.uuid, null);
    expect(await eventTypes()).toEqual(['exchange.synced']);
    await ask();
    await upkeep.recordSyncFailure(account.uuid, null);
    await upkeep.recordSyncFailure(account.uuid, null);
    expect(await eventTypes()).toEqual(['exchange.synced', 'exchange.sync_failed']);
    expect(await read()).toMatchObject({ is_active: true, balances, balances_taken_at });
  });

  it('by refused credentials ends the use of the account, and says so once, however often it is seen', async () => {
    await ask();
    await Promise.all(Array.from({ length: 10 }, () => upkeep.recordSyncFailure(account.uuid, 'sealed')));
    await upkeep.recordSyncFailure(account.uuid, 'sealed');
    const events = await core.events(actor.userId);
    expect(events.map(({ type }) => type)).toEqual(['exchange.credentials_rejected', 'exchange.sync_failed']);
    expect(events[0]).toMatchObject({ data: { id: account.id, is_active: false } });
    expect(await upkeep.find(account.uuid)).toMatchObject({ isActive: false });
    await ask();
    expect(await upkeep.dueForSync(0, 100, [account.uuid])).not.toContain(account.uuid);
  });

  it('by credentials that were replaced meanwhile leaves the account in use, and the look asked for still to come', async () => {
    await core.rows("UPDATE exchange_accounts SET credentials_sealed = 'newer' WHERE id = $1", account.uuid);
    await ask();
    await upkeep.recordSyncFailure(account.uuid, 'sealed');
    expect(await eventTypes()).toEqual([]);
    expect(await upkeep.find(account.uuid)).toMatchObject({ isActive: true });
    expect(await upkeep.dueForSync(60_000, 100, [account.uuid])).toContain(account.uuid);
    await upkeep.recordSyncFailure(account.uuid, 'newer');
    expect(await upkeep.find(account.uuid)).toMatchObject({ isActive: false });
  });
});

describe('the accounts to look at', () => {
  it('are those that somebody asked for, and those that were not looked at for long', async () => {
    await core.rows('UPDATE exchange_accounts SET is_active = false');
    const [asked, old, fresh] = [account, await core.account(actor), await core.account(actor)];
    const all = [asked, old, fresh].map(({ uuid }) => uuid);
    await core.rows(
      'UPDATE exchange_accounts SET is_active = true, sync_served_at = now() WHERE id = $1',
      asked.uuid,
    );
    await ask();
    await core.rows(
      "UPDATE exchange_accounts SET sync_requested_at = NULL, sync_served_at = now() - interval '61 seconds' WHERE id = $1",
      old.uuid,
    );
    expect(await upkeep.dueForSync(60_000, 10, all)).toEqual([asked.uuid, old.uuid]);
    expect(await upkeep.dueForSync(60_000, 1, all)).toEqual([asked.uuid]);
    await core.rows(
      "UPDATE exchange_accounts SET sync_requested_at = NULL, sync_served_at = now() - interval '1 day' WHERE id = $1",
      fresh.uuid,
    );
    expect(await upkeep.dueForSync(60_000, 10, all)).toEqual([asked.uuid, fresh.uuid, old.uuid]);
    expect(await upkeep.dueForSync(60_000, 10, [old.uuid])).toEqual([old.uuid]);
    expect(await upkeep.dueForSync(60_000, 10, [])).toEqual([]);
  });
});

describe('what a stream tells of some assets', () => {
  /** In a later millisecond than whatever was before. */
  const heard = async (balances: Balances, accountId = account.uuid) => {
    await core.rows('SELECT pg_sleep(0.002)');
    const { ms } = await core.row('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
    return { accountId, balances, receivedAt: new Date(Number(ms)) };
  };
  const whole = { USDT: { free: '10', locked: '1' }, BTC: { free: '2', locked: '0' } };

  it('row 9: is kept asset by asset where it is more, and leaves the moment of the whole look as it was', async () => {
    await upkeep.storeBalances(account.uuid, whole, await upkeep.databaseTime());
    const before = await read();
    await upkeep.storeUpdates([
      await heard({ USDT: { free: '12.5', locked: '0' }, BTC: { free: '0', locked: '0' } }),
      await heard({ ETH: { free: '3', locked: '0' } }),
      await heard({ USDT: { free: '13', locked: '0' } }),
    ]);
    expect(await read()).toMatchObject({
      balances: { USDT: { free: '13', locked: '0' }, BTC: whole.BTC, ETH: { free: '3', locked: '0' } },
      balances_taken_at: before.balances_taken_at,
    });
  });

  it('is kept for many accounts at once', async () => {
    const others = [await core.account(actor), await core.account(actor)];
    await upkeep.storeUpdates(
      await Promise.all(others.map(({ uuid }, i) => heard({ ETH: { free: `${i + 1}`, locked: '0' } }, uuid))),
    );
    for (const [i, { uuid }] of others.entries()) {
      const row = await core.row('SELECT balances FROM exchange_accounts WHERE id = $1', uuid);
      expect(row.balances).toMatchObject({ ETH: { free: `${i + 1}` }, USDT: { free: '100000' } });
    }
  });

  it('never replaces what a whole look found later, nor makes up for one that was never made', async () => {
    const early = await heard(usdt('1'));
    await upkeep.storeUpdates([early]);
    expect(await read()).toMatchObject({ balances: {}, balances_taken_at: null });
    await upkeep.storeBalances(account.uuid, whole, await upkeep.databaseTime());
    await upkeep.storeUpdates([early]);
    expect((await read()).balances).toEqual(whole);
  });
});
