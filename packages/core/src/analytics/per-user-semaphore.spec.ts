import { PerUserSemaphore } from './per-user-semaphore.js';

/** Starts a run for each user id. Returns the outcomes, the order of the starts and the most concurrent runs. */
async function runAll(semaphore: PerUserSemaphore, userIds: readonly string[]) {
  let running = 0;
  let most = 0;
  const started: number[] = [];
  const outcomes = await Promise.allSettled(
    userIds.map((userId, i) =>
      semaphore.run(userId, async () => {
        started.push(i);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
        if (i % 2 === 0) throw new Error('no');
        return i;
      }),
    ),
  );
  return { most, started, outcomes };
}

describe('the semaphore', () => {
  it('limits the concurrent runs, and continues after a failure', async () => {
    const semaphore = new PerUserSemaphore(2);
    const users = Array.from({ length: 7 }, (_, i) => `user ${i}`);
    const { most, started, outcomes } = await runAll(semaphore, users);
    expect(most).toBe(2);
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    await expect(semaphore.run('another', async () => 'next')).resolves.toBe('next');
  });

  it('has one run of a user at a time', async () => {
    const semaphore = new PerUserSemaphore(3);
    const { most, started } = await runAll(semaphore, Array(5).fill('one user'));
    expect(most).toBe(1);
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });
});
