/**
 * Tests what a start with `copy_existing` copies, and which decisions it leaves.
 * A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md.
 */
import { copierOperations, encodeId } from '@trading-automation/contracts';
import { querySchemaOf } from '../../operations/index.js';
import { equitiesOf } from '../../trade-pairs/index.js';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const stop = ({ actor, copier }: Follower) => env.copiers.stop(actor, copier.id);
const start = ({ actor, copier }: Follower) => env.copiers.start(actor, copier.id, { copy_existing: true });

/** Stops and starts the copier, and fills what the start orders. */
async function restart(follower: Follower): Promise<void> {
  await stop(follower);
  await start(follower);
  await env.executeAll();
}

/** Inserts and fills a sale of the copier's user outside the copier. */
async function sellByHand(follower: Follower, amount: string): Promise<void> {
  const sale = await env.insertTrade({
    user_id: follower.actor.userId,
    exchange_account_id: follower.account.uuid,
    side: 'SELL',
    amount,
  });
  await env.fill(sale, { price: '100' });
}

/** Returns, for each order of the copier, the number of decisions that name it. */
async function decisionsPerOrder(follower: Follower): Promise<number[]> {
  const decisions = await env.decisions(follower);
  const orders = await env.orders(follower);
  return orders.map(({ id }) => decisions.filter(({ trade_id }) => trade_id === id).length);
}

describe('an order of a start has exactly one decision', () => {
  it.each(['SKIPPED', 'FAILED'])(
    'rule 10: even if the decision on the lot’s last signal was %s',
    async (outcome) => {
      const follower = await env.follower({ limits: { blocked_pairs: ['BTC/USDT'] } });
      await env.leaderBuys('10');
      await env.runUntilIdle();
      await env.core.rows('UPDATE decisions SET outcome = $2 WHERE copier_id = $1', follower.uuid, outcome);
      await env.core.rows('UPDATE copiers SET blocked_pairs = NULL WHERE id = $1', follower.uuid);
      await restart(follower);
      expect(await decisionsPerOrder(follower)).toEqual([1]);
      expect(await env.decisions(follower)).toMatchObject([
        { kind: 'OPEN', outcome: 'COPIED', code: null, filled: '5', settled: true },
      ]);
    },
  );

  it('rule 10: even if the signals of the lot are planned only after the start', async () => {
    const follower = await env.follower();
    await stop(follower);
    await env.leaderBuys('10');
    await env.leaderSells('4');
    await start(follower);
    await env.executeAll();
    expect(await decisionsPerOrder(follower)).toEqual([1]);
    expect(await env.held(follower)).toBe('3');
  });
});

describe('a start copies no lot twice', () => {
  it('rule 10: if the copier holds a copy of it', async () => {
    const follower = await env.followerWithLot();
    await restart(follower);
    await restart(follower);
    expect(await env.held(follower)).toBe('5');
    expect(await decisionsPerOrder(follower)).toEqual([1]);
  });

  it('rule 10: if an earlier start copied it', async () => {
    await env.leaderBuys('10');
    const follower = await env.follower({ copy_existing: true });
    await env.executeAll();
    await restart(follower);
    await env.leaderSells('5');
    await env.executeAll();
    await restart(follower);
    expect((await env.orders(follower)).map(({ side, amount }) => [side, amount])).toEqual([
      ['BUY', '5'],
      ['SELL', '2.5'],
    ]);
    expect(await decisionsPerOrder(follower)).toEqual([1, 1]);
  });

  it('rule 10: if its order was not filled', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    await env.execute(await env.lastOrder(follower), { amount: '0' });
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'SLIPPAGE' });
    await restart(follower);
    expect(await decisionsPerOrder(follower)).toEqual([1]);
  });

  it('rule 13: if the user sold all or a part of the copy', async () => {
    for (const amount of ['5', '2']) {
      const follower = await env.followerWithLot();
      await sellByHand(follower, amount);
      const held = await env.held(follower);
      await restart(follower);
      await restart(follower);
      expect(await env.held(follower)).toBe(held);
      expect(await decisionsPerOrder(follower)).toEqual([1]);
      await env.reset();
    }
  });
});

describe('a start copies a lot of which the copier never ordered anything', () => {
  it('rule 10: in the size of the current settings, even if its entries were below the minimum', async () => {
    const follower = await env.follower({ sizing: { mode: 'MULTIPLIER', value: '0.0001' } });
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'BELOW_MINIMUM' });
    await stop(follower);
    await env.leaderSells('4');
    await env.runUntilIdle();
    await env.core.rows('UPDATE copiers SET sizing_value = 0.5 WHERE id = $1', follower.uuid);
    await start(follower);
    await env.executeAll();
    expect(await env.held(follower)).toBe('3');
    expect(await decisionsPerOrder(follower)).toEqual([1]);
    await env.leaderSells('6');
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
  });

  it('rule 10: at the price of the lot’s last signal if the exchange reported no price', async () => {
    await env.leaderBuys('10', '90');
    await env.leaderSells('2', '95');
    await env.setPair('last_price = NULL');
    env.bookMid = '95';
    const follower = await env.follower({ copy_existing: true, limits: { max_slippage_bps: 100 } });
    expect(await env.orders(follower)).toMatchObject([{ side: 'BUY', amount: '4', price: '95.95' }]);
  });
});

/** Returns the equity of the leader's account, in USDT. */
async function leaderEquity(): Promise<string> {
  const accounts = await equitiesOf(env.core.platform.database.manager, [env.source.uuid], 'USDT');
  return accounts.get(env.source.uuid)!.amount;
}

describe('the size of a lot that the leader partly closed', () => {
  it.each([
    ['MULTIPLIER', '0.5', '3'],
    ['FIXED_AMOUNT', '2', '2'],
    ['FIXED_QUOTE', '330', '3'],
    ['EQUITY_RATIO', '1', '6'],
  ])('rule 10: with %s %s is %s for the 6 of 10 that the leader still holds', async (mode, value, held) => {
    await env.leaderBuys('10', '90');
    await env.leaderSells('4', '100');
    await env.setPair('last_price = 110');
    const capital = mode === 'EQUITY_RATIO' ? { capital: await leaderEquity() } : {};
    const follower = await env.follower({ copy_existing: true, sizing: { mode, value, ...capital } });
    await env.executeAll({ price: '110' });
    expect(await env.held(follower)).toBe(held);
    // The leader sells a half of what it still holds.
    await env.leaderSells('3', '110');
    await env.executeAll();
    expect(Number(await env.held(follower))).toBe(Number(held) / 2);
  });
});

describe('the decision on a lot whose last signal is an exit', () => {
  /** Reads the copier's decisions as its user sees them. */
  async function shownDecisions({ actor, copier }: Follower) {
    const query = querySchemaOf(copierOperations.decisions).parse({ sort: 'sequence', order: 'asc' });
    const page = await env.copiers.decisions(
      actor,
      copier.id,
      query as Parameters<typeof env.copiers.decisions>[2],
    );
    return page.items;
  }

  it('rule 10: is an entry under the signal of the exit, and says that a start made it', async () => {
    await env.leaderBuys('10');
    const sale = await env.leaderSells('4');
    const follower = await env.follower({ copy_existing: true });
    await env.executeAll();
    const { id, kind } = await env.core.row(
      'SELECT id, kind FROM signals WHERE strategy_id = $1 ORDER BY sequence DESC LIMIT 1',
      env.strategy.uuid,
    );
    expect(kind).toBe('REDUCE');
    expect(await shownDecisions(follower)).toMatchObject([
      {
        kind: 'OPEN',
        outcome: 'COPIED',
        signal_id: encodeId('sig', String(id)),
        source_trade_id: encodeId('trd', sale),
        target_amount: '3',
        filled_amount: '3',
        inputs: { copy_existing: true, reference_price: '100', ratio: '0.5' },
      },
    ]);
    expect(await env.orders(follower)).toMatchObject([{ side: 'BUY', intent: 'OPEN' }]);
  });

  it('rule 10: is an entry in the event of a skipped lot, too', async () => {
    await env.leaderBuys('10');
    await env.leaderSells('4');
    env.bookMid = '90';
    const follower = await env.follower({ copy_existing: true });
    const [decision] = await shownDecisions(follower);
    expect(decision).toMatchObject({ kind: 'OPEN', outcome: 'SKIPPED', code: 'OFF_MARKET' });
    expect(decision!.inputs).toMatchObject({ copy_existing: true });
    const skipped = (await env.core.events(follower.actor.userId)).filter(
      ({ type }) => type === 'copier.trade_skipped',
    );
    expect(skipped).toMatchObject([{ data: { id: decision!.id, kind: 'OPEN', code: 'OFF_MARKET' } }]);
  });
});
