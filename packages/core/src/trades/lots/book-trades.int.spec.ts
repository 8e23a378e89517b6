/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { lastSequenceOf, type Signal, signalsAfter } from '../../strategies/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import { backfillLots } from './backfill-lots.js';
import { FillScenario } from './testing/fill-scenario.js';

let core: CoreUnderTest;
let pairId: string;
let scenario: FillScenario;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  pairId = (await core.pair()).uuid;
});
afterAll(() => core.close());
beforeEach(async () => {
  scenario = await FillScenario.begin(core, pairId);
});

const manager = () => core.platform.database.manager;
const signalsOf = (strategyId: string): Promise<readonly Signal[]> =>
  signalsAfter(manager(), strategyId, 0, 100);
const tradeRow = (id: string) =>
  core.row('SELECT closed_at, trim_scale(realized_pnl)::text AS pnl, version FROM trades WHERE id = $1', id);

/** Checks that the stored state equals a replay of all fills into empty books. */
async function expectReplayToAgree(): Promise<void> {
  const stored = await scenario.storedState();
  await scenario.deleteLots();
  await backfillLots(core.platform);
  expect(await scenario.storedState()).toEqual(stored);
}

describe('a trade', () => {
  it('is closed when its whole lot is sold, and emits trade.closed once with its profit or loss', async () => {
    const bought = await scenario.executeTrade({ side: 'BUY', amount: '2', price: '100', fee: '1', at: 1 });
    await scenario.executeTrade({ side: 'SELL', amount: '0.5', price: '110', at: 2 });
    expect(await tradeRow(bought.tradeId)).toMatchObject({ closed_at: null, pnl: null });
    await scenario.executeTrade({ side: 'SELL', amount: '1.5', price: '120', fee: '2', at: 3 });
    expect(await tradeRow(bought.tradeId)).toMatchObject({ closed_at: FillScenario.at(3), pnl: '32' });
    expect(await scenario.closedEvents()).toEqual(['32']);
    await expectReplayToAgree();
  });

  it('whose filled amount was already sold is closed once its order ends', async () => {
    const tradeId = await scenario.trade({ side: 'BUY' });
    await scenario.store({ tradeId, amount: '1', at: 1, status: 'PARTIALLY_FILLED' });
    await scenario.executeTrade({ side: 'SELL', amount: '1', price: '101', at: 2 });
    expect(await tradeRow(tradeId)).toMatchObject({ closed_at: null, pnl: null });
    await scenario.end(tradeId);
    await scenario.end(tradeId);
    expect(await tradeRow(tradeId)).toMatchObject({ closed_at: FillScenario.at(2), pnl: '1' });
    expect(await scenario.closedEvents()).toEqual(['1']);
  });

  it('is never closed if it opened no lot, for example as a sale without a lot', async () => {
    const sold = await scenario.executeTrade({ side: 'SELL', amount: '1', at: 1 });
    expect(await tradeRow(sold.tradeId)).toMatchObject({ closed_at: null, pnl: null });
    expect(await scenario.openAmounts()).toEqual([]);
  });
});

describe('fills', () => {
  it('rule 24: with a fee in base open a lot of the amount less the fee, and a sale of this amount closes the lot', async () => {
    const bought = await scenario.executeTrade({
      side: 'BUY',
      amount: '1',
      fee: '0.001',
      feeCurrency: 'BTC',
      at: 1,
    });
    expect(await scenario.openAmounts()).toEqual([[bought.tradeId, '0.999']]);
    await scenario.executeTrade({ side: 'SELL', amount: '0.999', price: '110', at: 2 });
    expect(await scenario.openAmounts()).toEqual([]);
    expect(await tradeRow(bought.tradeId)).toMatchObject({ pnl: '9.89' });
  });

  it('with fees in a third currency open lots with the full amount and value', async () => {
    const bought = await scenario.executeTrade({
      side: 'BUY',
      amount: '1',
      fee: '0.3',
      feeCurrency: 'BNB',
      at: 1,
    });
    expect(await scenario.openAmounts()).toEqual([[bought.tradeId, '1']]);
    const lots = 'SELECT side, open_value::float8 AS value FROM lots WHERE exchange_account_id = $1';
    expect(await core.rows(lots, scenario.accountId)).toEqual([{ side: 'BUY', value: 100 }]);
  });

  it('row 3: do not change the lots when they are reported again', async () => {
    const { tradeId, fillId } = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    const stored = await scenario.storedState();
    await scenario.store({ tradeId, id: fillId, amount: '1', at: 1 });
    expect(await scenario.storedState()).toEqual(stored);
  });

  it('that are late are booked in order of execution, and reopen lots that later fills had closed', async () => {
    const first = await scenario.trade({ side: 'BUY' });
    const second = await scenario.executeTrade({ side: 'BUY', amount: '1', price: '200', at: 2 });
    await scenario.executeTrade({ side: 'SELL', amount: '1', price: '210', at: 3 });
    expect(await tradeRow(second.tradeId)).toMatchObject({ pnl: '10' });
    await scenario.store({ tradeId: first, amount: '1', price: '100', at: 1 });
    expect(await tradeRow(first)).toMatchObject({ closed_at: FillScenario.at(3), pnl: '110' });
    expect(await tradeRow(second.tradeId)).toMatchObject({ closed_at: null, pnl: null });
    await scenario.executeTrade({ side: 'SELL', amount: '1', price: '230', at: 4 });
    expect(await tradeRow(second.tradeId)).toMatchObject({ closed_at: FillScenario.at(4), pnl: '30' });
    // `trade.closed` was emitted for the second trade before the late fill was known; it is emitted only once.
    expect(await scenario.closedEvents()).toEqual(['10', '110']);
    await expectReplayToAgree();
  });
});

describe('several copiers on one account and pair', () => {
  let strategyId: string;
  let other: FillScenario;
  let leaderTrade: string;
  let copiers: readonly string[];
  beforeEach(async () => {
    other = await FillScenario.begin(core, pairId, scenario.actor);
    strategyId = await other.strategy();
    ({ tradeId: leaderTrade } = await other.executeTrade({ side: 'BUY', amount: '1', at: 1, strategyId }));
    copiers = [await scenario.copier(strategyId), await scenario.copier(strategyId)];
  });
  const copy = (copierId: string, side: 'BUY' | 'SELL', amount: string, at: number) =>
    scenario.executeTrade({
      side,
      amount,
      at,
      copierId,
      copiedStrategyId: strategyId,
      sourceTradeId: leaderTrade,
    });
  const held = (copierId: string) =>
    core.row(
      `SELECT trim_scale(coalesce(sum(open_amount), 0))::text AS amount,
         trim_scale(coalesce(sum(open_value), 0))::text AS value,
         coalesce(bool_or(is_detached), false) AS "isDetached"
       FROM lots WHERE open_amount > 0 AND copier_id = $1 AND source_trade_id = $2`,
      copierId,
      leaderTrade,
    );

  it('rule 18: have separate lots and sell only their own', async () => {
    const [a, b] = [copiers[0]!, copiers[1]!];
    await copy(a, 'BUY', '1', 2);
    await copy(b, 'BUY', '3', 3);
    await copy(b, 'SELL', '2', 4);
    expect(await held(a)).toMatchObject({ amount: '1', isDetached: false });
    expect(await held(b)).toMatchObject({ amount: '1', value: '100', isDetached: false });
    await expectReplayToAgree();
  });

  it('rule 13: a manual sale closes the account’s own lots first, then lots of copiers, oldest first; a lot of a copier that it reduces becomes detached', async () => {
    const [a, b] = [copiers[0]!, copiers[1]!];
    await copy(a, 'BUY', '1', 2);
    await copy(b, 'BUY', '1', 3);
    const manual = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 4 });
    await scenario.executeTrade({ side: 'SELL', amount: '0.5', at: 5 });
    expect([await held(a), await held(b)]).toMatchObject([{ isDetached: false }, { isDetached: false }]);
    await scenario.executeTrade({ side: 'SELL', amount: '1', at: 6 });
    expect(await tradeRow(manual.tradeId)).toMatchObject({ closed_at: FillScenario.at(6) });
    expect(await held(a)).toMatchObject({ amount: '0.5', isDetached: true });
    expect(await held(b)).toMatchObject({ amount: '1', isDetached: false });
    // The leader's exit applies to the remaining lot.
    await copy(a, 'SELL', '0.5', 7);
    expect(await held(a)).toEqual({ amount: '0', value: '0', isDetached: false });
    expect(await held(b)).toMatchObject({ amount: '1' });
    await expectReplayToAgree();
  });

  it('never sell lots of each other: the part of a sale that exceeds the lots of its copier closes no lot', async () => {
    const [a, b] = [copiers[0]!, copiers[1]!];
    await copy(a, 'BUY', '1', 2);
    await copy(b, 'BUY', '1', 3);
    await scenario.executeTrade({ side: 'BUY', amount: '1', at: 4 });
    await copy(a, 'SELL', '3', 5);
    expect(await held(a)).toMatchObject({ amount: '0' });
    expect(await held(b)).toMatchObject({ amount: '1' });
    expect((await scenario.openAmounts()).map(([, amount]) => amount)).toEqual(['1', '1']);
  });

  it('rule 26: emit no signals when they trade or when their lots are sold', async () => {
    await copy(copiers[0]!, 'BUY', '1', 2);
    await copy(copiers[0]!, 'SELL', '1', 3);
    await scenario.executeTrade({ side: 'SELL', amount: '1', at: 4 });
    expect(await signalsOf(strategyId)).toHaveLength(1);
  });
});

describe('signals', () => {
  let strategyId: string;
  beforeEach(async () => {
    strategyId = await scenario.strategy();
  });

  it('rule 1: report each fill of a strategy trade, with the total filled amount of its order', async () => {
    const tradeId = await scenario.trade({ side: 'BUY', amount: '4', strategyId, leaderEquity: '1000' });
    const [firstFillId] = await scenario.store({
      tradeId,
      amount: '1',
      price: '100',
      at: 1,
      status: 'PARTIALLY_FILLED',
    });
    await scenario.store({ tradeId, amount: '3', price: '102', fee: '0.01', feeCurrency: 'BTC', at: 2 });
    const [open, increase, ...others] = await signalsOf(strategyId);
    expect(others).toEqual([]);
    expect(open).toMatchObject({
      sequence: 1,
      kind: 'OPEN',
      side: 'BUY',
      symbol: 'BTC/USDT',
      lotTradeId: tradeId,
      lotFirstSequence: 1,
      lotOpenedAt: FillScenario.at(1),
      lotOrderAmount: '4',
      sourceTradeId: tradeId,
      sourceFillId: firstFillId,
      filledAmount: '1',
      cumulativeAmount: '1',
      lotAmountBefore: '0',
      lotAmountAfter: '1',
      exitAmount: '0',
      referencePrice: '100',
      leaderEquity: '1000',
      leaderRatio: '0.1',
      signalAt: FillScenario.at(1),
    });
    expect(increase).toMatchObject({
      sequence: 2,
      kind: 'INCREASE',
      lotFirstSequence: 1,
      lotOpenedAt: FillScenario.at(1),
      filledAmount: '3',
      cumulativeAmount: '4',
      lotAmountBefore: '1',
      lotAmountAfter: '3.99',
      leaderRatio: '0.306',
    });
  });

  it('rule 2: are not emitted when the leader cancels the rest of an order, nor for a trade without a fill', async () => {
    const tradeId = await scenario.trade({ side: 'BUY', amount: '4', strategyId });
    await scenario.store({ tradeId, amount: '1', at: 1, status: 'PARTIALLY_FILLED' });
    await scenario.end(tradeId);
    await scenario.end(await scenario.trade({ side: 'BUY', strategyId }));
    expect(await signalsOf(strategyId)).toHaveLength(1);
  });

  it('rule 4: report an exit from each lot with the amount that was closed, even if a manual trade sold it', async () => {
    const first = await scenario.executeTrade({
      side: 'BUY',
      amount: '1',
      fee: '0.1',
      feeCurrency: 'BTC',
      at: 1,
      strategyId,
    });
    const second = await scenario.executeTrade({ side: 'BUY', amount: '2', at: 2, strategyId });
    const sold = await scenario.executeTrade({ side: 'SELL', amount: '1.9', price: '105', at: 3 });
    const [, , close, reduce] = await signalsOf(strategyId);
    expect(close).toMatchObject({
      sequence: 3,
      kind: 'CLOSE',
      side: 'SELL',
      lotTradeId: first.tradeId,
      lotFirstSequence: 1,
      sourceTradeId: sold.tradeId,
      sourceFillId: sold.fillId,
      lotAmountBefore: '0.9',
      exitAmount: '0.9',
      lotAmountAfter: '0',
      cumulativeAmount: '1',
      referencePrice: '105',
    });
    expect(reduce).toMatchObject({
      sequence: 4,
      kind: 'REDUCE',
      lotTradeId: second.tradeId,
      lotFirstSequence: 2,
      lotAmountBefore: '2',
      exitAmount: '1',
      lotAmountAfter: '1',
    });
  });

  it('row 16: report each partial exit as REDUCE, and the last one as CLOSE', async () => {
    await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1, strategyId });
    for (const [at, amount] of [
      [2, '0.2'],
      [3, '0.3'],
      [4, '0.5'],
    ] as const)
      await scenario.executeTrade({ side: 'SELL', amount, at, strategyId });
    const signals = await signalsOf(strategyId);
    expect(
      signals.map(({ kind, exitAmount, lotAmountBefore }) => [kind, exitAmount, lotAmountBefore]),
    ).toEqual([
      ['OPEN', '0', '0'],
      ['REDUCE', '0.2', '1'],
      ['REDUCE', '0.3', '0.8'],
      ['CLOSE', '0.5', '0.5'],
    ]);
  });

  it.each(['EXTERNAL', 'RECONCILIATION'] as const)(
    'row 3: report an exit that was not placed through the product: %s',
    async (origin) => {
      const bought = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1, strategyId });
      const sold = await scenario.executeTrade({ side: 'SELL', amount: '1', at: 2, origin });
      const [, exit, ...others] = await signalsOf(strategyId);
      expect(exit).toMatchObject({ kind: 'CLOSE', lotTradeId: bought.tradeId, sourceTradeId: sold.tradeId });
      expect(others).toEqual([]);
      // An external purchase opens a lot but no signal.
      await scenario.executeTrade({ side: 'BUY', amount: '1', at: 3, origin });
      expect(await signalsOf(strategyId)).toHaveLength(2);
      expect(await scenario.openAmounts()).toHaveLength(1);
    },
  );

  it('are not emitted for lots that no strategy trade opened, even if a strategy trade sells them', async () => {
    await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    await scenario.executeTrade({ side: 'SELL', amount: '1', at: 2, strategyId });
    await scenario.executeTrade({ side: 'SELL', amount: '1', at: 3, strategyId });
    expect(await signalsOf(strategyId)).toEqual([]);
    expect(await lastSequenceOf(manager(), strategyId)).toBe(0);
  });

  it('report the open amount of the lot, even if its fills are reported out of order', async () => {
    const tradeId = await scenario.trade({ side: 'BUY', amount: '3', strategyId });
    await scenario.store({ tradeId, amount: '1', at: 2, status: 'PARTIALLY_FILLED' });
    await scenario.store({ tradeId, amount: '2', at: 1 });
    await scenario.executeTrade({ side: 'SELL', amount: '3', at: 3 });
    const signals = await signalsOf(strategyId);
    expect(
      signals.map(({ kind, cumulativeAmount, lotAmountAfter }) => [kind, cumulativeAmount, lotAmountAfter]),
    ).toEqual([
      ['OPEN', '1', '1'],
      ['INCREASE', '3', '3'],
      ['CLOSE', '3', '0'],
    ]);
    await expectReplayToAgree();
  });

  it('report an exit from the second lot if a late sale closes the first lot instead of the sale that was reported before', async () => {
    const first = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1, strategyId });
    const second = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 2, strategyId });
    await scenario.executeTrade({ side: 'SELL', amount: '1', at: 5 });
    const late = await scenario.executeTrade({ side: 'SELL', amount: '1', at: 4 });
    const signals = await signalsOf(strategyId);
    expect(signals.map(({ kind, lotTradeId }) => [kind, lotTradeId])).toEqual([
      ['OPEN', first.tradeId],
      ['OPEN', second.tradeId],
      ['CLOSE', first.tradeId],
      ['CLOSE', second.tradeId],
    ]);
    expect(signals[3]).toMatchObject({ sourceFillId: late.fillId, exitAmount: '1' });
  });

  it('are not emitted for an entry that was sold before it was first reported', async () => {
    const tradeId = await scenario.trade({ side: 'BUY', strategyId });
    await scenario.executeTrade({ side: 'SELL', amount: '1', at: 2 });
    await scenario.store({ tradeId, amount: '1', at: 1 });
    expect(await signalsOf(strategyId)).toEqual([]);
    expect(await tradeRow(tradeId)).toMatchObject({ closed_at: FillScenario.at(2), pnl: '0' });
    expect(await scenario.closedEvents()).toEqual(['0']);
  });

  it('are emitted for an entry that was already sold when it was reported, if a late fill of an earlier entry is then sold in its place', async () => {
    const earlierEntry = await scenario.trade({ side: 'BUY', strategyId });
    const entry = await scenario.trade({ side: 'BUY', strategyId });
    await scenario.executeTrade({ side: 'SELL', amount: '2', at: 3 });
    const [fillId] = await scenario.store({ tradeId: entry, amount: '2', at: 2 });
    expect(await signalsOf(strategyId)).toEqual([]);
    await scenario.store({ tradeId: earlierEntry, amount: '1.5', at: 1 });
    const [open, ...others] = await signalsOf(strategyId);
    expect(others).toEqual([]);
    expect(open).toMatchObject({
      kind: 'OPEN',
      lotTradeId: entry,
      sourceFillId: fillId,
      lotFirstSequence: 1,
      filledAmount: '2',
      cumulativeAmount: '2',
      lotAmountBefore: '0',
      lotAmountAfter: '1.5',
      signalAt: FillScenario.at(2),
    });
    await expectReplayToAgree();
    await scenario.executeTrade({ side: 'SELL', amount: '1.5', at: 4 });
    expect((await signalsOf(strategyId)).map(({ kind, exitAmount }) => [kind, exitAmount])).toEqual([
      ['OPEN', '0'],
      ['CLOSE', '1.5'],
    ]);
  });
});
