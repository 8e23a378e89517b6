import { type Keys, TestPaperExchange } from './testing/test-paper-exchange.js';

interface Order {
  readonly orderId: number;
  readonly orderListId: number;
  readonly status: string;
  readonly type: string;
  readonly clientOrderId: string;
  readonly executedQty: string;
}
interface List {
  readonly orderListId: number;
  readonly listOrderStatus: string;
  readonly orders: readonly { readonly orderId: number }[];
  readonly orderReports?: readonly Order[];
  readonly code?: number;
}

describe('the orders', () => {
  let venue: TestPaperExchange;
  let keys: Keys;
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
    keys = await venue.createAccount({ USDT: 100_000, BTC: 2 });
    await moveTo(60_000);
  });
  afterEach(() => venue.stop());

  type Params = Record<string, string | number>;
  const moveTo = (price: number) => venue.admin('POST', 'market', { symbol: 'BTCUSDT', price });
  const call = async <T>(method: string, path: string, params: Params = {}): Promise<T> =>
    (await venue.call<T>(method, `/api/v3/${path}`, params, keys)).body;
  const place = (params: Params) =>
    call<Order & { code?: number }>('POST', 'order', {
      symbol: 'BTCUSDT',
      quantity: '0.1',
      newOrderRespType: 'RESULT',
      ...params,
    });
  const orderOf = (orderId: number) => call<Order>('GET', 'order', { symbol: 'BTCUSDT', orderId });
  const statusOf = async ({ orderId }: { orderId: number }) => (await orderOf(orderId)).status;
  const balances = async () => {
    const { body } = await venue.admin<{ balances: Record<string, { free: string; locked: string }> }>(
      'GET',
      `ledger?api_key=${keys.api_key}`,
    );
    const { BTC, USDT } = body.balances;
    return { BTC, USDT };
  };

  it('of type TAKE_PROFIT trigger on the other side of the price than a stop loss', async () => {
    const sale = await place({ side: 'SELL', type: 'TAKE_PROFIT', stopPrice: 61_000 });
    const limitSale = await place({
      side: 'SELL',
      type: 'TAKE_PROFIT_LIMIT',
      stopPrice: 60_800,
      price: 61_500,
      timeInForce: 'GTC',
    });
    const purchase = await place({ side: 'BUY', type: 'TAKE_PROFIT', stopPrice: 59_000 });
    expect((await place({ side: 'SELL', type: 'TAKE_PROFIT', stopPrice: 59_000 })).code).toBe(-2010);
    await moveTo(60_500);
    for (const order of [sale, limitSale, purchase]) expect(await statusOf(order)).toBe('NEW');
    await moveTo(60_800);
    expect(await orderOf(limitSale.orderId)).toMatchObject({ status: 'NEW', isWorking: true });
    await moveTo(61_000);
    expect([await statusOf(sale), await statusOf(limitSale), await statusOf(purchase)]).toEqual([
      'FILLED',
      'NEW',
      'NEW',
    ]);
    await moveTo(61_500);
    expect(await statusOf(limitSale)).toBe('FILLED');
    await moveTo(59_000);
    expect(await statusOf(purchase)).toBe('FILLED');
  });

  it('with a trailing delta trigger when the price returns by it, also after a restart', async () => {
    const order = await place({ side: 'SELL', type: 'STOP_LOSS', trailingDelta: 100 });
    const fromStop = await place({ side: 'BUY', type: 'TAKE_PROFIT', stopPrice: 58_000, trailingDelta: 200 });
    expect(await orderOf(order.orderId)).toMatchObject({ trailingDelta: 100, stopPrice: '0.00000000' });
    await moveTo(62_000);
    await venue.restart();
    await moveTo(61_381);
    expect(await statusOf(order)).toBe('NEW');
    await moveTo(61_380);
    expect(await statusOf(order)).toBe('FILLED');
    expect(await orderOf(fromStop.orderId)).toMatchObject({ status: 'NEW', trailingTime: -1 });
    await moveTo(57_000);
    await moveTo(58_139);
    expect(await statusOf(fromStop)).toBe('NEW');
    await moveTo(58_140);
    expect(await statusOf(fromStop)).toBe('FILLED');
    for (const trailingDelta of [9, 2_001])
      expect((await place({ side: 'SELL', type: 'STOP_LOSS', trailingDelta })).code).toBe(-1013);
    expect((await place({ side: 'SELL', type: 'STOP_LOSS' })).code).toBe(-1102);
  });

  it('of a test are checked and have no effect', async () => {
    const order = {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      quantity: '0.1',
      price: 50_000,
    };
    expect(await call('POST', 'order/test', order)).toEqual({});
    expect(await call('POST', 'order/test', { ...order, computeCommissionRates: 'true' })).toMatchObject({
      standardCommissionForOrder: { maker: '0.00100000', taker: '0.00100000' },
    });
    expect(await call('POST', 'order/test', { ...order, quantity: '9' })).toMatchObject({ code: -2010 });
    expect(await call('POST', 'order/test', { ...order, price: '50000.001' })).toMatchObject({ code: -1013 });
    expect(await call('GET', 'allOrders', { symbol: 'BTCUSDT' })).toEqual([]);
    expect((await balances()).USDT).toEqual({ free: '100000', locked: '0' });
  });

  it('are replaced: cancelled and placed anew, and the response names each half that failed', async () => {
    const terms = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.1' };
    const first = await place({ ...terms, price: 50_000, newClientOrderId: 'first' });
    const replace = (params: Params) =>
      venue.call('POST', '/api/v3/order/cancelReplace', { ...terms, price: 51_000, ...params }, keys);
    const mode = { cancelReplaceMode: 'STOP_ON_FAILURE' };
    expect(await replace({ ...mode, cancelOrigClientOrderId: 'first' })).toMatchObject({
      status: 200,
      body: {
        cancelResult: 'SUCCESS',
        newOrderResult: 'SUCCESS',
        newOrderResponse: { price: '51000.00000000' },
      },
    });
    expect(await statusOf(first)).toBe('CANCELED');
    expect(await replace({ ...mode, cancelOrigClientOrderId: 'first' })).toMatchObject({
      status: 400,
      body: { code: -2022, data: { cancelResult: 'FAILURE', newOrderResult: 'NOT_ATTEMPTED' } },
    });
    const second = await place({ ...terms, price: 50_000 });
    expect(await replace({ ...mode, cancelOrderId: second.orderId, quantity: '9' })).toMatchObject({
      status: 409,
      body: {
        code: -2021,
        data: { cancelResult: 'SUCCESS', newOrderResult: 'FAILURE', newOrderResponse: { code: -2010 } },
      },
    });
    const third = await place({ ...terms, price: 50_000 });
    expect(await replace({ ...mode, cancelOrderId: third.orderId, icebergQty: '0.01' })).toMatchObject({
      status: 400,
      body: { code: -2010 },
    });
    expect(await statusOf(third)).toBe('NEW');
    expect(await replace({ cancelReplaceMode: 'ALLOW_FAILURE', cancelOrderId: 999 })).toMatchObject({
      status: 409,
      body: { code: -2021, data: { cancelResult: 'FAILURE', newOrderResult: 'SUCCESS' } },
    });
    expect(await replace({ ...mode })).toMatchObject({ status: 400 });
  });

  const oco = (params: Params = {}) =>
    call<List>('POST', 'orderList/oco', {
      symbol: 'BTCUSDT',
      side: 'SELL',
      quantity: '1.5',
      aboveType: 'LIMIT_MAKER',
      abovePrice: 61_000,
      belowType: 'STOP_LOSS',
      belowStopPrice: 59_000,
      ...params,
    });
  const legStatuses = async (list: List) =>
    Promise.all(
      list.orders.map(async ({ orderId }) => [(await orderOf(orderId)).type, await statusOf({ orderId })]),
    );

  it('of a list lock their amount once; the leg that fills expires the other one', async () => {
    const list = await oco({ listClientOrderId: 'pair' });
    expect(list).toMatchObject({
      listOrderStatus: 'EXECUTING',
      orderReports: [{ status: 'NEW' }, { status: 'NEW' }],
    });
    expect((await balances()).BTC).toEqual({ free: '0.5', locked: '1.5' });
    expect((await call<List[]>('GET', 'openOrderList')).map(({ orderListId }) => orderListId)).toEqual([
      list.orderListId,
    ]);
    expect((await oco({ listClientOrderId: 'pair', quantity: '0.1' })).code).toBe(-2010);
    await moveTo(61_000);
    expect(await legStatuses(list)).toEqual([
      ['LIMIT_MAKER', 'FILLED'],
      ['STOP_LOSS', 'EXPIRED'],
    ]);
    expect((await balances()).BTC).toEqual({ free: '0.5', locked: '0' });
    expect(await call('GET', 'openOrderList')).toEqual([]);
    expect(await call('GET', 'orderList', { orderListId: list.orderListId })).toMatchObject({
      listOrderStatus: 'ALL_DONE',
    });
  });

  it('of a list: the trigger of the stop expires the resting leg, also after a restart', async () => {
    const list = await oco();
    await venue.restart();
    await moveTo(59_000);
    expect(await legStatuses(list)).toEqual([
      ['LIMIT_MAKER', 'EXPIRED'],
      ['STOP_LOSS', 'FILLED'],
    ]);
    expect((await balances()).BTC).toEqual({ free: '0.5', locked: '0' });
    await moveTo(61_500);
    expect((await balances()).BTC).toEqual({ free: '0.5', locked: '0' });
  });

  it('of a purchase by list lock what the dearer leg costs, and release it', async () => {
    const list = await oco({
      side: 'BUY',
      quantity: '1',
      aboveType: 'STOP_LOSS_LIMIT',
      aboveStopPrice: 61_000,
      abovePrice: 62_000,
      aboveTimeInForce: 'GTC',
      belowType: 'LIMIT_MAKER',
      belowPrice: 59_000,
      belowStopPrice: '59000',
    });
    expect(list.code).toBe(-1106);
    const purchase = await call<List>('POST', 'order/oco', {
      symbol: 'BTCUSDT',
      side: 'BUY',
      quantity: '1',
      price: 59_000,
      stopPrice: 61_000,
      stopLimitPrice: 62_000,
      stopLimitTimeInForce: 'GTC',
    });
    expect((await balances()).USDT).toEqual({ free: '38000', locked: '62000' });
    const canceled = await call<List>('DELETE', 'orderList', {
      symbol: 'BTCUSDT',
      orderListId: purchase.orderListId,
    });
    expect(canceled).toMatchObject({
      listOrderStatus: 'ALL_DONE',
      orderReports: [{ status: 'CANCELED' }, { status: 'CANCELED' }],
    });
    expect((await balances()).USDT).toEqual({ free: '100000', locked: '0' });
    expect(
      await call('DELETE', 'orderList', { symbol: 'BTCUSDT', orderListId: purchase.orderListId }),
    ).toMatchObject({
      code: -2011,
    });
  });

  it('of a list are cancelled together, by one leg or by the market', async () => {
    const [one, other] = [await oco({ quantity: '0.5' }), await oco({ quantity: '0.5' })];
    await call('DELETE', 'order', { symbol: 'BTCUSDT', orderId: one.orders[1]?.orderId ?? 0 });
    expect((await legStatuses(one)).map(([, status]) => status)).toEqual(['CANCELED', 'CANCELED']);
    const reports = await call<List[]>('DELETE', 'openOrders', { symbol: 'BTCUSDT' });
    expect(reports.map(({ orderListId }) => orderListId)).toEqual([other.orderListId]);
    expect((await balances()).BTC).toEqual({ free: '2', locked: '0' });
  });

  it('of a list are refused as a whole if a leg is on the wrong side', async () => {
    for (const [params, code] of [
      [{ belowType: 'LIMIT_MAKER', belowPrice: 59_000, belowStopPrice: undefined }, -1168],
      [{ aboveType: 'STOP_LOSS', aboveStopPrice: 61_000, abovePrice: undefined }, -1197],
      [{ belowType: 'TAKE_PROFIT' }, -1199],
      [{ abovePrice: 58_000 }, -2010],
      [{ aboveType: 'LIMIT' }, -1158],
      [{ aboveIcebergQty: '0.1' }, -2010],
      [{ quantity: '3' }, -2010],
    ] as const) {
      const sent = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
      const dropped = Object.keys(params).filter((name) => !(name in sent));
      const all: Params = {
        symbol: 'BTCUSDT',
        side: 'SELL',
        quantity: '1.5',
        aboveType: 'LIMIT_MAKER',
        abovePrice: 61_000,
        belowType: 'STOP_LOSS',
        belowStopPrice: 59_000,
        ...sent,
      };
      for (const name of dropped) delete all[name];
      expect([params, (await call<List>('POST', 'orderList/oco', all)).code]).toEqual([params, code]);
    }
    expect(await call('GET', 'allOrderList')).toEqual([]);
    expect((await balances()).BTC).toEqual({ free: '2', locked: '0' });
  });
});
