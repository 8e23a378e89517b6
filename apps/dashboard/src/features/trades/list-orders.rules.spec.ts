import type { OpenOrder } from '../../data/open-orders';
import { listOrders } from './list-orders.rules';

const order = (id: string, changes: Partial<OpenOrder> = {}) =>
  ({
    id,
    symbol: 'BTC/USDT',
    side: 'BUY',
    exchange_account_id: 'exa_1',
    created_at: `2026-03-01T10:00:0${id}.000Z`,
    ...changes,
  }) as OpenOrder;
const idsOf = (orders: readonly OpenOrder[], request = {}) => listOrders(orders, request).map(({ id }) => id);

describe('listOrders', () => {
  it('sorts by time, newest first unless asked otherwise', () => {
    const orders = [order('2'), order('3'), order('1')];
    expect(idsOf(orders)).toEqual(['3', '2', '1']);
    expect(idsOf(orders, { order: 'asc' })).toEqual(['1', '2', '3']);
  });

  it.each([
    [{ symbol: 'ETH/USDT' }],
    [{ side: 'SELL' }],
    [{ exchange_account_id: 'exa_2' }],
    [{ strategy_id: 'str_1' }],
  ] as const)('filters by %p', (request) => {
    expect(idsOf([order('1'), order('2', request)], request)).toEqual(['2']);
  });

  it('lists an order of both requests once', () => {
    expect(idsOf([order('1'), order('1', { status: 'PARTIALLY_FILLED' })])).toEqual(['1']);
  });
});
