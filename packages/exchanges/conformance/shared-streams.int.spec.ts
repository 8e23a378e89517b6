/** The streams of several trading types of one account, which share a connection at exchanges with one address for them. */
import type { TradingType } from '@trading-automation/contracts';
import { createVenue, venueConfig } from '../src/ccxt/index.js';
import { dialect as bitget } from '../src/venues/bitget/dialect/dialect.js';
import { dialect as bybit } from '../src/venues/bybit/dialect/dialect.js';
import { dialect as okx } from '../src/venues/okx/dialect/dialect.js';
import { readRecordings } from './scripted/recordings.js';
import { ScriptedServer } from './scripted/scripted-server.js';
import { AccountStreamRecorder } from './stream-recorders.js';

const TYPES: readonly TradingType[] = ['spot', 'margin'];

it.each([bitget, bybit, okx])(
  '$venue carries spot and margin on one connection until both are closed',
  async (dialect) => {
    const folder = new URL(`../src/venues/${dialect.venue}/dialect/recordings.json`, import.meta.url);
    const server = await ScriptedServer.start(dialect, readRecordings(folder), 'margin');
    const { exchange } = server;
    const { venue: id } = dialect;
    const venue = createVenue(
      venueConfig.parse({
        id,
        name: id,
        adapter: id,
        tradingTypes: TYPES,
        url: server.url,
        limits: { accountWeight: 1_000 },
      }),
    );
    const credentials = exchange.openAccount({ [exchange.markets[0]!.quote]: 1_000 });
    const open = async (type: TradingType) => {
      const recorder = new AccountStreamRecorder();
      const stream = venue.connect(credentials, type).watch(recorder);
      await recorder.connected();
      return { recorder, stream };
    };
    try {
      const [spot, margin] = [await open('spot'), await open('margin')];
      expect(server.streamCount).toBe(1);
      await spot.stream.close();
      const { symbol } = exchange.markets[0]!;
      const order = {
        symbol,
        venueClientOrderId: venue.clientOrderIdFor('resting', 'margin'),
        type: 'LIMIT',
        side: 'BUY',
        timeInForce: 'GTC',
        price: '50000',
        amount: '0.001',
        reduceOnly: false,
      } as const;
      await venue.connect(credentials, 'margin').placeOrder(order);
      await margin.recorder.until(() => margin.recorder.orders.length > 0);
      expect([server.streamCount, spot.recorder.orders]).toEqual([1, []]);
    } finally {
      await venue.close();
      await server.close();
    }
    expect(server.problems).toEqual([]);
  },
);
