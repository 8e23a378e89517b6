import { stepsOf } from './onboarding.rules';

const counts = { accounts: 1, trades: 12, strategies: 0, copiers: 0, webhooks: 0 };

describe('stepsOf', () => {
  it('ticks off what exists', () => {
    expect(stepsOf(counts)?.map(({ isDone }) => isDone)).toEqual([true, true, false, false, false]);
  });

  it('knows no step while a count is unknown', () => {
    expect(stepsOf({ ...counts, copiers: undefined })).toBeUndefined();
  });
});
