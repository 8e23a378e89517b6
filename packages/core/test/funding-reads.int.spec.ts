/** Which accounts' funding is read, and when; and the rates of the pairs that are followed. */
import type { ExchangeVenue, FundingRate } from '@trading-automation/exchanges';
import { FundingRates, FundingReads } from '../src/funding/index.js';
import { CoreUnderTest, type RecordIds } from '../src/testing/index.js';
import { FillScenario } from '../src/trades/lots/testing/fill-scenario.js';

const HOUR_MS = 3_600_000;

let core: CoreUnderTest;
let reads: FundingReads;
let pair: RecordIds;
let scenario: FillScenario;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  reads = new FundingReads(core.platform);
  pair = await core.pair({ symbol: 'BTC/USDT:USDT', trading_type: 'perpetual' });
});
afterAll(() => core.close());
beforeEach(async () => {
  await core.rows('DELETE FROM funding_rates');
  await core.rows('DELETE FROM funding_rate_reads');
  scenario = await FillScenario.begin(core, pair.uuid);
  await setType('perpetual');
});

const setType = (type: string) =>
  core.rows('UPDATE exchange_accounts SET trading_type = $2 WHERE id = $1', scenario.accountId, type);
/** Opens a lot, as if a given number of hours ago. */
async function open(hoursAgo: number): Promise<void> {
  const { fillId } = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1 });
  await core.rows(
    "UPDATE lots SET opened_at = clock_timestamp() - $2 * interval '1 hour' WHERE id = $1",
    fillId,
    hoursAgo,
  );
}
const close = (hoursAgo: number) =>
  core.rows(
    `UPDATE lots SET open_amount = 0, open_value = 0, closed_at = clock_timestamp() - $2 * interval '1 hour'
     WHERE exchange_account_id = $1`,
    scenario.accountId,
    hoursAgo,
  );
const claim = () => reads.claimDue([scenario.accountId], 10);
const makeDue = () =>
  core.rows(
    "UPDATE funding_reads SET due_at = '-infinity' WHERE exchange_account_id = $1",
    scenario.accountId,
  );
const setComplete = (hoursAgo: number) =>
  core.rows(
    `UPDATE funding_reads SET complete_until = clock_timestamp() - $2 * interval '1 hour'
     WHERE exchange_account_id = $1`,
    scenario.accountId,
    hoursAgo,
  );
const hoursAgo = (at: Date) => (Date.now() - at.getTime()) / HOUR_MS;

describe('the funding of an account', () => {
  it('is not read without lots and positions, nor on spot, nor of an inactive account', async () => {
    expect(await claim()).toEqual([]);
    await open(1);
    await setType('spot');
    expect(await claim()).toEqual([]);
    await setType('perpetual');
    await core.rows('UPDATE exchange_accounts SET is_active = false WHERE id = $1', scenario.accountId);
    expect(await claim()).toEqual([]);
    expect(await reads.claimDue([], 10)).toEqual([]);
  });

  it('is read by one worker, from an hour before the first lot', async () => {
    await open(5);
    const claims = (await Promise.all([claim(), claim()])).flat();
    expect(claims).toMatchObject([{ accountId: scenario.accountId, tradingType: 'perpetual' }]);
    expect(hoursAgo(claims[0]!.since)).toBeCloseTo(6, 1);
    expect(claims[0]!.intervalMs).toBe(8 * HOUR_MS);
  });

  it('is read again in the next interval, from an hour before the last complete read', async () => {
    await open(50);
    const [read] = await claim();
    await reads.complete(read!);
    expect(await claim()).toEqual([]);
    const row = await core.row(
      'SELECT complete_until, due_at FROM funding_reads WHERE exchange_account_id = $1',
      scenario.accountId,
    );
    expect(row.complete_until).toEqual(read!.claimedAt);
    const waitMs = (row.due_at as Date).getTime() - read!.claimedAt.getTime();
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(8 * HOUR_MS);
    await setComplete(3);
    await makeDue();
    expect(hoursAgo((await claim())[0]!.since)).toBeCloseTo(4, 1);
  });

  it('is read once more after the position is closed, and then no more', async () => {
    await open(5);
    await reads.complete((await claim())[0]!);
    await setComplete(2);
    await close(1);
    await makeDue();
    const [read] = await claim();
    await reads.complete(read!);
    await makeDue();
    expect(await claim()).toEqual([]);
  });

  const minutesUntilDue = async () => {
    const { minutes } = await core.row(
      `SELECT extract(epoch FROM due_at - clock_timestamp()) / 60 AS minutes FROM funding_reads
       WHERE exchange_account_id = $1`,
      scenario.accountId,
    );
    return Math.ceil(Number(minutes));
  };

  it('is tried again in minutes if it could not be read', async () => {
    await open(5);
    await claim();
    expect(await minutesUntilDue()).toBe(6);
    await reads.retry(scenario.accountId);
    expect(await minutesUntilDue()).toBe(1);
  });

  it('is due after a connection, but not within a minute of the last read', async () => {
    await open(5);
    await reads.complete((await claim())[0]!);
    expect(await minutesUntilDue()).toBeGreaterThan(2);
    await reads.request([scenario.accountId]);
    expect(await claim()).toEqual([]);
    expect(await minutesUntilDue()).toBe(1);
    await setComplete(1);
    await reads.request([scenario.accountId]);
    expect(await claim()).toHaveLength(1);
    await reads.request([]);
  });

  it('is read again at once if it was paid outside the plan during a read', async () => {
    await open(5);
    const [read] = await claim();
    await reads.requestUnplanned([scenario.accountId]);
    await reads.complete(read!);
    const [again] = await claim();
    await reads.complete(again!);
    expect(await claim()).toEqual([]);
  });

  it('is read in the interval of the rates of its pairs; interest has one interval', async () => {
    await open(5);
    await core.rows(
      `INSERT INTO funding_rates (trade_pair_id, at, rate)
       SELECT $1, clock_timestamp() - n * interval '1 hour', 0 FROM generate_series(1, 3) AS n`,
      pair.uuid,
    );
    expect((await claim())[0]!.intervalMs).toBe(HOUR_MS);
    await setType('margin');
    await makeDue();
    expect(await claim()).toMatchObject([{ tradingType: 'margin', intervalMs: 4 * HOUR_MS }]);
  });

  it('is read of a position whose fills are not known yet', async () => {
    await core.rows(
      `INSERT INTO positions (id, user_id, exchange_account_id, symbol, side, amount)
       VALUES (gen_random_uuid(), $1, $2, 'BTC/USDT:USDT', 'LONG', 1)`,
      scenario.actor.userId,
      scenario.accountId,
    );
    expect(await claim()).toHaveLength(1);
  });
});

describe('funding rates', () => {
  let rates: FundingRate[];
  let asked: { readonly symbol: string; readonly from: Date }[];
  let errors: unknown[];
  const venue = {
    fetchFundingRates: async (symbol: string, { from }: { readonly from: Date }) => {
      asked.push({ symbol, from });
      if (rates.length === 0) throw new Error('no rates');
      return rates;
    },
    fetchMarkPrices: async () => ({ 'BTC/USDT:USDT': '101' }),
  } satisfies Partial<ExchangeVenue>;
  const service = () =>
    new FundingRates({
      platform: core.platform,
      venueOf: (exchange) => (exchange === 'paper' ? venue : undefined),
      onError: (error) => errors.push(error),
    });
  const rateOf = (hours: number, changes: Partial<FundingRate> = {}): FundingRate => ({
    symbol: 'BTC/USDT:USDT',
    rate: '0.0001',
    at: new Date(Date.now() - hours * HOUR_MS),
    ...changes,
  });
  const stored = () =>
    core.rows(
      `SELECT trim_scale(rate)::text AS rate, trim_scale(mark_price)::text AS mark FROM funding_rates
       WHERE trade_pair_id = $1 ORDER BY at`,
      pair.uuid,
    );
  beforeEach(async () => {
    [rates, asked, errors] = [[], [], []];
    await core.rows(
      'UPDATE lots SET open_amount = 0, open_value = 0, closed_at = now() WHERE open_amount > 0',
    );
    await core.rows('UPDATE positions SET amount = 0');
  });

  it('are read once in an interval for a pair with open lots, with the mark price of the instant', async () => {
    await open(1);
    rates = [rateOf(1, { markPrice: '99' }), rateOf(0.5), rateOf(0)];
    expect(await service().readDue()).toBe(1);
    expect(await stored()).toEqual([
      { rate: '0.0001', mark: '99' },
      { rate: '0.0001', mark: null },
      { rate: '0.0001', mark: '101' },
    ]);
    expect(await service().readDue()).toBe(0);
    await core.rows("UPDATE funding_rate_reads SET due_at = '-infinity'");
    await service().readDue();
    expect(asked.map(({ symbol }) => symbol)).toEqual(['BTC/USDT:USDT', 'BTC/USDT:USDT']);
    expect(asked[1]!.from.getTime()).toBeGreaterThanOrEqual(rates[2]!.at.getTime());
    expect(await stored()).toHaveLength(3);
  });

  it('are not read for pairs that are not followed, nor for spot', async () => {
    await core.pair({ symbol: 'ETH/USDT:USDT', trading_type: 'perpetual' });
    const spot = scenario.on((await core.pair({ base: 'SOL' })).uuid);
    await spot.executeTrade({ side: 'BUY', amount: '1', at: 1 });
    expect(await service().readDue()).toBe(0);
  });

  it('are read for the pairs of a strategy with copiers', async () => {
    const strategyId = await scenario.strategy();
    await core.rows(
      'UPDATE strategies SET trade_pair_ids = ARRAY[$2::uuid] WHERE id = $1',
      strategyId,
      pair.uuid,
    );
    rates = [rateOf(1)];
    expect(await service().readDue()).toBe(0);
    await scenario.copier(strategyId);
    expect(await service().readDue()).toBe(1);
    await core.rows('UPDATE copiers SET deleted_at = now() WHERE strategy_id = $1', strategyId);
  });

  it('that cannot be read are reported, and tried again later', async () => {
    await open(1);
    expect(await service().readDue()).toBe(1);
    expect(errors).toHaveLength(1);
    expect(await service().readDue()).toBe(0);
  });
});
