import { type BudgetedCall, purposeOf, TurnQueue } from './call-budget.js';

const call = (userId: string | undefined, weight = 1): BudgetedCall => ({
  venue: 'x',
  weight,
  isOrder: false,
  userId,
});

describe('waiting calls of one purpose', () => {
  it('are served in turns: the first call of each user, then the second ones', () => {
    const queue = new TurnQueue<{ call: BudgetedCall }>();
    const waiting = ['a', 'a', 'a', 'b', 'c', 'b'].map((user, i) => ({ call: call(user, i) }));
    for (const each of waiting) queue.add(each);
    expect(queue.inTurns().map(({ call: { userId, weight } }) => `${userId}${weight}`)).toEqual([
      'a0',
      'b3',
      'c4',
      'a1',
      'b5',
      'a2',
    ]);
  });

  it('of a user who was just served come after those of the others', () => {
    const queue = new TurnQueue<{ call: BudgetedCall }>();
    const waiting = ['a', 'a', 'b'].map((user) => ({ call: call(user) }));
    for (const each of waiting) queue.add(each);
    queue.admit(waiting[0]!);
    expect(queue.inTurns()[0]).toBe(waiting[2]);
    expect(queue.size).toBe(2);
  });

  it('leave the queue once, and nothing remains of them', () => {
    const queue = new TurnQueue<{ call: BudgetedCall }>();
    const waiting = [call('a'), call(undefined)].map((each) => ({ call: each }));
    for (const each of waiting) queue.add(each);
    for (const each of [...waiting, ...waiting]) queue.delete(each);
    expect(queue.size).toBe(0);
    expect(queue.inTurns()).toEqual([]);
  });
});

it('the purpose of a call is its own, except that an exit is always an exit', () => {
  expect(purposeOf(call('a'))).toBe('check');
  expect(purposeOf({ ...call('a'), isOrder: true })).toBe('copy');
  expect(purposeOf({ ...call('a'), purpose: 'user' })).toBe('user');
  expect(purposeOf({ ...call('a'), purpose: 'user', isExit: true })).toBe('exit');
});
