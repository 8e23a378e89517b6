/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { CoreUnderTest } from '@trading-automation/core/testing';
import { createBalanceRefresher } from './balance-refresh.js';
import { CopyLoops } from './copy-loops.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

/** Creates a function `work` that counts its calls. `reached(n)` resolves after the nth call. */
function countCalls(fail = false) {
  let count = 0;
  const waiting: { at: number; resolve: () => void }[] = [];
  return {
    countOf: () => count,
    reached: (at: number) =>
      new Promise<void>((resolve) => {
        if (count >= at) resolve();
        else waiting.push({ at, resolve });
      }),
    work: async () => {
      count++;
      for (const each of waiting) if (count >= each.at) each.resolve();
      if (fail) throw new Error('no');
      return false;
    },
  };
}

describe('copying in the worker', () => {
  it('row 10: plans and settles repeatedly, also after failures, and checks risk, until it is stopped', async () => {
    const [planning, settling, riskChecking, reopening] = [
      countCalls(true),
      countCalls(),
      countCalls(),
      countCalls(),
    ];
    const logged: string[] = [];
    const engine = {
      plan: planning.work,
      settle: settling.work,
      reopen: reopening.work,
      checkRisk: async () => void (await riskChecking.work()),
    };
    const copying = new CopyLoops(core.platform, engine, (event) => () => logged.push(event));
    copying.onApplicationBootstrap();
    await Promise.all([planning, settling, riskChecking, reopening].map((each) => each.reached(1)));
    await core.rows("SELECT pg_notify('signals', 'a strategy'), pg_notify('outbox_events', '')");
    await Promise.all([planning.reached(3), settling.reached(3)]);
    await copying.onApplicationShutdown();
    expect(new Set(logged)).toEqual(new Set(['copy_plan.failed']));
    const all = [planning, settling, riskChecking, reopening];
    const counts = all.map((each) => each.countOf());
    await core.rows("SELECT pg_notify('signals', 'a strategy')");
    await core.rows('SELECT 1');
    expect(all.map((each) => each.countOf())).toEqual(counts);
  });
});

describe('refreshing balances', () => {
  it('reads each account once, even if the read of another account fails', async () => {
    const readIds: string[] = [];
    const refresh = createBalanceRefresher(async (id) => {
      readIds.push(id);
      if (id === '3') throw new Error('unavailable');
    });
    const ids = Array.from({ length: 50 }, (_, index) => String(index));
    expect(await refresh(ids)).toEqual([]);
    expect(readIds.toSorted()).toEqual(ids.toSorted());
  });

  it('ends after 2 s, reads no more accounts and returns those that it did not read', async () => {
    const readIds: string[] = [];
    let respond: () => void = () => undefined;
    const response = new Promise<void>((resolve) => (respond = resolve));
    const refresh = createBalanceRefresher((id) => {
      readIds.push(id);
      return response;
    });
    const ids = Array.from({ length: 50 }, (_, index) => String(index));
    const unread = await refresh(ids);
    respond();
    await new Promise((resolve) => setImmediate(resolve));
    expect(unread.length).toBeGreaterThan(0);
    expect([...readIds, ...unread].toSorted()).toEqual(ids.toSorted());
  });
});
