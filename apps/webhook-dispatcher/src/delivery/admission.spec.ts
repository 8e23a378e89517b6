import type { LanedDelivery } from '@trading-automation/core/webhooks';
import { createLogger } from '@trading-automation/runtime';
import { Admission } from './admission.js';

const logger = createLogger('spec');
logger.level = 'silent';
const ref = (deliveryId: string): LanedDelivery => ({ deliveryId, attempt: 1, lane: 'main' });

/** A database that says that `parked` has room, and a queue that remembers what it was given. */
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
  it('asks once for all that were heard of while it was asking', async () => {
    const { admission, asked } = admissionOver(() => []);
    for (const user of ['a', 'b', 'b', 'c']) admission.requestCheck([user]);
    await admission.drain();
    expect(asked).toEqual([['a'], ['b', 'c']]);
  });

  it('gives what is still told to be parked no second job, until the first one is over', async () => {
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

  it('gives what stays parked for long a job beside the one that it has', async () => {
    const { admission, added, again, clock } = admissionOver(() => [ref('one')]);
    for (const nowMs of [0, 5_000, 10_000, 15_000, 17_999, 20_000, 21_000]) {
      clock.nowMs = nowMs;
      admission.requestCheck(['user']);
      await admission.drain();
      expect(again).toEqual(nowMs < 20_000 ? [] : ['one']);
    }
    expect(added).toEqual(Array(5).fill('one'));
  });

  it('goes on after a database that did not answer', async () => {
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
