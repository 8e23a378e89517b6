/** Balances of a wallet that orders on spot and positions in perpetuals share. */
import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { ScriptedServer } from '../../../conformance/scripted/scripted-server.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { createVenue, venueConfig } from '../../ccxt/index.js';
import { balancesOf, wallet } from './account.js';
import { dialect } from './dialect/dialect.js';

const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));

describe('the balances of a unified account of Bybit', () => {
  const ccxt = { safeCurrencyCode: (code: string) => code } as unknown as CcxtClient;
  const recorded = recordings.messages.get('Subscriptions/V5/Private/Balance#3') as {
    readonly data: readonly [{ readonly coin: readonly [object] }];
  };
  const read = (changes: object) => {
    const [account] = recorded.data;
    const coins = [{ ...account.coin[0], ...changes }];
    return balancesOf(ccxt, wallet.parse({ ...account, coin: coins }).coin);
  };

  it('have no margin if none is reported', () => {
    expect(read({})).toStrictEqual({ BTC: { free: '0.00102964', locked: '0' } });
  });

  it('have the margins of orders and positions beside what orders on spot lock', () => {
    const usdt = { coin: 'USDT', walletBalance: '1000', locked: '300' };
    expect(read({ ...usdt, totalOrderIM: '50.5', totalPositionIM: '400' })).toStrictEqual({
      USDT: { free: '700', locked: '300', margin: '450.5' },
    });
  });

  it('leave as much as the exchange makes available', async () => {
    const server = await ScriptedServer.start(dialect, recordings, 'perpetual');
    const config = {
      id: 'bybit',
      name: 'Bybit',
      adapter: 'bybit',
      tradingTypes: ['perpetual'],
      url: server.url,
    };
    const venue = createVenue(venueConfig.parse(config));
    try {
      const [maker, taker] = [1, 2].map(() =>
        venue.connect(server.exchange.openAccount({ USDT: 10_000 }), 'perpetual'),
      );
      const terms = {
        symbol: 'BTC/USDT:USDT',
        type: 'LIMIT',
        timeInForce: 'GTC',
        reduceOnly: false,
        amount: '0.01',
      } as const;
      await maker!.placeOrder({ ...terms, side: 'SELL', price: '60000', venueClientOrderId: 'ta01' });
      await taker!.placeOrder({ ...terms, side: 'BUY', price: '60000', venueClientOrderId: 'ta02' });
      await taker!.placeOrder({ ...terms, side: 'BUY', price: '50000', venueClientOrderId: 'ta03' });
      const { free, margin } = (await taker!.fetchBalances()).balances.USDT!;
      const { available } = await taker!.positions!.fetchMargin();
      const [position] = (await taker!.positions!.fetchPositions()).positions;
      expect(Number(margin)).toBeGreaterThan(0);
      expect(Number(free) - Number(margin) + Number(position!.unrealizedPnl)).toBeCloseTo(Number(available));
    } finally {
      await venue.close();
      await server.close();
    }
    expect(server.problems).toEqual([]);
  });
});
