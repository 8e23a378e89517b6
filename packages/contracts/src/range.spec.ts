import { deadLetterOperations } from './dead-letters.js';

const issuesOf = (body: object) =>
  deadLetterOperations.retryMany.body
    .safeParse(body)
    .error?.issues.map((issue) => [
      issue.path.join('.'),
      issue.code === 'custom' ? issue.params?.code : issue.code,
    ]);
const [EARLY, LATE] = ['2026-01-31T08:00:00Z', '2026-01-31T12:00:00.000Z'];

describe('a time range', () => {
  it.each([{}, { from: EARLY }, { to: LATE }, { from: EARLY, to: LATE }])('may lack a bound: %j', (range) => {
    expect(issuesOf(range)).toBeUndefined();
  });

  it.each([
    { from: LATE, to: EARLY },
    { from: LATE, to: LATE },
    { from: '2026-01-31T12:00:00+01:00', to: '2026-01-31T10:59:59Z' },
  ])('must not be empty: %j', (range) => {
    expect(issuesOf(range)).toEqual([['to', 'range_is_empty']]);
  });

  it.each(['yesterday', '2026-01-31', '2026-01-31T12:00:00', 1_769_860_800, null, ''])(
    'must not start at %j, which is not an instant with a time zone',
    (from) => {
      expect(issuesOf({ from })?.[0]?.[0]).toBe('from');
    },
  );
});
