import fc from 'fast-check';
import { FairSlots, type Share } from './fair-slots.js';

const waitingOf = (...users: string[]): Share[] => users.map((userId) => ({ userId }));
const usersOf = (shares: readonly Share[]) => shares.map(({ userId }) => userId);

describe('fair slots', () => {
  it('give each waiting user a slot before any user gets a second one', () => {
    const slots = new FairSlots({ total: 4, perUser: 4 });
    expect(usersOf(slots.choose(waitingOf('a', 'a', 'a', 'a', 'b', 'c')))).toEqual(['a', 'b', 'c', 'a']);
  });

  it('never exceed the slots of a user or an account', () => {
    const share = fc.record({ userId: fc.constantFrom('a', 'b', 'c'), accountId: fc.constantFrom('1', '2') });
    fc.assert(
      fc.property(fc.array(share), fc.array(share), (running, waiting) => {
        const slots = new FairSlots({ total: 8, perUser: 3, perAccount: 2 });
        for (const chosen of [slots.choose(running), slots.choose(waiting)])
          for (const each of chosen) slots.occupy(each);
        expect(slots.free).toBeGreaterThanOrEqual(0);
        const { users } = slots.full;
        for (const user of users) expect(slots.choose([{ userId: user }])).toEqual([]);
      }),
    );
  });

  it('serve the user that was served least recently, so that a user with many short items starves no one', () => {
    const slots = new FairSlots({ total: 1, perUser: 1 });
    const served: unknown[] = [];
    let waiting = waitingOf('a', 'a', 'a', 'b', 'b', 'c');
    while (waiting.length > 0) {
      const [next] = slots.choose(waiting);
      served.push(next!.userId);
      waiting = waiting.filter((item) => item !== next);
      slots.occupy(next!)();
    }
    expect(served).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('free a slot once, even if it is released twice', () => {
    const slots = new FairSlots({ total: 1, perUser: 1 });
    const release = slots.occupy({ userId: 'a' });
    expect(slots.choose(waitingOf('b'))).toEqual([]);
    release();
    release();
    expect(slots.free).toBe(1);
    expect(slots.full.users).toEqual([]);
  });
});
