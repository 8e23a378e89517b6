import { newestFills } from './newest-fills.rules';

it('returns the newest fills first, and no more than asked for', () => {
  const fills = ['10:00', '12:00', '11:00'].map((time) => ({ executed_at: `2026-03-01T${time}:00.000Z` }));
  expect(newestFills(fills, 2)).toEqual([fills[1], fills[2]]);
});
