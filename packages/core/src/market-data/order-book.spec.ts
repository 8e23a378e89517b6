import fc from 'fast-check';
import { BigDecimal } from '../values/index.js';
import { ConflatedDelta, compareDecimals, OrderBook } from './order-book.js';

const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: 0, max: 18 }))
  .map(([units, decimals]) =>
    new BigDecimal(units.toString()).div(new BigDecimal(10).pow(decimals)).toFixed(),
  );
const level = fc.tuple(decimal, decimal);
const sides = fc.record({ bids: fc.array(level, { maxLength: 8 }), asks: fc.array(level, { maxLength: 8 }) });

describe('an order book', () => {
  it('compares decimals by their exact value', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(Math.sign(compareDecimals(a, b))).toBe(new BigDecimal(a).cmp(b));
      }),
    );
  });

  it('has descending bids, ascending asks, and no level with amount 0', () => {
    const book = new OrderBook();
    book.reset({
      bids: [
        ['9', '1'],
        ['10', '2'],
      ],
      asks: [
        ['11.5', '1'],
        ['11.25', '3'],
      ],
    });
    book.apply({ bids: [['9.5', '4']], asks: [['11.25', '0']] });
    expect(book.sides()).toEqual({
      bids: [
        ['10', '2'],
        ['9.5', '4'],
        ['9', '1'],
      ],
      asks: [['11.5', '1']],
    });
  });

  it('ends in the same state whether changes are applied one by one or as one conflated delta', () => {
    fc.assert(
      fc.property(sides, fc.array(sides, { maxLength: 6 }), (start, changes) => {
        const [oneByOne, together, delta] = [new OrderBook(), new OrderBook(), new ConflatedDelta()];
        for (const book of [oneByOne, together]) book.reset(start);
        for (const change of changes) {
          oneByOne.apply(change);
          delta.add(change);
        }
        together.apply(delta.drain());
        expect(together.sides()).toEqual(oneByOne.sides());
        expect(delta.isEmpty).toBe(true);
      }),
    );
  });
});
