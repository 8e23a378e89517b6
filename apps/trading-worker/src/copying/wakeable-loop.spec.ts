import { startWakeableLoop } from './wakeable-loop.js';

const HOUR_MS = 3_600_000;
const flushEventLoop = () => new Promise((resolve) => setImmediate(resolve));

/** Starts a loop that counts its ticks. `begun(n)` resolves when the nth tick has started. */
function startCountedLoop(
  onTick: (count: number) => Promise<boolean> | boolean,
  options: { readonly coalesceMs?: number } = {},
) {
  const errors: unknown[] = [];
  let count = 0;
  const waiting: { at: number; resolve: () => void }[] = [];
  const loop = startWakeableLoop({
    idleMs: HOUR_MS,
    ...options,
    onError: (error) => errors.push(error),
    tick: async () => {
      count++;
      for (const each of waiting) if (count >= each.at) each.resolve();
      return onTick(count);
    },
  });
  const begun = (at: number) =>
    new Promise<void>((resolve) => {
      if (count >= at) resolve();
      else waiting.push({ at, resolve });
    });
  return { loop, errors, begun, countOf: () => count };
}

describe('a wakeable loop', () => {
  it('continues immediately while there is more to do, and is idle afterwards', async () => {
    const { loop, begun, countOf } = startCountedLoop((count) => count < 5);
    await begun(5);
    await flushEventLoop();
    await flushEventLoop();
    expect(countOf()).toBe(5);
    await loop.stop();
  });

  it('ticks after a wake-up, also after one that arrives during a tick', async () => {
    const gate: { open: () => void } = { open: () => undefined };
    const secondTick = new Promise<boolean>((resolve) => {
      gate.open = () => resolve(false);
    });
    const { loop, begun, countOf } = startCountedLoop((count) => (count === 2 ? secondTick : false));
    await begun(1);
    await flushEventLoop();
    loop.wake();
    await begun(2);
    loop.wake();
    gate.open();
    await begun(3);
    await flushEventLoop();
    expect(countOf()).toBe(3);
    await loop.stop();
  });

  it('waits for the coalescing delay even if work is pending, but stops immediately', async () => {
    const { loop, begun, countOf } = startCountedLoop(() => true, { coalesceMs: HOUR_MS });
    await begun(1);
    await flushEventLoop();
    loop.wake();
    await flushEventLoop();
    expect(countOf()).toBe(1);
    await loop.stop();
  });

  it('reports a tick that failed, and waits before the next tick', async () => {
    const { loop, errors, begun } = startCountedLoop((count) => {
      if (count === 1) throw new Error('no');
      return false;
    });
    await begun(1);
    await flushEventLoop();
    loop.wake();
    await begun(2);
    expect(errors.map(String)).toEqual(['Error: no']);
    await loop.stop();
  });
});
