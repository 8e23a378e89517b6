import { Turns } from './turns';

/** A task that ends when the test wants it. */
function heldTask() {
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<string>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  let begun = 0;
  const task = () => {
    begun++;
    return promise;
  };
  const end = { resolve: (value: string) => resolve(value), reject: (error: Error) => reject(error) };
  return { task, begun: () => begun, ...end };
}

describe('turns', () => {
  it('lets a number of tasks run at once, and the next one when one of them has ended', async () => {
    const turns = new Turns(2);
    const tasks = [heldTask(), heldTask(), heldTask(), heldTask()] as const;
    const results = tasks.map(({ task }) => turns.run(task));
    await Promise.resolve();
    const begun = () => tasks.map((one) => one.begun());
    expect(begun()).toEqual([1, 1, 0, 0]);

    tasks[1].resolve('second');
    await expect(results[1]).resolves.toBe('second');
    expect(begun()).toEqual([1, 1, 1, 0]);
    for (const { resolve } of tasks) resolve('end');
    await Promise.all(results);
    expect(begun()).toEqual([1, 1, 1, 1]);
  });

  it('goes on after a task that failed', async () => {
    const turns = new Turns(1);
    const [failing, next] = [heldTask(), heldTask()];
    const failed = turns.run(failing.task);
    const result = turns.run(next.task);
    failing.reject(new Error('no response'));
    await expect(failed).rejects.toThrow('no response');
    next.resolve('next');
    await expect(result).resolves.toBe('next');
  });

  it('never runs more at once than allowed, also if a task comes while another one takes its turn', async () => {
    const turns = new Turns(1);
    let running = 0;
    let most = 0;
    const task = async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    };
    const first = turns.run(task);
    const second = turns.run(task);
    await first;
    await Promise.all([second, turns.run(task)]);
    expect(most).toBe(1);
  });
});
