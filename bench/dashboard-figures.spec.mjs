import {
  compare,
  compareWithAll,
  judge,
  layoutShiftOf,
  scriptSizesOf,
  slowestInteractionOf,
} from './dashboard-figures.mjs';

describe('the layout shift', () => {
  it('is the largest sum of shifts that follow each other within a second', () => {
    const shifts = [
      { at: 100, value: 0.01 },
      { at: 900, value: 0.02 },
      { at: 2_500, value: 0.025 },
    ];
    expect(layoutShiftOf(shifts)).toBeCloseTo(0.03);
    expect(layoutShiftOf([])).toBe(0);
  });

  it('begins a new window after five seconds', () => {
    const shifts = Array.from({ length: 12 }, (_, i) => ({ at: i * 500, value: 0.01 }));
    expect(layoutShiftOf(shifts)).toBeCloseTo(0.1);
  });
});

describe('the slowest interaction', () => {
  it('is the longest event of an interaction', () => {
    const events = [
      { interactionId: 1, duration: 40 },
      { interactionId: 2, duration: 64 },
      { interactionId: 0, duration: 400 },
    ];
    expect(slowestInteractionOf(events)).toBe(64);
  });

  it('is as short as the shortest reported event if no event was reported', () => {
    expect(slowestInteractionOf([])).toBe(16);
  });
});

it('scripts are split by when they were requested', () => {
  const scripts = [
    { requestedAt: 10, bytes: 100 },
    { requestedAt: 300, bytes: 20 },
    { requestedAt: 301, bytes: 3 },
  ];
  expect(scriptSizesOf(scripts, 300)).toEqual({ first: 120, later: 3 });
});

it('a ratio is the median of the ratios within a round', () => {
  const rounds = [
    { page: 100, empty: 100 },
    { page: 300, empty: 100 },
    { page: 400, empty: 200 },
  ];
  expect(compare(rounds)).toEqual({ page: 300, empty: 100, ratio: 2 });
});

it('a page is compared with all visits of the empty page', () => {
  expect(compareWithAll([300, 200, 900], [100, 190, 120, 150, 160])).toEqual({
    page: 300,
    empty: 150,
    ratio: 2,
  });
});

it('a figure is met at its limit', () => {
  const smallest = { name: 'frames', value: 0.8, limit: 0.8, isMinimum: true };
  expect(judge(smallest)).toEqual({ isMet: true, line: 'frames: 0.80, limit ≥ 0.8: met' });
  expect(judge({ ...smallest, value: 0.79 }).isMet).toBe(false);
  const largest = { name: 'scripts', value: 181.04, limit: 180, digits: 1, unit: ' KiB', note: 'overview' };
  expect(judge(largest)).toEqual({
    isMet: false,
    line: 'scripts: 181.0 KiB (overview), limit ≤ 180 KiB: missed',
  });
});
