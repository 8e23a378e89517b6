/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { copierOperations } from '@trading-automation/contracts';
import { querySchemaOf } from '../../operations/index.js';
import { StrategyChangesService } from '../strategy-changes.service.js';
import { CopyingUnderTest, type Follower, tradeIdOf } from '../testing/copying-under-test.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const stop = ({ actor, copier }: Follower, mode: 'PAUSED' | 'CLOSE_ONLY' = 'PAUSED') =>
  env.copiers.stop(actor, copier.id, { mode });
const start = ({ actor, copier }: Follower, input = {}) => env.copiers.start(actor, copier.id, input);

describe('after a stop', () => {
  it('rule 11: a paused copier follows no signal, and the stop lists the open lots', async () => {
    const follower = await env.followerWithLot();
    const stopped = await stop(follower);
    const lots = [{ symbol: 'BTC/USDT', side: 'BUY', amount: '5', average_price: '100.5' }];
    expect(stopped.open_lots).toEqual(lots);
    expect((await env.core.events(follower.actor.userId)).at(-1)).toMatchObject({
      type: 'copier.stopped',
      data: { open_lots: [{ symbol: 'BTC/USDT', amount: 5 }] },
    });
    await env.leaderBuys('10');
    await env.leaderSells('10');
    await env.executeAll();
    expect(await env.orders(follower)).toHaveLength(1);
    expect(await env.decisions(follower)).toMatchObject([
      { outcome: 'COPIED' },
      { outcome: 'SKIPPED', code: 'NOT_ACTIVE', settled: true },
      { outcome: 'SKIPPED', code: 'NOT_ACTIVE', settled: true },
    ]);
    expect(await env.eventTypes(follower)).toEqual(['copier.started', 'copier.stopped']);
  });

  it('rule 11: the unsent entry and the unsent exit of a paused copier are cancelled, and the exit is not ordered again', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('4');
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect((await env.orders(follower)).map(({ status }) => status)).toEqual([
      'FILLED',
      'PENDING',
      'PENDING',
    ]);
    await stop(follower);
    await env.runDecisionsNow();
    expect((await env.orders(follower)).map(({ status, cancel_reason }) => [status, cancel_reason])).toEqual([
      ['FILLED', null],
      ['CANCELLED', 'USER'],
      ['CANCELLED', 'USER'],
    ]);
    await env.runDecisionsNow();
    expect(await env.decisions(follower)).toMatchObject([
      { outcome: 'COPIED' },
      { kind: 'REDUCE', outcome: 'SKIPPED', code: 'NOT_ACTIVE', settled: true },
      { kind: 'OPEN', outcome: 'SKIPPED', code: 'NOT_ACTIVE', settled: true },
    ]);
  });

  it('rule 11: the open entries of a copier in CLOSE_ONLY are cancelled, and its exits continue until it holds nothing', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('5');
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect((await stop(follower, 'CLOSE_ONLY')).open_lots).toEqual([]);
    await env.leaderSells('5');
    await env.executeAll();
    await env.runDecisionsNow();
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
    expect((await env.orders(follower)).map(({ side, status }) => [side, status])).toEqual([
      ['BUY', 'FILLED'],
      ['SELL', 'FILLED'],
      ['BUY', 'CANCELLED'],
      ['SELL', 'FILLED'],
    ]);
  });

  it('rule 26: copiers of an archived strategy follow only its exits', async () => {
    const follower = await env.followerWithLot();
    const strategyChanges = new StrategyChangesService(env.core.commands);
    await strategyChanges.update(env.leader, env.strategy.id, { status: 'ARCHIVED' });
    expect(await env.copierOf(follower)).toMatchObject({
      status: 'CLOSE_ONLY',
      status_reason: 'STRATEGY_ARCHIVED',
    });
    await env.leaderSells('10', '100', { strategy_id: null });
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
  });
});

/** Returns the decisions as the copier's user sees them, newest first. */
async function shownDecisions({ actor, copier }: Follower) {
  const query = querySchemaOf(copierOperations.decisions).parse({});
  type Query = Parameters<typeof env.copiers.decisions>[2];
  return (await env.copiers.decisions(actor, copier.id, query as Query)).items;
}

describe('after a restart', () => {
  it('rule 12: exits that were missed during the pause are reported as drift, and not sold', async () => {
    const follower = await env.followerWithLot();
    await stop(follower);
    await env.leaderSells('4');
    await env.runUntilIdle();
    const started = await start(follower);
    const drift = [
      {
        symbol: 'BTC/USDT',
        source_trade_id: tradeIdOf(follower.lotTradeId),
        held_amount: '5',
        excess_amount: '2',
      },
    ];
    expect(started.drift).toEqual(drift);
    expect((await env.copierOf(follower)).drift).toEqual(drift);
    expect(await env.eventTypes(follower)).toEqual([
      'copier.started',
      'copier.stopped',
      'copier.started',
      'copier.drift',
    ]);
    await env.executeAll();
    expect(await env.held(follower)).toBe('5');
    await env.leaderSells('6');
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
  });

  it('rule 12: the drift has whole amount steps, and is reported from one step on', async () => {
    const follower = await env.followerWithLot();
    await stop(follower);
    await env.leaderSells('0.0019');
    await env.runUntilIdle();
    expect((await start(follower)).drift).toEqual([]);
    await stop(follower);
    await env.leaderSells('3.3333');
    await env.runUntilIdle();
    // 5 × (1 - 0.99972 × 0.67) = 1.6509: computed from the fractions 0.00028 and 0.33 that the signals show.
    expect((await start(follower)).drift).toMatchObject([{ held_amount: '5', excess_amount: '1.65' }]);
    await start(follower, { resync: 'EXITS' });
    await env.executeAll();
    // 5 × (3.3333 + 0.0019) ÷ 10 = 1.6676
    expect((await env.lastOrder(follower)).amount).toBe('1.667');
  });

  it('rule 12: the drift of a copier of an own strategy is exact', async () => {
    const on = { actor: env.leader, account: await env.core.account(env.leader) };
    const follower = await env.follower({}, { on });
    await env.leaderBuys('10');
    await env.executeAll();
    await stop(follower);
    await env.leaderSells('3.3333');
    await env.runUntilIdle();
    expect((await start(follower)).drift).toMatchObject([{ excess_amount: '1.666' }]);
  });

  it('rule 12: exits that were emitted during the pause and are planned afterwards are not followed', async () => {
    const follower = await env.followerWithLot();
    await stop(follower);
    await env.leaderSells('10');
    const started = await start(follower);
    expect(started.drift).toMatchObject([{ held_amount: '5', excess_amount: '5' }]);
    await env.executeAll();
    expect(await env.held(follower)).toBe('5');
    expect(await env.lastDecision(follower)).toMatchObject({
      kind: 'CLOSE',
      outcome: 'SKIPPED',
      code: 'NOT_ACTIVE',
    });
  });

  it('rule 12: resync EXITS sells exactly the missed amounts, and a later exit sells the rest', async () => {
    const follower = await env.followerWithLot();
    await stop(follower);
    await env.leaderSells('2');
    await env.leaderSells('4');
    await env.runUntilIdle();
    expect(await start(follower, { resync: 'EXITS' })).toMatchObject({ drift: [], status: 'ACTIVE' });
    await env.executeAll();
    expect((await env.lastOrder(follower)).amount).toBe('3');
    expect(await env.held(follower)).toBe('2');
    expect(await env.decisions(follower)).toMatchObject([
      { outcome: 'COPIED' },
      { outcome: 'SKIPPED', code: 'NOT_ACTIVE' },
      { outcome: 'COPIED', code: null, filled: '3', settled: true },
    ]);
    const [sold] = await shownDecisions(follower);
    expect(sold).toMatchObject({ kind: 'REDUCE', target_amount: '3', sent_amount: '3', filled_amount: '3' });
    await env.leaderSells('4');
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
  });

  it('rule 12: resync EXITS can be requested after the drift was reported, and sells once', async () => {
    const follower = await env.followerWithLot();
    await stop(follower);
    await env.leaderSells('10');
    await start(follower);
    expect(await start(follower, { resync: 'EXITS' })).toMatchObject({ drift: [] });
    await start(follower, { resync: 'EXITS' });
    await env.executeAll();
    expect((await env.orders(follower)).map(({ side, amount }) => [side, amount])).toEqual([
      ['BUY', '5'],
      ['SELL', '5'],
    ]);
    expect(await env.held(follower)).toBe('0');
    expect(await env.decisions(follower)).toHaveLength(2);
  });

  it('rule 12: the remainder of an exit that the stop cancelled is part of the drift', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('10');
    await env.runUntilIdle();
    const exit = await env.lastOrder(follower);
    await env.core.beginSubmission(exit.id, exit.id);
    await env.fill(exit.id, { amount: '2' });
    await stop(follower);
    await env.fill(exit.id, { amount: '0', status: 'CANCELLED' });
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({
      outcome: 'CLAMPED',
      code: 'NOT_ACTIVE',
      filled: '2',
    });
    expect((await start(follower)).drift).toMatchObject([{ held_amount: '3', excess_amount: '3' }]);
    await start(follower, { resync: 'EXITS' });
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'COPIED', filled: '5', attempt: 2 });
  });

  it('rule 12: a resync sells no more than was missed, even if an exit order from before the stop is still open', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('4');
    await env.runUntilIdle();
    const exit = await env.lastOrder(follower);
    await env.core.beginSubmission(exit.id, exit.id);
    await env.fill(exit.id, { amount: '0.5' });
    await stop(follower);
    await env.leaderSells('3');
    await start(follower, { resync: 'EXITS' });
    await env.runUntilIdle();
    await env.fill(exit.id, { amount: '0.25', status: 'CANCELLED' });
    for (let round = 0; round < 4; round++) {
      await env.runDecisionsNow();
      await env.executeAll();
    }
    // The leader holds 3 of its 10, so the copier holds 1.5 of its 5.
    expect(await env.held(follower)).toBe('1.5');
  });

  it('rule 10: increases of lots that the leader opened before the restart are not copied, but exits of held lots are followed', async () => {
    const trade = await env.leaderOrder('BUY', '10');
    const follower = await env.follower();
    await env.fill(trade, { amount: '4' });
    await env.executeAll();
    await stop(follower);
    await start(follower);
    await env.fill(trade, { amount: '6' });
    await env.leaderSells('5');
    await env.executeAll();
    expect(await env.decisions(follower)).toMatchObject([
      { kind: 'OPEN', outcome: 'COPIED' },
      { kind: 'INCREASE', outcome: 'SKIPPED', code: 'NOT_HELD' },
      { kind: 'REDUCE', outcome: 'COPIED', filled: '1' },
    ]);
  });
});

describe('copying existing lots', () => {
  it('rule 10: happens only if copy_existing is set, at the current price and within its slippage bound', async () => {
    await env.leaderBuys('10', '90');
    await env.leaderSells('2', '95');
    await env.setPair('last_price = 110');
    const plain = await env.follower();
    const requesting = await env.follower({ copy_existing: true, limits: { max_slippage_bps: 100 } });
    expect(await env.orders(plain)).toEqual([]);
    expect(await env.orders(requesting)).toMatchObject([
      { side: 'BUY', type: 'LIMIT', time_in_force: 'IOC', amount: '4', price: '111.1', intent: 'OPEN' },
    ]);
    await env.executeAll({ price: '110' });
    expect(await env.decisions(requesting)).toMatchObject([
      { kind: 'OPEN', outcome: 'COPIED', filled: '4', slippage: '0', settled: true },
    ]);
    await env.leaderSells('4');
    await env.executeAll();
    expect(await env.held(requesting)).toBe('2');
    expect(await env.held(plain)).toBe('0');
  });

  it('does not copy a lot again if the user has sold its copy', async () => {
    const follower = await env.followerWithLot({ copy_existing: true });
    const sale = await env.insertTrade({
      user_id: follower.actor.userId,
      exchange_account_id: follower.account.uuid,
      side: 'SELL',
      amount: '5',
    });
    await env.fill(sale, { price: '100' });
    await stop(follower);
    await start(follower);
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
    expect(await env.orders(follower)).toHaveLength(1);
  });

  it('can be requested for a single start, even for lots whose signals were emitted during the pause', async () => {
    const follower = await env.follower();
    await stop(follower);
    await env.leaderBuys('10');
    await env.runUntilIdle();
    await start(follower, { copy_existing: true });
    await env.executeAll();
    expect(await env.held(follower)).toBe('5');
    expect(await env.decisions(follower)).toMatchObject([{ outcome: 'COPIED', filled: '5' }]);
  });
});

describe('a start fails if', () => {
  it('rule 26: the copier’s account is a second connection of the strategy’s own account', async () => {
    const duplicate = await env.core.account(env.leader);
    await env.core.rows(
      "UPDATE exchange_accounts SET venue_account_id = 'the-same' || $2 WHERE id = ANY ($1)",
      [duplicate.uuid, env.source.uuid],
      env.leader.userId,
    );
    const onDuplicate = { actor: env.leader, account: duplicate };
    await expect(env.follower({}, { on: onDuplicate })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'exchange_account_id', code: 'own_account' }],
    });
    const becameDuplicate = await env.follower({}, { start: false });
    await env.core.rows(
      `UPDATE exchange_accounts SET venue_account_id =
         (SELECT venue_account_id FROM exchange_accounts WHERE id = $2) WHERE id = $1`,
      becameDuplicate.account.uuid,
      env.source.uuid,
    );
    await expect(start(becameDuplicate)).rejects.toMatchObject({ details: [{ code: 'own_account' }] });
  });

  it('the account’s equity is unknown or less than the strategy requires', async () => {
    await env.reset({ min_copy_equity: '5000' });
    const actor = await env.core.actor();
    const belowMinimum = { actor, account: await env.core.account(actor, { USDT: '4999.99' }) };
    const invalidState = (name: string) => ({ code: 'invalid_state', details: [{ state: name }] });
    await expect(env.follower({}, { on: belowMinimum })).rejects.toMatchObject(
      invalidState('BELOW_MIN_COPY_EQUITY'),
    );
    await env.core.pair({ base: 'UNPRICED' });
    const unpriced = { actor, account: await env.core.account(actor, { UNPRICED: '1' }) };
    await expect(env.follower({}, { on: unpriced })).rejects.toMatchObject(invalidState('EQUITY_UNKNOWN'));
    const aboveMinimum = { actor, account: await env.core.account(actor, { USDT: '4900', BTC: '1' }) };
    await env.follower({}, { on: aboveMinimum });
  });
});
