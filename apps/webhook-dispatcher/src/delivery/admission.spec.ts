import type { LanedDelivery } from '@trading-automation/core/webhooks';
import { createLogger } from '@trading-automation/runtime';
import { Admission } from './admission.js';

const logger = createLogger('spec');
logger.level = 'silent';
const ref = (deliveryId: string): LanedDelivery => ({ deliveryId, attempt: 1, lane: 'main' });

/** Creates an `Admission`. Its stub database returns `parked()` as admissible, and its stub queue records the jobs. */
function admissionOf(parked: () => readonly LanedDelivery[]) {
  const queries: (readonly string[])[] = [];
  const added: string[] = [];
  const duplicates: string[] = [];
  const clock = { nowMs: 0 };
  const deliveries = {
    admissible: async (userIds: readonly string[]) => {
      queries.push(userIds);
      return parked();
    },
  };
  const queue = {
    add: async (refs: readonly LanedDelivery[]) =>
      void added.push(...refs.map(({ deliveryId }) => deliveryId)),
    addDuplicate: async (refs: readonly LanedDelivery[]) =>
      void duplicates.push(...refs.map(({ deliveryId }) => deliveryId)),
  };
  const admission = new Admission(deliveries, queue, logger, () => clock.nowMs);
  return { admission, queries, added, duplicates, clock };
}

describe('admission', () => {
  it('queries once for all users whose check was requested during the previous query', async () => {
    const { admission, queries } = admissionOf(() => []);
    for (const user of ['a', 'b', 'b', 'c']) admission.requestCheck([user]);
    await admission.drain();
    expect(queries).toEqual([['a'], ['b', 'c']]);
  });

  it('gives a parked delivery no second job until its first job has ended', async () => {
    const { admission, added } = admissionOf(() => [ref('one')]);
    admission.requestCheck(['user']);
    await admission.drain();
    admission.requestCheck(['user']);
    await admission.drain();
    expect(added).toEqual(['one']);
    admission.jobEnded('one', 'user');
    await admission.drain();
    expect(added).toEqual(['one', 'one']);
  });

  it('adds a duplicate job for a delivery that is still parked after 20 s', async () => {
    const { admission, added, duplicates, clock } = admissionOf(() => [ref('one')]);
    for (const nowMs of [0, 5_000, 10_000, 15_000, 17_999, 20_000, 21_000]) {
      clock.nowMs = nowMs;
      admission.requestCheck(['user']);
      await admission.drain();
      expect(duplicates).toEqual(nowMs < 20_000 ? [] : ['one']);
    }
    expect(added).toEqual(Array(5).fill('one'));
  });

  it('continues after a database error', async () => {
    let isUnavailable = true;
    const { admission, added } = admissionOf(() => {
      if (isUnavailable) throw new Error('unavailable');
      return [ref('one')];
    });
    admission.requestCheck(['user']);
    await admission.drain();
    isUnavailable = false;
    admission.requestCheck(['user']);
    await admission.drain();
    expect(added).toEqual(['one']);
  });
});
