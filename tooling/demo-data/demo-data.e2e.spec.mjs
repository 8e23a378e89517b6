import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startProduct } from '../e2e/product.mjs';
import { ensureDemo } from '../launch/demo.mjs';
import { createClient } from '../launch/first-trade/client.mjs';
import { COPIERS, STRATEGIES } from './cast.mjs';
import { writeDemoData } from './write-demo-data.mjs';

/** A short record with few trades: the data is complete, and written within seconds. */
const SMALL = { days: 45, activity: 0.4 };

const folder = mkdtempSync(join(tmpdir(), 'trading-automation-demo-data-'));
let product;
let options;
let api;
beforeAll(async () => {
  product = await startProduct();
  const { api_key } = await ensureDemo(join(folder, 'demo.json'), product);
  const { restUrl, paperExchangeUrl, databaseUrl } = product;
  options = { restUrl, paperExchangeUrl, databaseUrl, apiKey: api_key, ...SMALL };
  api = createClient({ restUrl, apiKey: api_key });
  await writeDemoData(options);
}, 120_000);
afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns all records of a list. */
async function allOf(list) {
  const records = [];
  for await (const record of list) records.push(record);
  return records;
}

async function row(sql) {
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  try {
    return (await database.query(sql)).rows[0];
  } finally {
    await database.end();
  }
}

it('strategies have different results, of which some have a low sample', async () => {
  const own = await allOf(api.strategies.list({ limit: 100 }));
  expect(own.map(({ name, visibility, status }) => [name, visibility, status]).sort()).toEqual([
    ['Mean reversion', 'PRIVATE', 'ACTIVE'],
    ['Momentum breakout', 'PUBLIC', 'ACTIVE'],
    ['Scalping lab', 'PUBLIC', 'ARCHIVED'],
  ]);
  const listed = await allOf(api.strategies.list({ visibility: 'PUBLIC', limit: 100 }));
  expect(listed).toHaveLength(STRATEGIES.length - 1);
  const results = listed.map(({ performance }) => performance);
  expect(results.every(({ roi, curve }) => roi !== null && curve.length > 2)).toBe(true);
  expect(results.some(({ roi }) => roi > 0) && results.some(({ roi }) => roi < 0)).toBe(true);
  expect(new Set(results.map(({ low_sample }) => low_sample))).toEqual(new Set([true, false]));
  const momentum = listed.find(({ name }) => name === 'Momentum breakout');
  expect(momentum.copier_count).toBe(6);
});

it('the results of trades agree with the closed lots', async () => {
  const analytics = await api.trades.analytics({});
  const lots = await allOf(api.lots.list({ limit: 100 }));
  const realised = lots.reduce((sum, { realized_pnl, funding }) => sum + realized_pnl + funding, 0);
  expect(analytics.trade_count).toBeGreaterThan(200);
  expect(analytics.unmatched_fill_count).toBe(0);
  expect(analytics.fees_incomplete).toBe(false);
  expect(analytics.funding).not.toBe(0);
  expect(analytics.net_pnl).toBeCloseTo(realised, 4);
  expect(analytics.equity_curve.length).toBeGreaterThan(20);
  expect(analytics.equity).toBeGreaterThan(1_000_000);
  expect(new Set(lots.map(({ status }) => status))).toEqual(new Set(['OPEN', 'CLOSED']));
});

it('trades have all final statuses, and the open ones exist at the exchange', async () => {
  const trades = await allOf(api.trades.list({ limit: 100 }));
  const statuses = new Set(trades.map(({ status }) => status));
  for (const status of ['PENDING', 'FILLED', 'CANCELLED', 'FAILED']) expect(statuses).toContain(status);
  expect(new Set(trades.map(({ origin }) => origin))).toEqual(new Set(['API', 'STRATEGY', 'COPIER']));
  const open = trades.filter(({ status }) => status === 'PENDING' || status === 'PARTIALLY_FILLED');
  expect(open.length).toBeGreaterThanOrEqual(5);
  expect(open.every(({ exchange_order_id }) => exchange_order_id !== undefined)).toBe(true);
});

it('the account of perpetuals has a long and a short position, for which funding was paid', async () => {
  const positions = await allOf(api.positions.list({ limit: 100 }));
  const shown = positions.map(({ symbol, side, amount, leverage }) => [symbol, side, amount, leverage]);
  expect(shown.sort()).toEqual([
    ['BTC/USDT:USDT', 'LONG', 2.4, 10],
    ['ETH/USDT:USDT', 'SHORT', 42, 5],
  ]);
  // A long position pays funding at a positive rate, a short one receives it.
  expect(positions.every(({ side, funding_paid }) => funding_paid > 0 === (side === 'LONG'))).toBe(true);
});

it('copiers of the demo user have decisions with several outcomes, and a tracking difference', async () => {
  const copiers = await allOf(api.copiers.list({ limit: 100 }));
  const cast = COPIERS.filter(({ key }) => key.startsWith('demo.'));
  expect(copiers.map(({ name, status }) => [name, status]).sort()).toEqual(
    cast.map(({ name, status }) => [name, status]).sort(),
  );
  const decisions = await Promise.all(
    copiers.map(({ id }) => allOf(api.copiers.decisions(id, { limit: 100 }))),
  );
  const outcomes = new Set(decisions.flat().map(({ outcome }) => outcome));
  for (const outcome of ['COPIED', 'SKIPPED', 'FAILED']) expect(outcomes).toContain(outcome);
  const codes = new Set(decisions.flat().map(({ code }) => code));
  expect(codes.size).toBeGreaterThanOrEqual(4);
  const [active] = copiers.filter(({ status }) => status === 'ACTIVE');
  expect(active.stats.tracking_difference_bps).not.toBeNull();
  expect(active.profit_share.rate).toBeGreaterThan(0);
});

it('webhooks are healthy, failing and deactivated', async () => {
  const webhooks = await allOf(api.webhooks.list({}));
  const statsOf = async ({ id }) => ({
    ...(await api.webhooks.stats(id)),
    dead: await api.webhooks.deadLetters.stats(id),
  });
  const named = new Map(webhooks.map((webhook) => [webhook.description, webhook]));
  const healthy = await statsOf(named.get('Order desk'));
  const failing = await statsOf(named.get('Accounting import'));
  expect(healthy.last_7_days.success_rate).toBeGreaterThan(90);
  expect(healthy.dead.pending).toBe(0);
  expect(failing.last_7_days.success_rate).toBeLessThan(90);
  expect(failing.dead.pending).toBeGreaterThan(0);
  expect(named.get('Accounting import')).toMatchObject({ is_active: true, consecutive_failures: 5 });
  expect(named.get('Chat bot, replaced')).toMatchObject({
    is_active: false,
    deactivation_reason: 'consecutive_failures',
  });
});

it('the balance of rewards is what the ledger says', async () => {
  const [rewards, withdrawals, balance] = await Promise.all([
    allOf(api.rewards.list({ limit: 100 })),
    allOf(api.withdrawals.list({ limit: 100 })),
    api.rewards.balance(),
  ]);
  const sum = (records) => records.reduce((total, { amount }) => total + amount, 0);
  const withStatus = (...statuses) => withdrawals.filter(({ status }) => statuses.includes(status));
  const claimed = sum(rewards.filter(({ status }) => status === 'CLAIMED'));
  const held = sum(withStatus('PENDING', 'PROCESSING'));
  expect(balance.held).toBeCloseTo(held, 6);
  expect(balance.available).toBeCloseTo(claimed - held - sum(withStatus('COMPLETED')), 6);
  expect(new Set(withdrawals.map(({ status }) => status)).size).toBe(5);
  for (const status of ['PENDING', 'CLAIMABLE', 'CLAIMED'])
    expect(rewards.some((reward) => reward.status === status)).toBe(true);
  expect(await row('SELECT sum(amount)::float8 AS sum FROM ledger_postings')).toEqual({ sum: 0 });
});

it('notifications, events, requests and credentials are listed', async () => {
  const notifications = await allOf(api.notifications.list({ limit: 100 }));
  expect(new Set(notifications.map(({ is_read }) => is_read))).toEqual(new Set([true, false]));
  expect(new Set(notifications.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(6);
  const events = await allOf(api.events.list({ limit: 100 }));
  expect(events.length).toBeGreaterThan(100);
  const requests = await allOf(api.requestLog.list({ limit: 100 }));
  expect(requests.length).toBeGreaterThan(300);
  expect(requests.some(({ status }) => status >= 500)).toBe(true);
  const keys = await allOf(api.apiKeys.list({}));
  expect(keys.some(({ ip_allowlist }) => ip_allowlist.length > 0)).toBe(true);
  expect((await allOf(api.browserSessions.list({}))).length).toBe(2);
  const accounts = await allOf(api.exchanges.list({}));
  expect(accounts.filter(({ is_active }) => !is_active).map(({ account_name }) => account_name)).toEqual([
    'Cold reserve',
  ]);
});

it('the worker finds nothing to correct', async () => {
  const { count } = await row(
    `SELECT count(*)::int FROM trades WHERE origin IN ('EXTERNAL', 'RECONCILIATION') OR reconciled_at IS NOT NULL`,
  );
  expect(count).toBe(0);
});

it('a second run is refused and changes nothing', async () => {
  const { trade_count: before } = await api.trades.analytics({});
  await expect(writeDemoData(options)).rejects.toThrow('has demo data already');
  const { trade_count: after } = await api.trades.analytics({});
  expect(after).toBe(before);
});
