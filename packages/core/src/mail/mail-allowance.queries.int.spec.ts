import { inTransaction } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import { takeMailAllowance } from './mail-allowance.queries.js';

let core: CoreUnderTest;
let userId: string;

beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());
beforeEach(async () => {
  ({ userId } = await core.actor());
});

/** Takes `count` mails and returns how many were granted, and how many are used. */
const take = async (count: number, perDay: number, topic = 'topic') => {
  const [grant] = await inTransaction(core.platform.database, (tx) =>
    takeMailAllowance(tx, perDay, [{ userId, topic, count }]),
  );
  return [grant?.granted, grant?.used];
};
const advanceHours = (hours: number) =>
  core.rows("UPDATE mail_allowances SET since = since - $1 * interval '1 hour'", hours);

describe('the allowance of mail', () => {
  it('grants what is left of it for the day, and is full again a day after the first mail', async () => {
    expect(await take(2, 5)).toEqual([2, 2]);
    expect(await take(2, 5)).toEqual([2, 4]);
    expect(await take(2, 5)).toEqual([1, 5]);
    expect(await take(2, 5)).toEqual([0, 5]);
    await advanceHours(23);
    expect(await take(1, 5)).toEqual([0, 5]);
    await advanceHours(1);
    expect(await take(9, 5)).toEqual([5, 5]);
    expect(await take(1, 5)).toEqual([0, 5]);
  });

  it('never grants more than the limit', async () => {
    expect(await take(100, 1)).toEqual([1, 1]);
    expect(await take(100, 1)).toEqual([0, 1]);
  });

  it('grants nothing, and revokes nothing, if the limit is lower than the number of mails already used', async () => {
    expect(await take(8, 10)).toEqual([8, 8]);
    expect(await take(1, 5)).toEqual([0, 8]);
  });

  it('is exact for concurrent requests with topics in any order', async () => {
    const topics = Array.from({ length: 20 }, (_, n) => `topic ${n}`);
    const requestAll = (n: number) =>
      inTransaction(core.platform.database, (tx) => {
        const orderedTopics = n % 2 === 0 ? topics : [...topics].reverse();
        return takeMailAllowance(
          tx,
          3,
          orderedTopics.map((topic) => ({ userId, topic, count: 1 })),
        );
      });
    const grants = (await Promise.all(Array.from({ length: 16 }, (_, n) => requestAll(n)))).flat();
    for (const topic of topics) {
      const granted = grants.filter((grant) => grant.topic === topic).map((grant) => grant.granted);
      expect(granted.sort()).toEqual([...Array(13).fill(0), 1, 1, 1]);
    }
  });

  it('is returned if the transaction rolls back', async () => {
    const rolledBack = inTransaction(core.platform.database, async (tx) => {
      await takeMailAllowance(tx, 1, [{ userId, topic: 'topic', count: 1 }]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await take(1, 1)).toEqual([1, 1]);
  });
});
