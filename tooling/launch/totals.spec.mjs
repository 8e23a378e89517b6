import { openSteps } from './steps.mjs';
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

  it('counts an aborted run as a failure', () => {
    expect(jestTotals(1, result({}))).toEqual({ passed: 5, failed: 1 });
    expect(jestTotals(0, null)).toEqual({ passed: 0, failed: 1 });
  });

  it('is one plain line', () => {
    expect(totalLine({ passed: 12, failed: 0 })).toBe('12 passed, 0 failed');
  });
});

describe('the steps of a test run', () => {
  it('are printed in order of their starts, including a failed one, with the total time last', async () => {
    let nowMs = 5_000;
    const steps = openSteps(() => nowMs);
    const pass = (ms) => async () => {
      nowMs += ms;
    };
    await steps.time('set-up', pass(1_500));
    const failing = steps.time('tests', async () => {
      await steps.time('lint', pass(2_000));
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    await steps.time('last', pass(250));
    expect(steps.table().split('\n')).toEqual([
      'step    begun at   seconds',
      'set-up       0.0       1.5',
      'tests        1.5       2.0',
      'lint         1.5       2.0',
      'last         3.5       0.3',
      'total        0.0       3.8',
    ]);
  });
});
