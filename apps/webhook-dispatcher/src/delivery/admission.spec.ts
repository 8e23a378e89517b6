import type { LanedDelivery } from '@trading-automation/core/webhooks';
import { createLogger } from '@trading-automation/runtime';
import { Admission } from './admission.js';

const logger = createLogger('spec');
logger.level = 'silent';
const ref = (deliveryId: string): LanedDelivery => ({ deliveryId, attempt: 1, lane: 'main' });

/** A database that reports free capacity for `parked`, and a queue that records its jobs. */
function admissionOver(parked: () => readonly LanedDelivery[]) {
  const asked: (readonly string[])[] = [];
  const added: string[] = [];
  const again: string[] = [];
  const clock = { nowMs: 0 };
  const deliveries = {
    admissible: async (userIds: readonly string[]) => {
      asked.push(userIds);
      return parked();
    },
  };
  const queue = {
    add: async (refs: readonly LanedDelivery[]) =>
      void added.push(...refs.map(({ deliveryId }) => deliveryId)),
    addDuplicate: async (refs: readonly LanedDelivery[]) =>
      void again.push(...refs.map(({ deliveryId }) => deliveryId)),
  };
  const admission = new Admission(deliveries, queue, logger, () => clock.nowMs);
  return { admission, asked, added, again, clock };
}

describe('admission', () => {
  it('queries once for all users that were reported during a query', async () => {
    const { admission, asked } = admissionOver(() => []);
    for (const user of ['a', 'b', 'b', 'c']) admission.requestCheck([user]);
    await admission.drain();
    expect(asked).toEqual([['a'], ['b', 'c']]);
  });

  it('gives a parked delivery no second job until the first one has ended', async () => {
    const { admission, added } = admissionOver(() => [ref('one')]);
    admission.requestCheck(['user']);
    await admission.drain();
    admission.requestCheck(['user']);
    await admission.drain();
    expect(added).toEqual(['one']);
    admission.jobEnded('one', 'user');
    await admission.drain();
    expect(added).toEqual(['one', 'one']);
  });

  it('gives a delivery that stays parked for long a duplicate job', async () => {
    const { admission, added, again, clock } = admissionOver(() => [ref('one')]);
    for (const nowMs of [0, 5_000, 10_000, 15_000, 17_999, 20_000, 21_000]) {
      clock.nowMs = nowMs;
      admission.requestCheck(['user']);
      await admission.drain();
      expect(again).toEqual(nowMs < 20_000 ? [] : ['one']);
    }
    expect(added).toEqual(Array(5).fill('one'));
  });

  it('continues after a database error', async () => {
    let isAway = true;
    const { admission, added } = admissionOver(() => {
      if (isAway) throw new Error('away');
      return [ref('one')];
    });
    admission.requestCheck(['user']);
    await admission.drain();
    isAway = false;
    admission.requestCheck(['user']);
    await admission.drain();
    expect(added).toEqual(['one']);
  });
});
