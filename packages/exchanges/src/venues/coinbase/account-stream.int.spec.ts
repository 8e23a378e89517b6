import type { Dialect } from '../../../conformance/scripted/dialect.js';
import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { ScriptedServer } from '../../../conformance/scripted/scripted-server.js';
import { AccountStreamRecorder } from '../../../conformance/stream-recorders.js';
import { createVenue, venueConfig } from '../../ccxt/index.js';
import type { ExchangeClient, ExchangeVenue } from '../../index.js';
import { dialect } from './dialect/dialect.js';

const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));
const symbol = 'BTC/USDT';

describe('the account stream of Coinbase', () => {
  /** The next message of this channel is lost. */
  let lostChannel: string | undefined;
  let server: ScriptedServer;
  let venue: ExchangeVenue;
  let client: ExchangeClient;
  const lossyDialect: Dialect = {
    ...dialect,
    openStream: (connection) =>
      dialect.openStream({
        ...connection,
        send: (message, source) => {
          const isLost = (message as { readonly channel?: string }).channel === lostChannel;
          if (isLost) lostChannel = undefined;
          else connection.send(message, source);
        },
      }),
  };

  beforeEach(async () => {
    lostChannel = undefined;
    server = await ScriptedServer.start(lossyDialect, recordings, 'spot');
    const config = { id: 'coinbase', name: 'Coinbase', adapter: 'coinbase', tradingTypes: ['spot'] };
    venue = createVenue(venueConfig.parse({ ...config, url: server.url }));
    client = venue.connect(server.exchange.openAccount({ USDT: 100_000 }), 'spot');
  });
  afterEach(async () => {
    await venue.close();
    await server.close();
    expect(server.problems).toEqual([]);
  });

  const place = (id: string) =>
    client.placeOrder({
      symbol,
      venueClientOrderId: venue.clientOrderIdFor(id, 'spot'),
      type: 'LIMIT',
      side: 'BUY',
      timeInForce: 'GTC',
      amount: '0.1',
      price: '50000',
      reduceOnly: false,
    });
  const watch = async () => {
    const recorder = new AccountStreamRecorder();
    client.watch(recorder);
    await recorder.connected();
    return recorder;
  };

  it('continues while each message follows the one before it, acknowledgements included', async () => {
    const recorder = await watch();
    for (const id of ['1', '2']) await place(id);
    await recorder.until(() => recorder.orders.length === 2);
    expect(recorder.lost).toEqual([]);
  });

  it('ends after a lost message, and a new one works', async () => {
    const recorder = await watch();
    lostChannel = 'user';
    await place('lost');
    expect(recorder.lost).toEqual([]);
    await place('next');
    await recorder.until(() => recorder.lost.length > 0);
    expect([recorder.lost, recorder.orders]).toEqual([['retryable/bad_answer'], []]);
    const again = await watch();
    await place('later');
    await again.until(() => again.orders.length === 1);
    expect(again.lost).toEqual([]);
  });
});
