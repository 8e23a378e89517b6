import type { BudgetedCall } from '../call-budget.js';
import { ExchangeError } from '../port.js';
import { type BudgetClock, LocalBudget } from './budget.js';

/** A clock that the test advances. */
class FakeClock implements BudgetClock {
  #nowMs = 5_000_400;
  readonly #timers = new Map<symbol, { readonly at: number; readonly wake: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  after(ms: number, wake: () => void): () => void {
    const key = Symbol('timer');
    this.#timers.set(key, { at: this.#nowMs + ms, wake });
    return () => this.#timers.delete(key);
  }

  async advance(ms: number): Promise<void> {
    await flushPromises();
    const end = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined || next[1].at > end) break;
      this.#timers.delete(next[0]);
      this.#nowMs = Math.max(this.#nowMs, next[1].at);
      next[1].wake();
      await flushPromises();
    }
    this.#nowMs = end;
    await flushPromises();
  }
}

const flushPromises = () => new Promise((resolve) => setImmediate(resolve));

describe('LocalBudget', () => {
  let clock: FakeClock;
  let budget: LocalBudget;
  const call = { venue: 'x', accountKey: 'a', weight: 1, isOrder: false };
  beforeEach(() => {
    clock = new FakeClock();
    budget = new LocalBudget({ weightPerMinute: 100, ordersPer10s: 3 }, clock);
  });

  const advance = (ms: number) => clock.advance(ms);
  /** Returns an array that shows which of the calls have been admitted. */
  const watch = (calls: readonly Promise<void>[]) => {
    const admitted = calls.map(() => false);
    for (const [i, each] of calls.entries())
      each.then(
        () => (admitted[i] = true),
        () => undefined,
      );
    return admitted;
  };

  it('admits calls up to the rate limit immediately, and the rest after a minute', async () => {
    const admitted = watch(
      Array.from({ length: 6 }, () => budget.take({ ...call, weight: 20 }, new AbortController().signal)),
    );
    await advance(100);
    expect(admitted).toEqual([true, true, true, true, true, false]);
    await advance(59_000);
    expect(admitted.at(-1)).toBe(false);
    await advance(2_500);
    expect(admitted.at(-1)).toBe(true);
  });

  it("never exceeds the rate limit in any minute, wherever the exchange's windows start", async () => {
    const spent: number[] = [];
    for (let i = 0; i < 60; i += 1) {
      void budget
        .take({ ...call, weight: 9 }, new AbortController().signal)
        .then(() => spent.push(clock.now()));
      await advance(3_000);
    }
    await advance(200_000);
    expect(spent).toHaveLength(60);
    for (const start of spent)
      expect(spent.filter((at) => at >= start && at < start + 60_000).length * 9).toBeLessThanOrEqual(100);
  });

  it('counts orders per account, so that a waiting account does not block others', async () => {
    const order = { ...call, isOrder: true };
    const admitted = watch([1, 2, 3, 4].map(() => budget.take(order, new AbortController().signal)));
    const other = watch([
      budget.take({ ...order, accountKey: 'b' }, new AbortController().signal),
      budget.take(call, new AbortController().signal),
    ]);
    await advance(100);
    expect([admitted, other]).toEqual([
      [true, true, true, false],
      [true, true],
    ]);
    await advance(11_500);
    expect(admitted.at(-1)).toBe(true);
  });

  describe('with a limit of the weight of an account', () => {
    beforeEach(() => {
      const accountLimit = { weight: 10, windowMs: 20_000 };
      budget = new LocalBudget({ weightPerMinute: 100, ordersPer10s: 3, accountLimit }, clock);
    });
    const take = (more: Partial<BudgetedCall>) =>
      budget.take({ ...call, ...more }, new AbortController().signal);

    it('admits calls that both the account and the address have room for, so a waiting account blocks no other', async () => {
      const admitted = watch([take({ weight: 10 }), take({}), take({ accountKey: 'b' })]);
      const unaffected = watch([take({ accountKey: undefined }), take({ accountWeight: 0 })]);
      await advance(100);
      expect([admitted, unaffected]).toEqual([
        [true, false, true],
        [true, true],
      ]);
      await advance(20_000);
      expect(admitted[1]).toBe(false);
      await advance(1_500);
      expect(admitted[1]).toBe(true);
    });

    it('also waits for the address', async () => {
      const calls = Array.from({ length: 11 }, (_, i) => take({ accountKey: `account-${i}`, weight: 10 }));
      const admitted = watch(calls);
      await advance(40_000);
      expect(admitted.filter(Boolean)).toHaveLength(10);
      await advance(22_000);
      expect(admitted.filter(Boolean)).toHaveLength(11);
    });

    it('counts the weight of the account where it differs, also of orders', async () => {
      const admitted = watch([
        take({ weight: 50, accountWeight: 9 }),
        take({ isOrder: true, accountWeight: 0 }),
        take({ isOrder: true, accountWeight: 2 }),
      ]);
      await advance(100);
      expect(admitted).toEqual([true, true, false]);
    });

    it('leaves a part of the account to the purposes before', async () => {
      const reads = watch(Array.from({ length: 8 }, () => take({ purpose: 'check' })));
      const own = watch(Array.from({ length: 8 }, () => take({ purpose: 'exit' })));
      await advance(100);
      expect([reads.filter(Boolean).length, own.filter(Boolean).length]).toEqual([5, 5]);
    });
  });

  it('admits exits before calls that have waited longer', async () => {
    await budget.take({ ...call, weight: 100 }, new AbortController().signal);
    const admitted: string[] = [];
    for (const [name, isExit] of [
      ['entry', false],
      ['exit', true],
    ] as const)
      void budget
        .take({ ...call, weight: 60, isExit }, new AbortController().signal)
        .then(() => admitted.push(name));
    await advance(62_000);
    expect(admitted).toEqual(['exit']);
    await advance(62_000);
    expect(admitted).toEqual(['exit', 'entry']);
  });

  it('admits nothing during a pause', async () => {
    budget.pause('x', 3_000);
    const admitted = watch([budget.take(call, new AbortController().signal)]);
    await advance(2_900);
    expect(admitted).toEqual([false]);
    await advance(200);
    expect(admitted).toEqual([true]);
  });

  it('rejects an aborted call without spending its weight, and admits the next one', async () => {
    await budget.take({ ...call, weight: 60 }, new AbortController().signal);
    const impatient = new AbortController();
    const rejection = budget.take({ ...call, weight: 60 }, impatient.signal).catch((error: unknown) => error);
    const admitted = watch([budget.take({ ...call, weight: 40 }, new AbortController().signal)]);
    await advance(100);
    expect(admitted).toEqual([false]);
    impatient.abort();
    await advance(100);
    const error = await rejection;
    expect(error).toBeInstanceOf(ExchangeError);
    expect(error).toMatchObject({ outcome: 'retryable', code: 'rate_limited' });
    expect(admitted).toEqual([true]);
    await expect(budget.take(call, impatient.signal)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('leaves a share of the weight to each purpose before that of a call', async () => {
    const purposes = ['rotation', 'check', 'copy_read', 'copy', 'repair', 'resume'] as const;
    const spent: number[] = [];
    let total = 0;
    for (const purpose of purposes) {
      const waits = new AbortController();
      const admitted = watch(
        Array.from({ length: 101 }, () => budget.take({ ...call, purpose }, waits.signal)),
      );
      await advance(100);
      total += admitted.filter(Boolean).length;
      spent.push(total);
      waits.abort();
    }
    expect(spent).toEqual([25, 50, 65, 75, 90, 100]);
  });

  it("admits a call that exceeds a whole minute's limit if nothing else is spent", async () => {
    const admitted = watch([
      budget.take({ ...call, weight: 500 }, new AbortController().signal),
      budget.take(call, new AbortController().signal),
    ]);
    await advance(100);
    expect(admitted).toEqual([true, false]);
  });
});
