import { type Keys, TestPaperExchange } from './testing/test-paper-exchange.js';

const SYMBOL = 'BTC/USDT';
type Client = ReturnType<TestPaperExchange['clientOf']>;

interface MarginAccount {
  readonly marginLevel: string;
  readonly userAssets: readonly {
    readonly asset: string;
    readonly borrowed: string;
    readonly netAsset: string;
  }[];
}
interface Ledger {
  readonly margin_balances: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly interest: readonly { readonly asset: string; readonly amount: string }[];
  readonly orders: readonly { readonly is_margin?: boolean; readonly status: string }[];
}

describe('cross margin on the paper exchange, traded by an unmodified ccxt client', () => {
  let venue: TestPaperExchange;
  let keys: Keys;
  let client: Client;
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
    keys = (await venue.admin<Keys>('POST', 'accounts', { margin_balances: { USDT: 10_000 } })).body;
    await venue.admin('POST', 'market', { symbol: SYMBOL, price: '50000' });
    client = venue.clientOf(keys);
    await client.loadMarkets();
  });
  afterEach(() => venue.stop());

  const account = async () =>
    (await venue.call<MarginAccount>('GET', '/sapi/v1/margin/account', {}, keys)).body;
  const assetOf = async (name: string) => (await account()).userAssets.find(({ asset }) => asset === name);
  const ledger = async () => (await venue.admin<Ledger>('GET', `ledger?api_key=${keys.api_key}`)).body;
  const cross = { marginMode: 'cross' };

  it('borrows and repays, up to the maximum', async () => {
    expect(
      (await venue.call('GET', '/sapi/v1/margin/maxBorrowable', { asset: 'BTC' }, keys)).body,
    ).toMatchObject({
      amount: '0.40000000',
    });
    await client.borrowCrossMargin('BTC', 0.1);
    expect(await assetOf('BTC')).toMatchObject({ borrowed: '0.10000000', netAsset: '-0.00000100' });
    // 15,000 USDT of assets over 5,000.05 USDT of debts, with the interest of the first hour.
    expect(Number((await account()).marginLevel)).toBeCloseTo(15_000 / 5_000.05, 6);
    await expect(client.borrowCrossMargin('BTC', 0.4)).rejects.toThrow('-3006');
    await client.repayCrossMargin('BTC', 0.05);
    expect(await assetOf('BTC')).toMatchObject({ borrowed: '0.05000100' });
    await expect(client.repayCrossMargin('BTC', 0.1)).rejects.toThrow('-3015');
  });

  it('opens a short position by an order that borrows, and closes it by one that repays', async () => {
    const opened = await client.createOrder(SYMBOL, 'market', 'sell', 0.1, undefined, {
      ...cross,
      sideEffectType: 'AUTO_BORROW_REPAY',
    });
    expect(opened).toMatchObject({ status: 'closed', info: { marginBuyBorrowAmount: '0.10000000' } });
    expect((await assetOf('BTC'))?.borrowed).toBe('0.10000000');
    await client.createOrder(SYMBOL, 'market', 'buy', 0.05, undefined, { ...cross, reduceOnly: true });
    // The fee of 0.1 % is paid in BTC, and 0.000001 BTC of interest comes first.
    expect((await assetOf('BTC'))?.borrowed).toBe('0.05005100');
    const trades = await client.fetchMyTrades(SYMBOL, undefined, undefined, cross);
    expect(trades.map(({ side, amount }) => [side, amount])).toEqual([
      ['sell', 0.1],
      ['buy', 0.05],
    ]);
  });

  it('buys with borrowed USDT, and repays them with the proceeds', async () => {
    await client.createOrder(SYMBOL, 'limit', 'buy', 0.4, 50_005, { ...cross, sideEffectType: 'MARGIN_BUY' });
    expect((await assetOf('USDT'))?.borrowed).toBe('10002.00000000');
    await client.createOrder(SYMBOL, 'market', 'sell', 0.3996, undefined, {
      ...cross,
      sideEffectType: 'AUTO_REPAY',
    });
    expect((await assetOf('USDT'))?.borrowed).toBe('0.00000000');
    expect(await account()).toMatchObject({ marginLevel: '999.00000000' });
  });

  it('repays what an order borrowed once it is canceled, unless the order keeps its loan', async () => {
    const borrowing = { ...cross, sideEffectType: 'MARGIN_BUY' };
    const debt = async () => (await assetOf('USDT'))?.borrowed;
    const place = (params = {}) =>
      client.createOrder(SYMBOL, 'limit', 'buy', 0.3, 40_000, { ...borrowing, ...params });
    const first = await place();
    expect(await debt()).toBe('2000.00000000');
    await venue.restart();
    client = venue.clientOf(keys);
    await client.loadMarkets();
    await client.cancelOrder(first.id as string, SYMBOL, cross);
    // The interest of the first hour, 0.02 USDT, is paid first, and as much of the loan is left.
    expect(await debt()).toBe('0.02000000');
    const kept = await place({ autoRepayAtCancel: 'FALSE' });
    await client.cancelOrder(kept.id as string, SYMBOL, cross);
    expect(await debt()).toBe('2000.02000000');
    expect(await assetOf('USDT')).toMatchObject({ free: '12000.00000000' });
    await expect(place({ autoRepayAtCancel: 'maybe' })).rejects.toThrow('-1100');
  });

  it('keeps orders apart from spot, and cancels them', async () => {
    const order = await client.createOrder(SYMBOL, 'limit', 'buy', 0.1, 40_000, cross);
    expect(await client.fetchOpenOrders(SYMBOL)).toEqual([]);
    expect(await client.fetchOpenOrders(SYMBOL, undefined, undefined, cross)).toMatchObject([
      { id: order.id },
    ]);
    expect(await client.fetchOrder(order.id as string, SYMBOL, cross)).toMatchObject({ status: 'open' });
    expect(await client.cancelOrder(order.id as string, SYMBOL, cross)).toMatchObject({ status: 'canceled' });
    expect((await ledger()).orders).toMatchObject([{ is_margin: true, status: 'CANCELED' }]);
    await expect(
      client.createOrder(SYMBOL, 'limit', 'buy', 0.1, 40_000, { marginMode: 'isolated' }),
    ).rejects.toThrow('-11001');
  });

  it('streams its orders and balances, and not those of spot', async () => {
    const watcher = await venue.createWatcher(keys);
    await watcher.loadMarkets();
    await watcher.authenticate({ type: 'margin' });
    const orders = watcher.watchOrders(SYMBOL, undefined, undefined, { type: 'margin' });
    const balances = watcher.watchBalance({ type: 'margin' });
    await venue.admin('POST', 'deposits', { api_key: keys.api_key, asset: 'USDT', amount: '5000' });
    await client.createOrder(SYMBOL, 'limit', 'buy', 0.1, 40_000);
    const order = await client.createOrder(SYMBOL, 'limit', 'buy', 0.1, 39_000, cross);
    expect((await orders).map(({ id, status, price }) => [id, status, price])).toEqual([
      [order.id, 'open', 39_000],
    ]);
    expect((await balances).USDT).toEqual({ free: 6_100, used: 3_900, total: 10_000 });
  });

  it('charges interest at once and each hour, which the history and the ledger list after a restart, too', async () => {
    await client.borrowCrossMargin('USDT', 1_000);
    await venue.admin('POST', 'interest');
    const history = await client.fetchBorrowInterest('USDT');
    expect(history.map(({ interest }) => interest)).toEqual([0.01, 0.01]);
    // The rate of a day, as in the history of rates: 24 times what an hour costs.
    expect(history.map(({ interestRate }) => interestRate)).toEqual([0.000_24, 0.000_24]);
    expect(
      (await venue.call('GET', '/sapi/v1/margin/interestRateHistory', { asset: 'USDT' }, keys)).body,
    ).toMatchObject([{ dailyInterestRate: '0.00024000' }]);
    const before = await ledger();
    expect(before.interest.map(({ amount }) => amount)).toEqual(['0.01', '0.01']);
    expect(before.margin_balances.USDT).toEqual({
      free: '11000',
      locked: '0',
      borrowed: '1000',
      interest: '0.02',
    });
    await venue.restart();
    expect(await ledger()).toEqual(before);
  });

  it('transfers between spot and margin, as far as the debts allow', async () => {
    await client.transfer('USDT', 4_000, 'cross', 'spot');
    expect((await client.fetchBalance()).total).toMatchObject({ USDT: 4_000 });
    await client.borrowCrossMargin('BTC', 0.1);
    await expect(client.transfer('USDT', 4_000, 'cross', 'spot')).rejects.toThrow('-3020');
    await client.transfer('USDT', 4_000, 'spot', 'cross');
    expect(await assetOf('USDT')).toMatchObject({ netAsset: '10000.00000000' });
  });
});
