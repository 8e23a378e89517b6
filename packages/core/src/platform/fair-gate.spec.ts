import { FairGate } from './fair-gate.js';

const LIMITS = { total: 3, perUser: 2, openPerUser: 4, waiting: 5 };

/** Starts work that ends when `finish` is called with its name. */
function workload(gate: FairGate) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    started,
    start: (name: string, signal?: AbortSignal) =>
      gate.run(
        name[0]!,
        () => {
          started.push(name);
          return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
        },
        signal,
      ),
    finish: async (name: string) => {
      ends.get(name)!();
      await settle();
    },
    settle,
  };
}

describe('a fair gate', () => {
  it('keeps a slot for other users, and queues the work of a user that uses its own', async () => {
    const { start, started, finish, settle } = workload(new FairGate('requests', LIMITS));
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map((name) => start(name));
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    await finish('a1');
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
    await finish('a2');
    expect(started.slice(4)).toEqual(['a3']);
    for (const name of ['a3', 'b1', 'c1', 'a4']) await finish(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
  });

  it('refuses a user over its limit with 429, and everyone when too much waits with 503', async () => {
    const { start, settle } = workload(new FairGate('requests', LIMITS));
    for (const name of ['a1', 'a2', 'a3', 'a4']) void start(name);
    await settle();
    await expect(start('a5')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
      message: '4 of your requests are still being processed. Wait until one of them ends, then retry.',
    });
    for (const name of ['b1', 'b2', 'b3', 'c1']) void start(name);
    await settle();
    await expect(start('d1')).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
  });

  it('refuses work that waits too long, and gives its slot to the next', async () => {
    const gate = new FairGate('requests', { ...LIMITS, perUser: 1, waitMaxMs: 20 });
    const { start, started, finish, settle } = workload(gate);
    void start('a1');
    await expect(start('a2')).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    await finish('a1');
    void start('a3');
    await settle();
    expect(started).toEqual(['a1', 'a3']);
  });

  it('forgets work whose caller is gone, and work that failed', async () => {
    const gate = new FairGate('requests', { ...LIMITS, perUser: 1, openPerUser: 2 });
    const { start, started, finish, settle } = workload(gate);
    const controller = new AbortController();
    void start('a1');
    const waiting = start('a2', controller.signal);
    await settle();
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(start('a3', controller.signal)).rejects.toThrow('gone');
    await finish('a1');
    await expect(gate.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    void start('a4');
    await settle();
    expect(started).toEqual(['a1', 'a4']);
  });
});
