import type { VenueFill, VenueOrder } from '../../port.js';
import type { VenueSession } from '../declaration.js';
import { changedOrder } from './changed-order.js';

const at = new Date(1_700_000_000_000);
const key = { symbol: 'BTC/USDT', exchangeOrderId: '1' };
const order = (filledAmount: string): VenueOrder => ({
  exchangeOrderId: '1',
  venueClientOrderId: 'ta1',
  symbol: 'BTC/USDT',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  status: 'OPEN',
  amount: '3',
  filledAmount,
  createdAt: at,
  updatedAt: at,
});
const fill = (exchangeFillId: string): VenueFill => ({
  exchangeFillId,
  exchangeOrderId: '1',
  symbol: 'BTC/USDT',
  side: 'BUY',
  price: '100',
  amount: '1',
  fee: { amount: '0', currency: 'USDT' },
  liquidity: 'MAKER',
  executedAt: at,
});
const session = {} as VenueSession;

/** Reads a changed order; each list of fills is the answer to one call. */
async function read(found: VenueOrder | null, lists: readonly (readonly VenueFill[])[]) {
  let calls = 0;
  const ofOrder = async () => lists[calls++] ?? [];
  const call = changedOrder({ orders: { findByExchangeId: async () => found }, fills: { ofOrder } }, key);
  const reports = await call.read(session);
  return {
    calls,
    reports: reports.map((each) => (each.kind === 'fill' ? each.fill.exchangeFillId : each.kind)),
  };
}

describe('an order that is read when it changes', () => {
  it('is reported after its fills', async () => {
    expect(await read(order('2'), [[fill('a'), fill('b')]])).toEqual({
      calls: 1,
      reports: ['a', 'b', 'order'],
    });
  });

  it('needs no list of fills if nothing is filled', async () => {
    expect(await read(order('0'), [])).toEqual({ calls: 0, reports: ['order'] });
  });

  it('waits for a list of fills that is behind', async () => {
    const lists = [[], [fill('a')], [fill('a'), fill('b')]];
    expect(await read(order('2'), lists)).toEqual({ calls: 3, reports: ['a', 'b', 'order'] });
  });

  it('is reported without fills that do not appear', async () => {
    expect(await read(order('1'), [[], [], [], []])).toEqual({ calls: 4, reports: ['order'] });
  });

  it('is not reported if the exchange has no such order', async () => {
    expect(await read(null, [])).toEqual({ calls: 0, reports: [] });
  });
});
