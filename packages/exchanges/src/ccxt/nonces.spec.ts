import { setTimeout as sleep } from 'node:timers/promises';
import { LocalNonces, Turns } from './nonces.js';

describe('rising nonces', () => {
  it('rise, also within one microsecond', async () => {
    const nonces = new LocalNonces();
    const values = await Promise.all(Array.from({ length: 1_000 }, () => nonces.next()));
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  });

  it('are sent in turns: the requests of a key never overlap, those of two keys do', async () => {
    const turns = new Turns();
    const running = new Map<string, number>();
    let [mostOfKey, mostTogether] = [0, 0];
    const request = (key: string) =>
      turns.run(key, async () => {
        running.set(key, (running.get(key) ?? 0) + 1);
        mostOfKey = Math.max(mostOfKey, running.get(key) ?? 0);
        mostTogether = Math.max(
          mostTogether,
          [...running.values()].reduce((sum, count) => sum + count, 0),
        );
        await sleep(2);
        running.set(key, (running.get(key) ?? 0) - 1);
      });
    await Promise.all(['a', 'b', 'a', 'b', 'a'].map(request));
    expect([mostOfKey, mostTogether]).toEqual([1, 2]);
  });

  it('continue after a request that failed', async () => {
    const turns = new Turns();
    const failing = turns.run('a', async () => {
      throw new Error('refused');
    });
    const next = turns.run('a', async () => 'sent');
    await expect(failing).rejects.toThrow('refused');
    expect(await next).toBe('sent');
  });
});
