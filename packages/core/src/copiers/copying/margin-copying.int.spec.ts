/** Copies on margin: they never borrow. */
import { newUuid } from '@trading-automation/persistence';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open('margin');
});
afterAll(() => env.close());
beforeEach(() => env.reset());

async function followerWith(free: Readonly<Record<string, string>>): Promise<Follower> {
  const actor = await env.core.actor();
  return env.follower({}, { on: { actor, account: await env.account(actor, free) } });
}
const summaries = async (follower: Follower) =>
  (await env.decisions(follower)).map(({ kind, outcome, code, inputs }) => [
    kind,
    outcome,
    code,
    (inputs as Record<string, unknown>).rule,
  ]);

describe('a copy on margin', () => {
  it('rule 33: buys with what the account has, and its orders borrow nothing', async () => {
    const follower = await followerWith({ USDT: '1000' });
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const entry = await env.lastOrder(follower);
    const sentEntry = await env.core.beginSubmission(entry.id, newUuid());
    expect(sentEntry).toMatchObject({ side: 'BUY', amount: '5' });
    expect([sentEntry?.autoBorrow, sentEntry?.autoRepay]).toEqual([undefined, undefined]);
    await env.fill(entry.id, { price: '100' });
    // 5 of 100 are spent, and the next copy would cost more than the rest.
    await env.leaderBuys('12');
    await env.runUntilIdle();
    await env.leaderSells('10');
    await env.runUntilIdle();
    expect(await summaries(follower)).toEqual([
      ['OPEN', 'COPIED', null, undefined],
      ['OPEN', 'SKIPPED', 'INSUFFICIENT_BALANCE', 'free_quote'],
      ['CLOSE', 'COPIED', null, undefined],
    ]);
    const exit = await env.lastOrder(follower);
    const sentExit = await env.core.beginSubmission(exit.id, newUuid());
    expect(sentExit).toMatchObject({ side: 'SELL', amount: '5' });
    expect([sentExit?.autoBorrow, sentExit?.autoRepay]).toEqual([undefined, true]);
  });

  it('rule 33: does not follow a short of the leader, not even with own coins', async () => {
    const follower = await followerWith({ USDT: '1000', BTC: '10' });
    await env.leaderSells('10', '100', { auto_borrow: true });
    await env.executeAll();
    await env.leaderBuys('10', '90');
    await env.executeAll();
    expect(await env.orders(follower)).toEqual([]);
    expect(await summaries(follower)).toEqual([
      ['OPEN', 'SKIPPED', 'SIDE_BLOCKED', 'no_borrowing'],
      ['CLOSE', 'SKIPPED', 'NOT_HELD', 'held'],
    ]);
  });

  it('rules 5, 33: follows the exit of a reversal, and not its short entry', async () => {
    const follower = await followerWith({ USDT: '1000' });
    await env.leaderBuys('10');
    await env.executeAll();
    await env.leaderSells('16', '110', { auto_borrow: true });
    await env.executeAll({ price: '110' });
    expect((await env.orders(follower)).map(({ side, intent, amount }) => [side, intent, amount])).toEqual([
      ['BUY', 'OPEN', '5'],
      ['SELL', 'CLOSE', '5'],
    ]);
    expect((await env.lastDecision(follower)).code).toBe('SIDE_BLOCKED');
    expect(await env.held(follower)).toBe('0');
  });
});
