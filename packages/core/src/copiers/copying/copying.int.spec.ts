import { CopyingUnderTest } from '../testing/copying-under-test.js';

let the: CopyingUnderTest;
beforeAll(async () => {
  the = await CopyingUnderTest.open();
});
afterAll(() => the.close());
beforeEach(() => the.begin());

describe('entries', () => {
  it('rule 1: a copier orders its share of what the leader filled in all, less what it ordered already', async () => {
    const follower = await the.follower();
    const trade = await the.leaderOrder('BUY', '10');
    await the.fill(trade, { amount: '4' });
    await the.work();
    await the.fill(trade, { amount: '3' });
    await the.fill(trade, { amount: '3' });
    await the.work();
    expect((await the.orders(follower)).map(({ amount, intent }) => [amount, intent])).toEqual([
      ['2', 'OPEN'],
      ['1.5', 'INCREASE'],
      ['1.5', 'INCREASE'],
    ]);
  });

  it('rule 2: a leader who cancels the rest leaves copiers their share of what was filled; an order never filled makes no copy', async () => {
    const follower = await the.follower();
    await the.leaderOrder('BUY', '10');
    const trade = await the.leaderOrder('BUY', '10');
    await the.fill(trade, { amount: '4', status: 'CANCELLED' });
    await the.executeAll();
    expect(await the.held(follower)).toBe('2');
    expect(await the.decisions(follower)).toMatchObject([
      { kind: 'OPEN', outcome: 'COPIED', filled: '2', settled: true },
    ]);
  });

  it('rule 3: an entry is an IOC limit at the reference price and the slippage bound; what it leaves is dropped as SLIPPAGE', async () => {
    const follower = await the.follower({ limits: { max_slippage_bps: 100 } });
    await the.leaderBuys('10');
    await the.work();
    const order = await the.lastOrder(follower);
    expect(order).toMatchObject({
      type: 'LIMIT',
      time_in_force: 'IOC',
      price: '101',
      amount: '5',
      reduce_only: false,
    });
    await the.execute(order, { amount: '3', price: '100.5' });
    await the.work();
    expect(await the.lastDecision(follower)).toMatchObject({
      outcome: 'CLAMPED',
      code: 'SLIPPAGE',
      sent: '5',
      filled: '3',
      slippage: '50',
      settled: true,
    });
    await the.leaderBuys('2');
    await the.work();
    expect(await the.lastOrder(follower)).toMatchObject({ amount: '1' });
  });

  it('an entry of which nothing is filled is a skip, and is told of', async () => {
    const follower = await the.follower();
    await the.leaderBuys('10');
    await the.work();
    await the.execute(await the.lastOrder(follower), { amount: '0' });
    await the.work();
    expect(await the.lastDecision(follower)).toMatchObject({
      outcome: 'SKIPPED',
      code: 'SLIPPAGE',
      filled: '0',
    });
    expect(await the.kindsOf(follower)).toEqual(['copier.started', 'copier.trade_skipped']);
  });

  it('what an entry got after its lot was closed is sold by the closing, which is taken up again', async () => {
    const follower = await the.follower();
    await the.leaderBuys('10');
    await the.work();
    const entry = await the.lastOrder(follower);
    await the.execute(entry, { amount: '3' });
    await the.leaderSells('10');
    await the.executeAll();
    expect(await the.settlement.reopen()).toBe(0);
    await the.fill(entry.id, { amount: '2', status: 'CANCELLED' });
    expect(await the.held(follower)).toBe('2');
    expect(await the.settlement.reopen()).toBe(1);
    await the.executeAll();
    expect(await the.held(follower)).toBe('0');
    expect(await the.lastDecision(follower)).toMatchObject({
      kind: 'CLOSE',
      outcome: 'COPIED',
      filled: '5',
      attempt: 2,
      settled: true,
    });
    expect(await the.settlement.reopen()).toBe(0);
  });

  it('what is entered into a lot after it was closed, since its order went on filling, is no rest of that closing', async () => {
    const follower = await the.follower();
    const trade = await the.leaderOrder('BUY', '10');
    await the.fill(trade, { amount: '4' });
    await the.executeAll();
    await the.leaderSells('4');
    await the.executeAll();
    await the.fill(trade, { amount: '6' });
    await the.executeAll();
    expect((await the.decisions(follower)).map(({ kind }) => kind)).toEqual(['OPEN', 'CLOSE', 'INCREASE']);
    expect(await the.settlement.reopen()).toBe(0);
    expect(await the.held(follower)).toBe('3');
  });

  it('what is too little to be sold stays as its closing left it, and is told of once', async () => {
    const follower = await the.follower();
    await the.leaderBuys('10');
    await the.work();
    await the.execute(await the.lastOrder(follower), { amount: '0.005' });
    await the.leaderSells('10');
    await the.work();
    expect(await the.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'BELOW_MINIMUM' });
    expect(await the.settlement.reopen()).toBe(0);
    await the.work();
    const told = await the.kindsOf(follower);
    expect(told.filter((kind) => kind === 'copier.trade_skipped')).toHaveLength(1);
  });

  it('a copier that was paused when its lot was closed keeps what an entry got afterwards', async () => {
    const follower = await the.follower();
    await the.leaderBuys('10');
    await the.work();
    const entry = await the.lastOrder(follower);
    await the.execute(entry, { amount: '3' });
    await the.work();
    await the.copiers.stop(follower.actor, follower.copier.id, { mode: 'PAUSED' });
    await the.leaderSells('10');
    await the.work();
    await the.copiers.start(follower.actor, follower.copier.id);
    await the.fill(entry.id, { amount: '2', status: 'CANCELLED' });
    expect(await the.settlement.reopen()).toBe(0);
  });

  it('an order that the exchange refuses is a failed copy, and is told of', async () => {
    const follower = await the.follower();
    await the.leaderBuys('10');
    await the.work();
    const { id } = await the.lastOrder(follower);
    await the.core.begin(id, id);
    await the.execution.storeRefusal(id, { code: 'refused', message: 'The exchange refused it.' });
    await the.work();
    expect(await the.lastDecision(follower)).toMatchObject({ outcome: 'FAILED', code: 'EXCHANGE_REJECTED' });
    expect((await the.core.events(follower.actor.userId)).at(-1)).toMatchObject({
      type: 'copier.trade_skipped',
      data: { outcome: 'FAILED', code: 'EXCHANGE_REJECTED', copier_id: follower.copier.id },
    });
  });

  it('rule 6: the ratio of a lot is frozen: more money makes no later fill of it larger', async () => {
    const follower = await the.follower({ sizing: { mode: 'EQUITY_RATIO', value: '1', capital: '1000' } });
    const trade = await the.leaderOrder('BUY', '10', { leader_equity: '10000' });
    await the.fill(trade, { amount: '5' });
    await the.work();
    await the.core.rows('UPDATE copiers SET sizing_capital = 5000 WHERE id = $1', follower.uuid);
    await the.fill(trade, { amount: '5' });
    await the.work();
    expect((await the.orders(follower)).map(({ amount }) => amount)).toEqual(['0.5', '0.5']);
  });

  it('rule 6: a size by equity is skipped as STALE_EQUITY where no reading is young enough, and not where one is had in time', async () => {
    const sizing = { mode: 'EQUITY_RATIO', value: '1' };
    const [stale, fresh] = [await the.follower({ sizing }), await the.follower({ sizing })];
    await the.setPair('last_price = 100');
    await the.core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = now() - interval '61 s' WHERE id = ANY ($1)",
      [stale.account.uuid, fresh.account.uuid],
    );
    const asked: string[] = [];
    const { CopyPlanner } = await import('./copy-planner.service.js');
    const planner = new CopyPlanner(the.core.platform, {
      refreshBalances: async (ids) => {
        asked.push(...ids);
        await the.core.rows(
          'UPDATE exchange_accounts SET balances_taken_at = clock_timestamp() WHERE id = $1',
          fresh.account.uuid,
        );
      },
    });
    await the.leaderBuys('10', '100', { leader_equity: '10000' });
    await planner.planStrategy(the.strategy.uuid);
    expect(asked.toSorted()).toEqual([stale.account.uuid, fresh.account.uuid].toSorted());
    expect(await the.lastDecision(stale)).toMatchObject({ outcome: 'SKIPPED', code: 'STALE_EQUITY' });
    expect(await the.lastDecision(fresh)).toMatchObject({ outcome: 'COPIED' });
  });

  it('rule 14: an entry that is too old is skipped, an exit never is', async () => {
    const follower = await the.holding();
    await the.core.rows('UPDATE copiers SET max_signal_age_ms = 1 WHERE id = $1', follower.uuid);
    await the.leaderBuys('10');
    await the.leaderSells('5');
    await the.core.rows(
      "UPDATE signals SET signal_at = signal_at - interval '1 hour' WHERE strategy_id = $1",
      the.strategy.uuid,
    );
    await the.executeAll();
    expect(await the.decisions(follower)).toMatchObject([
      { kind: 'OPEN', outcome: 'COPIED' },
      { kind: 'OPEN', outcome: 'SKIPPED', code: 'STALE_SIGNAL' },
      { kind: 'REDUCE', outcome: 'COPIED', filled: '2.5' },
    ]);
  });

  it('rule 14: an entry that was planned in time and could not be sent in time is never sent', async () => {
    const follower = await the.follower();
    await the.leaderBuys('10');
    await the.work();
    const { id } = await the.lastOrder(follower);
    await the.core.rows("UPDATE trades SET resend_until = now() - interval '1 s' WHERE id = $1", id);
    expect(await the.core.begin(id, id)).toBeNull();
    await the.work();
    expect(await the.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'STALE_SIGNAL' });
  });

  it('rule 29: edits apply to new lots alone', async () => {
    const follower = await the.follower();
    const trade = await the.leaderOrder('BUY', '10');
    await the.fill(trade, { amount: '5' });
    await the.work();
    await the.copiers.update(follower.actor, follower.copier.id, {
      sizing: { mode: 'MULTIPLIER', value: '0.1' },
      limits: { blocked_pairs: ['BTC/USDT'] },
    });
    await the.fill(trade, { amount: '5' });
    await the.leaderBuys('10');
    await the.work();
    expect((await the.orders(follower)).map(({ amount }) => amount)).toEqual(['2.5', '2.5']);
    expect(await the.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'PAIR_BLOCKED' });
  });
});

describe('exits', () => {
  it('rule 3: they are market orders, and no limit, list or status of entries holds them back', async () => {
    const follower = await the.holding();
    await the.copiers.update(follower.actor, follower.copier.id, {
      limits: { blocked_pairs: ['BTC/USDT'], max_open_trades: 1, max_trade_quote: '1' },
    });
    await the.copiers.stop(follower.actor, follower.copier.id, { mode: 'CLOSE_ONLY' });
    await the.leaderSells('10');
    await the.work();
    expect(await the.lastOrder(follower)).toMatchObject({
      side: 'SELL',
      type: 'MARKET',
      price: null,
      amount: '5',
      intent: 'CLOSE',
    });
    await the.executeAll();
    expect(await the.held(follower)).toBe('0');
  });

  it('rule 4, row 16: an exit takes the part of the lot that the leader took of its own, the last one everything', async () => {
    const follower = await the.follower();
    await the.leaderBuys('10');
    await the.work();
    // Fees in base currency lessen the lot (rule 24).
    await the.execute(await the.lastOrder(follower), { baseFee: '0.005' });
    await the.leaderSells('2');
    await the.work();
    expect(await the.lastOrder(follower)).toMatchObject({ amount: '0.999', intent: 'REDUCE' });
    await the.executeAll();
    await the.leaderSells('8');
    await the.executeAll();
    expect((await the.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '0.999', '3.996']);
    expect(await the.held(follower)).toBe('0');
    expect(await the.decisions(follower)).toMatchObject([
      { outcome: 'COPIED' },
      { outcome: 'COPIED' },
      { outcome: 'COPIED' },
    ]);
  });

  it('an exit waits for the entry of its lot that is under way, and then takes its part of what that brought', async () => {
    const follower = await the.follower();
    await the.leaderBuys('10');
    await the.work();
    const entry = await the.lastOrder(follower);
    await the.leaderSells('5');
    await the.work();
    expect(await the.orders(follower)).toHaveLength(1);
    expect(await the.lastDecision(follower)).toMatchObject({ kind: 'REDUCE', settled: false, attempt: 0 });
    await the.execute(entry, { amount: '3' });
    await the.passTime();
    expect(await the.lastOrder(follower)).toMatchObject({ side: 'SELL', amount: '1.5' });
  });

  it('exits of one lot that come at once take their parts one after the other', async () => {
    const follower = await the.holding();
    await the.leaderSells('5');
    await the.leaderSells('2.5');
    await the.work();
    expect(await the.orders(follower)).toHaveLength(2);
    await the.execute(await the.lastOrder(follower));
    await the.passTime();
    expect((await the.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '2.5', '1.25']);
  });

  it('rule 14, rule 19: an exit that fails is ordered again under another id, and only after the one before has ended', async () => {
    const follower = await the.holding();
    await the.leaderSells('10');
    await the.work();
    const first = await the.lastOrder(follower);
    await the.core.begin(first.id, first.id);
    await the.passTime();
    expect(await the.orders(follower)).toHaveLength(2);
    await the.execution.storeRefusal(first.id, { code: 'refused', message: 'Not now.' });
    await the.work();
    expect(await the.orders(follower)).toHaveLength(2);
    await the.passTime();
    const second = await the.lastOrder(follower);
    expect(second).toMatchObject({ side: 'SELL', amount: '5' });
    expect(second.client_order_id).not.toBe(first.client_order_id);
    await the.execute(second, { amount: '2' });
    await the.work();
    await the.passTime();
    expect(await the.lastOrder(follower)).toMatchObject({ amount: '3' });
    await the.execute(await the.lastOrder(follower));
    await the.work();
    expect(await the.lastDecision(follower)).toMatchObject({
      outcome: 'COPIED',
      filled: '5',
      attempt: 3,
      settled: true,
    });
    expect(await the.held(follower)).toBe('0');
  });

  it('rule 13: what the user sold by hand is not sold again: exits apply to what is left', async () => {
    const follower = await the.holding();
    const sale = await the.insertTrade({
      user_id: follower.actor.userId,
      exchange_account_id: follower.account.uuid,
      side: 'SELL',
      amount: '3',
    });
    await the.fill(sale, { price: '100' });
    await the.leaderSells('5');
    await the.work();
    expect(await the.lastOrder(follower)).toMatchObject({ side: 'SELL', amount: '1' });
    await the.executeAll();
    await the.leaderSells('5');
    await the.executeAll();
    expect(await the.held(follower)).toBe('0');
    expect((await the.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '1', '1']);
  });

  it('rule 13: an exit takes no more than is free, and the rest once it is', async () => {
    const follower = await the.holding();
    await the.core.rows(
      `UPDATE exchange_accounts SET balances = '{"BTC": {"free": "2", "locked": "13"}}',
         balances_taken_at = clock_timestamp() WHERE id = $1`,
      follower.account.uuid,
    );
    await the.leaderSells('10');
    await the.executeAll();
    await the.core.rows(
      `UPDATE exchange_accounts SET balances = '{"BTC": {"free": "13", "locked": "0"}}',
         balances_taken_at = clock_timestamp() WHERE id = $1`,
      follower.account.uuid,
    );
    await the.passTime();
    await the.executeAll();
    expect((await the.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '2', '3']);
    expect(await the.lastDecision(follower)).toMatchObject({ outcome: 'COPIED', filled: '5', settled: true });
  });

  it('rule 10: exits of lots that were there before the start are none of the copier’s', async () => {
    const trade = await the.leaderOrder('BUY', '10');
    await the.fill(trade, { amount: '5' });
    const follower = await the.follower();
    await the.fill(trade, { amount: '5' });
    await the.leaderSells('10');
    await the.work();
    expect(await the.orders(follower)).toEqual([]);
    expect(await the.decisions(follower)).toMatchObject([
      { kind: 'INCREASE', outcome: 'SKIPPED', code: 'NOT_HELD' },
      { kind: 'CLOSE', outcome: 'SKIPPED', code: 'NOT_HELD' },
    ]);
    expect(await the.kindsOf(follower)).toEqual(['copier.started']);
  });
});
