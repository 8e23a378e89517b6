import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { VenueSession } from '../../ccxt/declaration.js';
import { futuresOrders } from './futures-calls.js';
import { clientOrderIdOf, textOf } from './ids.js';
import { spotOrders } from './spot-calls.js';
import { readSpotOrder } from './spot-records.js';

const empty = async () => [];
const ccxt = {
  market: () => ({ id: 'BTC_USDT', base: 'BTC', quote: 'USDT', precision: {} }),
  markets_by_id: { BTC_USDT: [{ symbol: 'BTC/USDT' }] },
  privateSpotGetOrders: empty,
  privateFuturesGetSettleOrders: empty,
  privateFuturesGetSettleOrdersTimerange: empty,
} as unknown as CcxtClient;
/** A session in which the exchange finds no order. */
const session: VenueSession = { ccxt, orNull: async () => null };

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe('when the absence of an order at Gate is proven', () => {
  it.each([
    ['spot', spotOrders('spot'), 1, 'ABSENT'],
    ['spot, an old order', spotOrders('spot'), 60, 'ABSENT'],
    ['spot, without a time', spotOrders('spot'), undefined, 'NOT_KNOWN'],
    ['perpetuals', futuresOrders, 1, 'ABSENT'],
    // The exchange may have forgotten it.
    ['perpetuals, an old order', futuresOrders, 9, 'NOT_KNOWN'],
    ['perpetuals, without a time', futuresOrders, undefined, 'NOT_KNOWN'],
  ] as const)('%s', async (_what, orders, minutes, outcome) => {
    const sentAt = minutes === undefined ? undefined : minutesAgo(minutes);
    const key = { symbol: 'BTC/USDT', venueClientOrderId: 'ta1', sentAt };
    expect(await orders.find(session, key)).toEqual({ outcome });
  });
});

describe('client order ids at Gate', () => {
  it('are stored behind a prefix, market purchases with a mark', () => {
    expect([textOf('ta1'), textOf('ta1', true)]).toEqual(['t-ta1', 't-ta1.m']);
    expect([clientOrderIdOf('t-ta1'), clientOrderIdOf('t-ta1.m', true), clientOrderIdOf('web')]).toEqual([
      'ta1',
      'ta1',
      '',
    ]);
  });

  it.each([
    ['buy', 'ioc', 'ta1', 'MARKET'],
    ['sell', 'ioc', 'ta1.m', 'LIMIT'],
    ['buy', 'gtc', 'ta1.m', 'LIMIT'],
  ])('a mark means a market purchase only of a purchase that ends at once: %s %s', (side, tif, id, type) => {
    const record = {
      id: '1',
      text: 't-ta1.m',
      currency_pair: 'BTC_USDT',
      type: 'limit',
      side,
      amount: '0.2',
      price: '100',
      time_in_force: tif,
      left: '0.1',
      status: 'cancelled',
      finish_as: 'ioc',
      create_time: '1710488334',
      update_time: '1710488334',
    };
    expect(readSpotOrder(ccxt, record)).toMatchObject({
      venueClientOrderId: id,
      type,
      filledAmount: '0.1',
      status: 'EXPIRED',
    });
  });
});
