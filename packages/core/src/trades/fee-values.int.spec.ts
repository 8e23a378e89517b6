/** Tests the values of fees that are paid in a third asset, in fills, lots and trades. */
import { encodeId } from '@trading-automation/contracts';
import type { RecordIds } from '../testing/index.js';
import { FeeValuation, type ReadPriceAt } from './fee-valuation.service.js';
import { backfillLots } from './lots/backfill-lots.js';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';
import { TradesService } from './trades.service.js';

let env: OrdersUnderTest;
let bnb: RecordIds;
beforeAll(async () => {
  env = await OrdersUnderTest.open();
  bnb = await env.core.pair({ base: 'BNB' });
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  // Only the fees of the current test are due.
  await env.core.rows("UPDATE fills SET fee_value_due_at = 'infinity'");
  await setPrice(null, new Date());
});

const setPrice = (price: string | null, at: Date) =>
  env.core.rows(
    'UPDATE trade_pairs SET last_price = $2, last_price_at = $3 WHERE id = $1',
    bnb.uuid,
    price,
    at,
  );

interface Execution {
  readonly side: 'BUY' | 'SELL';
  readonly price?: string;
  readonly fee: string;
  readonly executedAt: Date;
}

/** Executes a trade of 1 BTC with one fill, and returns its uuid. */
async function execute({ side, price = '100', fee, executedAt }: Execution): Promise<string> {
  const id = await env.placeCopy({ order: { side } });
  const [amount, currency] = fee.split(' ') as [string, string];
  const fill = venueFillOf(id, 'only', '1', { side, price, fee: { amount, currency }, executedAt });
  await env.claimSubmission(id);
  await env.execution.storeOrder(id, venueOrderOf(id, { side, status: 'FILLED', filledAmount: '1' }), [fill]);
  return id;
}

const feeValueOf = async (tradeId: string) =>
  (await env.core.row('SELECT trim_scale(fee_value)::text AS value FROM fills WHERE trade_id = $1', tradeId))
    .value;

/** Returns the lots and closures of the account and the results of its trades, as they are stored. */
async function storedState() {
  const { uuid } = env.account;
  return {
    lots: await env.core.rows('SELECT * FROM lots WHERE exchange_account_id = $1 ORDER BY id', uuid),
    closures: await env.core.rows(
      'SELECT * FROM lot_closures WHERE exchange_account_id = $1 ORDER BY fill_id, lot_id',
      uuid,
    ),
    trades: await env.core.rows(
      'SELECT id, closed_at, realized_pnl FROM trades WHERE exchange_account_id = $1 ORDER BY id',
      uuid,
    ),
  };
}

/** Deletes all lots of the account and books its fills anew. */
async function replay(): Promise<void> {
  const { uuid } = env.account;
  await env.core.rows('DELETE FROM lot_closures WHERE exchange_account_id = $1', uuid);
  await env.core.rows('DELETE FROM lots WHERE exchange_account_id = $1', uuid);
  await env.core.rows(
    `UPDATE lot_books SET last_executed_at = '-infinity', last_fill_id = '00000000-0000-0000-0000-000000000000',
       is_behind = true WHERE exchange_account_id = $1`,
    uuid,
  );
  await backfillLots(env.core.platform);
}

const lotOf = (tradeId: string) =>
  env.core.row(
    'SELECT trim_scale(opened_value)::text AS value, trim_scale(pnl)::text AS pnl FROM lots WHERE trade_id = $1',
    tradeId,
  );

async function shown(tradeId: string) {
  const { lists, commands, platform } = env.core;
  return new TradesService({ platform, lists, commands }).get(env.actor, encodeId('trd', tradeId));
}

/** Runs a valuation with these prices, and returns the number of stored values and the prices that were requested. */
async function valueFees(prices: Readonly<Record<string, string | null | Error>>) {
  const requested: string[] = [];
  const failures: unknown[] = [];
  const readPriceAt: ReadPriceAt = async (exchange, symbol, at) => {
    requested.push(`${exchange} ${symbol} ${at.toISOString()}`);
    const price = prices[symbol] ?? null;
    if (price instanceof Error) throw price;
    return price;
  };
  const onError = (error: unknown) => failures.push(error);
  const stored = await new FeeValuation({ platform: env.core.platform, readPriceAt, onError }).run();
  return { stored, requested, failures };
}

const LONG_AGO = new Date('2026-01-05T10:20:30.000Z');

describe('a fee in a third asset', () => {
  it('is valued at the last price when its fill is stored, and is part of the cost and the result', async () => {
    const now = new Date();
    await setPrice('600', now);
    const bought = await execute({ side: 'BUY', fee: '0.01 BNB', executedAt: now });
    expect(await feeValueOf(bought)).toBe('6');
    expect(await lotOf(bought)).toEqual({ value: '106', pnl: '0' });
    const later = new Date(now.getTime() + 1_000);
    await setPrice('650', later);
    const sold = await execute({ side: 'SELL', price: '120', fee: '0.01 BNB', executedAt: later });
    // 120 less 6.5, less the cost of 106.
    expect(await shown(bought)).toMatchObject({ realized_pnl: '7.5', fills: [{ fee_value: '6' }] });
    expect((await shown(sold)).fills[0]).toMatchObject({
      fee: { amount: '0.01', currency: 'BNB' },
      fee_value: '6.5',
    });
    expect(await valueFees({})).toEqual({ stored: 0, requested: [], failures: [] });
  });

  it('is converted by an inverse pair, or through another currency', async () => {
    const now = new Date();
    const priced = { last_price_at: now };
    await env.core.pair({ base: 'USDT', quote: 'TRY', last_price: '40', ...priced });
    expect(await feeValueOf(await execute({ side: 'BUY', fee: '10 TRY', executedAt: now }))).toBe('0.25');
    await env.core.pair({ base: 'KCS', quote: 'TRY', last_price: '20', ...priced });
    expect(await feeValueOf(await execute({ side: 'BUY', fee: '3 KCS', executedAt: now }))).toBe('1.5');
  });

  it('is not valued at a price of another time, and its fill shows that the value is unknown', async () => {
    await setPrice('600', new Date());
    const bought = await execute({ side: 'BUY', fee: '0.01 BNB', executedAt: LONG_AGO });
    expect(await lotOf(bought)).toMatchObject({ value: '100' });
    expect((await shown(bought)).fills[0]).toMatchObject({ fee_value: null });
  });

  it('is valued later at the price of its minute, and then the lots equal a replay of all fills', async () => {
    const bought = await execute({ side: 'BUY', fee: '0.01 BNB', executedAt: LONG_AGO });
    const next = await execute({
      side: 'BUY',
      price: '90',
      fee: '1 USDT',
      executedAt: new Date(+LONG_AGO + 1_000),
    });
    await execute({ side: 'SELL', price: '120', fee: '0.02 BNB', executedAt: new Date(+LONG_AGO + 90_000) });
    expect(await shown(bought)).toMatchObject({ realized_pnl: '20' });
    const events = await env.eventTypes();
    const { stored, requested } = await valueFees({ 'BNB/USDT': '600' });
    expect(stored).toBe(2);
    expect(requested).toEqual([
      'paper BNB/USDT 2026-01-05T10:20:30.000Z',
      'paper BNB/USDT 2026-01-05T10:22:00.000Z',
    ]);
    // 120 less 12, less the cost of 106.
    expect(await shown(bought)).toMatchObject({ realized_pnl: '2', fills: [{ fee_value: '6' }] });
    expect(await lotOf(next)).toEqual({ value: '91', pnl: '0' });
    expect(await env.eventTypes()).toEqual(events);
    const state = await storedState();
    await replay();
    expect(await storedState()).toEqual(state);
    expect((await valueFees({ 'BNB/USDT': '999' })).stored).toBe(0);
  });

  it('is tried again while no price can be read', async () => {
    const bought = await execute({ side: 'BUY', fee: '0.01 BNB', executedAt: LONG_AGO });
    const failure = new Error('unreachable');
    expect(await valueFees({ 'BNB/USDT': failure })).toMatchObject({ stored: 0, failures: [failure] });
    expect(await feeValueOf(bought)).toBeNull();
    // The next attempt is not due yet.
    expect((await valueFees({ 'BNB/USDT': '600' })).requested).toEqual([]);
    await env.core.rows('UPDATE fills SET fee_value_due_at = now() WHERE trade_id = $1', bought);
    expect((await valueFees({ 'BNB/USDT': '600' })).stored).toBe(1);
    expect(await lotOf(bought)).toMatchObject({ value: '106' });
  });

  it('marks the day of its fill, so that stored results contain the value', async () => {
    await execute({ side: 'BUY', fee: '0.01 BNB', executedAt: LONG_AGO });
    await env.core.rows('DELETE FROM result_marks WHERE user_id = $1', env.actor.userId);
    await valueFees({ 'BNB/USDT': '600' });
    const days = await env.core.rows(
      'SELECT DISTINCT day::text AS day FROM result_marks WHERE user_id = $1',
      env.actor.userId,
    );
    expect(days).toContainEqual({ day: '2026-01-05' });
  });
});

describe('the fee of a trade without fills', () => {
  it('is 0 in the settlement currency of the pair', async () => {
    const id = await env.placeCopy();
    expect((await shown(id)).fee).toEqual({ amount: '0', currency: 'USDT' });
    await env.core.rows("UPDATE trades SET symbol = 'BTC/USD:USDC' WHERE id = $1", id);
    expect((await shown(id)).fee).toEqual({ amount: '0', currency: 'USDC' });
  });
});
