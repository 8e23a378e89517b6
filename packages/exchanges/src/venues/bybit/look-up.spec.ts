import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { VenueSession } from '../../ccxt/declaration.js';
import { bybitOrders } from './calls.js';

/** An exchange that lists no order. */
const empty = async () => ({ result: { list: [], nextPageCursor: '' } });
const ccxt = {
  market: () => ({ id: 'BTCUSDT' }),
  options: {},
  privateGetV5OrderRealtime: empty,
  privateGetV5OrderHistory: empty,
} as unknown as CcxtClient;
const session: VenueSession = { ccxt, orNull: async (call) => call() };

describe('when the absence of an order at Bybit is proven', () => {
  it.each([
    ['spot', 'spot', 1, 'ABSENT'],
    // A cancelled order without a fill is listed for 24 hours.
    ['spot, an old order', 'spot', 24, 'NOT_KNOWN'],
    ['spot, without a time', 'spot', undefined, 'NOT_KNOWN'],
    ['perpetuals', 'linear', 22, 'ABSENT'],
    ['perpetuals, an old order', 'linear', 24, 'NOT_KNOWN'],
  ] as const)('%s', async (_what, category, hours, outcome) => {
    const sentAt = hours === undefined ? undefined : new Date(Date.now() - hours * 3_600_000);
    const key = { symbol: 'BTC/USDT', venueClientOrderId: 'ta1', sentAt };
    expect(await bybitOrders(category).find(session, key)).toEqual({ outcome });
  });
});
