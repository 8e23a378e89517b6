import { withCheck } from './outages.rules';

it('an outage begins with the first check that fails and ends with the next that succeeds', () => {
  const works = withCheck(undefined, [], 1_000);
  const fails = withCheck(withCheck(works, ['redis'], 2_000), ['redis', 'postgres'], 3_000);
  expect(fails.outages).toEqual([
    { part: 'postgres', fromMs: 3_000 },
    { part: 'redis', fromMs: 2_000 },
  ]);
  const over = withCheck(withCheck(fails, [], 4_000), ['redis'], 5_000);
  expect(over).toEqual({
    sinceMs: 1_000,
    lastMs: 5_000,
    checks: 5,
    outages: [
      { part: 'redis', fromMs: 5_000 },
      { part: 'postgres', fromMs: 3_000, toMs: 4_000 },
      { part: 'redis', fromMs: 2_000, toMs: 4_000 },
    ],
  });
});

it('a check counts once', () => {
  const seen = withCheck(undefined, [], 1_000);
  expect(withCheck(seen, ['redis'], 1_000)).toBe(seen);
});

it('the list of outages is bounded', () => {
  let seen = withCheck(undefined, [], 0);
  for (let i = 1; i <= 400; i += 1) seen = withCheck(seen, i % 2 === 0 ? [] : ['redis'], i);
  expect(seen.outages).toHaveLength(50);
  expect(seen.outages[0]).toEqual({ part: 'redis', fromMs: 399, toMs: 400 });
});
