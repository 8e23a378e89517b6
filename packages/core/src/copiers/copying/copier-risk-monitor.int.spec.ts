/** Tests the limits of copiers. The rules are numbered in docs/trading/rules.md. */
import { inTransaction } from '@trading-automation/persistence';
import { pauseAllCopiers } from '../stop-copiers.js';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const LOSS = { limits: { max_daily_loss_quote: '50' } };
const stopsOf = async (follower: Follower) =>
  (await env.eventTypes(follower)).filter((type) => type === 'copier.stopped');

/** Returns the reasons of the copier's stops. */
const reasonsOf = async ({ actor }: Follower) =>
  (await env.core.events(actor.userId))
    .filter(({ type }) => type === 'copier.stopped')
    .map(({ data }) => data.status_reason);

/** Checks all copiers, also those of earlier tests, at a price. */
async function checkAt(price: string): Promise<void> {
  await env.setPair(`last_price = ${price}`);
  await env.riskMonitor.check();
}

/** Creates a copier with a lot of 5, bought at 100.5, whose result fell at 97 by more than 10 % since 120, and stops it. */
async function followerAfterDrawdown(limits: Readonly<Record<string, unknown>> = {}): Promise<Follower> {
  const follower = await env.followerWithLot({ limits: { max_drawdown_percent: '10', ...limits } });
  await env.core.rows(
    `UPDATE exchange_accounts SET balances = '{"USDT": {"free": "1000", "locked": "0"}}' WHERE id = $1`,
    follower.account.uuid,
  );
  for (const price of ['120', '97']) {
    expect(await reasonsOf(follower)).toEqual([]);
    await checkAt(price);
  }
  expect(await reasonsOf(follower)).toHaveLength(1);
  return follower;
}

async function startAt({ actor, copier }: Follower, price: string): Promise<void> {
  await env.setPair(`last_price = ${price}`);
  await env.copiers.start(actor, copier.id);
}

/** Checks the copier's limits at a price; then it must copy an entry. */
async function expectCopied(follower: Follower, price: string): Promise<void> {
  await checkAt(price);
  await env.leaderBuys('1', price);
  await env.runUntilIdle();
  expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'COPIED', code: null });
}

describe('a loss limit', () => {
  it('rule 16: stops a copier once, when the open and realised loss of the day reaches it; a CLOSE_ONLY copier still follows exits', async () => {
    const follower = await env.followerWithLot(LOSS);
    expect(await env.riskMonitor.check()).toBe(0);
    await env.leaderSells('4', '96');
    await env.executeAll({ price: '96' });
    // 5 bought at 100.5; 2 sold at 96 and 3 left at 86: realised -9, open -43.5.
    await env.setPair('last_price = 86');
    expect(await env.riskMonitor.check()).toBe(1);
    expect(await env.riskMonitor.check()).toBe(0);
    expect(await env.copierOf(follower)).toMatchObject({ status: 'CLOSE_ONLY', status_reason: 'DAILY_LOSS' });
    expect(await stopsOf(follower)).toHaveLength(1);
    await env.leaderSells('6', '86');
    await env.executeAll({ price: '86' });
    expect(await env.held(follower)).toBe('0');
  });

  it('rule 16: pauses a copier whose on_breach is PAUSE; the event lists the open lots of the copier', async () => {
    const follower = await env.followerWithLot({ ...LOSS, on_breach: 'PAUSE' });
    await env.setPair('last_price = 80');
    expect(await env.riskMonitor.check()).toBe(1);
    expect((await env.core.events(follower.actor.userId)).at(-1)).toMatchObject({
      type: 'copier.stopped',
      data: { status: 'PAUSED', status_reason: 'DAILY_LOSS', open_lots: [{ symbol: 'BTC/USDT', amount: 5 }] },
    });
  });

  it('rule 16: stops a copier until its user starts it again on the next day', async () => {
    const follower = await env.followerWithLot(LOSS);
    await env.setPair('last_price = 80');
    await env.riskMonitor.check();
    const { actor, copier } = follower;
    await expect(env.copiers.start(actor, copier.id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'DAILY_LOSS' }],
    });
    await env.core.rows(
      "UPDATE copier_marks SET day = day - 1, updated_at = now() - interval '1 day' WHERE copier_id = $1",
      follower.uuid,
    );
    await env.core.rows(
      "UPDATE lots SET opened_at = opened_at - interval '2 days' WHERE copier_id = $1",
      follower.uuid,
    );
    expect(await env.riskMonitor.check()).toBe(0);
    expect(await env.copierOf(follower)).toMatchObject({ status: 'CLOSE_ONLY' });
    await expect(env.copiers.start(actor, copier.id)).resolves.toMatchObject({ status: 'ACTIVE' });
    expect(await env.riskMonitor.check()).toBe(0);
  });

  it('rule 16: does not count a withdrawal as a loss', async () => {
    const follower = await env.followerWithLot(LOSS);
    await env.core.rows("UPDATE exchange_accounts SET balances = '{}' WHERE id = $1", follower.account.uuid);
    expect(await env.riskMonitor.check()).toBe(0);
  });

  it('applies to an entry of a copier that is still ACTIVE: the entry is skipped with the code DAILY_LOSS', async () => {
    const follower = await env.followerWithLot(LOSS);
    await env.setPair('last_price = 80');
    await env.riskMonitor.check();
    await env.core.rows("UPDATE copiers SET status = 'ACTIVE' WHERE id = $1", follower.uuid);
    await env.leaderBuys('10', '80');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'DAILY_LOSS' });
  });

  it('of one pair prevents entries of that pair, and does not stop the copier', async () => {
    const follower = await env.followerWithLot({ overrides: { 'BTC/USDT': LOSS } });
    await env.setPair('last_price = 80');
    await env.riskMonitor.check();
    await env.leaderBuys('10', '80');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'DAILY_LOSS' });
    expect(await env.copierOf(follower)).toMatchObject({ status: 'ACTIVE' });
  });

  it('stops a copier with the reason DRAWDOWN after a fall from the peak result; a restart sets the peak to the current result', async () => {
    const sizing = { mode: 'MULTIPLIER', value: '0.5' };
    const follower = await env.followerWithLot({ sizing, limits: { max_drawdown_percent: '10' } });
    await env.core.rows(
      `UPDATE exchange_accounts SET balances = '{"USDT": {"free": "1000", "locked": "0"}}' WHERE id = $1`,
      follower.account.uuid,
    );
    await env.setPair('last_price = 120');
    expect(await env.riskMonitor.check()).toBe(0);
    await env.setPair('last_price = 102');
    expect(await env.riskMonitor.check()).toBe(0);
    await env.setPair('last_price = 97');
    expect(await env.riskMonitor.check()).toBe(1);
    expect(await env.copierOf(follower)).toMatchObject({ status: 'CLOSE_ONLY', status_reason: 'DRAWDOWN' });
    await env.copiers.start(follower.actor, follower.copier.id);
    expect(await env.riskMonitor.check()).toBe(0);
  });

  it.each([
    ['its user', (follower: Follower) => env.copiers.stop(follower.actor, follower.copier.id)],
    [
      'the emergency stop',
      ({ actor }: Follower) =>
        inTransaction(env.core.platform.database, (tx) => pauseAllCopiers(tx, actor.userId)),
    ],
  ])(
    'rule 16: after a drawdown, one start is enough, also if %s stopped the copier since',
    async (_by, stop) => {
      const follower = await followerAfterDrawdown();
      await stop(follower);
      // The result rises above the limit, and falls to it again after the start.
      await startAt(follower, '99');
      await expectCopied(follower, '97');
      expect(await reasonsOf(follower)).toEqual(['DRAWDOWN', 'USER']);
    },
  );

  it('rule 16: one start is enough after a drawdown during a pause, or beside a daily loss', async () => {
    const paused = await followerAfterDrawdown();
    await env.copiers.stop(paused.actor, paused.copier.id);
    await startAt(paused, '70');
    await expectCopied(paused, '70');
    expect(await reasonsOf(paused)).toEqual(['DRAWDOWN', 'USER']);
    await env.reset();
    const both = await followerAfterDrawdown({ max_daily_loss_quote: '10' });
    await env.copiers.update(both.actor, both.copier.id, { limits: { max_daily_loss_quote: null } });
    await startAt(both, '97');
    await expectCopied(both, '97');
    expect(await reasonsOf(both)).toEqual(['DAILY_LOSS']);
  });

  it.each([
    ['the equity, which is less than the capital', '1000000', '102', '97'],
    ['the capital, which is less than the equity', '500', '111', '110'],
  ])(
    'relates a drawdown to %s; an entry is skipped for the same reason',
    async (_title, capital, above, below) => {
      const sizing = { mode: 'MULTIPLIER', value: '0.5' };
      const follower = await env.followerWithLot({ sizing, limits: { max_drawdown_percent: '10' } });
      const { account, uuid } = follower;
      await env.core.rows(
        `UPDATE exchange_accounts SET balances = '{"USDT": {"free": "1000", "locked": "0"}}' WHERE id = $1`,
        account.uuid,
      );
      await env.core.rows(
        "UPDATE copiers SET sizing_mode = 'EQUITY_RATIO', sizing_capital = $2 WHERE id = $1",
        uuid,
        capital,
      );
      const statusAt = async (price: string) => {
        await env.setPair(`last_price = ${price}`);
        await env.riskMonitor.check();
        const { status, status_reason } = await env.copierOf(follower);
        return [status, status_reason];
      };
      // The peak result is 97.5: 5 bought at 100.5, and worth 120 each.
      expect(await statusAt('120')).toEqual(['ACTIVE', undefined]);
      expect(await statusAt(above)).toEqual(['ACTIVE', undefined]);
      expect(await statusAt(below)).toEqual(['CLOSE_ONLY', 'DRAWDOWN']);
      await env.core.rows("UPDATE copiers SET status = 'ACTIVE' WHERE id = $1", uuid);
      await env.leaderBuys('10', below);
      await env.runUntilIdle();
      expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'DRAWDOWN' });
      expect(await statusAt(below)).toEqual(['CLOSE_ONLY', 'DRAWDOWN']);
    },
  );
});

describe('rejected credentials', () => {
  it('switch the copier to CLOSE_ONLY; its exits wait until the credentials are accepted again', async () => {
    const follower = await env.followerWithLot();
    await env.core.rows(
      'UPDATE exchange_accounts SET is_active = false WHERE id = $1',
      follower.account.uuid,
    );
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'CREDENTIALS' });
    expect(await env.riskMonitor.check()).toBe(1);
    expect(await env.riskMonitor.check()).toBe(0);
    expect(await env.copierOf(follower)).toMatchObject({
      status: 'CLOSE_ONLY',
      status_reason: 'CREDENTIALS',
    });
    await env.leaderSells('10');
    await env.runDecisionsNow();
    expect(await env.orders(follower)).toHaveLength(1);
    await env.core.rows('UPDATE exchange_accounts SET is_active = true WHERE id = $1', follower.account.uuid);
    await env.runDecisionsNow();
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
  });
});

it('rule 28: the high-water mark is the highest net realised result, and never falls', async () => {
  const follower = await env.followerWithLot();
  await env.leaderSells('5', '120');
  await env.executeAll({ price: '120' });
  // 2.5 bought at 100.5 and sold at 120.
  expect((await env.copierOf(follower)).high_water_mark).toBe('48.75');
  await env.leaderSells('5', '90');
  await env.executeAll({ price: '90' });
  expect((await env.copierOf(follower)).high_water_mark).toBe('48.75');
});
