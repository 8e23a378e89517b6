/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { copierOperations } from '@trading-automation/contracts';
import { AccountSyncService } from '../../exchange-accounts/index.js';
import { querySchemaOf } from '../../operations/index.js';
import type { CopiersService } from '../copiers.service.js';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';
import { CopySettlement, type SettlementStep } from './copy-settlement.service.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

/** Raises the pair's minimum so that an exit of less than `amount` at 100 is too small. */
const requireAmount = (amount: string) => env.setPair(`min_notional = ${amount} * 100`);
const outcomes = async (follower: Follower, outcome?: string) => {
  const query = querySchemaOf(copierOperations.decisions).parse(
    outcome === undefined ? { sort: 'sequence', order: 'asc' } : { outcome },
  ) as Parameters<CopiersService['decisions']>[2];
  const { items } = await env.copiers.decisions(follower.actor, follower.copier.id, query);
  return items;
};
const eventCount = async (follower: Follower, type: string) =>
  (await env.eventTypes(follower)).filter((each) => each === type).length;

describe('rule 32: an exit below the exchange’s minimum', () => {
  it('is PENDING with the missing amount, and is sold once the price has risen', async () => {
    const follower = await env.followerWithLot();
    await env.setPair('min_notional = 110');
    await env.leaderSells('2');
    await env.runUntilIdle();
    expect((await outcomes(follower)).at(-1)).toMatchObject({
      kind: 'REDUCE',
      outcome: 'PENDING',
      code: 'BELOW_MINIMUM',
      inputs: { rule: 'min_notional', value: '100', limit: '110', missing_amount: '0.1' },
      target_amount: '1',
      sent_amount: '0',
      filled_amount: '0',
    });
    expect(await env.orders(follower)).toHaveLength(1);
    await env.setPair('last_price = 112, last_price_at = clock_timestamp()');
    expect(await env.settlement.reopen()).toBe(1);
    await env.executeAll({ price: '112' });
    const [, exit] = await outcomes(follower);
    expect(exit).toMatchObject({
      outcome: 'COPIED',
      target_amount: '1',
      sent_amount: '1',
      filled_amount: '1',
    });
    expect(exit!.code).toBeUndefined();
    expect(exit!.inputs).not.toHaveProperty('rule');
    expect(await env.held(follower)).toBe('4');
    expect(await eventCount(follower, 'copier.trade_skipped')).toBe(0);
  });

  it('is tried again within a minute, and is not tried again before that without a reason', async () => {
    const follower = await env.followerWithLot();
    await requireAmount('2');
    await env.leaderSells('2');
    await env.runUntilIdle();
    const delayMs = async () => {
      const row = await env.core.row(
        `SELECT extract(epoch FROM look_at - clock_timestamp()) * 1000 AS ms FROM decisions
         WHERE copier_id = $1 AND settled_at IS NULL`,
        follower.uuid,
      );
      return Number(row.ms);
    };
    expect(await delayMs()).toBeLessThanOrEqual(60_000);
    expect(await delayMs()).toBeGreaterThan(30_000);
    expect(await env.settlement.reopen()).toBe(0);
    await env.runDecisionsNow();
    expect(await delayMs()).toBeGreaterThan(30_000);
    await requireAmount('1');
    await env.runDecisionsNow();
    expect(await env.lastOrder(follower)).toMatchObject({ side: 'SELL', amount: '1' });
  });

  it('notifies the owner once, however often it is tried and however many exits are added', async () => {
    const follower = await env.followerWithLot();
    await requireAmount('2');
    await env.leaderSells('2');
    await env.runUntilIdle();
    expect((await env.core.events(follower.actor.userId)).at(-1)).toMatchObject({
      type: 'copier.exit_delayed',
      data: { outcome: 'PENDING', code: 'BELOW_MINIMUM', inputs: { missing_amount: '1' } },
    });
    await env.runDecisionsNow();
    await env.leaderSells('0.2');
    await env.runUntilIdle();
    await env.runDecisionsNow();
    expect(await eventCount(follower, 'copier.exit_delayed')).toBe(1);
  });

  it('does not delay later exits: one order sells the amounts of both, and each decision gets its share', async () => {
    const follower = await env.followerWithLot();
    await requireAmount('1.5');
    await env.leaderSells('2');
    await env.runUntilIdle();
    await env.leaderSells('4');
    await env.runUntilIdle();
    expect((await env.orders(follower)).map(({ side, amount }) => [side, amount])).toEqual([
      ['BUY', '5'],
      ['SELL', '3'],
    ]);
    expect((await outcomes(follower)).map(({ outcome }) => outcome)).toEqual([
      'COPIED',
      'PENDING',
      'PENDING',
    ]);
    await env.executeAll();
    const [, first, second] = await outcomes(follower);
    expect(first).toMatchObject({
      outcome: 'COPIED',
      target_amount: '1',
      sent_amount: '1',
      filled_amount: '1',
      trade_id: second!.trade_id,
    });
    // They were filled, so the reasons why they waited are gone.
    for (const { inputs } of [first!, second!])
      for (const reason of ['rule', 'missing_amount']) expect(inputs).not.toHaveProperty(reason);
    expect(second).toMatchObject({
      outcome: 'COPIED',
      target_amount: '2',
      sent_amount: '2',
      filled_amount: '2',
    });
    expect(await env.held(follower)).toBe('2');
  });

  it('that was filled but for less than a step is COPIED, without a reason for the rest', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('3.3333');
    await env.executeAll();
    const [, exit] = await outcomes(follower);
    expect(exit).toMatchObject({ outcome: 'COPIED', filled_amount: '1.666' });
    for (const reason of ['rule', 'missing_amount']) expect(exit!.inputs).not.toHaveProperty(reason);
  });

  it('is added to the close of its lot', async () => {
    const follower = await env.followerWithLot();
    await requireAmount('2');
    await env.leaderSells('2');
    await env.leaderSells('8');
    await env.executeAll();
    expect((await env.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '5']);
    expect((await outcomes(follower)).map(({ outcome, filled_amount }) => [outcome, filled_amount])).toEqual([
      ['COPIED', '5'],
      ['COPIED', '1'],
      ['COPIED', '4'],
    ]);
    expect(await env.held(follower)).toBe('0');
  });

  it('keeps its share if the common order fills in parts, and an amount that is ordered again counts once', async () => {
    const follower = await env.followerWithLot();
    await requireAmount('1.5');
    await env.leaderSells('2');
    await env.leaderSells('4');
    await env.runUntilIdle();
    await env.setPair('min_notional = 1');
    await env.execute(await env.lastOrder(follower), { amount: '0.6' });
    await env.runUntilIdle();
    expect((await outcomes(follower)).map(({ outcome, filled_amount }) => [outcome, filled_amount])).toEqual([
      ['COPIED', '5'],
      ['PENDING', '0.6'],
      ['PENDING', '0'],
    ]);
    await env.runDecisionsNow();
    expect(await env.lastOrder(follower)).toMatchObject({ amount: '2.4' });
    await env.executeAll();
    expect(
      (await outcomes(follower)).map(({ outcome, sent_amount, filled_amount }) => [
        outcome,
        sent_amount,
        filled_amount,
      ]),
    ).toEqual([
      ['COPIED', '5', '5'],
      ['COPIED', '1', '1'],
      ['COPIED', '2', '2'],
    ]);
  });

  it('is filled with all that its order sells, if the rest of the lot could not be sold; older ones have their own amount', async () => {
    const follower = await env.followerWithLot();
    await requireAmount('6');
    await env.leaderSells('2');
    await env.leaderSells('4');
    await env.runUntilIdle();
    await requireAmount('4.5');
    await env.runDecisionsNow();
    expect(await env.lastOrder(follower)).toMatchObject({ side: 'SELL', amount: '5' });
    await env.executeAll();
    expect(await outcomes(follower)).toMatchObject([
      { outcome: 'COPIED', target_amount: '5', filled_amount: '5' },
      { outcome: 'COPIED', target_amount: '1', filled_amount: '1' },
      { outcome: 'COPIED', target_amount: '2', filled_amount: '4' },
    ]);
  });

  it('ends as NOT_ACTIVE if its copier is paused', async () => {
    const follower = await env.followerWithLot();
    await requireAmount('6');
    await env.leaderSells('2');
    await env.leaderSells('2');
    await env.runUntilIdle();
    await env.copiers.stop(follower.actor, follower.copier.id);
    await env.runUntilIdle();
    expect((await outcomes(follower)).slice(1)).toMatchObject([
      { outcome: 'SKIPPED', code: 'NOT_ACTIVE' },
      { outcome: 'SKIPPED', code: 'NOT_ACTIVE' },
    ]);
    const started = await env.copiers.start(follower.actor, follower.copier.id);
    expect(started.drift).toMatchObject([{ held_amount: '5', excess_amount: '2' }]);
  });

  it('of a paused copier is part of the drift once, even if the order that carries it is still open', async () => {
    const follower = await env.followerWithLot();
    await requireAmount('1.5');
    await env.leaderSells('2');
    await env.leaderSells('4');
    await env.runUntilIdle();
    const order = await env.lastOrder(follower);
    await env.core.beginSubmission(order.id, order.id);
    await env.fill(order.id, { amount: '2' });
    await env.copiers.stop(follower.actor, follower.copier.id);
    const started = await env.copiers.start(follower.actor, follower.copier.id);
    expect(started.drift).toMatchObject([{ held_amount: '3', excess_amount: '1' }]);
    await env.fill(order.id, { amount: '0', status: 'CANCELLED' });
    await env.runUntilIdle();
    await env.runDecisionsNow();
    expect((await outcomes(follower)).slice(1)).toMatchObject([
      { outcome: 'COPIED', filled_amount: '1' },
      { outcome: 'CLAMPED', code: 'NOT_ACTIVE', filled_amount: '1' },
    ]);
    expect(await env.held(follower)).toBe('3');
  });

  it('ends as NOT_HELD if the owner has sold the lot', async () => {
    const follower = await env.followerWithLot();
    await requireAmount('6');
    await env.leaderSells('2');
    await env.runUntilIdle();
    const sale = await env.insertTrade({
      user_id: follower.actor.userId,
      exchange_account_id: follower.account.uuid,
      side: 'SELL',
      amount: '5',
    });
    await env.fill(sale, { price: '100' });
    await env.runDecisionsNow();
    expect((await outcomes(follower)).at(-1)).toMatchObject({
      outcome: 'SKIPPED',
      code: 'NOT_HELD',
      filled_amount: '0',
    });
  });

  it('stays pending after it was sold in part, if the rest is a whole step but below the minimum', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('10');
    await env.runUntilIdle();
    await env.setPair('min_notional = 110');
    await env.execute(await env.lastOrder(follower), { amount: '4' });
    await env.runDecisionsNow();
    await env.runDecisionsNow();
    expect((await outcomes(follower)).at(-1)).toMatchObject({
      outcome: 'PENDING',
      code: 'BELOW_MINIMUM',
      sent_amount: '5',
      filled_amount: '4',
    });
    expect(await eventCount(follower, 'copier.exit_delayed')).toBe(1);
    await env.setPair('min_notional = 1');
    await env.runDecisionsNow();
    await env.executeAll();
    expect((await outcomes(follower)).at(-1)).toMatchObject({
      outcome: 'COPIED',
      sent_amount: '5',
      filled_amount: '5',
    });
  });

  it.each<SettlementStep>(['counted', 'ordered', 'written'])(
    'is sold exactly once if the worker dies after the step %s',
    async (step) => {
      const follower = await env.followerWithLot();
      await requireAmount('1.5');
      await env.leaderSells('2');
      await env.runUntilIdle();
      await env.leaderSells('0.5');
      await env.runUntilIdle();
      await requireAmount('1');
      await env.core.rows(
        "UPDATE decisions SET look_at = now() - interval '1 s' WHERE settled_at IS NULL AND copier_id = $1",
        follower.uuid,
      );
      const dying = new CopySettlement(env.core.platform, {
        onStep: (at) => {
          if (at === step) throw new Error('The worker dies.');
        },
      });
      await expect(dying.settleNext()).rejects.toThrow('The worker dies.');
      await Promise.all([env.settlement.settleNext(), new CopySettlement(env.core.platform).settleNext()]);
      await env.executeAll();
      expect((await env.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '1.25']);
      expect(
        (await outcomes(follower)).map(({ outcome, filled_amount }) => [outcome, filled_amount]),
      ).toEqual([
        ['COPIED', '5'],
        ['COPIED', '1'],
        ['COPIED', '0.25'],
      ]);
      expect(await env.held(follower)).toBe('3.75');
    },
  );
});

describe('a sale whose acceptance is unknown', () => {
  it('delays an exit that it would cut, because the balances may already lack what it sells', async () => {
    const actor = await env.core.actor();
    const account = await env.core.account(actor, { USDT: '100000', BTC: '0' });
    const follower = await env.follower({}, { on: { actor, account } });
    await env.leaderBuys('8');
    await env.leaderBuys('12');
    await env.executeAll();
    await env.leaderSells('8');
    await env.runUntilIdle();
    const sale = await env.lastOrder(follower);
    await env.core.beginSubmission(sale.id, sale.id);
    // The exchange filled the sale: 6 of 10 are left. Its report has not arrived.
    const at = new Date(Date.now() + 60_000);
    const balances = { BTC: { free: '6', locked: '0' } };
    await new AccountSyncService(env.core.platform).storeUpdates([
      { accountId: account.uuid, balances, at, receivedAt: new Date(), seen: [] },
    ]);

    await env.leaderSells('12');
    await env.runUntilIdle();
    expect((await outcomes(follower)).at(-1)).toMatchObject({ outcome: 'PENDING', sent_amount: '0' });
    await env.fill(sale.id);
    await env.runDecisionsNow();
    expect(await env.lastOrder(follower)).toMatchObject({ side: 'SELL', amount: '6' });
  });
});

describe('the outcome of a decision', () => {
  it('is PENDING until it is settled, in the list, in its filter and in the counts', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await outcomes(follower)).toMatchObject([
      { outcome: 'PENDING', sent_amount: '5', filled_amount: '0' },
    ]);
    expect(await outcomes(follower, 'PENDING')).toHaveLength(1);
    expect(await outcomes(follower, 'COPIED')).toEqual([]);
    expect((await env.copierOf(follower)).stats).toMatchObject({ copied: 0, skipped: 0, failed: 0 });
    await env.executeAll();
    expect(await outcomes(follower, 'PENDING')).toEqual([]);
    expect(await outcomes(follower, 'COPIED')).toHaveLength(1);
    expect((await env.copierOf(follower)).stats).toMatchObject({ copied: 1 });
  });

  it('of an exit that waits for an entry is PENDING, not COPIED', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.leaderSells('5');
    await env.runUntilIdle();
    expect((await outcomes(follower)).at(-1)).toMatchObject({ kind: 'REDUCE', outcome: 'PENDING' });
  });

  it('is FAILED as NOT_ACCEPTED if the order never reached the exchange', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const { id } = await env.lastOrder(follower);
    await env.core.beginSubmission(id, id);
    const message = 'The exchange does not know the order.';
    await env.execution.storeRejection(id, { code: 'not_accepted', message });
    await env.runUntilIdle();
    expect(await outcomes(follower)).toMatchObject([{ outcome: 'FAILED', code: 'NOT_ACCEPTED' }]);
  });

  it('is planned anew from its lot if the lists of the exchange show neither its order nor a fill', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('2');
    await env.runUntilIdle();
    const { id } = await env.lastOrder(follower);
    await env.core.beginSubmission(id, id);
    await env.core.rows(
      "UPDATE trades SET submitted_at = submitted_at - interval '11 minutes' WHERE id = $1",
      id,
    );
    const lists = { openOrders: [], fills: [], ordersOfFills: new Map() };
    for (let reading = 1; reading <= 2; reading++) {
      const request = await env.execution.listingRequestOf(id);
      await env.execution.storeListing(request!, lists);
      await env.core.rows(
        "UPDATE trades SET unlisted_at = unlisted_at - interval '1 minute' WHERE id = $1",
        id,
      );
    }
    await env.runUntilIdle();
    await env.runDecisionsNow();
    const orders = await env.orders(follower);
    expect(orders.map(({ side, status, amount }) => [side, status, amount])).toEqual([
      ['BUY', 'FILLED', '5'],
      ['SELL', 'FAILED', '1'],
      ['SELL', 'PENDING', '1'],
    ]);
    expect(await env.held(follower)).toBe('5');
  });
});
