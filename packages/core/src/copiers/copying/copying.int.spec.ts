/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { CopyingUnderTest } from '../testing/copying-under-test.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

describe('entries', () => {
  it('rule 1: order the share of the leader’s filled amount, less the amount already ordered', async () => {
    const follower = await env.follower();
    const trade = await env.leaderOrder('BUY', '10');
    await env.fill(trade, { amount: '4' });
    await env.runUntilIdle();
    await env.fill(trade, { amount: '3' });
    await env.fill(trade, { amount: '3' });
    await env.runUntilIdle();
    expect((await env.orders(follower)).map(({ amount, intent }) => [amount, intent])).toEqual([
      ['2', 'OPEN'],
      ['1.5', 'INCREASE'],
      ['1.5', 'INCREASE'],
    ]);
  });

  it('rule 2: keep their share of the fills if the leader cancels the remainder; an unfilled order creates no copy', async () => {
    const follower = await env.follower();
    await env.leaderOrder('BUY', '10');
    const trade = await env.leaderOrder('BUY', '10');
    await env.fill(trade, { amount: '4', status: 'CANCELLED' });
    await env.executeAll();
    expect(await env.held(follower)).toBe('2');
    expect(await env.decisions(follower)).toMatchObject([
      { kind: 'OPEN', outcome: 'COPIED', filled: '2', settled: true },
    ]);
  });

  it('rule 3: are IOC limit orders within the slippage bound of the reference price; an unfilled part is dropped as SLIPPAGE', async () => {
    const follower = await env.follower({ limits: { max_slippage_bps: 100 } });
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const order = await env.lastOrder(follower);
    expect(order).toMatchObject({
      type: 'LIMIT',
      time_in_force: 'IOC',
      price: '101',
      amount: '5',
      reduce_only: false,
    });
    await env.execute(order, { amount: '3', price: '100.5' });
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({
      outcome: 'CLAMPED',
      code: 'SLIPPAGE',
      sent: '5',
      filled: '3',
      slippage: '50',
      settled: true,
    });
    await env.leaderBuys('2');
    await env.runUntilIdle();
    expect(await env.lastOrder(follower)).toMatchObject({ amount: '1' });
  });

  it('without any fill are recorded as skipped, with an event', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    await env.execute(await env.lastOrder(follower), { amount: '0' });
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({
      outcome: 'SKIPPED',
      code: 'SLIPPAGE',
      filled: '0',
    });
    expect(await env.eventTypes(follower)).toEqual(['copier.started', 'copier.trade_skipped']);
  });

  it('that fill late, after their lot was closed, are sold by the reopened CLOSE decision', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const entry = await env.lastOrder(follower);
    await env.execute(entry, { amount: '3' });
    await env.leaderSells('10');
    await env.executeAll();
    expect(await env.settlement.reopen()).toBe(0);
    await env.fill(entry.id, { amount: '2', status: 'CANCELLED' });
    expect(await env.held(follower)).toBe('2');
    expect(await env.settlement.reopen()).toBe(1);
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
    expect(await env.lastDecision(follower)).toMatchObject({
      kind: 'CLOSE',
      outcome: 'COPIED',
      filled: '5',
      attempt: 2,
      settled: true,
    });
    expect(await env.settlement.reopen()).toBe(0);
  });

  it('after the CLOSE of their lot, because the leader’s order continued to fill, are not sold by that CLOSE', async () => {
    const follower = await env.follower();
    const trade = await env.leaderOrder('BUY', '10');
    await env.fill(trade, { amount: '4' });
    await env.executeAll();
    await env.leaderSells('4');
    await env.executeAll();
    await env.fill(trade, { amount: '6' });
    await env.executeAll();
    expect((await env.decisions(follower)).map(({ kind }) => kind)).toEqual(['OPEN', 'CLOSE', 'INCREASE']);
    expect(await env.settlement.reopen()).toBe(0);
    expect(await env.held(follower)).toBe('3');
  });

  it('that filled too little to be sold remain held after the CLOSE of their lot, which stays pending, with one event', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    await env.execute(await env.lastOrder(follower), { amount: '0.005' });
    await env.leaderSells('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ code: 'BELOW_MINIMUM', settled: false });
    expect(await env.settlement.reopen()).toBe(0);
    await env.runUntilIdle();
    const types = await env.eventTypes(follower);
    expect(types.filter((type) => type === 'copier.exit_delayed')).toHaveLength(1);
    expect(types).not.toContain('copier.trade_skipped');
  });

  it('that fill late are not sold if the copier was paused when the lot was closed', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const entry = await env.lastOrder(follower);
    await env.execute(entry, { amount: '3' });
    await env.runUntilIdle();
    await env.copiers.stop(follower.actor, follower.copier.id, { mode: 'PAUSED' });
    await env.leaderSells('10');
    await env.runUntilIdle();
    await env.copiers.start(follower.actor, follower.copier.id);
    await env.fill(entry.id, { amount: '2', status: 'CANCELLED' });
    expect(await env.settlement.reopen()).toBe(0);
  });

  it('that the exchange rejects are recorded as failed, with an event', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const { id } = await env.lastOrder(follower);
    await env.core.beginSubmission(id, id);
    await env.execution.storeRejection(id, { code: 'refused', message: 'The exchange refused it.' });
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'FAILED', code: 'EXCHANGE_REJECTED' });
    expect((await env.core.events(follower.actor.userId)).at(-1)).toMatchObject({
      type: 'copier.trade_skipped',
      data: { outcome: 'FAILED', code: 'EXCHANGE_REJECTED', copier_id: follower.copier.id },
    });
  });

  it('rule 6: use the ratio of the lot’s first entry, even if the equity has grown since', async () => {
    const follower = await env.follower({ sizing: { mode: 'EQUITY_RATIO', value: '1', capital: '1000' } });
    const trade = await env.leaderOrder('BUY', '10', { leader_equity: '10000' });
    await env.fill(trade, { amount: '5' });
    await env.runUntilIdle();
    await env.core.rows('UPDATE copiers SET sizing_capital = 5000 WHERE id = $1', follower.uuid);
    await env.fill(trade, { amount: '5' });
    await env.runUntilIdle();
    expect((await env.orders(follower)).map(({ amount }) => amount)).toEqual(['0.5', '0.5']);
  });

  it('rule 6: that are sized by equity are skipped as STALE_EQUITY unless their balances are at most 60 s old or are refreshed in time', async () => {
    const sizing = { mode: 'EQUITY_RATIO', value: '1' };
    const [stale, fresh] = [await env.follower({ sizing }), await env.follower({ sizing })];
    await env.setPair('last_price = 100');
    await env.core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = now() - interval '61 s' WHERE id = ANY ($1)",
      [stale.account.uuid, fresh.account.uuid],
    );
    const refreshed: string[] = [];
    const { CopyPlanner } = await import('./copy-planner.service.js');
    const planner = new CopyPlanner(env.core.platform, env.readBookMid, {
      refreshBalances: async (ids) => {
        refreshed.push(...ids);
        await env.core.rows(
          'UPDATE exchange_accounts SET balances_taken_at = clock_timestamp() WHERE id = $1',
          fresh.account.uuid,
        );
        return [];
      },
    });
    await env.leaderBuys('10', '100', { leader_equity: '10000' });
    await planner.planStrategy(env.strategy.uuid);
    expect(refreshed.toSorted()).toEqual([stale.account.uuid, fresh.account.uuid].toSorted());
    expect(await env.lastDecision(stale)).toMatchObject({ outcome: 'SKIPPED', code: 'STALE_EQUITY' });
    expect(await env.lastDecision(fresh)).toMatchObject({ outcome: 'COPIED' });
  });

  it('rule 6: that are sized by equity need no refresh if the stream of the account has reported each change since its balances were read', async () => {
    const sizing = { mode: 'EQUITY_RATIO', value: '1' };
    const live = await env.follower({ sizing });
    const readSince = await env.follower({ sizing });
    const wasLive = await env.follower({ sizing });
    const unread = await env.follower({ sizing });
    const wasLiveBefore = await env.follower({ sizing });
    const lost = await env.follower({ sizing });
    const isNew = await env.follower({ sizing });
    const known = [live, readSince, wasLive];
    const stale = [unread, wasLiveBefore, lost, isNew];
    await env.setPair('last_price = 100');
    await env.core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = now() - interval '3 hours' WHERE id = ANY ($1)",
      [...known, ...stale].map(({ account }) => account.uuid),
    );
    await env.core.rows(
      'UPDATE exchange_accounts SET balances_taken_at = NULL WHERE id = $1',
      isNew.account.uuid,
    );
    for (const [copier, state, since, liveAt] of [
      [live, 'LIVE', '1 s', null],
      [readSince, 'UNVERIFIED', '4 hours', null],
      [wasLive, 'UNVERIFIED', '1 s', '50 s'],
      [unread, 'UNVERIFIED', '1 s', null],
      [wasLiveBefore, 'UNVERIFIED', '1 s', '70 s'],
      [lost, 'LOST', '4 hours', null],
    ] as const) {
      await env.core.rows(
        `INSERT INTO account_watches (account_id, worker, state, since, told_at, live_at)
         VALUES ($1, 'w', $2, now() - $3::interval, now(), now() - $4::interval)`,
        copier.account.uuid,
        state,
        since,
        liveAt,
      );
    }
    const refreshed: string[] = [];
    const { CopyPlanner } = await import('./copy-planner.service.js');
    const planner = new CopyPlanner(env.core.platform, env.readBookMid, {
      refreshBalances: async (ids) => {
        refreshed.push(...ids);
        return [];
      },
    });
    await env.leaderBuys('10', '100', { leader_equity: '10000' });
    await planner.planStrategy(env.strategy.uuid);
    expect(refreshed.toSorted()).toEqual(stale.map(({ account }) => account.uuid).toSorted());
    for (const copier of known) expect(await env.lastDecision(copier)).toMatchObject({ outcome: 'COPIED' });
    for (const copier of stale)
      expect(await env.lastDecision(copier)).toMatchObject({ outcome: 'SKIPPED', code: 'STALE_EQUITY' });
  });

  it('rule 14: are skipped if their signal is too old; exits are not', async () => {
    const follower = await env.followerWithLot();
    await env.core.rows('UPDATE copiers SET max_signal_age_ms = 1 WHERE id = $1', follower.uuid);
    await env.leaderBuys('10');
    await env.leaderSells('5');
    await env.core.rows(
      "UPDATE signals SET signal_at = signal_at - interval '1 hour' WHERE strategy_id = $1",
      env.strategy.uuid,
    );
    await env.executeAll();
    expect(await env.decisions(follower)).toMatchObject([
      { kind: 'OPEN', outcome: 'COPIED' },
      { kind: 'OPEN', outcome: 'SKIPPED', code: 'STALE_SIGNAL' },
      { kind: 'REDUCE', outcome: 'COPIED', filled: '2.5' },
    ]);
  });

  it('rule 14: cost no call of an exchange if their signal is too old for every copier', async () => {
    const sizing = { mode: 'EQUITY_RATIO' as const, value: '1' };
    const follower = await env.follower({ sizing });
    await env.core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = now() - interval '61 s' WHERE id = $1",
      follower.account.uuid,
    );
    const refreshed: string[] = [];
    const { CopyPlanner } = await import('./copy-planner.service.js');
    const planner = new CopyPlanner(env.core.platform, env.readBookMid, {
      refreshBalances: async (ids) => {
        refreshed.push(...ids);
        return [];
      },
    });
    await env.leaderBuys('10', '100', { leader_equity: '10000' });
    await env.core.rows(
      "UPDATE signals SET signal_at = signal_at - interval '1 hour' WHERE strategy_id = $1",
      env.strategy.uuid,
    );
    await planner.planStrategy(env.strategy.uuid);
    expect([env.booksRead, refreshed]).toEqual([[], []]);
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'STALE_SIGNAL' });
  });

  it('rule 14: are not sent if their signal became too old after they were planned', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const { id } = await env.lastOrder(follower);
    await env.core.rows("UPDATE trades SET resend_until = now() - interval '1 s' WHERE id = $1", id);
    expect(await env.core.beginSubmission(id, id)).toBeNull();
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'STALE_SIGNAL' });
  });

  it('rule 29: follow changed settings only in new lots', async () => {
    const follower = await env.follower();
    const trade = await env.leaderOrder('BUY', '10');
    await env.fill(trade, { amount: '5' });
    await env.runUntilIdle();
    await env.copiers.update(follower.actor, follower.copier.id, {
      sizing: { mode: 'MULTIPLIER', value: '0.1' },
      limits: { blocked_pairs: ['BTC/USDT'] },
    });
    await env.fill(trade, { amount: '5' });
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect((await env.orders(follower)).map(({ amount }) => amount)).toEqual(['2.5', '2.5']);
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'PAIR_BLOCKED' });
  });
});

describe('exits', () => {
  it('rule 4: read the balances anew before they are cut, and then sell the whole lot', async () => {
    const follower = await env.followerWithLot();
    const held = await env.held(follower);
    const setFree = (free: string) =>
      env.core.rows(
        `UPDATE exchange_accounts SET balances = jsonb_build_object('BTC',
           jsonb_build_object('free', $2::text, 'locked', '0')), balances_taken_at = clock_timestamp() WHERE id = $1`,
        follower.account.uuid,
        free,
      );
    await setFree('0.18');
    const { CopyPlanner } = await import('./copy-planner.service.js');
    const refreshed: string[] = [];
    const planner = new CopyPlanner(env.core.platform, env.readBookMid, {
      refreshBalances: async (ids) => {
        refreshed.push(...ids);
        await setFree(held);
        return [];
      },
    });
    await env.leaderSells('10');
    await planner.planStrategy(env.strategy.uuid);
    expect(refreshed).toEqual([follower.account.uuid]);
    expect(await env.lastOrder(follower)).toMatchObject({ side: 'SELL', amount: held });
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'COPIED', code: null });
  });

  it('rule 3: are market orders, which no limit, pair list or CLOSE_ONLY status prevents', async () => {
    const follower = await env.followerWithLot();
    await env.copiers.update(follower.actor, follower.copier.id, {
      limits: { blocked_pairs: ['BTC/USDT'], max_open_trades: 1, max_trade_quote: '1' },
    });
    await env.copiers.stop(follower.actor, follower.copier.id, { mode: 'CLOSE_ONLY' });
    await env.leaderSells('10');
    await env.runUntilIdle();
    expect(await env.lastOrder(follower)).toMatchObject({
      side: 'SELL',
      type: 'MARKET',
      price: null,
      amount: '5',
      intent: 'CLOSE',
    });
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
  });

  it('rule 4, row 16: sell the same share of the lot as the leader’s exit, and the last exit sells everything', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    // Fees in base currency reduce the lot (rule 24).
    await env.execute(await env.lastOrder(follower), { baseFee: '0.005' });
    await env.leaderSells('2');
    await env.runUntilIdle();
    expect(await env.lastOrder(follower)).toMatchObject({ amount: '0.999', intent: 'REDUCE' });
    await env.executeAll();
    await env.leaderSells('8');
    await env.executeAll();
    expect((await env.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '0.999', '3.996']);
    expect(await env.held(follower)).toBe('0');
    expect(await env.decisions(follower)).toMatchObject([
      { outcome: 'COPIED' },
      { outcome: 'COPIED' },
      { outcome: 'COPIED' },
    ]);
  });

  it('wait for an entry of their lot that is in flight, and then sell their share of the filled amount', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const entry = await env.lastOrder(follower);
    await env.leaderSells('5');
    await env.runUntilIdle();
    expect(await env.orders(follower)).toHaveLength(1);
    expect(await env.lastDecision(follower)).toMatchObject({ kind: 'REDUCE', settled: false, attempt: 0 });
    await env.execute(entry, { amount: '3' });
    await env.runDecisionsNow();
    expect(await env.lastOrder(follower)).toMatchObject({ side: 'SELL', amount: '1.5' });
  });

  it('of one lot in quick succession are ordered one after the other, each for its share of the rest', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('5');
    await env.leaderSells('2.5');
    await env.runUntilIdle();
    expect(await env.orders(follower)).toHaveLength(2);
    await env.execute(await env.lastOrder(follower));
    await env.runDecisionsNow();
    expect((await env.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '2.5', '1.25']);
  });

  it('rule 14, rule 19: that failed are ordered again under another id, only after the previous order has ended', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('10');
    await env.runUntilIdle();
    const first = await env.lastOrder(follower);
    await env.core.beginSubmission(first.id, first.id);
    await env.runDecisionsNow();
    expect(await env.orders(follower)).toHaveLength(2);
    await env.execution.storeRejection(first.id, { code: 'refused', message: 'Not now.' });
    await env.runUntilIdle();
    expect(await env.orders(follower)).toHaveLength(2);
    await env.runDecisionsNow();
    const second = await env.lastOrder(follower);
    expect(second).toMatchObject({ side: 'SELL', amount: '5' });
    expect(second.client_order_id).not.toBe(first.client_order_id);
    await env.execute(second, { amount: '2' });
    await env.runUntilIdle();
    await env.runDecisionsNow();
    expect(await env.lastOrder(follower)).toMatchObject({ amount: '3' });
    await env.execute(await env.lastOrder(follower));
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({
      outcome: 'COPIED',
      filled: '5',
      attempt: 3,
      settled: true,
    });
    expect(await env.held(follower)).toBe('0');
  });

  it('rule 13: apply to the remaining lot after the user sold a part by hand', async () => {
    const follower = await env.followerWithLot();
    const sale = await env.insertTrade({
      user_id: follower.actor.userId,
      exchange_account_id: follower.account.uuid,
      side: 'SELL',
      amount: '3',
    });
    await env.fill(sale, { price: '100' });
    await env.leaderSells('5');
    await env.runUntilIdle();
    expect(await env.lastOrder(follower)).toMatchObject({ side: 'SELL', amount: '1' });
    await env.executeAll();
    await env.leaderSells('5');
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
    expect((await env.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '1', '1']);
  });

  it('rule 13: sell at most the free balance, and the remainder once it is free', async () => {
    const follower = await env.followerWithLot();
    await env.core.rows(
      `UPDATE exchange_accounts SET balances = '{"BTC": {"free": "2", "locked": "13"}}',
         balances_taken_at = clock_timestamp() WHERE id = $1`,
      follower.account.uuid,
    );
    await env.leaderSells('10');
    await env.executeAll();
    await env.core.rows(
      `UPDATE exchange_accounts SET balances = '{"BTC": {"free": "13", "locked": "0"}}',
         balances_taken_at = clock_timestamp() WHERE id = $1`,
      follower.account.uuid,
    );
    await env.runDecisionsNow();
    await env.executeAll();
    expect((await env.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '2', '3']);
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'COPIED', filled: '5', settled: true });
  });

  it('rule 10: of lots that were opened before the copier’s start are not followed', async () => {
    const trade = await env.leaderOrder('BUY', '10');
    await env.fill(trade, { amount: '5' });
    const follower = await env.follower();
    await env.fill(trade, { amount: '5' });
    await env.leaderSells('10');
    await env.runUntilIdle();
    expect(await env.orders(follower)).toEqual([]);
    expect(await env.decisions(follower)).toMatchObject([
      { kind: 'INCREASE', outcome: 'SKIPPED', code: 'NOT_HELD' },
      { kind: 'CLOSE', outcome: 'SKIPPED', code: 'NOT_HELD' },
    ]);
    expect(await env.eventTypes(follower)).toEqual(['copier.started']);
  });
});

describe('rule 8: an entry that is raised to what can be sold again', () => {
  it.each([
    ['is smaller if the lot holds an earlier entry', true, '0.1'],
    ['must be sellable alone while the order of the earlier entry is open', false, '0.107'],
  ])('%s', async (_, isFilled, sent) => {
    await env.setPair('min_notional = 10');
    const follower = await env.follower({ below_minimum: 'ROUND_UP' });
    const order = await env.leaderOrder('BUY', '0.4');
    await env.fill(order, { amount: '0.24', price: '100' });
    await env.runUntilIdle();
    if (isFilled) await env.executeAll({ price: '100' });
    await env.fill(order, { amount: '0.16', price: '100' });
    await env.runUntilIdle();
    expect(await env.decisions(follower)).toMatchObject([
      { target: '0.12', sent: '0.12' },
      { target: '0.08', sent, inputs: { rounded_up: true } },
    ]);
  });
});
