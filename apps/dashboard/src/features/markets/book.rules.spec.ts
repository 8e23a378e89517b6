import { depthOf, ladderOf, spreadOf } from './book.rules';

const book = {
  bids: [
    ['99', '1'],
    ['98', '3'],
    ['97', '9'],
  ],
  asks: [
    ['101', '0.1'],
    ['103', '0.2'],
  ],
} as const;

describe('ladderOf', () => {
  it('adds up from the best price and shares one scale', () => {
    const { bids, asks } = ladderOf(book, 2);
    expect(bids).toEqual([
      { price: '99', amount: '1', total: '1', share: 0.25 },
      { price: '98', amount: '3', total: '4', share: 1 },
    ]);
    expect(asks.map(({ total, share }) => [total, share])).toEqual([
      ['0.1', 0.025],
      ['0.3', 0.075],
    ]);
  });

  it('is empty for an empty book', () => {
    expect(ladderOf({ bids: [], asks: [] }, 5)).toEqual({ bids: [], asks: [] });
  });
});

describe('spreadOf', () => {
  it('is the distance of the best prices', () => {
    expect(spreadOf(book)).toEqual({ amount: '2', ratio: '0.02', middle: '100' });
  });

  it('is missing without a side', () => {
    expect(spreadOf({ bids: book.bids, asks: [] })).toBeUndefined();
  });
});

describe('depthOf', () => {
  it('draws steps on both sides of the middle', () => {
    const drawing = depthOf(ladderOf(book, 3));
    expect(drawing).toMatchObject({ from: '97', to: '103', largest: '13' });
    expect(drawing?.bids).toBe('M33.33 100V92.31H16.67V69.23H0V0H-1V100Z');
    expect(drawing?.asks).toMatch(/^M66\.67 100.*H101V100Z$/);
  });

  it('is not flattened by one order far away', () => {
    const far = { bids: [...book.bids, ['1', '0.5'] as const], asks: book.asks };
    expect(depthOf(ladderOf(far, 4))).toMatchObject({ from: '97', to: '103' });
  });

  it('is not flattened by orders far away on both sides', () => {
    const far = {
      bids: [...book.bids, ['1', '0.5'] as const],
      asks: [...book.asks, ['900', '0.5'] as const],
    };
    expect(depthOf(ladderOf(far, 4))).toMatchObject({ from: '97', to: '103' });
  });

  it('draws nothing without a side', () => {
    expect(depthOf(ladderOf({ bids: [], asks: book.asks }, 3))).toBeUndefined();
  });
});
