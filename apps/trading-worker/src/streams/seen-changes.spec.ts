import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { SeenChanges } from './seen-changes.js';

const order = (exchangeOrderId: string, ms: number) =>
  ({ exchangeOrderId, createdAt: new Date(ms) }) as VenueOrder;
const fill = (exchangeFillId: string, ms: number) =>
  ({ exchangeFillId, executedAt: new Date(ms) }) as VenueFill;

describe('the changes that balances contain', () => {
  it('are the orders and fills of their millisecond that the connection reported before', () => {
    const seen = new SeenChanges();
    seen.add(order('a', 5), []);
    seen.add(order('b', 3), [fill('1', 5)]);
    expect(seen.of(new Date(5))).toEqual(['order a', 'fill b 1']);
    seen.add(order('b', 3), [fill('2', 6)]);
    expect(seen.of(new Date(5))).toEqual([]);
    expect(seen.of(new Date(6))).toEqual(['fill b 2']);
  });

  it('are only the first thousand of a millisecond', () => {
    const seen = new SeenChanges();
    for (let i = 0; i < 1_001; i++) seen.add(order(String(i), 5), []);
    expect(seen.of(new Date(5))).toHaveLength(1_000);
  });
});
