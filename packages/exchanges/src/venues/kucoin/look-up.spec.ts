import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { VenueSession } from '../../ccxt/declaration.js';
import { futuresOrders } from './futures-calls.js';
import { spotOrders } from './spot-calls.js';

const ccxt = { market: () => ({ id: 'BTC-USDT' }) } as unknown as CcxtClient;
/** A session in which the exchange finds no order. */
const session: VenueSession = { ccxt, orNull: async () => null };

describe('when the absence of an order at KuCoin is proven', () => {
  it.each([
    ['spot', spotOrders('SPOT'), 1, 'ABSENT'],
    ['spot, an old order', spotOrders('SPOT'), 25, 'NOT_KNOWN'],
    ['margin, without a time', spotOrders('CROSS_MARGIN'), undefined, 'NOT_KNOWN'],
    ['perpetuals', futuresOrders, 1, 'ABSENT'],
    ['perpetuals, an old order', futuresOrders, 25, 'NOT_KNOWN'],
  ] as const)('%s', async (_what, orders, hours, outcome) => {
    const sentAt = hours === undefined ? undefined : new Date(Date.now() - hours * 3_600_000);
    const key = { symbol: 'BTC/USDT', venueClientOrderId: 'ta1', sentAt };
    expect(await orders.find(session, key)).toEqual({ outcome });
  });
});
