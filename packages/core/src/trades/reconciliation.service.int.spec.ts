/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { encodeId, trade as tradeSchema } from '@trading-automation/contracts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { oldestReconciliationAge } from './account-exposures.queries.js';
import { reconcile } from './reconcile.rules.js';
import { Reconciliation } from './reconciliation.service.js';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';
import { TradesService } from './trades.service.js';

let env: OrdersUnderTest;
let reconciliation: Reconciliation;
beforeAll(async () => {
  env = await OrdersUnderTest.open();
  reconciliation = new Reconciliation(env.core.platform);
});
afterAll(() => env.close());
beforeEach(() => env.reset());

interface ExchangeState {
  readonly openOrders?: readonly VenueOrder[];
  readonly fills?: readonly VenueFill[];
  /** The total of each asset; null if the balances cannot be read. */
  readonly held?: Readonly<Record<string, string>> | null;
}
/** Runs one complete comparison with the exchange's state. */
async function compare({ openOrders = [], fills = [], held = null }: ExchangeState) {
  const state = await reconciliation.state(env.account.uuid);
  const actions = reconcile({ ...state, openOrders, fills, totalsByAsset: held, positions: null });
  const changed = await reconciliation.apply(env.account.uuid, { ...state, totals: held ?? {} }, actions);
  return { actions, changed: [...changed] };
}
const tradesOf = (origin: string) =>
  env.core.rows(
    'SELECT * FROM trades WHERE exchange_account_id = $1 AND origin = $2 ORDER BY id',
    env.account.uuid,
    origin,
  );
const readTrade = (id: unknown) => {
  const { lists, commands, platform } = env.core;
  return new TradesService({ platform, lists, commands }).get(env.actor, encodeId('trd', String(id)));
};
/** Returns the open amount of all lots of the account. */
const openAmount = () =>
  env.core.row(
    'SELECT coalesce(sum(open_amount), 0)::float8 AS amount FROM lots WHERE exchange_account_id = $1',
    env.account.uuid,
  );
/** Backdates the shortfall, so that it is old enough to be written off. */
const backdateShortfall = () =>
  env.core.rows(
    "UPDATE reconciliations SET suspected_at = suspected_at - interval '20 seconds' WHERE exchange_account_id = $1",
    env.account.uuid,
  );
/** Places a copy that buys one BTC, and stores the report that its order is filled. */
async function buyOne(): Promise<string> {
  const id = await env.placeCopy();
  await env.claimSubmission(id);
  const order = venueOrderOf(id, { status: 'FILLED', filledAmount: '1' });
  await env.execution.storeOrder(id, order, [venueFillOf(id, 'a', '1')]);
  return id;
}
const externalOrder = (name: string, overrides: Partial<VenueOrder> = {}) =>
  venueOrderOf(name, { timeInForce: 'GTC', createdAt: new Date('2026-01-02T00:00:00Z'), ...overrides });

describe('the exposure of an account', () => {
  it('is that of its acknowledged open orders, else its open lots, else its strategy or running copier; IDLE without any', async () => {
    const idle = await env.core.account(env.actor);
    const accounts = [env.account, env.leaderAccount, idle];
    const exposures = () =>
      Promise.all(accounts.map(async ({ uuid }) => (await reconciliation.exposureOf(uuid)).kind));
    expect(await exposures()).toEqual(['IN_USE', 'IN_USE', 'IDLE']);
    const resting = await env.placeCopy();
    expect(await exposures()).toEqual(['IN_USE', 'IN_USE', 'IDLE']);
    await env.claimSubmission(resting);
    expect(await exposures()).toEqual(['IN_USE', 'IN_USE', 'IDLE']);
    await env.execution.storeOrder(resting, venueOrderOf(resting, { status: 'OPEN', filledAmount: '0' }), []);
    expect(await exposures()).toEqual(['OPEN_ORDERS', 'IN_USE', 'IDLE']);
    await env.core.rows("UPDATE trades SET status = 'CANCELLED' WHERE id = $1", resting);
    await buyOne();
    expect(await exposures()).toEqual(['OPEN_LOTS', 'IN_USE', 'IDLE']);
  });

  it('includes whether a running copier follows an active strategy of the account', async () => {
    const isFollowed = async () => (await reconciliation.exposureOf(env.leaderAccount.uuid)).isFollowed;
    expect(await isFollowed()).toBe(true);
    expect((await reconciliation.exposureOf(env.account.uuid)).isFollowed).toBe(false);
    for (const [status, expected] of [
      ['PAUSED', false],
      ['CLOSE_ONLY', true],
    ]) {
      await env.core.rows('UPDATE copiers SET status = $2 WHERE strategy_id = $1', env.strategyId, status);
      expect(await isFollowed()).toBe(expected);
    }
    await env.core.rows("UPDATE strategies SET status = 'ARCHIVED' WHERE id = $1", env.strategyId);
    expect(await isFollowed()).toBe(false);
  });
});

describe('an open order whose trade ended long ago', () => {
  /** Ends a copy 40 days ago, and compares the account since. */
  async function endLongAgo(): Promise<string> {
    const id = await buyOne();
    await env.core.rows(
      `UPDATE trades SET created_at = created_at - interval '40 days', updated_at = updated_at - interval '40 days'
       WHERE id = $1`,
      id,
    );
    await compare({});
    return id;
  }

  it.each([
    ['client order id', (id: string) => venueOrderOf(id, { exchangeOrderId: 'another' })],
    ['exchange order id', (id: string) => venueOrderOf(id, { venueClientOrderId: '' })],
  ])('is known by its %s, and cancelled', async (_id, orderOf) => {
    const id = await endLongAgo();
    const openOrders = [orderOf(id)];
    const state = await reconciliation.state(env.account.uuid);
    expect(state.trades).toEqual([]);
    const trades = await reconciliation.tradesWith(env.account.uuid, state, openOrders);
    const actions = reconcile({
      ...state,
      trades,
      openOrders,
      fills: [],
      totalsByAsset: null,
      positions: null,
    });
    expect(actions).toContainEqual({ kind: 'cancel', tradeId: id, order: openOrders[0] });
  });

  it('is not that of another account, of a trade outside the product, or of one that the state contains', async () => {
    const id = await endLongAgo();
    const state = await reconciliation.state(env.account.uuid);
    const order = venueOrderOf(id);
    const other = await env.newAccount(env.actor);
    expect(await reconciliation.tradesWith(other.uuid, state, [order])).toEqual([]);
    const trades = await reconciliation.tradesWith(env.account.uuid, state, [order]);
    expect(trades).toHaveLength(1);
    expect(await reconciliation.tradesWith(env.account.uuid, { trades }, [order])).toEqual(trades);
    await env.core.rows("UPDATE trades SET origin = 'EXTERNAL' WHERE id = $1", id);
    expect(await reconciliation.tradesWith(env.account.uuid, state, [order])).toEqual([]);
  });
});

describe('the age of the rotation', () => {
  it('is that of the account that was not compared for the longest time', async () => {
    const { database } = env.core.platform;
    const fresh = await env.newAccount(env.actor);
    await compare({});
    await env.core.rows(
      "UPDATE reconciliations SET reconciled_at = clock_timestamp() - interval '3 hours' WHERE exchange_account_id = $1",
      env.account.uuid,
    );
    const age = await oldestReconciliationAge(database, [env.account.uuid, fresh.uuid]);
    expect(age).toBeGreaterThanOrEqual(10_800);
    expect(age).toBeLessThan(11_400);
    expect(await oldestReconciliationAge(database, [])).toBe(0);
  });
});

describe('external orders', () => {
  it('rule 23: become EXTERNAL trades with their fills, and emit the same events as other trades', async () => {
    const order = externalOrder('manual', { filledAmount: '0.4' });
    const { changed } = await compare({ openOrders: [order], fills: [venueFillOf('manual', 'a', '0.4')] });
    const trade = await readTrade(changed[0]);
    expect(changed).toHaveLength(1);
    expect(tradeSchema.parse(trade)).toMatchObject({
      origin: 'EXTERNAL',
      client_order_id: 'venue-manual',
      exchange_order_id: 'order-manual',
      side: 'BUY',
      intent: 'OPEN',
      price: '100',
      amount: '1',
      requested_amount: '1',
      filled_amount: '0.4',
      status: 'PARTIALLY_FILLED',
      submitted_at: '2026-01-02T00:00:00.000Z',
      reconciled_at: expect.any(String),
    });
    expect(await env.eventTypes()).toEqual(['trade.created', 'trade.partially_filled']);
    expect(await openAmount()).toEqual({ amount: 0.4 });
  });

  it('row 3: become trades once, even if they are reported concurrently and repeatedly', async () => {
    const orders = [externalOrder('one'), externalOrder('two', { venueClientOrderId: '' })];
    const fills = [venueFillOf('one', 'a', '0.1'), venueFillOf('two', 'a', '0.2')];
    const adopt = () => env.execution.adopt(env.account.uuid, orders, fills);
    await Promise.all(Array.from({ length: 6 }, adopt));
    await adopt();
    const external = await tradesOf('EXTERNAL');
    expect(external).toHaveLength(2);
    expect(external.map(({ filled_amount }) => Number(filled_amount)).sort()).toEqual([0.1, 0.2]);
    expect(await openAmount()).toEqual({ amount: expect.closeTo(0.3, 9) });
    expect((await env.eventTypes()).filter((kind) => kind === 'trade.created')).toHaveLength(2);
  });

  it('get a generated client order id if their id at the exchange is not valid in our API or is already used', async () => {
    const id = await env.placeCopy();
    const { client_order_id } = await env.storedTrade(id);
    await env.claimSubmission(id);
    await env.execution.storeOrder(id, venueOrderOf(id), []);
    const orders = [
      externalOrder('a', { venueClientOrderId: 'x'.repeat(40) }),
      externalOrder('b', { venueClientOrderId: String(client_order_id) }),
      externalOrder('c', { venueClientOrderId: '', price: '0', type: 'MARKET' }),
    ];
    expect(await env.execution.adopt(env.account.uuid, orders, [])).toHaveLength(3);
    for (const trade of await tradesOf('EXTERNAL'))
      expect(trade.client_order_id).toBe(encodeId('trd', String(trade.id)));
  });

  it('are ignored on pairs that the product does not know', async () => {
    const order = externalOrder('odd', { symbol: 'ODD/EUR' });
    expect(await env.execution.adopt(env.account.uuid, [order], [])).toEqual([]);
    expect(await tradesOf('EXTERNAL')).toEqual([]);
  });

  it('row 1: are not adopted while they could be our own orders whose responses were lost', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    const anonymous = venueOrderOf(id, { venueClientOrderId: '' });
    expect(await env.execution.adopt(env.account.uuid, [anonymous], [])).toEqual([]);
    const identified = venueOrderOf(id, { filledAmount: '0.5' });
    expect(await env.execution.adopt(env.account.uuid, [identified], [venueFillOf(id, 'a', '0.5')])).toEqual([
      id,
    ]);
    expect(await tradesOf('EXTERNAL')).toEqual([]);
    expect(await env.storedTrade(id)).toMatchObject({ status: 'PARTIALLY_FILLED' });
  });

  it('row 5: become trades from their fills alone if the exchange shows only the fills', async () => {
    const fills = [
      venueFillOf('gone', 'a', '0.25', { side: 'SELL' }),
      venueFillOf('gone', 'b', '0.5', { side: 'SELL' }),
    ];
    const { changed } = await compare({ fills });
    expect(await readTrade(changed[0])).toMatchObject({
      origin: 'EXTERNAL',
      side: 'SELL',
      status: 'FILLED',
      amount: '0.75',
      filled_amount: '0.75',
      exchange_order_id: 'order-gone',
    });
    expect(await compare({ fills })).toEqual({ actions: [], changed: [] });
  });

  it('reserve no balance, because the balances of the exchange already account for them', async () => {
    await compare({ openOrders: [externalOrder('manual')] });
    expect(await tradesOf('EXTERNAL')).toMatchObject([{ reserved_amount: '0.000000000000000000' }]);
  });
});

describe('a reconnection', () => {
  it('rule 22: stores the fills that were executed meanwhile, of open and of ended orders', async () => {
    const [open, ended] = [await env.placeCopy(), await env.placeCopy()];
    for (const id of [open, ended]) {
      await env.claimSubmission(id);
      await env.execution.storeOrder(id, venueOrderOf(id), []);
    }
    await env.execution.storeOrder(ended, venueOrderOf(ended, { status: 'CANCELLED' }), []);
    const fills = [venueFillOf(open, 'a', '0.5'), venueFillOf(ended, 'late', '0.25')];
    const exchangeState = { openOrders: [venueOrderOf(open, { filledAmount: '0.5' })], fills };
    const { changed } = await compare(exchangeState);
    expect(changed.sort()).toEqual([open, ended].sort());
    expect(await env.storedTrade(open)).toMatchObject({ status: 'PARTIALLY_FILLED' });
    const late = await env.storedTrade(ended);
    expect(late).toMatchObject({ status: 'CANCELLED' });
    expect(Number(late.filled_amount)).toBe(0.25);
    expect(late.reconciled_at).not.toBeNull();
    expect(await compare(exchangeState)).toEqual({ actions: [], changed: [] });
  });

  it('row 4: requests the fills of every pair in use, from 60 s before the last complete comparison on', async () => {
    const before = await reconciliation.state(env.account.uuid);
    expect(before.symbols).toEqual([]);
    const { created_at } = await env.core.row(
      'SELECT created_at FROM exchange_accounts WHERE id = $1',
      env.account.uuid,
    );
    expect(before.fillsSince.getTime()).toBe((created_at as Date).getTime() - 60_000);
    await buyOne();
    await compare({});
    const after = await reconciliation.state(env.account.uuid);
    expect(after.symbols).toEqual(['BTC/USDT']);
    expect(after.at.getTime() - after.fillsSince.getTime()).toBeGreaterThan(60_000);
    expect(after.fillsSince.getTime()).toBeGreaterThan(before.fillsSince.getTime());
    expect(after.knownFills.size).toBe(1);
  });

  it('row 4: stores the total balances that it compared; those of the next comparison replace them', async () => {
    expect((await reconciliation.state(env.account.uuid)).reconciledTotals).toBeNull();
    await compare({ held: { BTC: '1', USDT: '100.5' } });
    expect((await reconciliation.state(env.account.uuid)).reconciledTotals).toEqual({
      BTC: '1',
      USDT: '100.5',
    });
    await compare({ held: { USDT: '7' } });
    expect((await reconciliation.state(env.account.uuid)).reconciledTotals).toEqual({ USDT: '7' });
  });

  it('rule 21: does not count a fill again that the stream already reported', async () => {
    const id = await buyOne();
    const { changed } = await compare({ fills: [venueFillOf(id, 'a', '1')] });
    expect(changed).toEqual([]);
    await env.execution.adopt(env.account.uuid, [], [venueFillOf(id, 'a', '1')]);
    expect(Number((await env.storedTrade(id)).filled_amount)).toBe(1);
    expect(await openAmount()).toEqual({ amount: 1 });
  });
});

describe('a shortfall', () => {
  it('rule 23: is written off as a RECONCILIATION trade once two consecutive comparisons show it', async () => {
    await buyOne();
    await env.core.rows("UPDATE trade_pairs SET last_price = '120' WHERE id = $1", env.pair.uuid);
    expect((await compare({ held: { BTC: '0.25' } })).changed).toEqual([]);
    expect(await openAmount()).toEqual({ amount: 1 });
    await backdateShortfall();
    const { changed } = await compare({ held: { BTC: '0.25' } });
    expect(changed).toHaveLength(1);
    const writeOff = await readTrade(changed[0]);
    expect(tradeSchema.parse(writeOff)).toMatchObject({
      origin: 'RECONCILIATION',
      side: 'SELL',
      intent: 'REDUCE',
      type: 'MARKET',
      status: 'FILLED',
      amount: '0.75',
      filled_amount: '0.75',
      average_price: '120',
      reconciled_at: expect.any(String),
    });
    expect(await openAmount()).toEqual({ amount: 0.25 });
    expect((await env.eventTypes()).slice(2)).toEqual(['trade.created', 'trade.filled']);
    expect(await compare({ held: { BTC: '0.25' } })).toEqual({ actions: [], changed: [] });
  });

  it('is not written off if a comparison in between does not show it; without a last price it is written off at the cost of the lots', async () => {
    await buyOne();
    await env.core.rows('UPDATE trade_pairs SET last_price = NULL WHERE id = $1', env.pair.uuid);
    for (const BTC of ['0.5', '1', '0.5']) {
      await compare({ held: { BTC } });
      expect(await openAmount()).toEqual({ amount: 1 });
      if (BTC === '0.5') await backdateShortfall();
    }
    const { changed } = await compare({ held: { BTC: '0.5' } });
    expect(await readTrade(changed[0])).toMatchObject({ average_price: '100', filled_amount: '0.5' });
  });

  it('rule 23: is not written off while balances lag behind fills, even after several comparisons', async () => {
    await buyOne();
    for (const BTC of ['0', '0.25', '0.5', '0']) {
      const { changed } = await compare({ held: { BTC } });
      expect(changed).toEqual([]);
    }
    await backdateShortfall();
    const { changed } = await compare({ held: { BTC: '0' } });
    // Only the amount that every comparison showed as missing is written off.
    expect(await readTrade(changed[0])).toMatchObject({ origin: 'RECONCILIATION', filled_amount: '0.5' });
    expect(await openAmount()).toEqual({ amount: 0.5 });
  });

  it('is written off once by two comparisons that overlap', async () => {
    await buyOne();
    await compare({ held: { BTC: '0.5' } });
    await backdateShortfall();
    const states = [];
    for (let n = 0; n < 2; n++) states.push(await reconciliation.state(env.account.uuid));
    const changed = [];
    for (const state of states) {
      const venue = { openOrders: [], fills: [], totalsByAsset: { BTC: '0.5' }, positions: null };
      const actions = reconcile({ ...state, ...venue });
      changed.push(...(await reconciliation.apply(env.account.uuid, { ...state, totals: {} }, actions)));
    }
    expect([changed.length, await openAmount()]).toEqual([1, { amount: 0.5 }]);
  });

  it('is written off once if the same comparison is applied several times', async () => {
    await buyOne();
    await compare({ held: { BTC: '0' } });
    await backdateShortfall();
    const state = await reconciliation.state(env.account.uuid);
    const actions = reconcile({
      ...state,
      openOrders: [],
      fills: [],
      totalsByAsset: { BTC: '0' },
      positions: null,
    });
    const apply = () => reconciliation.apply(env.account.uuid, { ...state, totals: {} }, actions);
    const changed = await Promise.all([apply(), apply(), apply()]);
    expect(changed.flatMap((ids) => [...ids])).toHaveLength(1);
    expect(await tradesOf('RECONCILIATION')).toHaveLength(1);
  });
});
