import type { LanedRef } from '@trading-automation/core/webhooks';
import { createLogger } from '@trading-automation/runtime';
import { Admission } from './admission.js';

const logger = createLogger('spec');
logger.level = 'silent';
const ref = (deliveryId: string): LanedRef => ({ deliveryId, attempt: 1, lane: 'main' });

/** A database that says that `parked` has room, and a queue that remembers what it was given. */
function admissionOver(parked: () => readonly LanedRef[]) {
  const asked: (readonly string[])[] = [];
  const added: string[] = [];
  const deliveries = {
    admissible: async (userIds: readonly string[]) => {
      asked.push(userIds);
      return parked();
    },
  };
  const queue = {
    add: async (refs: readonly LanedRef[]) => void added.push(...refs.map(({ deliveryId }) => deliveryId)),
  };
  return { admission: new Admission(deliveries, queue, logger), asked, added };
}

describe('admission', () => {
  it('asks once for all that were heard of while it was asking', async () => {
    const { admission, asked } = admissionOver(() => []);
    for (const user of ['a', 'b', 'b', 'c']) admission.wake([user]);
    await admission.settle();
    expect(asked).toEqual([['a'], ['b', 'c']]);
  });

  it('gives what is still told to be parked no second job, until the first one is over', async () => {
    const { admission, added } = admissionOver(() => [ref('one')]);
    admission.wake(['user']);
    await admission.settle();
    admission.wake(['user']);
    await admission.settle();
    expect(added).toEqual(['one']);
    admission.ended('one', 'user');
    await admission.settle();
    expect(added).toEqual(['one', 'one']);
  });

  it('goes on after a database that did not answer', async () => {
    let isAway = true;
    const { admission, added } = admissionOver(() => {
      if (isAway) throw new Error('away');
      return [ref('one')];
    });
    admission.wake(['user']);
    await admission.settle();
    isAway = false;
    admission.wake(['user']);
    await admission.settle();
    expect(added).toEqual(['one']);
  });
});
