/** Rules of futures that a test cannot reach on the scripted exchange: age, long lists and races. */
import errors from 'ccxt/js/src/base/errors';
import type { VenueSession } from '../../ccxt/declaration.js';
import { futuresFills } from './futures-fills.js';
import { futuresOrders } from './futures-orders.js';
import { futuresPositions } from './futures-positions.js';

const DAY_MS = 86_400_000;
const symbol = 'BTC/USDT:USDT';
type Params = Readonly<Record<string, unknown>>;

/** A session whose endpoints a test answers. `calls` has the name and the parameters of each call. */
function sessionWith(endpoints: Readonly<Record<string, (params: Params) => unknown>>) {
  const calls: (readonly [name: string, params: Params])[] = [];
  const answers = Object.entries(endpoints).map(([name, answer]) => [
    name,
    async (params: Params) => {
      calls.push([name, params]);
      return answer(params);
    },
  ]);
  const ccxt = {
    ...Object.fromEntries(answers),
    market: () => ({ id: 'BTCUSDT', quote: 'USDT', contract: true, contractSize: '1' }),
    markets_by_id: new Proxy({}, { get: () => [{ symbol }] }),
    safeCurrencyCode: (code: string) => code,
  };
  const orNull = async (call: () => Promise<unknown>) => call().catch(() => null);
  return { session: { ccxt, orNull } as unknown as VenueSession, calls };
}

const refuses = () => {
  throw new errors.OrderNotFound('-2013');
};
const fillAt = (id: number, time: number, realizedPnl = '0') => ({
  ...{ symbol: 'BTCUSDT', id, orderId: 7, side: 'BUY', price: '60000', qty: '0.001', realizedPnl },
  ...{ commission: '0.03', commissionAsset: 'USDT', maker: false, time },
});

describe('an order of futures that the exchange does not find', () => {
  it.each([
    ['was sent a day ago', new Date(Date.now() - DAY_MS), 'ABSENT'],
    ['was sent three days ago', new Date(Date.now() - 3 * DAY_MS), 'NOT_KNOWN'],
    ['was sent at an unknown time', undefined, 'NOT_KNOWN'],
  ])('that %s', async (_when, sentAt, outcome) => {
    const { session } = sessionWith({ fapiPrivateGetOrder: refuses });
    const key = { symbol, venueClientOrderId: 'ta1', sentAt };
    expect(await futuresOrders.find(session, key)).toEqual({ outcome });
  });
});

describe('the open orders of all futures', () => {
  const orderOf = (id: unknown) => ({
    ...{ symbol: id, orderId: 7, clientOrderId: 'ta1', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC' },
    ...{ status: 'NEW', price: '60000', origQty: '0.001', executedQty: '0', reduceOnly: false },
    ...{ time: 1, updateTime: 1 },
  });
  const openOrdersWith = async (ids: readonly string[]) => {
    const { session, calls } = sessionWith({
      fapiPrivateV3GetPositionRisk: () => ids.map((id) => ({ symbol: id, positionAmt: '0' })),
      fapiPrivateGetOpenOrders: ({ symbol: id }) => (id === undefined ? ids : [id]).map(orderOf),
    });
    const orders = await futuresOrders.fetchOpen(session, undefined);
    const read = calls.flatMap(([name, { symbol: id = 'all' }]) =>
      name === 'fapiPrivateGetOpenOrders' ? [id] : [],
    );
    return { orders: orders.length, read };
  };

  it('are not read if no market has a position or an order', async () => {
    expect(await openOrdersWith([])).toEqual({ orders: 0, read: [] });
  });

  it('are read for each market with a position or an order', async () => {
    const ids = ['BTCUSDT', 'BTCUSDC'];
    expect(await openOrdersWith(ids)).toEqual({ orders: 2, read: ids });
  });

  it('are read with one call if there are many markets', async () => {
    const ids = Array.from({ length: 11 }, (_, i) => `BTCUSDT${i}`);
    expect(await openOrdersWith(ids)).toEqual({ orders: 11, read: ['all'] });
  });
});

describe('the fills of futures', () => {
  it('continue at the last fill of a full page, each of them once', async () => {
    const start = Date.now() - 3_600_000;
    const all = Array.from({ length: 1_500 }, (_, i) => fillAt(i, start + Math.floor(i / 2)));
    const { session, calls } = sessionWith({
      fapiPrivateGetUserTrades: ({ startTime, limit }) =>
        all.filter(({ time }) => time >= Number(startTime)).slice(0, Number(limit)),
    });
    const fills = await futuresFills.since(session, symbol, new Date(start));
    expect(fills.map(({ exchangeFillId }) => exchangeFillId)).toEqual(all.map(({ id }) => String(id)));
    expect(calls).toHaveLength(2);
  });

  it('are read in ranges of a week, and forced orders only if a fill has a result', async () => {
    const start = Date.now() - 10 * DAY_MS;
    const { session, calls } = sessionWith({
      fapiPrivateGetUserTrades: ({ startTime, endTime }) =>
        [fillAt(1, start), fillAt(2, Date.now() - DAY_MS, '-5')].filter(
          ({ time }) => time >= Number(startTime) && time <= Number(endTime),
        ),
      fapiPrivateGetForceOrders: () => [],
    });
    expect(await futuresFills.since(session, symbol, new Date(start))).toHaveLength(2);
    const spans = calls.map(([, { startTime, endTime }]) => Number(endTime) - Number(startTime));
    expect(Math.max(...spans)).toBeLessThan(7 * DAY_MS);
    expect(calls.filter(([name]) => name === 'fapiPrivateGetForceOrders')).toHaveLength(1);
  });

  it('of an old order are listed from its creation on, with its cause', async () => {
    const createdAt = Date.now() - 20 * DAY_MS;
    const order = {
      ...{ symbol: 'BTCUSDT', orderId: 7, clientOrderId: 'adl_autoclose', side: 'BUY', type: 'LIMIT' },
      ...{ timeInForce: 'GTC', status: 'FILLED', price: '60000', origQty: '0.001', executedQty: '0.001' },
      ...{ reduceOnly: false, time: createdAt, updateTime: createdAt },
    };
    const { session } = sessionWith({
      fapiPrivateGetUserTrades: ({ startTime }) =>
        startTime !== undefined && Number(startTime) <= createdAt ? [fillAt(1, createdAt)] : [],
      fapiPrivateGetOrder: () => order,
    });
    const fills = await futuresFills.ofOrder(session, { symbol, exchangeOrderId: '7' });
    expect(fills).toMatchObject([{ exchangeFillId: '1', cause: 'ADL' }]);
  });
});

describe('the margin mode of futures', () => {
  const settings = [{ symbol: 'BTCUSDT', marginType: 'CROSSED', leverage: 5 }];
  const brackets = [{ symbol: 'BTCUSDT', brackets: [{ initialLeverage: 125 }, { initialLeverage: 50 }] }];
  const setIsolated = (answer: () => unknown) => {
    const { session } = sessionWith({
      fapiPrivateGetSymbolConfig: () => settings,
      fapiPrivateGetLeverageBracket: () => brackets,
      fapiPrivatePostMarginType: answer,
    });
    return futuresPositions.setLeverage(session, symbol, { leverage: '5', marginMode: 'ISOLATED' });
  };

  it('may have been set by another client meanwhile', async () => {
    const alreadySet = () => {
      throw new errors.MarginModeAlreadySet('-4046');
    };
    expect(await setIsolated(alreadySet)).toEqual({
      leverage: '5',
      marginMode: 'ISOLATED',
      maxLeverage: '125',
    });
  });

  it('cannot be changed with a position', async () => {
    const inUse = () => {
      throw new errors.OperationRejected('-4048');
    };
    await expect(setIsolated(inUse)).rejects.toThrow('-4048');
  });
});
