/** Funding and interest of one account at an exchange that is connected twice. Each connection reads the same records. */
import type { FundingPayment, InterestCharge } from '@trading-automation/exchanges';
import { AnalyticsService } from '../src/analytics/analytics.service.js';
import { DailyRollups } from '../src/analytics/daily-rollups.service.js';
import { FundingReports } from '../src/funding/index.js';
import { CoreUnderTest, type RecordIds } from '../src/testing/index.js';
import { FillScenario } from '../src/trades/lots/testing/fill-scenario.js';

let core: CoreUnderTest;
let analytics: AnalyticsService;
let reports: FundingReports;
let perpetual: RecordIds;
let margin: RecordIds;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  analytics = new AnalyticsService(core.platform);
  reports = new FundingReports(core.platform);
  perpetual = await core.pair({ symbol: 'BTC/USDT:USDT', trading_type: 'perpetual' });
  margin = await core.pair({ trading_type: 'margin', last_price: '100' });
});
afterAll(() => core.close());

let first: FillScenario;
let second: FillScenario;

/** Connects one account at the exchange twice, by one user or by two. */
async function connect(pair: RecordIds, { users = 1 } = {}): Promise<void> {
  first = await FillScenario.begin(core, pair.uuid);
  second = await FillScenario.begin(core, pair.uuid, users === 1 ? first.actor : undefined);
  await core.rows(
    'UPDATE exchange_accounts SET venue_account_id = $1 WHERE id IN ($1::uuid, $2)',
    first.accountId,
    second.accountId,
  );
}

const pay = ({ accountId }: FillScenario, amount = '-3', more: Partial<FundingPayment> = {}) =>
  reports.storePayments(accountId, [
    { id: 'p1', symbol: 'BTC/USDT:USDT', amount, currency: 'USDT', paidAt: FillScenario.at(10), ...more },
  ]);
const charge = ({ accountId }: FillScenario, more: Partial<InterestCharge> = {}) =>
  reports.storeCharges(accountId, [
    { id: 'c1', asset: 'USDT', amount: '0.3', chargedAt: FillScenario.at(10), ...more },
  ]);

/** Returns the parts of the lots of a connection. */
const partsOf = async ({ accountId, actor }: FillScenario) =>
  (
    await core.rows(
      `SELECT trim_scale(f.amount)::text AS amount FROM lot_funding f
       JOIN lots l ON l.id = f.lot_id AND l.exchange_account_id = f.exchange_account_id AND l.user_id = f.user_id
       WHERE f.exchange_account_id = $1 AND f.user_id = $2 ORDER BY f.at, l.opened_at, l.id`,
      accountId,
      actor.userId,
    )
  ).map(({ amount }) => amount);
const bothParts = async () => [await partsOf(first), await partsOf(second)];

/** Returns the sum of all parts. */
const booked = async () =>
  (
    await core.row(
      `SELECT trim_scale(coalesce(sum(amount), 0))::text AS amount FROM lot_funding
       WHERE exchange_account_id IN ($1, $2)`,
      first.accountId,
      second.accountId,
    )
  ).amount;

/** Ends the connection as a rejected key does. Its lots stay as they are. */
const deactivate = ({ accountId }: FillScenario) =>
  core.rows('UPDATE exchange_accounts SET is_active = false WHERE id = $1', accountId);

/** The origins of lots of which each connection has its own. */
const REPEATED = ['EXTERNAL', 'RECONCILIATION'] as const;

/** Reads the funding of a user's results, computed and from the rollups. */
async function resultOf({ actor }: FillScenario): Promise<string> {
  const read = async () => (await analytics.get(actor, { interval: 'day' })).funding;
  const computed = await read();
  await new DailyRollups(core.platform).refresh();
  expect(await read()).toBe(computed);
  return computed;
}

describe('a funding payment that two connections read', () => {
  it('is divided among the lots of both, to the last digit', async () => {
    await connect(perpetual);
    await first.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    await second.executeTrade({ side: 'BUY', amount: '2', at: 2 });
    const amount = '-0.000000000000000010';
    await pay(first, amount);
    expect(await bothParts()).toEqual([['-0.000000000000000003'], ['-0.000000000000000007']]);
    await pay(second, amount);
    expect(await bothParts()).toEqual([['-0.000000000000000003'], ['-0.000000000000000007']]);
    expect(await booked()).toBe('-0.00000000000000001');
    expect(await resultOf(first)).toBe('-0.00000000000000001');
  });

  it('belongs to the one that has lots, whichever reads it first', async () => {
    for (const reader of ['first', 'second']) {
      await connect(perpetual);
      await second.executeTrade({ side: 'BUY', amount: '2', at: 1 });
      for (const scenario of reader === 'first' ? [first, second] : [second, first]) await pay(scenario);
      expect(await bothParts()).toEqual([[], ['-3']]);
      expect(await resultOf(first)).toBe('-3');
    }
  });

  it('belongs once to the account if neither has lots', async () => {
    await connect(perpetual);
    await pay(first);
    await pay(second);
    expect(await bothParts()).toEqual([[], []]);
    expect(await resultOf(first)).toBe('-3');
  });

  it('is booked once if both store it at the same time', async () => {
    await connect(perpetual);
    await first.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    await second.executeTrade({ side: 'BUY', amount: '2', at: 2 });
    expect(await Promise.all([pay(first), pay(second)])).toEqual([1, 1]);
    expect(await bothParts()).toEqual([['-1'], ['-2']]);
  });

  it('is booked again after late fills of either, also while both are stored at the same time', async () => {
    await connect(perpetual);
    const alone = await first.trade({ side: 'BUY' });
    const late = await first.trade({ side: 'BUY' });
    const later = await second.trade({ side: 'BUY' });
    await second.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    await pay(second);
    expect(await bothParts()).toEqual([[], ['-3']]);
    await first.store({ tradeId: alone, amount: '2', at: 4 });
    expect(await bothParts()).toEqual([['-2'], ['-1']]);
    await Promise.all([
      first.store({ tradeId: late, amount: '2', at: 5 }),
      second.store({ tradeId: later, amount: '1', at: 6 }),
    ]);
    expect(await bothParts()).toEqual([
      ['-1', '-1'],
      ['-0.5', '-0.5'],
    ]);
  });

  it('is divided among the lots of different users, and counts for each by its lots', async () => {
    await connect(perpetual, { users: 2 });
    const late = await second.trade({ side: 'BUY' });
    await pay(first);
    await pay(second);
    expect([await resultOf(first), await resultOf(second)]).toEqual(['-3', '0']);
    await second.store({ tradeId: late, amount: '1', at: 5 });
    expect([await resultOf(first), await resultOf(second)]).toEqual(['0', '-3']);
  });

  it('moves to another user by a late fill of a connection that has not read it, and back by a late closing', async () => {
    await connect(perpetual, { users: 2 });
    const opening = await second.trade({ side: 'BUY' });
    const closing = await second.trade({ side: 'SELL' });
    await pay(first);
    expect([await resultOf(first), await resultOf(second)]).toEqual(['-3', '0']);
    await second.store({ tradeId: opening, amount: '1', at: 5 });
    expect([await resultOf(first), await resultOf(second)]).toEqual(['0', '-3']);
    await second.store({ tradeId: closing, amount: '1', at: 6 });
    expect([await resultOf(first), await resultOf(second)]).toEqual(['-3', '0']);
  });

  it('belongs to no adopted lot of an inactive connection that did not read it', async () => {
    for (const users of [1, 2])
      for (const origin of REPEATED) {
        await connect(perpetual, { users });
        await first.executeTrade({ side: 'BUY', amount: '1', at: 1, origin });
        await deactivate(first);
        await second.executeTrade({ side: 'BUY', amount: '1', at: 2, origin: 'COPIER' });
        await pay(second, '-6');
        expect(await bothParts()).toEqual([[], ['-6']]);
      }
  });

  it('belongs also to the lots of the product’s orders of an inactive connection', async () => {
    await connect(perpetual);
    await first.executeTrade({ side: 'BUY', amount: '1', at: 1, origin: 'COPIER' });
    await deactivate(first);
    await second.executeTrade({ side: 'BUY', amount: '2', at: 2, origin: 'EXTERNAL' });
    await pay(second);
    expect(await bothParts()).toEqual([['-1'], ['-2']]);
  });

  it('belongs once to an order that both adopted: to the lot of the one that stored it first', async () => {
    for (const origin of REPEATED)
      for (const reader of ['first', 'second']) {
        await connect(perpetual);
        await first.executeTrade({ side: 'BUY', amount: '1', at: 1, origin });
        await second.executeTrade({ side: 'BUY', amount: '1', at: 1, origin });
        await second.executeTrade({ side: 'BUY', amount: '1', at: 2 });
        const parts = reader === 'first' ? [['-3'], ['-3']] : [[], ['-3', '-3']];
        for (const scenario of reader === 'first' ? [first, second] : [second, first]) {
          await pay(scenario, '-6');
          expect(await bothParts()).toEqual(parts);
        }
        await deactivate(reader === 'first' ? first : second);
        await first.executeTrade({ side: 'BUY', amount: '1', at: 9, origin: 'COPIER' });
        expect(await booked()).toBe('-6');
        expect((await bothParts()).map((of) => of.length)).toEqual(reader === 'first' ? [2, 1] : [1, 2]);
      }
  });

  it('belongs to the adopted lots of the next reader if the first has none', async () => {
    await connect(perpetual, { users: 2 });
    const late = await first.trade({ side: 'BUY', origin: 'EXTERNAL' });
    await second.executeTrade({ side: 'BUY', amount: '1', at: 1, origin: 'EXTERNAL' });
    await pay(first);
    expect([await resultOf(first), await resultOf(second)]).toEqual(['-3', '0']);
    await pay(second);
    expect([await resultOf(first), await resultOf(second)]).toEqual(['0', '-3']);
    await first.store({ tradeId: late, amount: '1', at: 1 });
    expect([await resultOf(first), await resultOf(second)]).toEqual(['-3', '0']);
  });

  it('is reported once to each user', async () => {
    for (const users of [1, 2]) {
      await connect(perpetual, { users });
      await pay(first);
      await pay(second);
      const events = [
        ...(await core.events(first.actor.userId)),
        ...(users === 2 ? await core.events(second.actor.userId) : []),
      ];
      expect(events.filter(({ type }) => type === 'funding.paid')).toHaveLength(users);
    }
  });

  it('belongs to no lot of a connection that was removed before it', async () => {
    await connect(perpetual);
    await first.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    await second.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    await core.rows(
      'UPDATE exchange_accounts SET deleted_at = $2 WHERE id = $1',
      first.accountId,
      FillScenario.at(20),
    );
    await pay(second);
    await pay(second, '-5', { id: 'p2', paidAt: FillScenario.at(30) });
    expect(await bothParts()).toEqual([['-1.5'], ['-1.5', '-5']]);
  });

  it('is each connection’s own if the exchange has two accounts, even if their payments have the same id', async () => {
    await connect(perpetual);
    await core.rows(
      'UPDATE exchange_accounts SET venue_account_id = id::text WHERE id = $1',
      second.accountId,
    );
    await first.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    await pay(first);
    await pay(second);
    expect(await bothParts()).toEqual([['-3'], []]);
    expect(await resultOf(first)).toBe('-6');
  });
});

describe('an interest charge that two connections read', () => {
  it('is divided among the lots of both that owe the loan', async () => {
    await connect(margin);
    await first.executeTrade({ side: 'BUY', amount: '1', price: '100', at: 1 });
    await second.executeTrade({ side: 'BUY', amount: '1', price: '200', at: 2 });
    await charge(first);
    expect(await bothParts()).toEqual([['-0.1'], ['-0.2']]);
    await charge(second);
    expect(await bothParts()).toEqual([['-0.1'], ['-0.2']]);
  });

  it('is booked once if both store it at the same time', async () => {
    await connect(margin);
    await first.executeTrade({ side: 'BUY', amount: '1', price: '100', at: 1 });
    await second.executeTrade({ side: 'BUY', amount: '1', price: '200', at: 2 });
    expect(await Promise.all([charge(first), charge(second)])).toEqual([1, 1]);
    expect(await bothParts()).toEqual([['-0.1'], ['-0.2']]);
  });

  it('belongs to the one whose short lot owes the loan, and is booked again after a late fill of the other', async () => {
    await connect(margin);
    const late = await first.trade({ side: 'SELL' });
    await second.executeTrade({ side: 'SELL', amount: '1', at: 2 });
    const owed = { asset: 'BTC', amount: '0.004' };
    await charge(second, owed);
    expect(await bothParts()).toEqual([[], ['-0.4']]);
    await first.store({ tradeId: late, amount: '3', at: 1 });
    expect(await bothParts()).toEqual([['-0.3'], ['-0.1']]);
    await charge(first, owed);
    expect(await bothParts()).toEqual([['-0.3'], ['-0.1']]);
  });

  it('belongs to no adopted lot of an inactive connection that did not read it', async () => {
    for (const origin of REPEATED) {
      await connect(margin, { users: 2 });
      await first.executeTrade({ side: 'SELL', amount: '3', at: 1, origin });
      await deactivate(first);
      await second.executeTrade({ side: 'SELL', amount: '1', at: 2 });
      await charge(second, { asset: 'BTC', amount: '0.004' });
      expect(await bothParts()).toEqual([[], ['-0.4']]);
    }
  });

  it('belongs once to an order that both adopted: to the lot of the first reader that has it', async () => {
    await connect(margin);
    const late = await first.trade({ side: 'BUY', origin: 'EXTERNAL' });
    await second.executeTrade({ side: 'BUY', amount: '1', at: 1, origin: 'EXTERNAL' });
    await second.executeTrade({ side: 'BUY', amount: '2', at: 2 });
    await charge(first);
    expect(await bothParts()).toEqual([[], ['-0.3']]);
    await charge(second);
    expect(await bothParts()).toEqual([[], ['-0.1', '-0.2']]);
    await first.store({ tradeId: late, amount: '1', at: 1 });
    expect(await bothParts()).toEqual([['-0.1'], ['-0.2']]);
  });
});
