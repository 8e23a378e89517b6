import type { TradingType } from '@trading-automation/contracts';
import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { ScriptedServer } from '../../../conformance/scripted/scripted-server.js';
import { createVenue, venueConfig } from '../../ccxt/index.js';
import type { ExchangeVenue, OrderRequest } from '../../port.js';
import { dialect } from './dialect/dialect.js';

let server: ScriptedServer;
let venue: ExchangeVenue;
let orderCount = 0;

async function open(tradingType: TradingType) {
  const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));
  server = await ScriptedServer.start(dialect, recordings, tradingType);
  const config = { id: 'bitget', name: 'Bitget', adapter: 'bitget', tradingTypes: [tradingType] };
  venue = createVenue(venueConfig.parse({ ...config, url: server.url }));
  const [market] = server.exchange.markets;
  const { symbol, quote } = market!;
  const connect = () =>
    venue.connect(server.exchange.openAccount({ [quote]: 1_000_000, BTC: 10 }), tradingType);
  const order = (more: Partial<OrderRequest>): OrderRequest => ({
    symbol,
    venueClientOrderId: venue.clientOrderIdFor(`trade-${++orderCount}`, tradingType),
    type: 'LIMIT',
    side: 'SELL',
    timeInForce: 'GTC',
    amount: '0.5',
    reduceOnly: false,
    ...more,
  });
  return { maker: connect(), taker: connect(), order };
}

afterEach(async () => {
  await venue.close();
  await server.close();
  expect(server.problems).toEqual([]);
});

it.each(['spot', 'margin'] as const)(
  '%s: a market purchase buys an amount of base currency, up to 2 %% above the best offer; the rest expires',
  async (type) => {
    const { maker, taker, order } = await open(type);
    for (const price of ['60000', '61200', '61200.5']) await maker.placeOrder(order({ price }));
    const purchase = order({ type: 'MARKET', side: 'BUY', amount: '1.2' });
    await taker.placeOrder(purchase);
    const found = await taker.findOrder({ ...purchase, sentAt: new Date() });
    expect(found).toMatchObject({
      outcome: 'FOUND',
      order: {
        venueClientOrderId: purchase.venueClientOrderId,
        type: 'MARKET',
        price: undefined,
        status: 'EXPIRED',
        amount: '1.2',
        filledAmount: '1',
      },
    });
    // The exchange stores the mark behind the id, within its limit of 32 characters.
    const stored = server.exchange.orders.at(-1)!.clientOrderId;
    expect(stored).toBe(`${purchase.venueClientOrderId}.m`);
    expect(stored).toHaveLength(32);
  },
);

it.each([
  ['spot', 'SELL', false],
  ['margin', 'SELL', false],
  ['perpetual', 'SELL', true],
  ['perpetual', 'BUY', true],
] as const)('%s: a market order with the side %s is that of the exchange', async (type, side, isContract) => {
  const { maker, taker, order } = await open(type);
  await maker.placeOrder(order({ side: 'BUY', price: '60000', amount: '2' }));
  await maker.placeOrder(order({ side: 'SELL', price: '60001', amount: '2' }));
  if (isContract) {
    const entry = side === 'BUY' ? 'SELL' : 'BUY';
    await taker.placeOrder(order({ type: 'MARKET', side: entry, amount: '1' }));
  }
  const exit = order({ type: 'MARKET', side, amount: '1', reduceOnly: isContract });
  await taker.placeOrder(exit);
  expect(server.exchange.orders.at(-1)).toMatchObject({
    type: 'MARKET',
    clientOrderId: exit.venueClientOrderId,
    status: 'FILLED',
  });
});
