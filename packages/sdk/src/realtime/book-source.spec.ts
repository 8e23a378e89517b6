import fc from 'fast-check';
import { BookSource, comparePrices } from './book-source.js';

/** Decimals in canonical form, with more digits than a JavaScript number holds. */
const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 18 }))
  .map(([digits, scale]) => {
    const text = digits.toString().padStart(scale + 1, '0');
    const [whole, fraction] = [text.slice(0, text.length - scale), text.slice(text.length - scale)];
    return `${whole}.${fraction}`.replace(/\.?0*$/, '') || '0';
  });
const scaled = (text: string) => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
};

it('prices are compared by all their digits', () => {
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      const difference = scaled(a) - scaled(b);
      expect(Math.sign(comparePrices(a, b))).toBe(difference === 0n ? 0 : difference < 0n ? -1 : 1);
    }),
  );
  expect(comparePrices('0.000000000000000001', '0.000000000000000002')).toBeLessThan(0);
  expect(comparePrices('60000.000000000000000001', '60000.000000000000000002')).toBeLessThan(0);
});

const price = fc.oneof(decimal, fc.constantFrom('1', '1.5', '2', '10', '9.75'));
const level = fc.tuple(price, fc.oneof(fc.constantFrom('0'), decimal));
const anyDelta = fc.record({
  bids: fc.array(level, { maxLength: 8 }),
  asks: fc.array(level, { maxLength: 8 }),
});

/** A simple reference implementation of one side of a book. */
function referenceSide(changes: readonly (readonly (readonly [string, string])[])[], isFalling: boolean) {
  const levels = new Map<string, string>();
  for (const [each, amount] of changes.flat()) {
    if (amount === '0') levels.delete(each);
    else levels.set(each, amount);
  }
  const sorted = [...levels].sort(([a], [b]) => (scaled(a) < scaled(b) ? -1 : 1));
  return isFalling ? sorted.reverse() : sorted;
}

it('a book contains the levels that remain after all deltas, sorted by price', () => {
  fc.assert(
    fc.property(fc.array(anyDelta, { maxLength: 12 }), (deltas) => {
      const source = new BookSource<'string'>('tpr_1', 20, 'string');
      const update = (kind: string, sequence: number, more: object) => ({
        orderbookUpdate: { kind, sequence, previous_sequence: sequence - 1, ...more },
      });
      source.push(update('SNAPSHOT', 0, { bids: [], asks: [] }));
      for (const [i, each] of deltas.entries()) expect(source.push(update('DELTA', i + 1, each))).toBe(true);
      const book = source.shift();
      expect(book?.bids).toEqual(
        referenceSide(
          deltas.map(({ bids }) => bids),
          true,
        ),
      );
      expect(book?.asks).toEqual(
        referenceSide(
          deltas.map(({ asks }) => asks),
          false,
        ),
      );
      expect(source.shift()).toBeUndefined();
    }),
  );
});

it('no book is returned before the first snapshot, or between a new request and its snapshot', () => {
  const source = new BookSource('tpr_1', 20, 'number');
  const [bids, asks] = [[], []];
  const delta = { orderbookUpdate: { kind: 'DELTA', sequence: 2, previous_sequence: 1, bids, asks } };
  expect(source.push(delta)).toBe(false);
  expect(source.shift()).toBeUndefined();
  source.push({ orderbookUpdate: { kind: 'SNAPSHOT', sequence: 1, previous_sequence: null, bids, asks } });
  source.payload();
  expect(source.shift()).toBeUndefined();
  expect(source.push(delta)).toBe(false);
});

it.each(['number', 'string'] as const)(
  'a later delta does not change a returned book, with decimals as %s',
  (form) => {
    const source = new BookSource('tpr_1', 20, form);
    const update = (kind: string, sequence: number, bids: readonly (readonly string[])[]) => ({
      orderbookUpdate: { kind, sequence, previous_sequence: sequence - 1, bids, asks: [] },
    });
    source.push(update('SNAPSHOT', 1, [['100', '1']]));
    const book = source.shift();
    const before = structuredClone(book);
    source.push(
      update('DELTA', 2, [
        ['101', '2'],
        ['100', '0'],
      ]),
    );
    expect(book).toEqual(before);
    expect(source.shift()?.bids).toHaveLength(1);
  },
);
