import fc from 'fast-check';
import type { Position } from './futures-account.js';
import { applyChange, changeOf, closableLots, closingSide } from './position.rules.js';

const flat = (): Position => ({ lots: 0, cost: 0n, isolated: 0n, expenses: 0n, realized: 0n, updatedAt: 0 });
const fills = fc.array(
  fc.record({
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    lots: fc.integer({ min: 1, max: 9_999 }),
    price: fc.bigInt({ min: 1n, max: 10_000_000n }),
  }),
  { maxLength: 50 },
);

describe('a position', () => {
  it('after any fills has realised, with its cost, exactly what was sold minus what was bought', () => {
    fc.assert(
      fc.property(fills, (rows) => {
        const position = flat();
        let [lots, cash] = [0, 0n];
        for (const { side, lots: filled, price } of rows) {
          const quote = price * BigInt(filled);
          const before = position.lots;
          const change = changeOf(position, side, filled, quote);
          applyChange(position, side, change, 1);
          lots += side === 'BUY' ? filled : -filled;
          cash += side === 'BUY' ? -quote : quote;
          expect(position.lots).toBe(lots);
          expect(position.realized - position.cost).toBe(cash);
          // The cost has the sign of the lots, and a flat position has none.
          expect(Math.sign(Number(position.cost))).toBe(Math.sign(lots));
          if (before === 0 || Math.sign(before) === (side === 'BUY' ? 1 : -1))
            expect(change.realized).toBe(0n);
        }
      }),
    );
  });

  it('keeps its average entry price while it shrinks', () => {
    const position = { ...flat(), lots: 4, cost: 400n, isolated: 80n };
    const change = changeOf(position, 'SELL', 3, 450n);
    expect(change).toMatchObject({ realized: 150n, released: 60n, opened: { lots: 0 } });
    applyChange(position, 'SELL', change, 2);
    expect(position).toMatchObject({ lots: 1, cost: 100n, isolated: 20n, realized: 150n, updatedAt: 2 });
  });

  it('is closed by the opposite side only', () => {
    expect([closableLots({ lots: 5 }, 'SELL'), closableLots({ lots: 5 }, 'BUY')]).toEqual([5, 0]);
    expect([closableLots({ lots: -5 }, 'SELL'), closableLots({ lots: -5 }, 'BUY')]).toEqual([0, 5]);
    expect([closingSide(1), closingSide(-1)]).toEqual(['SELL', 'BUY']);
  });
});
