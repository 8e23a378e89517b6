/**
 * The leader trades BTC/USDT on the exchange `paper`, the copiers trade on another exchange without this pair.
 *
 * A number after `rule` in a title refers to the first table of docs/trading/rules.md.
 */
import type { CopierUpdate } from '@trading-automation/contracts';
import fc from 'fast-check';
import { CopierSimulation } from '../simulation/copier-simulation.service.js';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';

const OTHER = 'binance';
const DOLLARS = { quote_aliases: [['USD', 'USDT', 'USDC']] };

let env: CopyingUnderTest;
let usdc: string;
let usd: string;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
  const rules = { exchange: OTHER, amount_step: '0.01', min_amount: '0.01', last_price: '100' };
  usdc = (await env.core.pair({ ...rules, quote: 'USDC' })).uuid;
  usd = (await env.core.pair({ ...rules, quote: 'USD', is_active: false })).uuid;
  await env.core.pair({
    exchange: OTHER,
    trading_type: 'perpetual',
    symbol: 'BTC/USDT:USDT',
    settle: 'USDT',
  });
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  await setPair(usdc, 'is_active = true, min_amount = 0.01');
  await setPair(usd, 'is_active = false');
});

const setPair = (uuid: string, columns: string) =>
  env.core.rows(`UPDATE trade_pairs SET ${columns} WHERE id = $1`, uuid);

/** Creates a copier on the other exchange. */
async function followerThere(more: Readonly<Record<string, unknown>> = {}): Promise<Follower> {
  const actor = await env.core.actor();
  const free = { USDC: '100000', USD: '100000', BTC: '0.5' };
  const account = await env.core.account(actor, free, { exchange: OTHER });
  return env.follower(more, { on: { actor, account } });
}

/** Returns the symbol and the side of each order of a copier, oldest first. */
const ordersOf = async ({ uuid }: Follower) =>
  (
    await env.core.rows(
      `SELECT t.symbol, t.side, trim_scale(t.amount)::text AS amount, p.symbol = t.symbol AND p.exchange = $2 AS is_there
       FROM trades t JOIN trade_pairs p ON p.id = t.trade_pair_id WHERE t.copier_id = $1 ORDER BY t.created_at, t.id`,
      uuid,
      OTHER,
    )
  ).map(({ symbol, side, amount, is_there }) => {
    expect(is_there).toBe(true);
    return `${side} ${amount} ${symbol}`;
  });

const update = ({ actor, copier }: Follower, input: CopierUpdate) =>
  env.copiers.update(actor, copier.id, input);

describe('a copier on an exchange with other quote currencies', () => {
  it('rule 27: skips the signal unless the quote currencies count as the same', async () => {
    const follower = await followerThere();
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'PAIR_UNAVAILABLE' });
    expect(env.booksRead).toEqual([]);
  });

  it('rule 27: copies entries and exits on the pair with another quote currency of the group', async () => {
    const follower = await followerThere(DOLLARS);
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(env.booksRead).toEqual([`${OTHER} BTC/USDC`]);
    const trade = await env.core.row('SELECT * FROM trades WHERE copier_id = $1', follower.uuid);
    expect(trade).toMatchObject({ symbol: 'BTC/USDC', trade_pair_id: usdc, reserved_asset: 'USDC' });
    expect(await env.lastDecision(follower)).toMatchObject({
      outcome: 'COPIED',
      inputs: expect.objectContaining({ copier_symbol: 'BTC/USDC' }),
    });
    await env.executeAll();
    await env.leaderSells('4');
    await env.executeAll();
    await env.leaderSells('6');
    await env.executeAll();
    expect(await ordersOf(follower)).toEqual(['BUY 5 BTC/USDC', 'SELL 2 BTC/USDC', 'SELL 3 BTC/USDC']);
    expect(await env.held(follower)).toBe('0');
  });

  it('rule 7, rule 27: rounds the amount to the step of its own pair', async () => {
    const follower = await followerThere(DOLLARS);
    await env.leaderBuys('1.999');
    await env.runUntilIdle();
    expect(await ordersOf(follower)).toEqual(['BUY 0.99 BTC/USDC']);
  });

  it('rule 8, rule 27: checks the minimum of its own pair', async () => {
    await setPair(usdc, 'min_amount = 6');
    const follower = await followerThere({ ...DOLLARS, below_minimum: 'SKIP' });
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({
      code: 'BELOW_MINIMUM',
      inputs: expect.objectContaining({ rule: 'min_amount', limit: '6' }),
    });
  });

  it('rule 9, rule 27: applies sizes and limits in its own quote currency', async () => {
    const follower = await followerThere({
      ...DOLLARS,
      sizing: { mode: 'FIXED_QUOTE', value: '400' },
      limits: { max_trade_quote: '201', max_daily_loss_quote: '50' },
    });
    await env.leaderBuys('10');
    await env.executeAll();
    expect(await ordersOf(follower)).toEqual(['BUY 2 BTC/USDC']);
    await env.core.rows(
      `INSERT INTO copier_marks (copier_id, quote, day, day_pnl, peak_pnl, pnl, updated_at)
       VALUES ($1, 'USDC', (clock_timestamp() AT TIME ZONE 'UTC')::date, 0, 0, -50, clock_timestamp())
       ON CONFLICT (copier_id, quote) DO UPDATE SET day = excluded.day, day_pnl = 0, pnl = -50`,
      follower.uuid,
    );
    await env.leaderBuys('1');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ code: 'DAILY_LOSS' });
  });

  it('rule 6, rule 27: sizes by the equity in its own quote currency', async () => {
    const actor = await env.core.actor();
    const account = await env.core.account(actor, { USDC: '1000' }, { exchange: OTHER });
    const sizing = { mode: 'EQUITY_RATIO', value: '1' };
    const follower = await env.follower({ ...DOLLARS, sizing }, { on: { actor, account } });
    const signals = 'UPDATE signals SET leader_equity = 2000 WHERE strategy_id = $1';
    await env.leaderBuys('10');
    await env.core.rows(signals, env.strategy.uuid);
    await env.runUntilIdle();
    expect(await ordersOf(follower)).toEqual(['BUY 5 BTC/USDC']);
  });

  it('rule 17, rule 27: sees what earlier copiers of the account reserved', async () => {
    const actor = await env.core.actor();
    const account = await env.core.account(actor, { USDC: '600' }, { exchange: OTHER });
    const all = [
      await env.follower(DOLLARS, { on: { actor, account } }),
      await env.follower(DOLLARS, { on: { actor, account } }),
    ];
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const codes = await Promise.all(all.map(async (each) => (await env.lastDecision(each)).code));
    expect(codes.sort()).toEqual(['INSUFFICIENT_BALANCE', null]);
  });

  it('rule 10, rule 27: copies existing lots on its own pair', async () => {
    const follower = await followerThere({ ...DOLLARS, copy_existing: true });
    await env.copiers.stop(follower.actor, follower.copier.id);
    await env.leaderBuys('10');
    await env.runUntilIdle();
    await env.copiers.start(follower.actor, follower.copier.id);
    expect(await ordersOf(follower)).toEqual(['BUY 5 BTC/USDC']);
  });

  it('rule 27: starts although the minimum equity is in a currency that its exchange does not know', async () => {
    await env.core.rows('UPDATE strategies SET min_copy_equity = 1000 WHERE id = $1', env.strategy.uuid);
    const actor = await env.core.actor();
    const account = await env.core.account(actor, { USDC: '1000' }, { exchange: OTHER });
    const { copier } = await env.follower(DOLLARS, { on: { actor, account } });
    expect(await env.copiers.get(actor, copier.id)).toMatchObject({ status: 'ACTIVE' });
  });

  it('rule 27: is never copied from spot to a perpetual', async () => {
    const follower = await followerThere(DOLLARS);
    await env.core.rows(
      "UPDATE exchange_accounts SET trading_type = 'perpetual' WHERE id = $1",
      follower.account.uuid,
    );
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ code: 'PAIR_UNAVAILABLE' });
  });

  it('rule 27: is simulated on the same pair as it is copied', async () => {
    const follower = await followerThere({
      ...DOLLARS,
      overrides: { 'BTC/USDT': { sizing: { mode: 'MULTIPLIER', value: '0.25' } } },
    });
    await env.leaderBuys('10');
    await env.executeAll();
    await env.leaderSells('10');
    await env.executeAll();
    const simulation = new CopierSimulation(env.core.platform);
    const result = await simulation.simulate(follower.actor, follower.copier.id);
    expect(result).toMatchObject({ currency: 'USDC', copied: 2, skipped: 0 });
    const simulated = result.decisions.map(({ sent_amount, inputs }) => [sent_amount, inputs.copier_symbol]);
    expect(simulated).toEqual([
      ['2.5', 'BTC/USDC'],
      ['2.5', 'BTC/USDC'],
    ]);
    expect(await ordersOf(follower)).toEqual(['BUY 2.5 BTC/USDC', 'SELL 2.5 BTC/USDC']);
  });
});

describe('an exit of a copy on another pair', () => {
  it('rule 14, rule 27: is placed when its pair is active again', async () => {
    const follower = await followerThere(DOLLARS);
    await env.leaderBuys('10');
    await env.executeAll();
    await setPair(usdc, 'is_active = false');
    await setPair(usd, 'is_active = true');
    await env.leaderSells('10');
    await env.executeAll();
    expect(await env.lastDecision(follower)).toMatchObject({ code: 'PAIR_UNAVAILABLE', settled: false });
    await setPair(usdc, 'is_active = true');
    await env.runDecisionsNow();
    await env.executeAll();
    expect(await ordersOf(follower)).toEqual(['BUY 5 BTC/USDC', 'SELL 5 BTC/USDC']);
  });

  it('rule 8, rule 27: is tried again when the minimum of its own pair permits it', async () => {
    const follower = await followerThere(DOLLARS);
    await env.leaderBuys('10');
    await env.executeAll();
    await setPair(usdc, 'min_amount = 6');
    await env.leaderSells('10');
    await env.executeAll();
    expect(await env.lastDecision(follower)).toMatchObject({ code: 'BELOW_MINIMUM', settled: false });
    await env.settlement.reopen();
    await env.executeAll();
    expect(await env.held(follower)).toBe('5');
    await setPair(usdc, 'min_amount = 0.01');
    await env.settlement.reopen();
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
  });

  it('rule 27: of a lot of the previous release uses the symbol of the strategy', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await env.executeAll();
    await env.core.rows('UPDATE copied_lots SET symbol = NULL WHERE copier_id = $1', follower.uuid);
    await env.core.pair({ quote: 'USDC', amount_step: '0.001', last_price: '100' });
    await update(follower, { symbol_map: { 'BTC/USDT': 'BTC/USDC' } });
    await env.leaderSells('10');
    await env.executeAll();
    expect((await env.lastOrder(follower)).side).toBe('SELL');
    expect(await env.held(follower)).toBe('0');
  });
});

describe('an edit of the pairs and the settings of a copier', () => {
  it('rule 27, rule 29: applies to new lots; increases and exits of a lot stay on its pair', async () => {
    const follower = await followerThere(DOLLARS);
    const order = await env.leaderOrder('BUY', '10');
    await env.fill(order, { amount: '4' });
    await env.executeAll();
    await setPair(usd, 'is_active = true');
    await update(follower, { symbol_map: { 'BTC/USDT': 'BTC/USD' }, quote_aliases: [] });
    await env.fill(order);
    await env.executeAll();
    await env.leaderSells('10');
    await env.executeAll();
    await env.leaderBuys('2');
    await env.executeAll();
    expect(await ordersOf(follower)).toEqual([
      'BUY 2 BTC/USDC',
      'BUY 3 BTC/USDC',
      'SELL 5 BTC/USDC',
      'BUY 1 BTC/USD',
    ]);
  });

  it('rule 29: of an override applies to new lots, and its limits replace those of the copier', async () => {
    const follower = await followerThere({
      ...DOLLARS,
      limits: { max_trade_quote: '100', max_signal_age_ms: 1 },
      overrides: { 'BTC/USDT': { limits: { max_trade_quote: '301', max_signal_age_ms: 60_000 } } },
    });
    const order = await env.leaderOrder('BUY', '10');
    await env.fill(order, { amount: '4' });
    await env.executeAll();
    await update(follower, { overrides: { 'BTC/USDT': { sizing: { mode: 'FIXED_AMOUNT', value: '0.5' } } } });
    await env.fill(order);
    await env.executeAll();
    expect(await ordersOf(follower)).toEqual(['BUY 2 BTC/USDC', 'BUY 0.99 BTC/USDC']);
    await update(follower, { limits: { max_signal_age_ms: 60_000 } });
    await env.leaderBuys('10');
    await env.executeAll();
    expect((await ordersOf(follower)).at(-1)).toBe('BUY 0.5 BTC/USDC');
  });

  it('rule 27, rule 29: never moves an exit to another pair than its lot', async () => {
    await setPair(usd, 'is_active = true');
    const edit = fc.constantFrom<CopierUpdate>(
      { quote_aliases: [] },
      { quote_aliases: [['USDC', 'USDT']] },
      { quote_aliases: [['USD', 'USDC', 'USDT']] },
      { symbol_map: {} },
      { symbol_map: { 'BTC/USDT': 'BTC/USDC' } },
      { symbol_map: { 'BTC/USDT': 'BTC/USD' } },
    );
    const step = fc.oneof(edit, fc.constantFrom('buy' as const, 'sell' as const));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 10 }), async (steps) => {
        await env.reset();
        const follower = await followerThere(DOLLARS);
        let held = 0;
        for (const each of [...steps, 'sell' as const]) {
          if (each === 'buy') {
            await env.leaderBuys('2');
            held += 2;
          } else if (each === 'sell') {
            if (held > 0) await env.leaderSells(String(held));
            held = 0;
          } else await update(follower, each);
          await env.executeAll();
        }
        expect(await env.held(follower)).toBe('0');
        const moved = await env.core.rows(
          `SELECT FROM lot_closures c JOIN lots l ON l.id = c.lot_id JOIN trades t ON t.id = c.trade_id
           WHERE l.copier_id = $1 AND t.trade_pair_id <> l.trade_pair_id`,
          follower.uuid,
        );
        expect(moved).toEqual([]);
      }),
      { numRuns: 8 },
    );
  });
});
