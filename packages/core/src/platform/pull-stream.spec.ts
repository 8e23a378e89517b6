import { PullStreamController } from './pull-stream.js';

/** Creates a stream of the items that `put` adds. `ends` returns how often the stream ended. */
function streamOf<Item>() {
  const items: Item[] = [];
  let ends = 0;
  const stream = new PullStreamController(
    () => items.shift(),
    () => {
      ends += 1;
    },
  );
  const put = (item: Item) => {
    items.push(item);
    stream.wake();
  };
  return { stream, items, put, ends: () => ends };
}
const done = { done: true, value: undefined };
const item = (value: unknown) => ({ done: false, value });

describe('a pull stream', () => {
  it('produces only requested items, in the order of the requests', async () => {
    const { stream, items, put } = streamOf<number>();
    put(1);
    expect(items).toEqual([1]);
    const requested = [stream.next(), stream.next(), stream.next()];
    put(2);
    put(3);
    expect(await Promise.all(requested)).toEqual([item(1), item(2), item(3)]);
    expect(stream[Symbol.asyncIterator]()).toBe(stream);
  });

  it('ends immediately when return is called, even while an item is being read; pending requests resolve as done', async () => {
    const { stream, put, ends } = streamOf<number>();
    const pending = [stream.next(), stream.next()];
    expect(await stream.return()).toEqual(done);
    expect(await Promise.all(pending)).toEqual([done, done]);
    put(1);
    expect([await stream.next(), await stream.return(), ends(), stream.ended.aborted]).toEqual([
      done,
      done,
      1,
      true,
    ]);

    let resolveRead: (value: number) => void = () => undefined;
    const reading = new Promise<number>((resolve) => {
      resolveRead = resolve;
    });
    const slow = new PullStreamController(
      () => reading,
      () => undefined,
    );
    const requested = slow.next();
    await slow.return();
    expect(await requested).toEqual(done);
    resolveRead(1);
    await reading;
    expect(await slow.next()).toEqual(done);
  });

  it('reads again if it was woken during a read that returned no item', async () => {
    const reads: ((value: number | undefined) => void)[] = [];
    const stream = new PullStreamController<number>(
      () => new Promise((resolve) => reads.push(resolve)),
      () => undefined,
    );
    const requested = stream.next();
    stream.wake();
    expect(reads).toHaveLength(1);
    reads[0]?.(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    reads[1]?.(7);
    expect(await requested).toEqual(item(7));
    const next = stream.next();
    reads[2]?.(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads).toHaveLength(3);
    await stream.return();
    expect(await next).toEqual(done);
  });

  it('reports a failure once, to the first pending request or else to the next one, and is then done', async () => {
    const failure = new Error('a stream that fails');
    const waitingStream = streamOf<number>();
    const pending = [waitingStream.stream.next(), waitingStream.stream.next()];
    waitingStream.stream.fail(failure);
    const settled = await Promise.allSettled(pending);
    expect(settled).toEqual([
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: done },
    ]);
    expect([
      await waitingStream.stream.next(),
      waitingStream.ends(),
      waitingStream.stream.ended.reason,
    ]).toEqual([done, 1, failure]);

    const idleStream = streamOf<number>();
    idleStream.stream.fail(failure);
    await expect(idleStream.stream.next()).rejects.toBe(failure);
    expect(await idleStream.stream.next()).toEqual(done);

    const failingStream = new PullStreamController<number>(
      () => Promise.reject(failure),
      () => undefined,
    );
    await expect(failingStream.next()).rejects.toBe(failure);
    expect(await failingStream.next()).toEqual(done);
  });
});
