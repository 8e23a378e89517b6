import { encodeId } from '@trading-automation/contracts';
import type { FundingPayment, InterestCharge } from '@trading-automation/exchanges';
import { FundingReports, fundingSince } from '../src/funding/index.js';
import { CoreUnderTest, type RecordIds } from '../src/testing/index.js';
import { FillScenario } from '../src/trades/lots/testing/fill-scenario.js';

let core: CoreUnderTest;
let reports: FundingReports;
let perpetual: RecordIds;
let margin: RecordIds;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  reports = new FundingReports(core.platform);
  perpetual = await core.pair({ symbol: 'BTC/USDT:USDT', trading_type: 'perpetual' });
  margin = await core.pair({ trading_type: 'margin', last_price: '100' });
});
afterAll(() => core.close());

const paymentOf = (id: string, changes: Partial<FundingPayment> = {}): FundingPayment => ({
  id,
  symbol: 'BTC/USDT:USDT',
  amount: '-3',
  currency: 'USDT',
  paidAt: FillScenario.at(10),
  ...changes,
});
const chargeOf = (id: string, changes: Partial<InterestCharge> = {}): InterestCharge => ({
  id,
  asset: 'USDT',
  amount: '0.3',
  chargedAt: FillScenario.at(10),
  ...changes,
});
const eventsOf = async (scenario: FillScenario) =>
  (await core.events(scenario.actor.userId)).filter(({ type }) => type === 'funding.paid');
const partsOf = async (scenario: FillScenario) =>
  (
    await core.rows(
      `SELECT f.lot_id, trim_scale(f.amount)::text AS amount FROM lot_funding f JOIN lots l ON l.id = f.lot_id
       WHERE f.exchange_account_id = $1 ORDER BY f.at, l.opened_at, l.id`,
      scenario.accountId,
    )
  ).map(({ lot_id, amount }) => [lot_id, amount]);
const paidSince = (scenario: FillScenario, seconds: number) =>
  fundingSince(core.platform.database.manager, scenario.accountId, perpetual.uuid, FillScenario.at(seconds));

describe('funding payments', () => {
  it('are booked to the lots that were open, once, with one event', async () => {
    const scenario = await FillScenario.begin(core, perpetual.uuid);
    const first = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    const second = await scenario.executeTrade({ side: 'BUY', amount: '2', at: 2 });
    await scenario.executeTrade({ side: 'BUY', amount: '5', at: 10 });
    expect(await reports.storePayments(scenario.accountId, [paymentOf('p1')])).toBe(1);
    expect(await reports.storePayments(scenario.accountId, [paymentOf('p1'), paymentOf('p1')])).toBe(0);
    expect(await partsOf(scenario)).toEqual([
      [first.fillId, '-1'],
      [second.fillId, '-2'],
    ]);
    expect((await eventsOf(scenario)).map(({ data }) => data)).toEqual([
      {
        id: expect.stringMatching(/^fnd_/),
        exchange_account_id: encodeId('exa', scenario.accountId),
        trade_pair_id: perpetual.id,
        symbol: 'BTC/USDT:USDT',
        amount: -3,
        currency: 'USDT',
        paid_at: FillScenario.at(10).toISOString(),
        created_at: expect.any(String),
      },
    ]);
  });

  it('are stored once if two processes report them at the same time', async () => {
    const scenario = await FillScenario.begin(core, perpetual.uuid);
    const store = () => reports.storePayments(scenario.accountId, [paymentOf('p1'), paymentOf('p2')]);
    expect((await Promise.all([store(), store()])).toSorted()).toEqual([0, 2]);
    expect(await eventsOf(scenario)).toHaveLength(2);
  });

  it('are booked again after a fill that was stored late and after one that rewinds the book', async () => {
    const scenario = await FillScenario.begin(core, perpetual.uuid);
    const late = await scenario.trade({ side: 'BUY' });
    const rewinding = await scenario.trade({ side: 'SELL' });
    const { fillId } = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 5 });
    await reports.storePayments(scenario.accountId, [paymentOf('p1')]);
    expect(await partsOf(scenario)).toEqual([[fillId, '-3']]);
    const [lateId] = await scenario.store({ tradeId: late, amount: '2', at: 8 });
    expect(await partsOf(scenario)).toEqual([
      [fillId, '-1'],
      [lateId, '-2'],
    ]);
    await scenario.store({ tradeId: rewinding, amount: '1', at: 6 });
    expect(await partsOf(scenario)).toEqual([[lateId, '-3']]);
  });

  it('without an open lot, of a market that is not offered, or in another currency, belong to the account', async () => {
    const scenario = await FillScenario.begin(core, perpetual.uuid);
    await reports.storePayments(scenario.accountId, [paymentOf('early')]);
    await scenario.executeTrade({ side: 'SELL', amount: '1', at: 11 });
    const later = { paidAt: FillScenario.at(20) };
    await reports.storePayments(scenario.accountId, [
      paymentOf('unknown', { symbol: 'XYZ/USDT:USDT', ...later }),
      paymentOf('other', { currency: 'BNB', ...later }),
    ]);
    expect(await partsOf(scenario)).toEqual([]);
    const events = await eventsOf(scenario);
    expect(events.map(({ data }) => [data.symbol, data.trade_pair_id, data.currency])).toEqual([
      ['BTC/USDT:USDT', perpetual.id, 'USDT'],
      ['XYZ/USDT:USDT', undefined, 'USDT'],
      ['BTC/USDT:USDT', perpetual.id, 'BNB'],
    ]);
  });

  it('add up since an instant: positive if the account paid', async () => {
    const scenario = await FillScenario.begin(core, perpetual.uuid);
    expect(await paidSince(scenario, 0)).toBe('0');
    await reports.storePayments(scenario.accountId, [
      paymentOf('p1'),
      paymentOf('p2', { amount: '0.5', paidAt: FillScenario.at(20) }),
      paymentOf('p3', { amount: '-1', currency: 'BNB', paidAt: FillScenario.at(20) }),
    ]);
    expect(await paidSince(scenario, 9)).toBe('2.5');
    expect(await paidSince(scenario, 10)).toBe('-0.5');
  });

  it('of an account that does not exist are ignored', async () => {
    expect(await reports.storePayments('00000000-0000-7000-8000-000000000000', [paymentOf('p1')])).toBe(0);
  });
});

describe('interest charges', () => {
  it('on a loan of quote currency belong to the long lots, by cost', async () => {
    const scenario = await FillScenario.begin(core, margin.uuid);
    const cheap = await scenario.executeTrade({ side: 'BUY', amount: '1', price: '100', at: 1 });
    const dear = await scenario.executeTrade({ side: 'BUY', amount: '1', price: '200', at: 2 });
    expect(await reports.storeCharges(scenario.accountId, [chargeOf('c1')])).toBe(1);
    expect(await reports.storeCharges(scenario.accountId, [chargeOf('c1')])).toBe(0);
    expect(await partsOf(scenario)).toEqual([
      [cheap.fillId, '-0.1'],
      [dear.fillId, '-0.2'],
    ]);
  });

  it('on a loan of base currency belong to the short lots, at the price of the pair', async () => {
    const scenario = await FillScenario.begin(core, margin.uuid);
    const { fillId } = await scenario.executeTrade({ side: 'SELL', amount: '1', at: 1 });
    await reports.storeCharges(scenario.accountId, [chargeOf('c1', { asset: 'BTC', amount: '0.001' })]);
    expect(await partsOf(scenario)).toEqual([[fillId, '-0.1']]);
  });

  it('keep their value when they are booked again', async () => {
    const scenario = await FillScenario.begin(core, margin.uuid);
    const late = await scenario.trade({ side: 'SELL' });
    const { fillId } = await scenario.executeTrade({ side: 'SELL', amount: '1', at: 2 });
    await reports.storeCharges(scenario.accountId, [chargeOf('c1', { asset: 'BTC', amount: '0.004' })]);
    await core.rows('UPDATE trade_pairs SET last_price = 500 WHERE id = $1', margin.uuid);
    const [lateId] = await scenario.store({ tradeId: late, amount: '3', at: 1 });
    await core.rows('UPDATE trade_pairs SET last_price = 100 WHERE id = $1', margin.uuid);
    expect(await partsOf(scenario)).toEqual([
      [lateId, '-0.3'],
      [fillId, '-0.1'],
    ]);
  });

  it('without a lot that owes the loan belong to no lot until a late fill opens one', async () => {
    const scenario = await FillScenario.begin(core, margin.uuid);
    await reports.storeCharges(scenario.accountId, [chargeOf('c1')]);
    expect(await partsOf(scenario)).toEqual([]);
    const { fillId } = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    expect(await partsOf(scenario)).toEqual([[fillId, '-0.3']]);
  });
});
