import { jestTotals, totalLine } from './totals.mjs';

const result = (overrides) => ({
  numPassedTests: 5,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  ...overrides,
});

describe('the total of a test run', () => {
  it('counts passed and failed tests', () => {
    expect(jestTotals(1, result({ numFailedTests: 2 }))).toEqual({ passed: 5, failed: 2 });
  });

  it('counts a suite that could not be loaded as a failure', () => {
    expect(jestTotals(1, result({ numRuntimeErrorTestSuites: 1 }))).toEqual({ passed: 5, failed: 1 });
  });

  it('never calls a broken run a success', () => {
    expect(jestTotals(1, result({}))).toEqual({ passed: 5, failed: 1 });
    expect(jestTotals(0, null)).toEqual({ passed: 0, failed: 1 });
  });

  it('is one plain line', () => {
    expect(totalLine({ passed: 12, failed: 0 })).toBe('12 passed, 0 failed');
  });
});
