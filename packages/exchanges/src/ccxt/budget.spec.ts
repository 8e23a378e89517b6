import { ExchangeError } from '../port.js';
import { type BudgetClock, LocalBudget } from './budget.js';

/** A clock that the test advances. */
class FakeClock implements BudgetClock {
  #at = 5_000_400;
  readonly #wakes = new Map<symbol, { readonly at: number; readonly wake: () => void }>();

  now(): number {
    return this.#at;
  }

  after(ms: number, wake: () => void): () => void {
    const key = Symbol('wake');
    this.#wakes.set(key, { at: this.#at + ms, wake });
    return () => this.#wakes.delete(key);
  }

  async pass(ms: number): Promise<void> {
    await settled();
    const end = this.#at + ms;
    for (;;) {
      const [next] = [...this.#wakes].sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined || next[1].at > end) break;
      this.#wakes.delete(next[0]);
      this.#at = Math.max(this.#at, next[1].at);
      next[1].wake();
      await settled();
    }
    this.#at = end;
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the budget of one process', () => {
  let clock: FakeClock;
  let budget: LocalBudget;
  const call = { venue: 'x', accountKey: 'a', weight: 1, isOrder: false };
  beforeEach(() => {
    clock = new FakeClock();
    budget = new LocalBudget({ weightPerMinute: 100, ordersPer10s: 3 }, clock);
  });

  const pass = (ms: number) => clock.pass(ms);
  /** Returns which of the calls are admitted by now. */
  const watch = (calls: readonly Promise<void>[]) => {
    const done = calls.map(() => false);
    for (const [i, each] of calls.entries())
      each.then(
        () => (done[i] = true),
        () => undefined,
      );
    return done;
  };

  it('admits at once what the tariff allows, and the rest after a minute', async () => {
    const done = watch(
      Array.from({ length: 6 }, () => budget.take({ ...call, weight: 20 }, new AbortController().signal)),
    );
    await pass(100);
    expect(done).toEqual([true, true, true, true, true, false]);
    await pass(59_000);
    expect(done.at(-1)).toBe(false);
    await pass(2_500);
    expect(done.at(-1)).toBe(true);
  });

  it('never exceeds the tariff in any minute, wherever the windows of the exchange start', async () => {
    const spent: number[] = [];
    for (let i = 0; i < 60; i += 1) {
      void budget
        .take({ ...call, weight: 9 }, new AbortController().signal)
        .then(() => spent.push(clock.now()));
      await pass(3_000);
    }
    await pass(200_000);
    expect(spent).toHaveLength(60);
    for (const start of spent)
      expect(spent.filter((at) => at >= start && at < start + 60_000).length * 9).toBeLessThanOrEqual(100);
  });

  it('counts orders by account: a waiting account blocks no other', async () => {
    const order = { ...call, isOrder: true };
    const done = watch([1, 2, 3, 4].map(() => budget.take(order, new AbortController().signal)));
    const other = watch([
      budget.take({ ...order, accountKey: 'b' }, new AbortController().signal),
      budget.take(call, new AbortController().signal),
    ]);
    await pass(100);
    expect([done, other]).toEqual([
      [true, true, true, false],
      [true, true],
    ]);
    await pass(11_500);
    expect(done.at(-1)).toBe(true);
  });

  it('admits exits before calls that have waited longer', async () => {
    await budget.take({ ...call, weight: 100 }, new AbortController().signal);
    const order: string[] = [];
    for (const [name, isExit] of [
      ['entry', false],
      ['exit', true],
    ] as const)
      void budget
        .take({ ...call, weight: 60, isExit }, new AbortController().signal)
        .then(() => order.push(name));
    await pass(62_000);
    expect(order).toEqual(['exit']);
    await pass(62_000);
    expect(order).toEqual(['exit', 'entry']);
  });

  it('admits nothing during a pause', async () => {
    budget.pause('x', 3_000);
    const done = watch([budget.take(call, new AbortController().signal)]);
    await pass(2_900);
    expect(done).toEqual([false]);
    await pass(200);
    expect(done).toEqual([true]);
  });

  it('rejects a call at its signal, spends nothing on it and admits the next one', async () => {
    await budget.take({ ...call, weight: 60 }, new AbortController().signal);
    const impatient = new AbortController();
    const refused = budget.take({ ...call, weight: 60 }, impatient.signal).catch((error: unknown) => error);
    const done = watch([budget.take({ ...call, weight: 40 }, new AbortController().signal)]);
    await pass(100);
    expect(done).toEqual([false]);
    impatient.abort();
    await pass(100);
    const error = await refused;
    expect(error).toBeInstanceOf(ExchangeError);
    expect(error).toMatchObject({ outcome: 'retryable', code: 'rate_limited' });
    expect(done).toEqual([true]);
    await expect(budget.take(call, impatient.signal)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it("admits a call that exceeds a whole minute's limit when nothing else is spent", async () => {
    const done = watch([
      budget.take({ ...call, weight: 500 }, new AbortController().signal),
      budget.take(call, new AbortController().signal),
    ]);
    await pass(100);
    expect(done).toEqual([true, false]);
  });
});
