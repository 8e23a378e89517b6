import { openSteps } from './steps.mjs';

it('prints the steps in order of their beginnings, also one that failed, and the whole time last', async () => {
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
