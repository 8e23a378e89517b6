import LongestFirst from './sequencer.cjs';

const order = (...paths) =>
  LongestFirst.longestFirst(paths.map((path) => ({ path }))).map(({ path }) => path);

it('sorts files that mostly wait first, then end-to-end and integration files alternately, then all other files', () => {
  const chaos = '/r/tooling/e2e/chaos.e2e.spec.mjs';
  expect(
    order('u.spec.ts', 'a.int.spec.ts', 'x.e2e.spec.mjs', 'b.int.spec.ts', 'y.e2e.spec.mjs', chaos),
  ).toEqual([chaos, 'x.e2e.spec.mjs', 'a.int.spec.ts', 'y.e2e.spec.mjs', 'b.int.spec.ts', 'u.spec.ts']);
  expect(order('a.int.spec.ts', 'x.e2e.spec.mjs', 'b.int.spec.ts', 'c.int.spec.ts')).toEqual([
    'x.e2e.spec.mjs',
    'a.int.spec.ts',
    'b.int.spec.ts',
    'c.int.spec.ts',
  ]);
  expect(order('x.e2e.spec.mjs', 'y.e2e.spec.mjs')).toEqual(['x.e2e.spec.mjs', 'y.e2e.spec.mjs']);
});
