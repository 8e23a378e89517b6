import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { ScriptedServer } from '../../../conformance/scripted/scripted-server.js';
import { accountWeightOf } from '../../call-budget.js';
import { createVenue, venueConfig } from '../../ccxt/index.js';
import { dialect } from './dialect/dialect.js';

it('the reads of a spot account count towards its budget, lists of trades twice; its orders and public calls do not', async () => {
  const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));
  const server = await ScriptedServer.start(dialect, recordings, 'spot');
  const weights: number[] = [];
  const config = { id: 'kraken', name: 'Kraken', adapter: 'kraken', tradingTypes: ['spot'], url: server.url };
  const venue = createVenue(venueConfig.parse(config), {
    budget: { take: async (call) => void weights.push(accountWeightOf(call)), pause: () => undefined },
  });
  const [market] = server.exchange.markets;
  const { symbol, quote } = market!;
  const account = venue.connect(server.exchange.openAccount({ [quote]: 100_000 }), 'spot');
  const weightsOf = async (work: () => Promise<unknown>) => {
    weights.length = 0;
    await work();
    return weights.filter((weight) => weight > 0);
  };
  const order = {
    symbol,
    venueClientOrderId: venue.clientOrderIdFor('trade', 'spot'),
    type: 'LIMIT',
    side: 'BUY',
    timeInForce: 'GTC',
    amount: '0.5',
    price: '60000',
    reduceOnly: false,
  } as const;
  try {
    expect(await weightsOf(() => venue.fetchMarkets())).toEqual([]);
    expect(await weightsOf(() => account.placeOrder(order))).toEqual([]);
    expect(await weightsOf(() => account.cancelOrder(order))).toEqual([]);
    expect(await weightsOf(() => account.fetchOpenOrders())).toEqual([1]);
    expect(await weightsOf(() => account.fetchFillsSince({ symbol, since: new Date() }))).toEqual([2]);
  } finally {
    await venue.close();
    await server.close();
  }
  expect(server.problems).toEqual([]);
});
