import type { Dialect, Route } from '../../../conformance/scripted/dialect.js';
import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { ScriptedServer } from '../../../conformance/scripted/scripted-server.js';
import { createVenue, venueConfig } from '../../ccxt/index.js';
import type { ExchangeClient, ExchangeVenue, OrderRequest } from '../../index.js';
import { dialect } from './dialect/dialect.js';

const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));

/** The last event of each order in the history. */
let history: 'COMPLETE' | 'PLACED' = 'COMPLETE';

/** The dialect with a history that may not contain the ends of orders yet. */
const laggingDialect: Dialect = {
  ...dialect,
  routes: dialect.routes.map((route) => {
    if (route.path !== '/api/history/v3/orders') return route;
    const answer: Route['answer'] = (context) => {
      const page = route.answer(context) as { readonly elements: readonly { readonly event: object }[] };
      const elements = page.elements.filter(({ event }) => history === 'COMPLETE' || 'OrderPlaced' in event);
      return { ...page, elements };
    };
    return { ...route, answer };
  }),
};

describe('orders of kraken that ended more than five seconds ago', () => {
  let server: ScriptedServer;
  let venue: ExchangeVenue;
  let maker: ExchangeClient;
  let taker: ExchangeClient;
  let count = 0;
  beforeEach(async () => {
    history = 'COMPLETE';
    server = await ScriptedServer.start(laggingDialect, recordings, 'perpetual');
    const config = { id: 'kraken', name: 'kraken', adapter: 'kraken', tradingTypes: ['perpetual'] };
    venue = createVenue(venueConfig.parse({ ...config, url: server.url }));
    const connect = () => venue.connect(server.exchange.openAccount({ USD: 100_000 }), 'perpetual');
    [maker, taker] = [connect(), connect()];
  });
  afterEach(async () => {
    await venue.close();
    await server.close();
    expect(server.problems).toEqual([]);
  });
  const order = (terms: Partial<OrderRequest>): OrderRequest & { readonly sentAt: Date } => ({
    symbol: 'BTC/USD:USD',
    venueClientOrderId: venue.clientOrderIdFor(`history-${++count}`, 'perpetual'),
    type: 'LIMIT',
    side: 'BUY',
    timeInForce: 'GTC',
    amount: '0.1',
    price: '60000',
    reduceOnly: false,
    sentAt: new Date(),
    ...terms,
  });
  /** Lets the exchange forget the status of orders that ended. */
  const passTime = () => {
    server.exchange.now = () => Date.now() + 60_000;
  };

  it('finds them in the history with their time in force and the sum of their fills', async () => {
    await maker.placeOrder(order({ side: 'SELL' }));
    const partly = order({ timeInForce: 'IOC', amount: '0.3' });
    const unfilled = order({ timeInForce: 'FOK', price: '50000' });
    const cancelled = order({ timeInForce: 'POST_ONLY', price: '50000' });
    const placed = await taker.placeOrder(partly);
    for (const request of [unfilled, cancelled]) await taker.placeOrder(request);
    await taker.cancelOrder(cancelled);
    passTime();
    const found = { outcome: 'FOUND' };
    expect(await taker.findOrder(partly)).toMatchObject({
      ...found,
      order: { status: 'EXPIRED', timeInForce: 'IOC', amount: '0.3', filledAmount: '0.1' },
    });
    expect(await taker.findOrder(unfilled)).toMatchObject({
      ...found,
      order: { status: 'EXPIRED', timeInForce: 'FOK', filledAmount: '0' },
    });
    expect(await taker.findOrder(cancelled)).toMatchObject({
      ...found,
      order: { status: 'CANCELLED', timeInForce: 'POST_ONLY', filledAmount: '0' },
    });
    const { exchangeOrderId, symbol } = placed;
    expect(await taker.findOrderByExchangeId({ symbol, exchangeOrderId })).toMatchObject({
      filledAmount: '0.1',
    });
    expect(await taker.fetchFills({ symbol, exchangeOrderId })).toMatchObject([
      { amount: '0.1', fee: { amount: '6', currency: 'USD' } },
    ]);
  });

  it('does not call an order absent without its time of sending, or while the history lacks its fills', async () => {
    const { sentAt: _, ...unsent } = order({});
    expect(await taker.findOrder(unsent)).toEqual({ outcome: 'NOT_KNOWN' });
    await maker.placeOrder(order({ side: 'SELL' }));
    const filled = order({ timeInForce: 'IOC' });
    await taker.placeOrder(filled);
    passTime();
    // The history does not contain the order yet, but its fill is listed.
    const { orders } = server.exchange;
    orders.splice(0, orders.length);
    expect(await taker.findOrder(filled)).toEqual({ outcome: 'NOT_KNOWN' });
    expect(await taker.findOrder(order({}))).toEqual({ outcome: 'ABSENT' });
  });

  it.each([
    ['COMPLETE', { outcome: 'FOUND', order: { status: 'CANCELLED' } }, 'CANCELLED'],
    ['PLACED', { outcome: 'NOT_KNOWN' }, 'OPEN'],
  ] as const)('does not guess the end of an order: %s', async (lastEvent, expected, status) => {
    const resting = order({ price: '50000' });
    const { exchangeOrderId, symbol } = await taker.placeOrder(resting);
    await taker.cancelOrder(resting);
    passTime();
    history = lastEvent;
    expect(await taker.findOrder(resting)).toMatchObject(expected);
    expect(await taker.findOrderByExchangeId({ symbol, exchangeOrderId })).toMatchObject({
      status,
      filledAmount: '0',
    });
  });

  /** Lists more fills of the taker, `count` in each of the milliseconds. */
  const addFills = async (milliseconds: readonly number[], count: number): Promise<void> => {
    await maker.placeOrder(order({ side: 'SELL' }));
    await taker.placeOrder(order({ timeInForce: 'IOC' }));
    const { fills } = server.exchange;
    const [fill] = fills.splice(0, fills.length).filter(({ isMaker }) => !isMaker);
    if (fill === undefined) throw new Error('the order was not filled');
    let number = fill.number;
    for (const at of milliseconds)
      for (let i = 0; i < count; i++) fills.push({ ...fill, number: ++number, at: fill.at + at });
  };
  const fillsSince = (since: Date) => taker.fetchFillsSince({ symbol: 'BTC/USD:USD', since });

  it('lists each fill once, also those of a millisecond at the end of a page', async () => {
    const since = new Date();
    // A page has 100 fills, so that it ends within a millisecond.
    await addFills([0, 1, 2, 3], 60);
    const listed = await fillsSince(since);
    expect(listed.length).toBe(240);
    expect(new Set(listed.map(({ exchangeFillId }) => exchangeFillId)).size).toBe(240);
  });

  it('fails if one millisecond has more fills than a page', async () => {
    const since = new Date();
    await addFills([0], 101);
    await expect(fillsSince(since)).rejects.toMatchObject({ outcome: 'retryable', code: 'bad_answer' });
  });
});
