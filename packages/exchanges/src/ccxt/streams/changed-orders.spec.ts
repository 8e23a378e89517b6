import { setTimeout as sleep } from 'node:timers/promises';
import type { VenueFill, VenueOrder } from '../../port.js';
import type { OrderChange } from '../declaration.js';
import { ChangedOrders } from './changed-orders.js';
import { ReportPairing } from './report-pairing.js';

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
const fill: VenueFill = {
  exchangeFillId: 'a',
  exchangeOrderId: '1',
  symbol: 'BTC/USDT',
  side: 'BUY',
  price: '100',
  amount: '1',
  fee: { amount: '0', currency: 'USDT' },
  liquidity: 'MAKER',
  executedAt: at,
};

describe('orders that are read when they change', () => {
  let answers: OrderChange[];
  let passed: string[];
  let failures: unknown[];
  let orders: ChangedOrders;
  beforeEach(() => {
    [answers, passed, failures] = [[], [], []];
    const pairing = new ReportPairing((each, fills) => {
      passed.push(`${each.filledAmount} ${fills.length}`);
    });
    const fetchChange = async () => {
      const answer = answers.shift();
      if (answer === undefined) throw new Error('no answer');
      return answer;
    };
    orders = new ChangedOrders(pairing, fetchChange, (error) => failures.push(error));
  });
  afterEach(() => orders.close());

  it('passes an order on with its fills', async () => {
    answers = [{ order: order('1'), fills: [fill] }];
    orders.add(key);
    await sleep(10);
    expect([passed, failures]).toEqual([['1 1'], []]);
  });

  it('reads once more for all changes during a read', async () => {
    answers = [
      { order: order('0'), fills: [] },
      { order: order('1'), fills: [fill] },
    ];
    for (let i = 0; i < 3; i++) orders.add(key);
    await sleep(10);
    expect([passed, failures, answers]).toEqual([['0 0', '1 1'], [], []]);
  });

  it('reads again until the list of fills has reached the order', async () => {
    answers = [
      { order: order('1'), fills: [] },
      { order: order('1'), fills: [fill] },
    ];
    orders.add(key);
    await sleep(250);
    expect([passed, failures]).toEqual([['1 1'], []]);
  });

  it('reports a failed read, and nothing after it is closed', async () => {
    orders.add(key);
    await sleep(10);
    expect(failures).toHaveLength(1);
    answers = [{ order: order('0'), fills: [] }];
    orders.add(key);
    orders.close();
    await sleep(10);
    expect([passed, failures.length]).toEqual([[], 1]);
  });
});
