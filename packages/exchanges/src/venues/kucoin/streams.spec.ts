import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { StreamCall, VenueSession } from '../../ccxt/declaration.js';
import { futuresAccountStream, spotAccountStream } from './streams.js';

const at = 1_700_000_000_000;
const spotOrder = (dealSize: string, active: boolean) => ({
  id: '1',
  symbol: 'BTC-USDT',
  type: 'limit',
  side: 'buy',
  price: '60000',
  size: '0.3',
  dealSize,
  timeInForce: 'GTC',
  postOnly: false,
  clientOid: 'ta1',
  active,
  createdAt: at,
  lastUpdatedAt: at,
});
const futuresOrder = (filledSize: string, isActive: boolean) => ({
  ...spotOrder('0', isActive),
  symbol: 'XBTUSDTM',
  size: '300',
  filledSize,
  reduceOnly: false,
  isActive,
  updatedAt: at,
});

const SPOT = {
  protocol: spotAccountStream('SPOT'),
  market: { id: 'BTC-USDT' },
  topic: '/spotMarket/tradeOrdersV2',
  lookUp: 'privateGetHfOrdersOrderId',
  order: spotOrder,
};
const FUTURES = {
  protocol: futuresAccountStream,
  market: { id: 'XBTUSDTM', contract: true, contractSize: '0.001' },
  topic: '/contractMarket/tradeOrders',
  lookUp: 'futuresPrivateGetOrdersOrderId',
  order: futuresOrder,
};

/** Reads a message about an order, and looks the order up; each answer is that of one look-up. */
async function read(type: typeof SPOT | typeof FUTURES, message: object, answers: readonly object[]) {
  const left = [...answers];
  const ccxt = {
    market: () => type.market,
    markets_by_id: { [type.market.id]: [{ symbol: 'BTC' }] },
    [type.lookUp]: async () => ({ data: left.shift() }),
  } as unknown as CcxtClient;
  const session: VenueSession = { ccxt, orNull: (call) => call() };
  const data = { symbol: type.market.id, orderId: '1', ...message };
  const reader = type.protocol.open(session);
  const [call] = reader.read({ topic: type.topic, subject: 'symbolOrderChange', data });
  const reports = await (call as StreamCall).read(session);
  return { left: left.length, reports };
}

describe('a message of KuCoin about an order', () => {
  it.each([
    ['spot', SPOT],
    ['perpetuals', FUTURES],
  ] as const)('that ended is followed by look-ups until the order has ended: %s', async (_what, type) => {
    const message = { type: 'canceled', filledSize: '0' };
    const { left, reports } = await read(type, message, [type.order('0', true), type.order('0', false)]);
    expect(left).toBe(0);
    expect(reports).toMatchObject([{ kind: 'order', order: { status: 'CANCELLED' } }]);
  });

  it.each([
    ['spot', SPOT, '0.1'],
    // A contract is 0.001.
    ['perpetuals', FUTURES, '100'],
  ] as const)(
    'that was filled is followed by look-ups until the order has the fills: %s',
    async (_what, type, filledSize) => {
      const answers = [type.order('0', true), type.order(filledSize, true)];
      const answered = read(type, { type: 'match', filledSize }, answers);
      // The session has no list of fills, which is read after the last look-up.
      await expect(answered).rejects.toThrow(/no endpoint \w+Fills/);
    },
  );
});
