import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { FillSequence } from './fill-sequence.js';

const order = (filledAmount: string, exchangeOrderId = '1') =>
  ({ exchangeOrderId, symbol: 'BTC/USDT', filledAmount }) as VenueOrder;
const fill = (amount: string) => ({ amount }) as VenueFill;

describe('the reports of one connection', () => {
  it('have no gap if each growth of the filled amount comes with its fills', () => {
    const sequence = new FillSequence();
    expect(sequence.add(order('0'), [])).toBe(true);
    expect(sequence.add(order('0.1'), [fill('0.1')])).toBe(true);
    expect(sequence.add(order('0.30'), [fill('0.15'), fill('0.05')])).toBe(true);
    expect(sequence.add(order('0.3'), [])).toBe(true);
  });

  it('have a gap if an order grew by more than its reported fills', () => {
    const sequence = new FillSequence();
    sequence.add(order('0'), []);
    expect(sequence.add(order('0.3'), [fill('0.1')])).toBe(false);
    expect(sequence.add(order('0.4'), [fill('0.1')])).toBe(true);
  });

  it('have no gap if they are repeated or late, or if the order filled before the connection', () => {
    const sequence = new FillSequence();
    expect(sequence.add(order('5'), [fill('0.1')])).toBe(true);
    expect(sequence.add(order('5'), [fill('0.1')])).toBe(true);
    expect(sequence.add(order('4.9'), [fill('0.1')])).toBe(true);
    expect(sequence.add(order('0.1', 'another'), [fill('0.1')])).toBe(true);
  });

  it('are compared exactly, to the eighteenth decimal', () => {
    const sequence = new FillSequence();
    sequence.add(order('0.000000000000000001'), []);
    expect(sequence.add(order('0.000000000000000003'), [fill('0.000000000000000002')])).toBe(true);
    expect(sequence.add(order('0.000000000000000006'), [fill('0.000000000000000002')])).toBe(false);
  });
});
