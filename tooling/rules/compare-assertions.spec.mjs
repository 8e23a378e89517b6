import { alignInOrder, compareLogs, mergeLogs, pairTitles, parseLog } from './compare-assertions.mjs';

const unmoved = { files: {}, titles: {} };
const test = (file, title, calls) => ({ file, title, calls });

it('reads a log with one test per line', () => {
  expect(parseLog('["a.spec.ts","holds",3]\n["b.spec.ts","holds too",1]\n')).toEqual([
    test('a.spec.ts', 'holds', 3),
    test('b.spec.ts', 'holds too', 1),
  ]);
});

it('finds a test that is missing and one that asserts less, and accepts one that asserts more', () => {
  const before = [test('a', 'kept', 2), test('a', 'lost', 1), test('a', 'less', 4)];
  const after = [test('a', 'kept', 3), test('a', 'less', 3), test('a', 'new', 1)];
  expect(compareLogs(before, after, unmoved)).toEqual({
    compared: 3,
    missing: ['a > lost'],
    weakened: ['a > less: 4 expect calls before, 3 now'],
    unused: [],
  });
});

it('follows moved files, moved folders and renamed tests, and reports a mapped title that no test has', () => {
  const before = [test('old/x', 'one', 1), test('b', 'two', 1), test('c', 'three', 2)];
  const after = [test('new/x', 'one', 1), test('bb', 'two', 1), test('d', 'drei', 2)];
  const moved = {
    files: { 'old/': 'new/', b: 'bb' },
    titles: { 'c > three': 'd > drei', 'c > never': 'd > nie' },
  };
  expect(compareLogs(before, after, moved)).toEqual({
    compared: 3,
    missing: [],
    weakened: [],
    unused: ['c > never'],
  });
});

it('counts a test that runs several times with its smallest number, so that a good run does not hide a bad one', () => {
  const after = [test('a', 'twice', 5), test('a', 'twice', 2)];
  expect(compareLogs([test('a', 'twice', 3)], after, unmoved).weakened).toHaveLength(1);
});

it('reports a number that varies between runs as weakened only if the ranges do not overlap', () => {
  const before = mergeLogs([[test('a', 'drawn', 7)], [test('a', 'drawn', 5)]], Math.min);
  const now = (calls) => mergeLogs([[test('a', 'drawn', 3)], [test('a', 'drawn', calls)]], Math.max);
  expect(compareLogs(before, now(5), unmoved).weakened).toEqual([]);
  expect(compareLogs(before, now(4), unmoved).weakened).toHaveLength(1);
});

it('pairs renamed tests of a file in the order in which they ran, and reports a file with fewer of them', () => {
  const before = [
    test('old/x', 'kept', 1),
    test('old/x', 'eins', 1),
    test('old/x', 'zwei', 1),
    test('y', 'drei', 1),
  ];
  const after = [test('new/x', 'one', 1), test('new/x', 'kept', 1), test('new/x', 'two', 1)];
  expect(pairTitles(before, after, { files: { 'old/': 'new/' }, titles: {} })).toEqual({
    pairs: [
      ['old/x > eins', 'new/x > one'],
      ['old/x > zwei', 'new/x > two'],
    ],
    unpaired: ['y: 1 titles before, 0 now'],
  });
});

it('pairs the titles of merged files in the order of moved-tests.json, whichever file ran first, and omits added tests', () => {
  const before = [test('b', 'zwei', 1), test('a', 'drei', 1), test('c', 'eins', 1)];
  const after = ['one', 'two', 'new', 'three'].map((title) => test('c', title, 1));
  const moved = { files: { b: 'c', a: 'c' }, titles: {}, added: ['c > new'] };
  expect(pairTitles(before, after, moved).pairs).toEqual([
    ['a > drei', 'c > three'],
    ['b > zwei', 'c > two'],
    ['c > eins', 'c > one'],
  ]);
});

it('leaves the titles of new tests unpaired: those that share the fewest words with the titles before', () => {
  expect(
    alignInOrder(
      ['a lists trades', 'b creates a copier'],
      ['a new one', 'trades are listed by a', 'a copier is created', 'c'],
    ),
  ).toEqual([
    ['a lists trades', 'trades are listed by a'],
    ['b creates a copier', 'a copier is created'],
  ]);
});
