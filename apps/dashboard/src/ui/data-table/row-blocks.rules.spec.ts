import { BLOCK, inBlocks } from './row-blocks.rules';

const boundsOf = (startIndex: number, endIndex: number, count = 1_000) => {
  const indexes = inBlocks({ startIndex, endIndex, overscan: 12, count });
  const [first = -1] = indexes;
  expect(indexes).toEqual(Array.from({ length: indexes.length }, (_, i) => first + i));
  return [first, indexes.at(-1)];
};

it.each([
  { of: 'the first rows', startIndex: 0, endIndex: 15, expected: [0, 31] },
  { of: 'rows in the middle', startIndex: 100, endIndex: 115, expected: [88, 127] },
  { of: 'the last rows', startIndex: 985, endIndex: 999, expected: [968, 999] },
])('has whole blocks around $of', ({ startIndex, endIndex, expected }) => {
  expect(boundsOf(startIndex, endIndex)).toEqual(expected);
});

it('has no row beyond a short list', () => {
  expect(boundsOf(0, 4, 5)).toEqual([0, 4]);
});

it('changes once in as many rows as a block has', () => {
  const starts = Array.from({ length: BLOCK * 10 }, (_, i) => boundsOf(200 + i, 215 + i)[0]);
  expect(new Set(starts).size).toBe(10 + 1);
});
