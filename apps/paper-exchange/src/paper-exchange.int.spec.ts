import { AuthenticationError, BadRequest, InsufficientFunds, OrderNotFound } from 'ccxt/js/src/base/errors';
import { TestPaperExchange } from './testing/test-paper-exchange.js';

describe('the paper exchange, called by an unmodified ccxt client', () => {
  let venue: TestPaperExchange;
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
  });
  afterEach(() => venue.stop());

  it('rests, matches, returns and cancels orders, and has the right balances afterwards', async () => {
    const [maker, taker] = [await venue.createTrader(), await venue.createTrader()];
    await maker.loadMarkets();
    expect(maker.market('BTC/USDT')).toMatchObject({
      precision: { price: 0.01, amount: 0.00001 },
      limits: { cost: { min: 10 } },
    });
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60_000, { clientOrderId: 'ask-1' });
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60_100, { clientOrderId: 'ask-2' });
    expect((await taker.fetchOrderBook('BTC/USDT')).asks).toEqual([
      [60_000, 0.5],
      [60_100, 0.5],
    ]);
    const bought = await taker.createOrder('BTC/USDT', 'market', 'buy', 0.75);
    expect(bought).toMatchObject({ status: 'closed', filled: 0.75, cost: 45_025 });
    expect((await taker.fetchMyTrades('BTC/USDT')).map((trade) => [trade.price, trade.amount])).toEqual([
      [60_000, 0.5],
      [60_100, 0.25],
    ]);
    expect((await taker.fetchBalance()).total).toMatchObject({ USDT: 54_975, BTC: 2.74925 });
    expect(
      (await maker.fetchOpenOrders('BTC/USDT')).map((order) => [order.clientOrderId, order.remaining]),
    ).toEqual([['ask-2', 0.25]]);
    const filled = await maker.fetchOrder('', 'BTC/USDT', { origClientOrderId: 'ask-1' });
    expect(filled).toMatchObject({ status: 'closed', filled: 0.5 });
    const [open] = await maker.fetchOpenOrders('BTC/USDT');
    expect(await maker.cancelOrder(String(open?.id), 'BTC/USDT')).toMatchObject({ status: 'canceled' });
    expect((await maker.fetchBalance()).used).toMatchObject({ BTC: 0 });
  });

  it('rejects invalid requests with error codes that ccxt maps to its exceptions', async () => {
    const user = await venue.createTrader();
    await user.loadMarkets();
    await expect(user.createOrder('BTC/USDT', 'limit', 'buy', 5, 60_000)).rejects.toThrow(InsufficientFunds);
    await expect(user.createOrder('BTC/USDT', 'limit', 'buy', 0.0001, 60_000)).rejects.toThrow(BadRequest);
    await expect(user.fetchOrder('99', 'BTC/USDT')).rejects.toThrow(OrderNotFound);
    user.secret = 'wrong';
    await expect(user.fetchBalance()).rejects.toThrow(AuthenticationError);
  });

  it('responds to a new order with the requested response type, and to a cancellation with both client order ids', async () => {
    const user = await venue.createTrader();
    const place = (newOrderRespType: string) =>
      user.privatePostOrder({
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        timeInForce: 'GTC',
        quantity: '0.1',
        price: '60000',
        newOrderRespType,
      }) as Promise<Record<string, unknown>>;
    const ack = await place('ACK');
    expect(Object.keys(ack).sort()).toEqual(
      ['symbol', 'orderId', 'orderListId', 'clientOrderId', 'transactTime'].sort(),
    );
    const result = await place('RESULT');
    expect(result).toMatchObject({ status: 'NEW', origQty: '0.10000000' });
    expect(result).not.toHaveProperty('fills');
    expect(await place('FULL')).toMatchObject({ status: 'NEW', fills: [] });
    await expect(place('ALL')).rejects.toThrow('-1136');
    expect(await user.fetchOpenOrders('BTC/USDT')).toHaveLength(3);
    const canceled = await user.privateDeleteOrder({
      symbol: 'BTCUSDT',
      orderId: ack.orderId,
      newClientOrderId: 'the-cancel',
    });
    expect(canceled).toMatchObject({
      origClientOrderId: ack.clientOrderId,
      clientOrderId: 'the-cancel',
      status: 'CANCELED',
    });
  });

  it('returns the fills and orders of an account from an id or a time on', async () => {
    const [maker, taker] = [await venue.createTrader(), await venue.createTrader()];
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60_000);
    for (const amount of [0.1, 0.2, 0.15]) await taker.createOrder('BTC/USDT', 'market', 'buy', amount);
    const all = await taker.fetchMyTrades('BTC/USDT');
    expect(all.map((fill) => fill.amount)).toEqual([0.1, 0.2, 0.15]);
    const from = await taker.fetchMyTrades('BTC/USDT', undefined, 1, { fromId: all[1]?.id });
    expect(from.map((fill) => fill.amount)).toEqual([0.2]);
    expect(await taker.fetchMyTrades('BTC/USDT', Date.now() + 60_000)).toEqual([]);
    expect(await taker.fetchOrders('BTC/USDT', undefined, 2)).toHaveLength(2);
  });

  it('has the same state after a restart', async () => {
    const keys = await venue.createAccount();
    await venue
      .clientOf(keys)
      .createOrder('BTC/USDT', 'limit', 'buy', 0.5, 60_000, { clientOrderId: 'stays' });
    const ledger = async () => (await venue.admin('GET', `ledger?api_key=${keys.api_key}`)).body;
    const before = await ledger();
    await venue.restart();
    expect(await ledger()).toEqual(before);
    expect((await venue.clientOf(keys).fetchOrderBook('BTC/USDT')).bids).toEqual([[60_000, 0.5]]);
  });

  it('fills a resting order when an admin call moves the price across it', async () => {
    const user = await venue.createTrader();
    await user.createOrder('BTC/USDT', 'limit', 'buy', 0.5, 60_000);
    await venue.admin('POST', 'market', { symbol: 'BTC/USDT', price: 59_000 });
    expect((await user.fetchMyTrades('BTC/USDT')).map((trade) => [trade.price, trade.amount])).toEqual([
      [60_000, 0.5],
    ]);
  });

  it('has five BTC within ten basis points of the mid price on each side if the market maker is on', async () => {
    await venue.restart({ MARKET: 'on' });
    const { bids, asks } = await (await venue.createTrader()).fetchOrderBook('BTC/USDT');
    const mid = (Number(bids[0]![0]) + Number(asks[0]![0])) / 2;
    for (const side of [bids, asks]) {
      const near = side
        .filter(([price]) => Math.abs(Number(price) / mid - 1) <= 0.001)
        .reduce((sum, [, size]) => sum + Number(size), 0);
      expect(near).toBeGreaterThanOrEqual(5);
    }
  });
});
