import type { CopierStats } from '@trading-automation/contracts';
import { CopyingUnderTest, type Follower } from './testing/copying-under-test.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

type Parts = Partial<NonNullable<CopierStats['tracking']>>;

/** Checks the difference in basis points and its parts; a part that is not given is 0. */
async function expectTracking(follower: Follower, bps: string | null, parts: Parts = {}): Promise<void> {
  const { tracking_difference_bps, tracking } = (await env.copierOf(follower)).stats;
  const none = { fees_bps: '0', slippage_bps: '0', rounding_bps: '0', skips_bps: '0', latency_bps: '0' };
  expect({ tracking_difference_bps, tracking }).toEqual({
    tracking_difference_bps: bps,
    tracking: bps === null ? undefined : { ...none, ...parts },
  });
}

/** Lets the leader sell, and fills the copies at the leader's price. */
async function leadExit(amount: string, price: string): Promise<void> {
  await env.leaderSells(amount, price);
  await env.executeAll({ price });
}

/** Lets the leader buy, and fills the copies at the leader's price. */
async function leadEntry(amount: string, price = '100'): Promise<void> {
  await env.leaderBuys(amount, price);
  await env.executeAll({ price });
}

describe('the tracking difference of a copier', () => {
  it('is null before the leader closes a lot, and 0 for a copier that copied all of it', async () => {
    const follower = await env.follower();
    await leadEntry('10');
    await expectTracking(follower, null);
    await leadExit('4', '110');
    await expectTracking(follower, '0');
    await leadExit('6', '90');
    await expectTracking(follower, '0');
  });

  it('includes lots that it never held: a copier that skipped all winners has a negative difference', async () => {
    const follower = await env.follower();
    env.bookMid = '150';
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'OFF_MARKET' });
    await leadExit('10', '110');
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'NOT_HELD' });
    env.bookMid = undefined;
    await leadEntry('10');
    await leadExit('10', '95');
    // The perfect copy of 5 gained 50 and lost 25, on a cost of 1,000. The copier only lost 25.
    await expectTracking(follower, '-500', { skips_bps: '-500' });
  });

  it('does not count an exit at another price before the copy of it is filled', async () => {
    const follower = await env.follower();
    await leadEntry('10');
    await leadExit('5', '110');
    await env.leaderSells('5', '130');
    await env.runUntilIdle();
    await expectTracking(follower, '0');
    await env.execute(await env.lastOrder(follower), { price: '120' });
    await env.runUntilIdle();
    await expectTracking(follower, '-500', { slippage_bps: '-500' });
  });

  it('counts a skipped lot for the share that the leader closed', async () => {
    const follower = await env.follower();
    env.bookMid = '150';
    await env.leaderBuys('10');
    await leadExit('4', '110');
    await expectTracking(follower, '-1000', { skips_bps: '-1000' });
    await leadExit('6', '100');
    // 20 on a cost of 500.
    await expectTracking(follower, '-400', { skips_bps: '-400' });
  });

  it('counts a move of the market before the order as latency, and what is worse than the market as slippage', async () => {
    const follower = await env.follower();
    env.bookMid = '100.2';
    await env.leaderBuys('10');
    await env.runUntilIdle();
    await env.execute(await env.lastOrder(follower), { price: '100.3' });
    await env.leaderSells('10', '110');
    await env.setPair("last_price = 109, last_price_at = clock_timestamp() + interval '1 second'");
    await env.runUntilIdle();
    await env.execute(await env.lastOrder(follower), { price: '108.5' });
    await env.runUntilIdle();
    // For each unit: 0.2 and 1 before the orders, 0.1 and 0.5 in their execution.
    await expectTracking(follower, '-180', { latency_bps: '-120', slippage_bps: '-60' });
  });

  it('counts a move before the order as slippage if the market price was unknown', async () => {
    const follower = await env.follower();
    await leadEntry('10');
    await env.leaderSells('10', '110');
    await env.executeAll({ price: '109' });
    await expectTracking(follower, '-100', { slippage_bps: '-100' });
  });

  it('counts amount steps and minimums as rounding', async () => {
    await env.setPair('min_notional = 0.01');
    const follower = await env.follower();
    await leadEntry('0.0051');
    await leadEntry('0.0069');
    await env.setPair('min_notional = 10000');
    await leadEntry('10');
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'BELOW_MINIMUM' });
    await env.setPair('min_notional = 0.01');
    await leadExit('10.012', '110');
    // Of 0.00255, 0.00345 and 5, the copier bought 0.002, 0.003 and nothing: it missed 5.001 of 5.006.
    await expectTracking(follower, '-999', { rounding_bps: '-999' });
  });

  it('counts what a limit, or an order that is not filled in full, left out as skipped', async () => {
    const follower = await env.follower({ limits: { max_trade_quote: '301.5' } });
    await env.leaderBuys('10');
    await env.runUntilIdle();
    await env.execute(await env.lastOrder(follower), { amount: '2', price: '100' });
    await leadExit('10', '110');
    expect(await env.decisions(follower)).toMatchObject([
      { outcome: 'CLAMPED', target: '5', sent: '3', filled: '2' },
      { outcome: 'COPIED' },
    ]);
    await expectTracking(follower, '-600', { skips_bps: '-600' });
  });

  it('counts the fees that the copier paid beyond the rate of the leader', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    await env.execute(await env.lastOrder(follower), { baseFee: '0.05', price: '100' });
    await leadExit('10', '110');
    // 4.95 of 5 could be sold: 0.05 × 110 on a cost of 500.
    await expectTracking(follower, '-110', { fees_bps: '-110' });
  });

  it('omits lots that were open before the start, and entries while the copier copies only exits', async () => {
    await env.leaderBuys('10');
    const follower = await env.follower();
    await leadExit('10', '110');
    await expectTracking(follower, null);
    await env.copiers.stop(follower.actor, follower.copier.id, { mode: 'CLOSE_ONLY' });
    await leadEntry('10');
    await leadExit('10', '110');
    await expectTracking(follower, null);
  });

  it('compares a lot that was copied at the start with its price of that time', async () => {
    await env.leaderBuys('10', '90');
    const follower = await env.follower({ copy_existing: true });
    await env.executeAll({ price: '100' });
    await leadExit('10', '110');
    await expectTracking(follower, '0');
  });

  it('omits exits from before a later start copied the lot', async () => {
    await env.leaderBuys('10');
    const follower = await env.follower();
    await leadExit('2', '130');
    await leadExit('2', '130');
    await env.copiers.stop(follower.actor, follower.copier.id);
    await env.copiers.start(follower.actor, follower.copier.id, { copy_existing: true });
    await env.executeAll({ price: '100' });
    await leadExit('6', '110');
    await expectTracking(follower, '0');
  });

  it('omits exits while the copier is paused, also of lots that it skipped', async () => {
    const follower = await env.follower();
    await leadEntry('10');
    env.bookMid = '150';
    await env.leaderBuys('10');
    await env.runUntilIdle();
    await env.copiers.stop(follower.actor, follower.copier.id);
    await leadExit('14', '110');
    await expectTracking(follower, null);
    await env.copiers.start(follower.actor, follower.copier.id);
    await leadExit('6', '90');
    // Of the skipped lot, the perfect copy of 5 was sold at 90: the copier was spared a loss of 50 on a cost of 500.
    await expectTracking(follower, '1000', { skips_bps: '1000' });
  });
});

/** Follows the strategy with an account of its owner. */
const ownFollower = async (): Promise<Follower> =>
  env.follower({}, { on: { actor: env.leader, account: await env.core.account(env.leader) } });

/** Lets the leader buy while the book is far from its price, so that all copiers skip the lot. */
async function skippedEntry(amount: string, fee?: string): Promise<void> {
  env.bookMid = '150';
  await env.fill(await env.leaderOrder('BUY', amount), { price: '100', baseFee: fee });
  await env.runUntilIdle();
  env.bookMid = undefined;
}

describe('the tracking difference of a copier of another user’s strategy', () => {
  it('is computed with fractions of two digits, and that of an own strategy with exact ones', async () => {
    const [other, own] = [await env.follower(), await ownFollower()];
    await skippedEntry('10');
    await leadExit('3.39', '110');
    await leadExit('6.61', '1100');
    // 0.33 × 110 + 0.67 × 1100 = 773.3, and with exact fractions 764.39.
    await expectTracking(other, '-67330', { skips_bps: '-67330' });
    await expectTracking(own, '-66439', { skips_bps: '-66439' });
  });

  it('is weighted with amounts of two digits', async () => {
    const [other, own] = [await env.follower(), await ownFollower()];
    await skippedEntry('2.149');
    await leadExit('2.149', '200');
    await skippedEntry('2');
    await leadExit('2', '100');
    // A gain of 100 for each of 1.05 and of 1.0745 of the first lot, and none for 1 of the second.
    await expectTracking(other, '-5122', { skips_bps: '-5122' });
    await expectTracking(own, '-5180', { skips_bps: '-5180' });
  });

  it('is computed with a fee rate of two digits', async () => {
    const [other, own] = [await env.follower(), await ownFollower()];
    await skippedEntry('10', '1.234');
    await leadExit('8.766', '100');
    // A perfect copy pays a fee of 0.0617 twice.
    await expectTracking(other, '1240', { skips_bps: '1240' });
    await expectTracking(own, '1234', { skips_bps: '1234' });
  });

  it('is 0 if its own orders agree with these digits', async () => {
    const follower = await env.follower();
    await leadEntry('10.44');
    await leadExit('3.39', '110');
    await leadExit('1.01', '500');
    await leadExit('6.04', '1100');
    await expectTracking(follower, '0');
  });

  it('includes an exit that was sold together with a later one', async () => {
    const follower = await env.follower();
    await leadEntry('10');
    await env.setPair('min_notional = 10000');
    await leadExit('5', '110');
    await env.setPair('min_notional = 0.01');
    await leadExit('5', '90');
    // All 5 were sold at 90. The perfect average is 100, and the exact one at most 0.01 × 20 less.
    await expectTracking(follower, '-980', { rounding_bps: '-980' });
  });

  it('sells fractions of what a perfect copy holds, also if the leader buys more in between', async () => {
    const follower = await env.follower();
    env.bookMid = '150';
    const lot = await env.leaderOrder('BUY', '10');
    await env.fill(lot, { amount: '4', price: '100' });
    await leadExit('2', '110');
    await env.fill(lot, { amount: '6', price: '100' });
    await leadExit('8', '120');
    await env.runUntilIdle();
    // 1 of 5 gained 10 for each unit, and 4 gained 20.
    await expectTracking(follower, '-1800', { skips_bps: '-1800' });
  });

  it('compares a lot that was closed before the leader bought more of it', async () => {
    const follower = await env.follower();
    env.bookMid = '150';
    const lot = await env.leaderOrder('BUY', '10');
    await env.fill(lot, { amount: '4', price: '100' });
    await leadExit('4', '110');
    await env.fill(lot, { amount: '6', price: '100' });
    await leadExit('3', '120');
    await env.runUntilIdle();
    // 2 of 5 gained 10 for each unit, and 1.5 gained 20; 3.5 of 5 are closed.
    await expectTracking(follower, '-1429', { skips_bps: '-1429' });
  });
});
