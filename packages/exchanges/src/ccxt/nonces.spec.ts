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
    const request = async (key: string) => {
      const endTurn = await turns.take(key);
      running.set(key, (running.get(key) ?? 0) + 1);
      mostOfKey = Math.max(mostOfKey, running.get(key) ?? 0);
      mostTogether = Math.max(
        mostTogether,
        [...running.values()].reduce((sum, count) => sum + count, 0),
      );
      await sleep(2);
      running.set(key, (running.get(key) ?? 0) - 1);
      endTurn();
    };
    await Promise.all(['a', 'b', 'a', 'b', 'a'].map(request));
    expect([mostOfKey, mostTogether]).toEqual([1, 2]);
  });

  it('end once: ending a turn again does not end the next one', async () => {
    const turns = new Turns();
    const endFirst = await turns.take('a');
    const second = turns.take('a');
    let thirdHasTurn = false;
    const third = turns.take('a').then((endTurn) => {
      thirdHasTurn = true;
      endTurn();
    });
    endFirst();
    const endSecond = await second;
    endFirst();
    await sleep(2);
    expect(thirdHasTurn).toBe(false);
    endSecond();
    await third;
    expect(thirdHasTurn).toBe(true);
  });
});
