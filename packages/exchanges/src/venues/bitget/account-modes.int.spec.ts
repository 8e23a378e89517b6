import type { TradingType } from '@trading-automation/contracts';
import { failureOf } from '../../../conformance/conformance-fixture.js';
import { Refusal } from '../../../conformance/scripted/model.js';
import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { ScriptedServer } from '../../../conformance/scripted/scripted-server.js';
import { createVenue, venueConfig } from '../../ccxt/index.js';
import { dialect } from './dialect/dialect.js';

const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));
const symbol = 'BTC/USDT:USDT';

describe('the accounts and look-ups of Bitget', () => {
  let close: () => Promise<void> = async () => undefined;
  afterEach(() => close());
  const open = async (changed: Partial<typeof dialect> = {}, type: TradingType = 'perpetual') => {
    const server = await ScriptedServer.start({ ...dialect, ...changed }, recordings, type);
    const config = { id: 'bitget', name: 'Bitget', adapter: 'bitget', tradingTypes: [type] };
    const venue = createVenue(venueConfig.parse({ ...config, url: server.url }));
    close = async () => {
      await venue.close();
      await server.close();
      expect(server.problems).toEqual([]);
    };
    const account = server.exchange.openAccount({ USDT: 10_000 });
    return { account, client: venue.connect(account, type) };
  };
  /** A classic account rejects every call of the unified account. */
  const classic = {
    status: 400,
    body: { code: '40084', msg: 'classic account', requestTime: 1, data: null },
  };

  it('refuses accounts between two modes', async () => {
    const { account, client } = await open();
    expect((await client.testCredentials()).unsupported).toBeUndefined();
    account.kind = 'UNKNOWN';
    expect((await client.testCredentials()).unsupported).toBe('ACCOUNT_TYPE');
  });

  it.each<[TradingType, 'ACCOUNT_TYPE' | undefined]>([
    ['spot', undefined],
    ['margin', 'ACCOUNT_TYPE'],
    ['perpetual', undefined],
  ])('has loans in the advanced mode alone: %s in the basic mode is %s', async (type, expected) => {
    const basic = dialect.routes.map((route) =>
      route.path === '/api/v3/account/settings'
        ? {
            ...route,
            answer: (context: never) => ({ ...(route.answer(context) as object), accountLevel: 'basic' }),
          }
        : route,
    );
    const { client } = await open({ routes: basic }, type);
    expect((await client.testCredentials()).unsupported).toBe(expected);
  });

  it('refuses classic accounts', async () => {
    const refuse = () => classic;
    const authenticate = () => {
      throw new Refusal('BAD_PARAMETER');
    };
    const { client } = await open({ authenticate, refuse });
    const { unsupported, venueAccountId } = await client.testCredentials();
    expect([unsupported, venueAccountId]).toEqual(['ACCOUNT_TYPE', undefined]);
    expect(await failureOf(client.fetchBalances())).toBe('fatal/credentials_rejected');
  });

  it('finds an order in the list of ended orders if the call does not know it', async () => {
    const withoutOrderInfo = dialect.routes.map((route) =>
      route.path === '/api/v3/trade/order-info'
        ? { ...route, answer: () => null, source: { page: 'https://www.bitget.com/api-doc/uta/intro' } }
        : route,
    );
    const { client } = await open({ routes: withoutOrderInfo });
    const order = { symbol, type: 'LIMIT', timeInForce: 'GTC', reduceOnly: false } as const;
    const key = { symbol, venueClientOrderId: 'ended', sentAt: new Date() };
    await client.placeOrder({ ...order, ...key, side: 'BUY', price: '50000', amount: '0.001' });
    await client.cancelOrder(key);
    expect(await client.findOrder(key)).toMatchObject({
      outcome: 'FOUND',
      order: { status: 'CANCELLED', venueClientOrderId: 'ended' },
    });
    expect(await client.findOrder({ ...key, venueClientOrderId: 'absent' })).toEqual({ outcome: 'ABSENT' });
    expect(await client.findOrder({ symbol, venueClientOrderId: 'absent' })).toEqual({
      outcome: 'NOT_KNOWN',
    });
    const long = new Date(Date.now() - 91 * 86_400_000);
    expect(await client.findOrder({ symbol, venueClientOrderId: 'absent', sentAt: long })).toEqual({
      outcome: 'NOT_KNOWN',
    });
  });
});
