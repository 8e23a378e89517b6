import { decodeId, type Lot, lotClose, lotOperations } from '@trading-automation/contracts';
import { type Actor, querySchemaOf } from '../operations/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { backfillLots } from './lots/backfill-lots.js';
import { FillScenario } from './lots/testing/fill-scenario.js';
import { LotsService } from './lots.service.js';

let core: CoreUnderTest;
let pair: { uuid: string; id: string };
let lots: LotsService;
let scenario: FillScenario;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  pair = await core.pair({ last_price: '120', order_types: ['LIMIT', 'MARKET'] });
  const { platform, lists, commands } = core;
  lots = new LotsService({ platform, lists, commands });
});
afterAll(() => core.close());
beforeEach(async () => {
  scenario = await FillScenario.begin(core, pair.uuid);
});

const list = async (query = '', actor: Actor = scenario.actor): Promise<readonly Lot[]> => {
  const params = querySchemaOf(lotOperations.list).parse(Object.fromEntries(new URLSearchParams(query)));
  return (await lots.list(actor, params as Parameters<LotsService['list']>[1])).items;
};
const close = (lot: Pick<Lot, 'id'>, fraction?: string) =>
  lots.close(scenario.actor, lot.id, fraction === undefined ? undefined : lotClose.parse({ fraction }));

/** Fills the trade that closes a lot. */
const fill = (trade: { readonly id: string; readonly amount: string }, at: number, more: object = {}) =>
  scenario.store({ tradeId: decodeId('trd', trade.id)!, amount: trade.amount, price: '120', at, ...more });

/** Buys twice and returns both lots, the older one first. */
async function twoLots(amount = '2'): Promise<readonly [Lot, Lot]> {
  await scenario.executeTrade({ side: 'BUY', amount, price: '100', fee: '1', at: 1 });
  await scenario.executeTrade({ side: 'BUY', amount, price: '110', at: 2 });
  const [older, newer] = await list('order=asc');
  return [older!, newer!];
}

/** Checks that the stored lots equal a replay of all fills. */
async function expectReplayToAgree(): Promise<void> {
  const stored = await scenario.storedState();
  await scenario.deleteLots();
  await backfillLots(core.platform);
  expect(await scenario.storedState()).toEqual(stored);
}

describe('lots', () => {
  it('show cost, fees, and the realised and the open result', async () => {
    const { tradeId } = await scenario.executeTrade({
      side: 'BUY',
      amount: '2',
      price: '100',
      fee: '1',
      at: 1,
    });
    await scenario.executeTrade({ side: 'SELL', amount: '0.5', price: '120', fee: '2', at: 3 });
    await core.rows(
      `INSERT INTO lot_funding (lot_id, source_id, user_id, exchange_account_id, trade_pair_id, amount, at)
       SELECT lots.id, source.id, user_id, exchange_account_id, trade_pair_id, source.amount, now()
       FROM lots, (VALUES (gen_random_uuid(), -0.75), (gen_random_uuid(), 0.25)) AS source (id, amount)
       WHERE trade_id = $1`,
      tradeId,
    );
    const [lot, ...others] = await list();
    expect(others).toEqual([]);
    expect(lot).toEqual({
      id: expect.stringMatching(/^lot_/),
      exchange_account_id: expect.stringMatching(/^exa_/),
      trade_pair_id: pair.id,
      symbol: 'BTC/USDT',
      trading_type: 'spot',
      trade_id: expect.stringMatching(/^trd_/),
      side: 'BUY',
      status: 'OPEN',
      amount: '2',
      remaining_amount: '1.5',
      entry_price: '100',
      cost: '201',
      remaining_cost: '150.75',
      fees: '3',
      fees_incomplete: false,
      funding: '-0.5',
      // 60 less a fee of 2, less the cost of 50.25.
      realized_pnl: '7.75',
      // 180 less 150.75.
      unrealized_pnl: '29.25',
      is_detached: false,
      opened_at: FillScenario.at(1).toISOString(),
      created_at: FillScenario.at(1).toISOString(),
    });
    expect(decodeId('trd', lot!.trade_id)).toBe(tradeId);
    expect(await lots.get(scenario.actor, lot!.id)).toEqual(lot);
    expect(await lots.getMany(scenario.actor, [lot!.id, 'lot_unknown'])).toEqual([lot, null]);
  });

  it('show a fee in base as its value, and a fee in a third asset as incomplete until its value is known', async () => {
    const base = { side: 'BUY', amount: '2', price: '100', fee: '0.01', feeCurrency: 'BTC' } as const;
    await scenario.executeTrade({ ...base, at: 1 });
    await scenario.executeTrade({ ...base, feeCurrency: 'BNB', at: 2 });
    expect(await list('order=asc')).toMatchObject([
      { amount: '1.99', cost: '200', fees: '1', fees_incomplete: false },
      { amount: '2', cost: '200', fees: '0', fees_incomplete: true },
    ]);
  });

  it('can be filtered, and belong to their user alone', async () => {
    const [older, newer] = await twoLots();
    const strategyId = await scenario.strategy();
    const copierId = await scenario.copier(strategyId);
    const copy = {
      copierId,
      copiedStrategyId: strategyId,
      sourceTradeId: await scenario.trade({ side: 'BUY' }),
    };
    await scenario.executeTrade({ side: 'BUY', amount: '1', at: 3, ...copy });
    await scenario.executeTrade({ side: 'SELL', amount: '2', price: '120', at: 4 });
    const ids = async (query: string) => (await list(query)).map(({ id }) => id);
    expect(await ids('status=CLOSED')).toEqual([older.id]);
    const [copied, ...others] = await list(`status=OPEN&exchange_account_id=${older.exchange_account_id}`);
    expect(others.map(({ id }) => id)).toEqual([newer.id]);
    expect(await ids(`copier_id=${copied!.copier_id}`)).toEqual([copied!.id]);
    expect(await ids(`trade_pair_id=${pair.id}`)).toHaveLength(3);
    expect((await list('status=CLOSED'))[0]).toMatchObject({ unrealized_pnl: '0', remaining_amount: '0' });
    const stranger = await core.actor();
    expect(await list('', stranger)).toEqual([]);
    await expect(lots.get(stranger, older.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(lots.close(stranger, older.id, undefined)).rejects.toMatchObject({ code: 'not_found' });
    await expect(list(`copier_id=${copied!.copier_id}`, stranger)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('closing a lot', () => {
  it('sells this lot and no older one', async () => {
    const [older, newer] = await twoLots();
    const trade = await close(newer);
    expect(trade).toMatchObject({
      closes_lot_id: newer.id,
      type: 'MARKET',
      side: 'SELL',
      intent: 'CLOSE',
      amount: '2',
      origin: 'API',
      status: 'PENDING',
    });
    await fill(trade, 3);
    expect(await lots.get(scenario.actor, newer.id)).toMatchObject({ status: 'CLOSED', realized_pnl: '20' });
    expect(await lots.get(scenario.actor, older.id)).toMatchObject({ status: 'OPEN', remaining_amount: '2' });
    await expectReplayToAgree();
    await expect(close(newer)).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'CLOSED' }],
    });
  });

  it('closes a fraction of what is left, rounded down to the amount step', async () => {
    const [older] = await twoLots();
    const first = await close(older, '0.333');
    expect(first).toMatchObject({ amount: '0.66', intent: 'REDUCE' });
    await fill(first, 3);
    expect(await close(older, '0.5')).toMatchObject({ amount: '0.67' });
  });

  it('also closes a remainder below the amount step, because no order can sell it', async () => {
    const bought = { side: 'BUY', amount: '2', price: '100', fee: '0.005', feeCurrency: 'BTC' } as const;
    await scenario.executeTrade({ ...bought, at: 1 });
    await scenario.executeTrade({ ...bought, at: 2 });
    const [, newer] = await list('order=asc');
    const trade = await close(newer!);
    expect(trade.amount).toBe('1.99');
    await fill(trade, 3);
    expect(await lots.get(scenario.actor, newer!.id)).toMatchObject({
      status: 'CLOSED',
      remaining_amount: '0',
    });
    await expectReplayToAgree();
  });

  it('never sells more than the lot, however many requests arrive at once', async () => {
    const [older] = await twoLots();
    const outcomes = await Promise.allSettled([
      close(older),
      close(older),
      close(older, '0.5'),
      close(older, '0.5'),
    ]);
    const amounts = outcomes.flatMap((each) =>
      each.status === 'fulfilled' ? [Number(each.value.amount)] : [],
    );
    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(2);
    for (const each of outcomes) {
      if (each.status === 'rejected')
        expect(each.reason).toMatchObject({ code: 'invalid_state', details: [{ state: 'CLOSING' }] });
    }
  });

  it('leaves out what exits of its copier sell', async () => {
    const strategyId = await scenario.strategy();
    const copierId = await scenario.copier(strategyId);
    const copy = {
      copierId,
      copiedStrategyId: strategyId,
      sourceTradeId: await scenario.trade({ side: 'BUY' }),
    };
    await scenario.executeTrade({ side: 'BUY', amount: '2', at: 1, ...copy });
    const [lot] = await list();
    const exit = await scenario.trade({ side: 'SELL', amount: '1.5', ...copy });
    const trade = await close(lot!);
    expect(trade.amount).toBe('0.5');
    await expect(close(lot!)).rejects.toMatchObject({ code: 'invalid_state' });
    await scenario.store({ tradeId: exit, amount: '1.5', at: 2 });
    await fill(trade, 3);
    expect(await lots.get(scenario.actor, lot!.id)).toMatchObject({ status: 'CLOSED', is_detached: true });
    await expectReplayToAgree();
  });

  it('is refused below the exchange’s minimum, with the rule and the field to change', async () => {
    const [older] = await twoLots();
    await expect(close(older, '0.001')).rejects.toMatchObject({
      code: 'exchange_rule_violated',
      details: expect.arrayContaining([expect.objectContaining({ field: 'fraction', rule: 'min_amount' })]),
    });
    expect(lotClose.safeParse({ fraction: '1.01' }).success).toBe(false);
    expect(lotClose.safeParse({ fraction: '0' }).success).toBe(false);
    expect(lotClose.parse({})).toEqual({ fraction: '1' });
  });

  it('is an exit signal if the lot belongs to a strategy', async () => {
    const strategyId = await scenario.strategy();
    await scenario.executeTrade({ side: 'BUY', amount: '2', at: 1 });
    await scenario.executeTrade({ side: 'BUY', amount: '2', at: 2, strategyId });
    const lot = (await list())[0]!;
    expect(lot.strategy_id).toMatch(/^str_/);
    await fill(await close(lot), 3);
    const kinds = await core.rows(
      'SELECT kind FROM signals WHERE strategy_id = $1 ORDER BY sequence',
      strategyId,
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['OPEN', 'CLOSE']);
  });
});
