import type { TradingType } from '@trading-automation/contracts';
import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { ScriptedServer } from '../../../conformance/scripted/scripted-server.js';
import { createVenue, venueConfig } from '../../ccxt/index.js';
import { dialect } from './dialect/dialect.js';

const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));

describe('the account modes of OKX', () => {
  let close: () => Promise<void> = async () => undefined;
  afterEach(() => close());
  /** Opens two accounts: the first in one mode of the trading type, the second in the other. */
  const open = async (type: TradingType) => {
    const server = await ScriptedServer.start(dialect, recordings, type);
    const config = { id: 'okx', name: 'OKX', adapter: 'okx', tradingTypes: [type], url: server.url };
    const venue = createVenue(venueConfig.parse(config));
    close = async () => {
      await venue.close();
      await server.close();
      expect(server.problems).toEqual([]);
    };
    const accounts = [1, 2].map(() => server.exchange.openAccount({ USDT: 10_000 }));
    const clients = accounts.map((account) => venue.connect(account, type));
    return { exchange: server.exchange, account: accounts[0]!, client: clients[0]!, other: clients[1]! };
  };

  it.each(['spot', 'margin', 'perpetual'] as const)('refuses other modes for %s', async (type) => {
    const { account, client, other } = await open(type);
    expect((await client.testCredentials()).unsupported).toBeUndefined();
    expect((await other.testCredentials()).unsupported).toBeUndefined();
    account.kind = 'UNKNOWN';
    expect((await client.testCredentials()).unsupported).toBe('ACCOUNT_TYPE');
    account.kind = 'PORTFOLIO_MARGIN';
    expect((await client.testCredentials()).unsupported).toBe('PORTFOLIO_MARGIN');
  });

  it('reports the margin in USD in the multi-currency mode, and of the settlement currency in the futures mode', async () => {
    const { client, other } = await open('perpetual');
    expect(await client.positions?.fetchMargin()).toMatchObject({ currency: 'USD', equity: '10000' });
    expect(await other.positions?.fetchMargin()).toMatchObject({ currency: 'USDT', equity: '10000' });
  });

  it('knows nothing of an absent order that was sent more than 110 minutes ago, or at an unknown time', async () => {
    const { client } = await open('spot');
    const key = { symbol: 'BTC/USDT', venueClientOrderId: 'ta1' };
    const outcomeOf = async (minutes: number) => {
      const sentAt = new Date(Date.now() - minutes * 60_000);
      return (await client.findOrder({ ...key, sentAt })).outcome;
    };
    expect([await outcomeOf(0), await outcomeOf(109), await outcomeOf(111)]).toEqual([
      'ABSENT',
      'ABSENT',
      'NOT_KNOWN',
    ]);
    expect(await client.findOrder(key)).toEqual({ outcome: 'NOT_KNOWN' });
  });

  it('reads fills and open orders that are longer than one page', async () => {
    const { client, other } = await open('perpetual');
    const symbol = 'BTC/USDT:USDT';
    const order = { symbol, type: 'LIMIT', timeInForce: 'GTC', reduceOnly: false } as const;
    const amounts = Array.from({ length: 130 }, (_, i) => ({
      amount: '0.001',
      venueClientOrderId: `page${i}`,
    }));
    for (const each of amounts) await other.placeOrder({ ...order, ...each, side: 'BUY', price: '50000' });
    expect(await other.fetchOpenOrders()).toHaveLength(130);
    await client.placeOrder({
      ...order,
      side: 'SELL',
      price: '50000',
      amount: '0.13',
      venueClientOrderId: 'all',
    });
    const fills = await client.fetchFillsSince({ symbol, since: new Date(Date.now() - 60_000) });
    expect(new Set(fills.map(({ exchangeFillId }) => exchangeFillId)).size).toBe(130);
    // Older fills come from two lists, which overlap.
    expect(await client.fetchFillsSince({ symbol, since: new Date(0) })).toEqual(fills);
  });
});
