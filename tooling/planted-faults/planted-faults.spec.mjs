import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLANTED_FAULTS } from './faults.mjs';
import { outcomeOf } from './outcome.mjs';
import { plant } from './plant.mjs';
import { describeOutcome, totalLine } from './report.mjs';

const root = join(import.meta.dirname, '..', '..');

describe('planting a fault', () => {
  it('replaces the only occurrence, and takes the replacement literally', () => {
    expect(plant('if (a < b) return;', { find: 'a < b', replace: '$& <= $1' })).toBe('if ($& <= $1) return;');
    expect(plant('first\nsecond\n', { find: 'second\n', replace: '' })).toBe('first\n');
  });

  it.each([
    ['a missing string', 'a', 'b', 'got 0 occurrences of "b"'],
    ['a string that occurs twice', 'a b a', 'a', 'got 2 occurrences of "a"'],
    ['an empty string', 'a', '', 'got no occurrences of ""'],
  ])('rejects %s', (_what, source, find, message) => {
    expect(() => plant(source, { find, replace: 'c' })).toThrow(message);
  });

  it('rejects a replacement that changes nothing', () => {
    expect(() => plant('a', { find: 'a', replace: 'a' })).toThrow('changes nothing');
  });
});

describe('the outcome of a run', () => {
  const test = (title, ...failureMessages) => ({
    ancestorTitles: ['a list'],
    title,
    fullName: `a list ${title}`,
    status: failureMessages.length === 0 ? 'passed' : 'failed',
    failureMessages,
  });
  const suite = (tests, message = '') => ({ message, assertionResults: tests });
  const result = (...testResults) => ({ numRuntimeErrorTestSuites: 0, testResults });
  const asserted =
    'Error: expect(received).toBe(expected)\n\nExpected: 1\n    at Object.<anonymous> (a.ts:1:1)';
  const thrown = 'TypeError: rows is not iterable\n    at expect(received) (a.ts:1:1)';
  const property = 'Error: Property failed after 3 tests\n{ seed: 1 }\n    at buildError (b.js:1:1)';
  const report = (title, cause) =>
    `  ● a list › ${title}\n\n    Property failed after 3 tests\n\n    > 2 | expect(one).toBe(1)\n\n    Cause:\n        ${cause}\n`;

  it('is found by the first test with a failed assertion', () => {
    const tests = [
      test('is sorted'),
      test('is short', thrown),
      test('ends', asserted),
      test('starts', asserted),
    ];
    expect(outcomeOf(result(suite(tests)), 1)).toEqual({ kind: 'found', by: 'a list ends' });
    const counted = test('counts', 'Error: expect.assertions(2)\n\nExpected two');
    expect(outcomeOf(result(suite([counted])), 1)).toEqual({ kind: 'found', by: 'a list counts' });
  });

  it('is found by a failed property only if its cause is an assertion', () => {
    const tests = [test('holds', property), test('fits', property)];
    const message = report('holds', 'TypeError: no rows') + report('fits', 'expect(received).toBe(expected)');
    expect(outcomeOf(result(suite(tests, message)), 1)).toEqual({ kind: 'found', by: 'a list fits' });
    expect(outcomeOf(result(suite([test('holds', property)], message)), 1)).toMatchObject({
      kind: 'unusable',
    });
  });

  it('is missed if every test passes', () => {
    expect(outcomeOf(result(suite([test('is sorted')]), suite([test('ends')])), 2)).toEqual({
      kind: 'missed',
    });
  });

  it.each([
    ['Jest wrote no result', null],
    ['1 of 2 spec files ran', result(suite([test('ends', asserted)]))],
    [
      'a spec file did not run: ● Test suite failed to run',
      {
        ...result(
          suite([test('ends', asserted)]),
          suite([], '  ● Test suite failed to run\n\n    SyntaxError'),
        ),
        numRuntimeErrorTestSuites: 1,
      },
    ],
    [
      'no assertion failed, but a list ends: TypeError: rows is not iterable',
      result(suite([test('is sorted')]), suite([test('ends', thrown)])),
    ],
    ['no test ran', result(...['one', 'two'].map((title) => suite([{ ...test(title), status: 'pending' }])))],
  ])('is unusable: %s', (why, jestResult) => {
    expect(outcomeOf(jestResult, 2)).toEqual({ kind: 'unusable', why });
  });

  it('is printed with the test that found the fault, or with the reason', () => {
    expect(describeOutcome({ kind: 'found', by: 'a list ends' })).toBe('found by a list ends');
    expect(describeOutcome({ kind: 'missed' })).toBe('NOT FOUND');
    expect(describeOutcome({ kind: 'unusable', why: 'no test ran' })).toBe('NOT FOUND: no test ran');
    expect(totalLine(19, 20)).toBe('19 of 20 planted faults found');
  });
});

describe('the planted faults', () => {
  it('are at least 20, each with a unique name', () => {
    expect(new Set(PLANTED_FAULTS.map(({ name }) => name)).size).toBe(PLANTED_FAULTS.length);
    expect(PLANTED_FAULTS.length).toBeGreaterThanOrEqual(20);
  });

  it.each(PLANTED_FAULTS)('can be planted in the current source: $name', ({ file, tests, ...fault }) => {
    const source = readFileSync(join(root, file), 'utf8');
    expect(plant(source, fault)).not.toBe(source);
    expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(tests.length).toBeGreaterThan(0);
  });
});
