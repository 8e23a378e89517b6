import { forEachConcurrent, startLoop } from './loop.js';

/** A promise that the test settles. */
function deferred() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}
const flushEventLoop = () => new Promise((resolve) => setImmediate(resolve));

describe('a loop', () => {
  it('continues after a tick that failed, and reports it', async () => {
    const errors: unknown[] = [];
    const third = deferred();
    let count = 0;
    const loop = startLoop(
      0,
      async () => {
        if (++count === 3) third.open();
        if (count < 3) throw new Error(`tick ${count}`);
      },
      (error) => errors.push(error),
    );
    await third.opened;
    await loop.stop();
    expect(errors.map(String)).toEqual(['Error: tick 1', 'Error: tick 2']);
  });

  it('runs one tick at a time, and stops after the running one', async () => {
    const [begun, end] = [deferred(), deferred()];
    let isDone = false;
    let wasAborted = false;
    const loop = startLoop(
      0,
      async (signal) => {
        begun.open();
        await end.opened;
        wasAborted = signal.aborted;
        isDone = true;
      },
      () => undefined,
    );
    await begun.opened;
    let isStopped = false;
    const stopping = loop.stop().then(() => {
      isStopped = true;
    });
    await flushEventLoop();
    expect(isStopped).toBe(false);
    end.open();
    await stopping;
    expect({ isDone, wasAborted }).toEqual({ isDone: true, wasAborted: true });
  });

  it('computes the delay from the duration of the tick', async () => {
    const secondTick = deferred();
    const took: number[] = [];
    let tickCount = 0;
    const loop = startLoop(
      (tookMs) => {
        took.push(tookMs);
        if (took.length === 2) secondTick.open();
        return 0;
      },
      async () => {
        tickCount++;
      },
      () => undefined,
    );
    await secondTick.opened;
    await loop.stop();
    expect(took.length).toBe(tickCount);
    expect(took.every((ms) => ms >= 0)).toBe(true);
  });

  it('stops immediately during a delay, however long the delay is', async () => {
    const begun = deferred();
    const loop = startLoop(
      3_600_000,
      async () => begun.open(),
      () => undefined,
    );
    await begun.opened;
    await flushEventLoop();
    await loop.stop();
  });
});

describe('processing a list', () => {
  it('processes each item once, within the concurrency limit, and continues after a failure', async () => {
    let running = 0;
    let mostConcurrent = 0;
    const done: number[] = [];
    const errors: unknown[] = [];
    const items = Array.from({ length: 25 }, (_, i) => i);
    await forEachConcurrent(
      items,
      4,
      async (item) => {
        mostConcurrent = Math.max(mostConcurrent, ++running);
        await flushEventLoop();
        running--;
        if (item % 10 === 3) throw new Error(`item ${item}`);
        done.push(item);
      },
      (error) => errors.push(error),
    );
    expect(mostConcurrent).toBe(4);
    expect(errors.map(String)).toEqual(['Error: item 3', 'Error: item 13', 'Error: item 23']);
    expect(done.toSorted((a, b) => a - b)).toEqual(items.filter((item) => item % 10 !== 3));
  });

  it('without items ends immediately', async () => {
    await forEachConcurrent(
      [],
      4,
      () => Promise.reject(new Error('never')),
      () => undefined,
    );
  });
});
