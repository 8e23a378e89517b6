/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import type { Platform } from '../platform/index.js';
import { CoreUnderTest } from '../testing/core-under-test.js';
import { lockOwnership, type Ownership } from './account-ownership.queries.js';
import {
  AccountOwnership,
  purgeStaleOwners,
  SESSION_LOST_AFTER_MS,
  storeStreamStatuses,
} from './account-ownership.service.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());
beforeEach(async () => {
  await core.rows('DELETE FROM account_owners');
  await core.rows('DELETE FROM worker_leases');
  await core.rows('DELETE FROM account_watches');
  await core.rows('DELETE FROM exchange_accounts');
});

interface WorkerUnderTest {
  readonly ownership: AccountOwnership;
  readonly platform: Platform;
  readonly lost: string[];
  /** Advances the worker's monotonic clock. */
  wait(ms: number): void;
  /** Runs the tasks that a worker runs every 2.5 s. */
  tick(): Promise<void>;
}

async function startWorker(...exchanges: string[]): Promise<WorkerUnderTest> {
  const platform = await core.openSecondPlatform();
  const lost: string[] = [];
  let nowMs = 0;
  const ownership = new AccountOwnership(platform, {
    exchanges: exchanges.length > 0 ? exchanges : ['paper'],
    onLost: (ids) => lost.push(...ids),
    monotonicMs: () => nowMs,
  });
  return {
    ownership,
    platform,
    lost,
    wait: (ms) => {
      nowMs += ms;
    },
    async tick() {
      await ownership.renewLease();
      await ownership.rebalance();
      await ownership.claim();
    },
  };
}

async function createAccounts(count: number, exchange = 'paper'): Promise<string[]> {
  const actor = await core.actor();
  const created: string[] = [];
  for (let i = 0; i < count; i++) created.push((await core.account(actor, {}, { exchange })).uuid);
  return created;
}

const accountCountOf = ({ ownership }: WorkerUnderTest) => ownership.ownedAccounts().size;
const idsOf = (...workers: WorkerUnderTest[]) =>
  workers.flatMap(({ ownership }) => [...ownership.ownedAccounts().keys()]).sort();
const ownershipOf = ({ ownership }: WorkerUnderTest, id: string): Ownership => {
  const owned = ownership.ownedAccounts().get(id);
  if (owned === undefined) throw new Error('the worker does not own the account');
  return owned;
};
/** Expires the lease of the worker, as if its process had been killed. */
const expireLease = ({ ownership }: WorkerUnderTest) =>
  core.rows('UPDATE worker_leases SET expires_at = clock_timestamp() WHERE worker = $1', ownership.worker);
const lockOwned = ({ platform }: WorkerUnderTest, ownership: Ownership) =>
  inTransaction(platform.database, (tx) => lockOwnership(tx, ownership));

/** Sets how long the worker has lived. */
const age = ({ ownership }: WorkerUnderTest, ms: number) =>
  core.rows(
    "UPDATE worker_leases SET started_at = clock_timestamp() - $2 * interval '1 millisecond' WHERE worker = $1",
    ownership.worker,
    ms,
  );

describe('accounts', () => {
  it('all belong to the only worker, except for removed accounts', async () => {
    const ids = await createAccounts(5);
    await core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', ids[0]);
    const only = await startWorker();
    await only.tick();
    expect(idsOf(only)).toEqual(ids.slice(1).sort());
    const [added] = await createAccounts(1);
    await only.tick();
    expect(idsOf(only)).toContain(added);
  });

  it('of a killed worker move to the others with a higher fence once its lease has expired', async () => {
    const ids = await createAccounts(9);
    const [dying, b, c] = [await startWorker(), await startWorker(), await startWorker()];
    await dying.tick();
    const before = new Map(dying.ownership.ownedAccounts());
    await expireLease(dying);
    await b.ownership.renewLease();
    await c.ownership.renewLease();
    await Promise.all([b.ownership.claim(), c.ownership.claim()]);
    expect(idsOf(b, c)).toEqual([...ids].sort());
    expect([accountCountOf(b), accountCountOf(c)].sort()).toEqual([4, 5]);
    for (const [id, { fence }] of before) {
      const now = ownershipOf(b.ownership.ownedAccounts().has(id) ? b : c, id);
      expect(BigInt(now.fence)).toBe(BigInt(fence) + 1n);
    }
  });

  describe('of a worker whose process has ended', () => {
    /** Starts a worker with two accounts, and another worker that waits for them. */
    async function startTwo() {
      const ids = await createAccounts(2);
      const [ending, other] = [await startWorker(), await startWorker()];
      await eventually(() => ending.platform.listener.connected);
      await ending.tick();
      await other.ownership.renewLease();
      const claim = async () => {
        const mayFollow = await other.ownership.endLostLeases();
        await other.ownership.claim();
        return [mayFollow, accountCountOf(other)] as const;
      };
      const untilSuspected = () =>
        eventually(async () => {
          const [mayFollow, count] = await claim();
          return mayFollow || count > 0;
        });
      return { ids, ending, other, claim, untilSuspected };
    }

    it('move once its session lock was free for 1 s, long before its lease expires', async () => {
      const { ids, ending, other, claim, untilSuspected } = await startTwo();
      expect(await claim()).toEqual([false, 0]);
      await ending.platform.listener.stop();
      await untilSuspected();
      expect(accountCountOf(other)).toBe(0);
      other.wait(SESSION_LOST_AFTER_MS - 1);
      expect(await claim()).toEqual([true, 0]);
      other.wait(1);
      expect(await claim()).toEqual([false, 2]);
      expect(idsOf(other)).toEqual([...ids].sort());
    });

    it('stay if the connection was only lost for a moment', async () => {
      const { ending, other, claim, untilSuspected } = await startTwo();
      await core.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'",
      );
      await untilSuspected();
      await eventually(async () => (await claim())[0] === false);
      other.wait(SESSION_LOST_AFTER_MS);
      expect(await claim()).toEqual([false, 0]);
      expect(accountCountOf(ending)).toBe(2);
    });

    it('stay with a worker that has lost its own connection, and does not end its own lease', async () => {
      const { ending, untilSuspected } = await startTwo();
      await ending.platform.listener.stop();
      await untilSuspected();
      for (const ms of [0, SESSION_LOST_AFTER_MS]) {
        ending.wait(ms);
        expect(await ending.ownership.endLostLeases()).toBe(false);
      }
      expect(accountCountOf(ending)).toBe(2);
    });

    it('stay until the lease expires if the server was restarted since, or the worker held no lock', async () => {
      const { ending, other, claim } = await startTwo();
      await ending.platform.listener.stop();
      for (const server of ["clock_timestamp() - interval '1 day'", 'NULL']) {
        await core.rows(`UPDATE worker_leases SET session_server = ${server}`);
        await claim();
        other.wait(SESSION_LOST_AFTER_MS);
        expect(await claim()).toEqual([false, 0]);
      }
      await ending.ownership.renewLease();
      expect(
        await core.row('SELECT session_server FROM worker_leases WHERE worker = $1', ending.ownership.worker),
      ).toEqual({ session_server: null });
    });
  });

  it('stay with their worker while its lease lasts, even if another worker claims', async () => {
    const ids = await createAccounts(2);
    const [a, b] = [await startWorker(), await startWorker()];
    await a.tick();
    const fences = [...a.ownership.ownedAccounts().values()];
    for (let i = 0; i < 3; i++) await b.ownership.claim();
    expect(idsOf(b)).toEqual([]);
    await a.tick();
    expect([...a.ownership.ownedAccounts().values()]).toEqual(fences);
    expect(idsOf(a)).toEqual([...ids].sort());
  });

  it('are rebalanced with the fewest moves once a new worker has started, and no account moves twice', async () => {
    const ids = await createAccounts(11);
    const [old, fresh] = [await startWorker(), await startWorker()];
    await old.tick();
    await fresh.tick();
    expect(accountCountOf(fresh)).toBe(0);
    for (const each of [old, fresh]) await age(each, 20_000);
    for (let i = 0; i < 4; i++) {
      await old.tick();
      await fresh.tick();
    }
    expect([accountCountOf(old), accountCountOf(fresh)]).toEqual([6, 5]);
    expect(idsOf(old, fresh)).toEqual([...ids].sort());
    expect(old.lost.sort()).toEqual(idsOf(fresh));
    expect(fresh.lost).toEqual([]);
  });

  it('stay while no worker has lived for 20 s', async () => {
    await createAccounts(4);
    const [old, fresh] = [await startWorker(), await startWorker()];
    for (let i = 0; i < 3; i++) for (const each of [old, fresh]) await each.tick();
    expect([old, fresh].map(accountCountOf)).toEqual([4, 0]);
  });

  describe('of a stable worker', () => {
    it('stay until the new worker has lived for 20 s', async () => {
      await createAccounts(4);
      const [stable, fresh] = [await startWorker(), await startWorker()];
      await stable.tick();
      await age(stable, 60_000);
      await fresh.tick();
      await age(fresh, 19_000);
      for (const each of [stable, fresh]) await each.tick();
      expect([stable, fresh].map(accountCountOf)).toEqual([4, 0]);
      await age(fresh, 20_000);
      for (const each of [stable, fresh]) await each.tick();
      expect([stable, fresh].map(accountCountOf)).toEqual([2, 2]);
    });

    it('do not include those that a younger worker already has', async () => {
      await createAccounts(2);
      const [first, second] = [await startWorker(), await startWorker()];
      await first.tick();
      await createAccounts(2);
      await second.tick();
      expect([first, second].map(accountCountOf)).toEqual([2, 2]);
      await age(first, 20_000);
      for (const each of [second, first]) await each.tick();
      expect([first, second].map(accountCountOf)).toEqual([2, 2]);
    });

    it('move to young workers at once if no stable one lives', async () => {
      const ids = await createAccounts(4);
      const [stable, fresh] = [await startWorker(), await startWorker()];
      await stable.tick();
      await age(stable, 60_000);
      await fresh.tick();
      await expireLease(stable);
      await fresh.tick();
      expect(idsOf(fresh)).toEqual([...ids].sort());
    });
  });

  describe('that share a wallet', () => {
    const share = (first: string, ...others: string[]) =>
      core.rows('UPDATE exchange_accounts SET wallet_id = $1 WHERE id = ANY ($2)', first, [first, ...others]);
    /** Runs both workers until nothing can move any more, and returns how often an account moved. */
    const settle = async (...workers: WorkerUnderTest[]) => {
      const fences = async () =>
        Number((await core.row('SELECT coalesce(sum(fence), 0) AS sum FROM account_owners')).sum);
      for (let i = 0; i < 4; i++) for (const worker of workers) await worker.tick();
      const before = await fences();
      for (let i = 0; i < 4; i++) for (const worker of workers) await worker.tick();
      return (await fences()) - before;
    };

    it('have the same worker, and count as one account in the shares', async () => {
      const [a = '', b = '', c = '', d = ''] = await createAccounts(4);
      await share(a, b, c);
      const [one, two] = [await startWorker(), await startWorker()];
      await one.tick();
      expect(idsOf(one)).toHaveLength(4);
      await two.tick();
      await core.rows("UPDATE worker_leases SET started_at = started_at - interval '20 s'");
      expect(await settle(one, two)).toBe(0);
      const owners = [one, two].map((worker) => idsOf(worker));
      expect(owners).toContainEqual([d]);
      expect(owners).toContainEqual([a, b, c].sort());
    });

    it('follow the first of them when they begin to share it', async () => {
      const created = await createAccounts(2);
      const [one, two] = [await startWorker(), await startWorker()];
      await one.tick();
      await two.tick();
      await core.rows("UPDATE worker_leases SET started_at = started_at - interval '20 s'");
      await settle(one, two);
      expect([accountCountOf(one), accountCountOf(two)]).toEqual([1, 1]);
      const [first = ''] = idsOf(two);
      await share(first, ...created);
      expect(await settle(one, two)).toBe(0);
      expect([accountCountOf(one), accountCountOf(two)]).toEqual([0, 2]);
    });

    it('stay claimable after the first of them was removed', async () => {
      const [first = '', second = ''] = await createAccounts(2);
      await share(first, second);
      await core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', first);
      const only = await startWorker();
      await only.tick();
      expect(idsOf(only)).toEqual([second]);
    });
  });

  it('are released immediately by a worker that shuts down', async () => {
    const ids = await createAccounts(3);
    const [ending, other] = [await startWorker(), await startWorker()];
    await ending.tick();
    await ending.ownership.release();
    expect(ending.lost.sort()).toEqual([...ids].sort());
    await other.tick();
    expect(idsOf(other)).toEqual([...ids].sort());
  });

  it('have no owner once their worker has shut down, even if it was claiming accounts', async () => {
    for (let round = 0; round < 10; round++) {
      await createAccounts(3);
      const ending = await startWorker();
      await ending.ownership.renewLease();
      const claims = Array.from({ length: 4 }, () => ending.ownership.claim());
      await Promise.all([...claims, ending.ownership.release(), ending.ownership.claim()]);
      expect(accountCountOf(ending)).toBe(0);
      const left = await core.rows('SELECT FROM account_owners WHERE worker = $1', ending.ownership.worker);
      expect(left).toEqual([]);
    }
  });

  it('of an exchange go only to workers that support it', async () => {
    const [here, there] = [await createAccounts(4, 'paper'), await createAccounts(4, 'elsewhere')];
    const [both, one] = [await startWorker('paper', 'elsewhere'), await startWorker('paper')];
    for (let i = 0; i < 3; i++) {
      await both.tick();
      await one.tick();
      for (const each of [both, one]) await age(each, 20_000);
    }
    expect(idsOf(both, one)).toEqual([...here, ...there].sort());
    expect([accountCountOf(both), accountCountOf(one)]).toEqual([6, 2]);
  });

  it('have one worker each, even if many workers claim concurrently', async () => {
    const ids = await createAccounts(20);
    const workers = await Promise.all(Array.from({ length: 5 }, () => startWorker()));
    // A worker that claims before the last one has a lease takes a larger share.
    for (const { ownership } of workers) await ownership.renewLease();
    for (let i = 0; i < 4; i++) await Promise.all(workers.map((each) => each.tick()));
    expect(idsOf(...workers)).toEqual([...ids].sort());
    expect(workers.map(accountCountOf)).toEqual([4, 4, 4, 4, 4]);
  });
});

describe('a worker that could not renew its lease', () => {
  it('gives up its accounts, timed by its own clock, before another worker could claim them, and reports the loss once', async () => {
    const ids = await createAccounts(2);
    const stuck = await startWorker();
    await stuck.tick();
    stuck.wait(7_999);
    expect(accountCountOf(stuck)).toBe(2);
    stuck.wait(1);
    expect(accountCountOf(stuck)).toBe(0);
    expect(stuck.lost.sort()).toEqual([...ids].sort());
    const { is_valid } = await core.row(
      'SELECT expires_at > clock_timestamp() AS is_valid FROM worker_leases WHERE worker = $1',
      stuck.ownership.worker,
    );
    expect(is_valid).toBe(true);
    await stuck.tick();
    expect(idsOf(stuck)).toEqual([...ids].sort());
  });

  it('owns nothing after a late renewal, until its next claim', async () => {
    const ids = await createAccounts(2);
    const stalled = await startWorker();
    await stalled.tick();
    stalled.wait(8_000);
    // The first thing that the process does after it stalled.
    await stalled.ownership.renewLease();
    expect([accountCountOf(stalled), stalled.lost.sort()]).toEqual([0, [...ids].sort()]);
    await stalled.ownership.claim();
    expect(idsOf(stalled)).toEqual([...ids].sort());
  });

  it('does not get accounts back that others claimed meanwhile', async () => {
    await createAccounts(2);
    const [stuck, other] = [await startWorker(), await startWorker()];
    await stuck.tick();
    await expireLease(stuck);
    await other.tick();
    await stuck.tick();
    expect(accountCountOf(stuck)).toBe(0);
    expect(stuck.lost).toHaveLength(2);
  });
});

describe('the ownership of an account', () => {
  it('cannot be locked by an old owner, even if it has not noticed the loss yet', async () => {
    const [id] = await createAccounts(1);
    const [old, next] = [await startWorker(), await startWorker()];
    await old.tick();
    const stale = ownershipOf(old, id!);
    expect(await lockOwned(old, stale)).toBe(true);
    await expireLease(old);
    await next.tick();
    expect(await lockOwned(old, stale)).toBe(false);
    expect(await lockOwned(next, ownershipOf(next, id!))).toBe(true);
    await expireLease(next);
    await old.tick();
    expect(await lockOwned(old, stale)).toBe(false);
    expect(await lockOwned(old, ownershipOf(old, id!))).toBe(true);
  });

  it('does not move while its owner holds the lock; other accounts of the owner do', async () => {
    const ids = await createAccounts(2);
    const [old, next] = [await startWorker(), await startWorker()];
    await old.tick();
    const held = ownershipOf(old, ids[0]!);
    await inTransaction(old.platform.database, async (tx: Tx) => {
      expect(await lockOwnership(tx, held)).toBe(true);
      await expireLease(old);
      await next.tick();
      expect(idsOf(next)).toEqual([ids[1]]);
    });
    await next.tick();
    expect(idsOf(next)).toEqual([...ids].sort());
  });
});

describe('stream statuses', () => {
  it('row 10: are stored with the worker that last reported them and the start of their state', async () => {
    const [one, two] = await createAccounts(2);
    await storeStreamStatuses(core.platform, [
      { accountId: one!, state: 'LIVE', stateAgeMs: 0 },
      { accountId: two!, state: 'LOST', stateAgeMs: 90_000 },
    ]);
    const next = await core.openSecondPlatform();
    await storeStreamStatuses(next, [{ accountId: one!, state: 'CONNECTING', stateAgeMs: 0 }]);
    await storeStreamStatuses(next, []);
    const rows = await core.rows(
      `SELECT account_id, worker, state, told_at - since > interval '1 minute' AS is_old FROM account_watches
       ORDER BY account_id`,
    );
    expect(rows).toEqual([
      { account_id: one, worker: next.instance, state: 'CONNECTING', is_old: false },
      { account_id: two, worker: core.platform.instance, state: 'LOST', is_old: true },
    ]);
  });

  it('keep the last report of a live stream, also if the previous release stored it', async () => {
    const [one, two, three] = await createAccounts(3);
    const stored = (state: string, ids: readonly string[]) =>
      storeStreamStatuses(
        core.platform,
        ids.map((accountId) => ({ accountId, state, stateAgeMs: 0 })),
      );
    await stored('LIVE', [one!, two!]);
    await stored('UNVERIFIED', [three!]);
    await core.rows('UPDATE account_watches SET live_at = NULL WHERE account_id = $1', two);
    const [before] = await core.rows('SELECT told_at FROM account_watches WHERE account_id = $1', one);
    await stored('UNVERIFIED', [one!, two!, three!]);
    await stored('LOST', [one!, two!, three!]);
    const liveAt = before!.told_at;
    expect(await core.rows('SELECT account_id, live_at FROM account_watches ORDER BY account_id')).toEqual([
      { account_id: one, live_at: liveAt },
      { account_id: two, live_at: liveAt },
      { account_id: three, live_at: null },
    ]);
  });
});

describe('housekeeping', () => {
  it('deletes leases that expired days ago and the ownership of removed accounts, but no live lease', async () => {
    const [current, removed] = await createAccounts(2);
    const [expired, live] = [await startWorker(), await startWorker()];
    await expired.tick();
    await core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', removed);
    await core.rows("UPDATE worker_leases SET expires_at = clock_timestamp() - interval '2 days'");
    await live.tick();
    expect(await purgeStaleOwners(core.platform)).toBe(2);
    expect(await core.rows('SELECT worker FROM worker_leases')).toEqual([{ worker: live.ownership.worker }]);
    expect(idsOf(live)).toEqual([current]);
  });
});
