import { Semaphore } from './backoff.js';

describe('the semaphore', () => {
  it('limits the concurrent runs, and continues after a failure', async () => {
    const turns = new Semaphore(2);
    let running = 0;
    let most = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 7 }, (_, i) =>
        turns.run(async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 1));
          running--;
          if (i % 2 === 0) throw new Error('no');
          return i;
        }),
      ),
    );
    expect(most).toBe(2);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    await expect(turns.run(async () => 'next')).resolves.toBe('next');
  });
});
