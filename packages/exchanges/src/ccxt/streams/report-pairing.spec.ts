import { setTimeout as sleep } from 'node:timers/promises';
import type { VenueFill, VenueOrder } from '../../port.js';
import { ReportPairing } from './report-pairing.js';

const at = new Date(1_700_000_000_000);
const order = (filledAmount: string, exchangeOrderId = '1'): VenueOrder => ({
  exchangeOrderId,
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
const fill = (exchangeFillId: string, amount: string): VenueFill => ({
  exchangeFillId,
  exchangeOrderId: '1',
  symbol: 'BTC/USDT',
  side: 'BUY',
  price: '100',
  amount,
  fee: { amount: '0', currency: 'USDT' },
  liquidity: 'MAKER',
  executedAt: at,
});

describe('orders and fills that are reported apart', () => {
  let passed: (readonly [filled: string, fillIds: readonly string[]])[];
  let pairing: ReportPairing;
  beforeEach(() => {
    passed = [];
    pairing = new ReportPairing((each, fills) => {
      passed.push([each.filledAmount, fills.map(({ exchangeFillId }) => exchangeFillId)]);
    }, 20);
  });
  afterEach(() => pairing.close());

  it('passes an order on at once if it has no fill', () => {
    pairing.addOrder(order('0'));
    expect(passed).toEqual([['0', []]]);
  });

  it.each(['order first', 'fills first'])('passes an order on together with its fills: %s', (sequence) => {
    const reports = [() => pairing.addOrder(order('3')), () => pairing.addFill(fill('a', '1'))];
    for (const report of sequence === 'order first' ? reports : reports.reverse()) report();
    expect(passed).toEqual([]);
    pairing.addFill(fill('b', '2'));
    expect(passed).toEqual([['3', ['a', 'b']]]);
  });

  it('passes each fill on once, and with the client order id of its order', () => {
    const ids: (string | undefined)[] = [];
    const recording = new ReportPairing((_order, fills) => {
      ids.push(...fills.map(({ venueClientOrderId }) => venueClientOrderId));
    }, 20);
    recording.addFill(fill('a', '1'));
    recording.addFill(fill('a', '1'));
    recording.addOrder(order('1'));
    recording.addOrder(order('1'));
    expect(ids).toEqual(['ta1']);
    recording.close();
  });

  it('passes an order on without fills that do not arrive, and does not wait for them again', async () => {
    pairing.addOrder(order('2'));
    await sleep(40);
    expect(passed).toEqual([['2', []]]);
    pairing.addFill(fill('c', '1'));
    pairing.addOrder(order('3'));
    expect(passed.at(-1)).toEqual(['3', ['c']]);
  });

  it('ignores an older report while a newer one waits', () => {
    pairing.addOrder(order('2'));
    pairing.addOrder(order('1'));
    pairing.addFill(fill('a', '2'));
    expect(passed).toEqual([['2', ['a']]]);
  });
});
