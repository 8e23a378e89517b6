import { linesOf, safeText, textOf, valueAt } from './text-of.js';

it('escapes control characters, so that a name cannot move the cursor', () => {
  expect(textOf('a\u001b[2Jb\rc\td\ne\u009b')).toBe('a\\u001b[2Jb\\rc\\td\\ne\\u009b');
  expect(textOf({ name: '\u001b]0;x\u0007' })).not.toContain('\u001b');
  expect(safeText('a\nb\u0007')).toBe('a\nb\\u0007');
});

it('escapes bidirectional override characters', () => {
  expect(textOf('abc\u202etxt')).toBe('abc\\u202etxt');
});

it('shows decimals unchanged, lists with commas, and null or undefined as an empty string', () => {
  expect(textOf('60000.100000000000000001')).toBe('60000.100000000000000001');
  expect(textOf(['spot', 'margin'])).toBe('spot,margin');
  expect(textOf([{ a: 1 }])).toBe('[{"a":1}]');
  expect([textOf(null), textOf(undefined), textOf(false)]).toEqual(['', '', 'false']);
});

it('returns the value at a path, but no inherited property', () => {
  expect(valueAt({ fee: { amount: '1' } }, 'fee.amount')).toBe('1');
  expect(valueAt({ fee: null }, 'fee.amount')).toBeUndefined();
  expect(valueAt({}, 'constructor')).toBeUndefined();
});

it('flattens a record to paths and values', () => {
  expect(linesOf({ id: 'x', fee: { amount: '1' }, empty: {}, list: [1] })).toEqual([
    ['id', 'x'],
    ['fee.amount', '1'],
    ['empty', ''],
    ['list', '1'],
  ]);
});
