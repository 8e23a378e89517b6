import { linesOf, safeText, textOf, valueAt } from './text-of.js';

it('shows a control character as its escape: a name may not move the cursor', () => {
  expect(textOf('a\u001b[2Jb\rc\td\ne\u009b')).toBe('a\\u001b[2Jb\\rc\\td\\ne\\u009b');
  expect(textOf({ name: '\u001b]0;x\u0007' })).not.toContain('\u001b');
  expect(safeText('a\nb\u0007')).toBe('a\nb\\u0007');
});

it('turns no text around: overrides of its direction are shown, too', () => {
  expect(textOf('abc\u202etxt')).toBe('abc\\u202etxt');
});

it('shows a decimal digit for digit, lists by commas and nothing as nothing', () => {
  expect(textOf('60000.100000000000000001')).toBe('60000.100000000000000001');
  expect(textOf(['spot', 'margin'])).toBe('spot,margin');
  expect(textOf([{ a: 1 }])).toBe('[{"a":1}]');
  expect([textOf(null), textOf(undefined), textOf(false)]).toEqual(['', '', 'false']);
});

it('finds a value by its path, and none that a record does not have itself', () => {
  expect(valueAt({ fee: { amount: '1' } }, 'fee.amount')).toBe('1');
  expect(valueAt({ fee: null }, 'fee.amount')).toBeUndefined();
  expect(valueAt({}, 'constructor')).toBeUndefined();
});

it('lists the members of a record by their paths', () => {
  expect(linesOf({ id: 'x', fee: { amount: '1' }, empty: {}, list: [1] })).toEqual([
    ['id', 'x'],
    ['fee.amount', '1'],
    ['empty', ''],
    ['list', '1'],
  ]);
});
