/** A number after `rule` in a title refers to the first table of docs/trading/rules.md. */
import { newUuid } from '@trading-automation/persistence';
import { CopyingUnderTest, type Follower, type Order } from '../testing/copying-under-test.js';
import { CopyPlanner } from './copy-planner.service.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open('perpetual');
  await env.setPair('taker_fee = 0.002');
});
afterAll(() => env.close());
beforeEach(() => env.reset());

/** Stores what the worker reads of an account: its leverage and, if given, its margin. */
async function setLeverage({ actor, account }: Follower, leverage: string): Promise<void> {
  await env.core.rows(
    `INSERT INTO positions (id, user_id, exchange_account_id, trade_pair_id, symbol, leverage, margin_mode)
     VALUES ($1, $2, $3, $4, 'BTC/USDT:USDT', $5, 'CROSS')`,
    newUuid(),
    actor.userId,
    account.uuid,
    env.pair.uuid,
    leverage,
  );
}
/** Stores that the account has a long position. */
const setPosition = ({ account }: Follower, amount: string) =>
  env.core.rows(
    "UPDATE positions SET side = 'LONG', amount = $2, reported_at = clock_timestamp() WHERE exchange_account_id = $1",
    account.uuid,
    amount,
  );
/** Returns a follower with a balance of 700 that copied a long lot of 5 at 100 without leverage. */
async function followerWithLong(): Promise<Follower> {
  const actor = await env.core.actor();
  const on = { actor, account: await env.account(actor, { USDT: '700' }) };
  const follower = await env.follower({}, { on });
  await setLeverage(follower, '1');
  await env.leaderBuys('10');
  await env.executeAll();
  await setPosition(follower, '5');
  return follower;
}
const setMargin = ({ account }: Follower, equity: string, maintenance: string) =>
  env.core.rows(
    `INSERT INTO account_margins (exchange_account_id, currency, equity, available, maintenance_margin, read_at)
     VALUES ($1, 'USDT', $2, $2, $3, clock_timestamp())`,
    account.uuid,
    equity,
    maintenance,
  );
const reservedOf = async ({ id }: Order) => {
  const { amount } = await env.core.row(
    "SELECT trim_scale(reserved_amount)::text || ' ' || reserved_asset AS amount FROM trades WHERE id = $1",
    id,
  );
  return amount;
};
const lotsOf = ({ uuid }: Follower) =>
  env.core.rows(
    `SELECT side, trim_scale(open_amount)::text AS open, trim_scale(pnl)::text AS pnl FROM lots WHERE copier_id = $1
     ORDER BY opened_at, id`,
    uuid,
  );

describe('copies on perpetuals', () => {
  it('rule 6: with max_leverage, have old balances read anew', async () => {
    const limits = { max_leverage: '3' };
    const followerWith = async (terms: Readonly<Record<string, unknown>>) => {
      const actor = await env.core.actor();
      return env.follower(terms, { on: { actor, account: await env.account(actor, { USDT: '100000' }) } });
    };
    const limited = await followerWith({ limits });
    const overridden = await followerWith({ overrides: { 'BTC/USDT:USDT': { limits } } });
    const free = await followerWith({});
    const ids = [limited, overridden, free].map(({ account }) => account.uuid);
    await env.core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = now() - interval '2 minutes' WHERE id = ANY ($1)",
      ids,
    );
    const refreshed: string[] = [];
    const planner = new CopyPlanner(env.core.platform, env.readBookMid, {
      refreshBalances: async (accounts) => {
        refreshed.push(...accounts);
        await env.core.rows(
          'UPDATE exchange_accounts SET balances_taken_at = clock_timestamp() WHERE id = ANY ($1)',
          accounts,
        );
        return [];
      },
    });
    await env.leaderBuys('10');
    await planner.planStrategy(env.strategy.uuid);
    expect(refreshed.toSorted()).toEqual([limited, overridden].map(({ account }) => account.uuid).toSorted());
    for (const follower of [limited, overridden, free])
      expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'COPIED', code: null });
  });

  it('follow both sides', async () => {
    const follower = await env.follower();
    await setLeverage(follower, '5');
    await env.leaderSells('10');
    await env.runUntilIdle();
    const entry = await env.lastOrder(follower);
    expect(entry).toMatchObject({
      side: 'SELL',
      intent: 'OPEN',
      price: '99.5',
      amount: '5',
      reduce_only: false,
    });
    expect(await reservedOf(entry)).toBe('101 USDT');
    await env.execute(entry, { price: '100' });
    await env.leaderBuys('4', '90');
    await env.runUntilIdle();
    const exit = await env.lastOrder(follower);
    expect(exit).toMatchObject({
      side: 'BUY',
      type: 'MARKET',
      intent: 'REDUCE',
      amount: '2',
      reduce_only: true,
    });
    expect(await reservedOf(exit)).toBe('0 USDT');
    await env.execute(exit, { price: '90' });
    expect(await lotsOf(follower)).toEqual([{ side: 'SELL', open: '3', pnl: '20' }]);
  });

  it('rule 5: a fill with which the leader flips its position is copied as an exit and an entry', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.executeAll();
    await env.leaderSells('16', '110');
    await env.executeAll({ price: '110' });
    expect(
      (await env.orders(follower)).map(({ side, intent, amount, reduce_only }) => [
        side,
        intent,
        amount,
        reduce_only,
      ]),
    ).toEqual([
      ['BUY', 'OPEN', '5', false],
      ['SELL', 'CLOSE', '5', true],
      ['SELL', 'OPEN', '3', false],
    ]);
    expect(await lotsOf(follower)).toMatchObject([
      { side: 'BUY', open: '0' },
      { side: 'SELL', open: '3' },
    ]);
  });

  it('rule 5: a reversal that is filled in parts opens a lot with what its order did not close', async () => {
    const follower = await env.follower({ sizing: { mode: 'FIXED_AMOUNT', value: '4' } });
    await env.leaderBuys('10');
    await env.executeAll();
    const reversal = await env.leaderOrder('SELL', '18');
    await env.fill(reversal, { amount: '6', price: '100' });
    await env.executeAll();
    // Of the second part, 4 close the lot. The order opens 8 in all, of which the copier takes 4.
    await env.fill(reversal, { amount: '8', price: '100' });
    await env.executeAll();
    await env.fill(reversal, { amount: '4', price: '100' });
    await env.executeAll();
    expect((await env.decisions(follower)).map(({ kind, code, filled }) => [kind, code, filled])).toEqual([
      ['OPEN', null, '4'],
      ['REDUCE', null, '2.4'],
      ['CLOSE', null, '1.6'],
      ['OPEN', null, '2'],
      ['INCREASE', null, '2'],
    ]);
    expect(await lotsOf(follower)).toMatchObject([
      { side: 'BUY', open: '0' },
      { side: 'SELL', open: '2' },
      { side: 'SELL', open: '2' },
    ]);
  });

  it('rule 5: a flip without an own lot is copied as an entry alone', async () => {
    await env.leaderBuys('10');
    const follower = await env.follower();
    await env.leaderSells('16');
    await env.executeAll();
    expect((await env.orders(follower)).map(({ side, intent, amount }) => [side, intent, amount])).toEqual([
      ['SELL', 'OPEN', '3'],
    ]);
    expect((await env.decisions(follower)).map(({ kind, code }) => [kind, code])).toEqual([
      ['CLOSE', 'NOT_HELD'],
      ['OPEN', null],
    ]);
  });

  it.each([
    ['MAX_TRADES', { max_open_trades: 1 }],
    ['MAX_OPEN', { max_open_quote: '502.5' }],
    ['MAX_LEVERAGE', { max_leverage: '0.005' }],
  ])('rule 5: the lot that a flip is closing does not count for %s', async (code, limits) => {
    const actor = await env.core.actor();
    const on = { actor, account: await env.account(actor, { USDT: '100000' }) };
    const follower = await env.follower({ limits }, { on });
    await env.leaderBuys('10');
    await env.executeAll();
    await env.leaderSells('20');
    // The exit of the flip is planned, and not filled.
    await env.runUntilIdle();
    expect(
      (await env.orders(follower)).map(({ intent, amount, status }) => [intent, amount, status]),
    ).toEqual([
      ['OPEN', '5', 'FILLED'],
      ['CLOSE', '5', 'PENDING'],
      ['OPEN', '5', 'PENDING'],
    ]);
    expect(await env.lastDecision(follower)).toMatchObject({ kind: 'OPEN', outcome: 'COPIED', code: null });
    // Another lot is not being closed, and counts.
    await env.executeAll();
    await env.leaderSells('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ kind: 'OPEN', code });
  });

  it('rule 5: the lot that a flip is closing frees its margin for the entry', async () => {
    const follower = await followerWithLong();
    // The exit frees 500 and is not filled; the entry needs 501.
    await env.leaderSells('20');
    await env.runUntilIdle();
    expect((await env.decisions(follower)).map(({ kind, code }) => [kind, code])).toEqual([
      ['OPEN', null],
      ['CLOSE', null],
      ['OPEN', null],
    ]);
    // Another lot is not being closed, and keeps its margin.
    await env.executeAll();
    await env.leaderSells('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ kind: 'OPEN', code: 'INSUFFICIENT_BALANCE' });
  });

  it('rule 5: a closed lot frees its margin also before the exchange reports the position without it', async () => {
    const follower = await followerWithLong();
    const reversal = await env.leaderOrder('SELL', '20');
    await env.fill(reversal, { amount: '10', price: '100' });
    await env.executeAll();
    await env.fill(reversal, { amount: '10', price: '100' });
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ kind: 'OPEN', code: null });
    // The report shows that the margin is in use again.
    await env.executeAll();
    await setPosition(follower, '5');
    await env.leaderSells('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ kind: 'OPEN', code: 'INSUFFICIENT_BALANCE' });
  });

  it('rule 5: a lot whose exit the exchange does not accept counts for the entry of the flip', async () => {
    const follower = await env.follower({ limits: { max_open_trades: 1 } });
    await env.leaderBuys('10');
    await env.executeAll();
    // The exit is below the minimum and waits.
    await env.setPair('min_amount = 6');
    await env.leaderSells('20');
    await env.runUntilIdle();
    const decisions = await env.decisions(follower);
    expect(decisions.map(({ kind, code }) => [kind, code])).toEqual([
      ['OPEN', null],
      ['CLOSE', 'BELOW_MINIMUM'],
      ['OPEN', 'MAX_TRADES'],
    ]);
  });

  it('rule 18: exits stay reduce-only beside a reduce-only order of the user, which fills only as far as a position is left', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.executeAll();
    const own = { user_id: follower.actor.userId, exchange_account_id: follower.account.uuid };
    await env.insertTrade({
      ...own,
      side: 'SELL',
      amount: '5',
      price: '120',
      type: 'LIMIT',
      reduce_only: true,
    });
    await env.leaderSells('10');
    await env.runUntilIdle();
    expect(await env.lastOrder(follower)).toMatchObject({ side: 'SELL', amount: '5', reduce_only: true });
  });

  it('rule 29: follow a leader order that is still open after max_leverage was removed', async () => {
    const actor = await env.core.actor();
    const on = { actor, account: await env.account(actor, { USDT: '100000' }) };
    const follower = await env.follower({ limits: { max_leverage: '3' } }, { on });
    const leaderTrade = await env.leaderOrder('BUY', '10');
    await env.fill(leaderTrade, { amount: '4' });
    await env.executeAll();
    await env.core.rows('UPDATE copiers SET max_leverage = NULL WHERE id = $1', follower.uuid);
    await env.fill(leaderTrade);
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ kind: 'INCREASE', outcome: 'COPIED' });
  });

  it('rule 17: two copiers whose accounts share a wallet reserve of one balance', async () => {
    const actor = await env.core.actor();
    const accounts = [await env.account(actor, { USDT: '60' }), await env.account(actor, { USDT: '60' })];
    const [first] = accounts;
    await env.core.rows(
      'UPDATE exchange_accounts SET wallet_id = $1 WHERE id = ANY ($2)',
      first!.uuid,
      accounts.map(({ uuid }) => uuid),
    );
    const followers = [];
    for (const account of accounts) {
      const follower = await env.follower({}, { on: { actor, account } });
      await setLeverage(follower, '10');
      followers.push(follower);
    }
    // Half of 10 at about 100, at a leverage of 10: more than half of the balance.
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const codes = await Promise.all(followers.map(async (each) => (await env.lastDecision(each)).code));
    expect(codes.toSorted()).toEqual(['INSUFFICIENT_BALANCE', null]);
  });

  it('rule 18: exits are not reduce-only if another lot of the account outweighs theirs', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.executeAll();
    // The net position is 5 − 8.
    expect(await otherShort(follower, '8')).toBe('8');
    await env.leaderSells('10');
    await env.runUntilIdle();
    expect(await env.lastOrder(follower)).toMatchObject({
      side: 'SELL',
      intent: 'CLOSE',
      amount: '5',
      reduce_only: false,
    });
  });

  it('of two copiers on one account share its net position', async () => {
    const follower = await env.follower();
    const second = await env.follower({}, { on: follower });
    await env.leaderBuys('10');
    await env.executeAll();
    expect(await otherShort(follower, '4')).toBe('4');
    // The net position is 5 + 5 − 4: one exit of 5 reduces it, and the other one would turn it.
    await env.leaderSells('10');
    await env.runUntilIdle();
    const exits = [await env.lastOrder(follower), await env.lastOrder(second)];
    expect(exits.map(({ reduce_only }) => reduce_only).sort()).toEqual([false, true]);
    await env.executeAll();
    expect([await env.held(follower), await env.held(second)]).toEqual(['0', '0']);
  });

  it('end with their lot: if the exchange reports late that it had closed the lot, the excess of an exit is not closed again', async () => {
    const follower = await env.followerWithLot();
    const after = (ms: number) => new Date(Date.now() + ms);
    const [closedAt, exitedAt] = [after(60_000), after(120_000)];
    await env.leaderSells('4');
    await env.executeAll({ executedAt: exitedAt });
    const deleveraging = await env.insertTrade({
      user_id: follower.actor.userId,
      exchange_account_id: follower.account.uuid,
      side: 'SELL',
      amount: '5',
      origin: 'ADL',
    });
    await env.fill(deleveraging, { executedAt: closedAt });
    await env.leaderSells('6');
    await env.runUntilIdle();
    expect((await env.orders(follower)).map(({ side, amount }) => [side, amount])).toEqual([
      ['BUY', '5'],
      ['SELL', '2'],
    ]);
    expect(await env.lastDecision(follower)).toMatchObject({ kind: 'CLOSE', code: 'NOT_HELD' });
    // The account is short by the excess. It belongs to the copier, but to no lot of the leader.
    expect(await lotsOf(follower)).toMatchObject([
      { side: 'BUY', open: '0' },
      { side: 'SELL', open: '2' },
    ]);
  });

  it('are skipped below the margin ratio, and their exits are not', async () => {
    const follower = await env.follower();
    await setLeverage(follower, '5');
    await env.leaderBuys('10');
    await env.executeAll();
    await setMargin(follower, '120', '100');
    // What is stored of the margin of an account without positions is old.
    await env.leaderBuys('10');
    await env.executeAll();
    expect(await env.held(follower)).toBe('10');
    await env.leaderSells('10');
    await env.executeAll();
    await setPosition(follower, '5');
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'MARGIN_RATIO' });
    await env.leaderSells('10');
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
  });

  it('stay within max_leverage of the equity, with the open result at mark price', async () => {
    const follower = await env.follower(
      { limits: { max_leverage: '0.002' } },
      {
        on: await (async () => {
          const actor = await env.core.actor();
          return { actor, account: await env.account(actor, { USDT: '100000' }) };
        })(),
      },
    );
    // 0.002 × 100,000 allow a notional of 200.
    await env.leaderBuys('10');
    await env.executeAll();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'CLAMPED', code: 'MAX_LEVERAGE' });
    expect(await env.held(follower)).toBe('2');
    await env.leaderBuys('10');
    await env.executeAll();
    expect(await env.held(follower)).toBe('2');
  });
});

/** Opens a short lot that belongs to another copier of the account; returns its amount. */
async function otherShort(follower: Follower, amount: string): Promise<string> {
  const { actor, account } = follower;
  const { uuid } = await env.follower({}, { on: follower, start: false });
  const tradeId = await env.insertTrade({
    user_id: actor.userId,
    exchange_account_id: account.uuid,
    side: 'SELL',
    amount,
    copier_id: uuid,
  });
  await env.fill(tradeId, { price: '100' });
  const { open } = await env.core.row(
    'SELECT trim_scale(open_amount)::text AS open FROM lots WHERE trade_id = $1',
    tradeId,
  );
  return String(open);
}
