import type { AccountExposure } from '@trading-automation/core/trades';
import { eventually } from '@trading-automation/runtime/testing';
import { RepairQueue, type RepairReason } from './repair-queue.js';

type Kind = AccountExposure['kind'];

/** Starts runs that end when the test releases them, and records their order. */
function repairs() {
  const queue = new RepairQueue();
  const started: string[] = [];
  const releases: (() => void)[] = [];
  const start = (name: string, kind: Kind, reason: RepairReason = 'connected', isFollowed = false) =>
    queue.run({ kind, isFollowed }, reason, (purpose) => {
      started.push(`${name} ${purpose}`);
      return new Promise<void>((resolve) => releases.push(resolve));
    });
  const releaseAll = async () => {
    for (let count = -1; count !== started.length; ) {
      count = started.length;
      for (const release of releases.splice(0)) release();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { started, start, releaseAll };
}

describe('reconciliations after a restart', () => {
  it('begin with open orders, then open lots, then accounts in use; idle accounts delay none of them', async () => {
    const { started, start, releaseAll } = repairs();
    const exposures: Kind[] = ['IDLE', 'IN_USE', 'OPEN_LOTS', 'OPEN_ORDERS'];
    const all = Array.from({ length: 40 }, (_, i) =>
      start(`${i}`, exposures[i % 4]!, i % 4 === 0 ? 'rotation' : 'connected'),
    );
    const urgentNow = started.filter((line) => !line.endsWith('rotation'));
    expect(urgentNow).toHaveLength(4);
    expect(started.filter((line) => line.endsWith('rotation'))).toHaveLength(2);
    await releaseAll();
    await Promise.all(all);
    const ranks = started
      .filter((line) => !line.endsWith('rotation') && !urgentNow.includes(line))
      .map((line) => exposures[Number.parseInt(line, 10) % 4]);
    const inOrder = [...ranks].sort((a, b) => exposures.indexOf(b!) - exposures.indexOf(a!));
    expect(ranks).toEqual(inOrder);
    expect(started).toHaveLength(40);
  });

  it('begin with accounts that copiers follow, whatever they hold', async () => {
    const { started, start, releaseAll } = repairs();
    const all = Array.from({ length: 8 }, (_, i) => start(`${i}`, 'OPEN_ORDERS'));
    all.push(start('followed', 'IN_USE', 'doubt', true));
    await releaseAll();
    await Promise.all(all);
    expect(started.indexOf('followed check')).toBe(4);
  });

  it('that are only due in the rotation use its share, whatever the account holds', async () => {
    const { started, start, releaseAll } = repairs();
    const all = [start('a', 'OPEN_ORDERS', 'rotation'), start('b', 'OPEN_LOTS')];
    await eventually(() => started.length === 2);
    expect(started).toEqual(['a rotation', 'b check']);
    await releaseAll();
    await Promise.all(all);
  });

  it('after a connection use the share of repairs if others or events wait for them', async () => {
    const { started, start, releaseAll } = repairs();
    const all = [
      start('followed', 'OPEN_LOTS', 'connected', true),
      start('open orders', 'OPEN_ORDERS'),
      start('other', 'OPEN_LOTS'),
      start('doubted', 'OPEN_ORDERS', 'doubt', true),
    ];
    await eventually(() => started.length === all.length);
    expect(started).toEqual(['followed repair', 'open orders repair', 'other check', 'doubted check']);
    await releaseAll();
    await Promise.all(all);
  });

  it('continue after a failure', async () => {
    const queue = new RepairQueue();
    const exposure: AccountExposure = { kind: 'OPEN_LOTS', isFollowed: false };
    const fail = async () => {
      throw new Error('unreachable');
    };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => queue.run(exposure, 'connected', fail)),
    );
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    await expect(queue.run(exposure, 'connected', async () => 'done')).resolves.toBe('done');
  });
});
