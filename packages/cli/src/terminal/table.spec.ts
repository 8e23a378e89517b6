import stringWidth from 'string-width';
import { tableOf, truncate } from './table.js';
import { linesOf, safeText, textOf, valueAt } from './text-of.js';

const layout = { columns: 60, ellipsis: '…', heading: (text: string) => text };
const ID = 'trd_01k9y3wq8ge1t8p8bf1mq93h57';

const widestLine = (table: string) => Math.max(...table.split('\n').map((line) => stringWidth(line)));

it('makes no table wider than the screen', () => {
  const table = tableOf(['id', 'name', 'note'], [[ID, 'a'.repeat(80), 'b'.repeat(80)]], layout);
  expect(widestLine(table)).toBeLessThanOrEqual(60);
  expect(table).toContain('…');
});

it('never truncates ids, decimals and instants, but omits columns that do not fit', () => {
  const price = '60000.100000000000000001';
  const at = '2026-01-31T12:00:00Z';
  const table = tableOf(['id', 'price', 'at'], [[ID, price, at]], layout);
  expect(table).toContain(ID);
  expect(table).toContain(price);
  expect(table).not.toContain('2026');
  expect(widestLine(table)).toBeLessThanOrEqual(60);
});

it('never truncates symbols, a part of which may be another pair', () => {
  const symbol = '1000SHIB/USDT:USDT';
  const table = tableOf(['id', 'symbol', 'exchange'], [[ID, symbol, 'paper exchange']], layout);
  expect(table).toContain(symbol);
  expect(widestLine(table)).toBeLessThanOrEqual(60);
});

it('shows the first two columns untruncated even if the terminal is too narrow', () => {
  const table = tableOf(['id', 'amount', 'more'], [[ID, '12.5', 'x']], { ...layout, columns: 10 });
  expect(table).toContain(ID);
  expect(table).toContain('12.5');
});

it('aligns columns that contain double-width characters', () => {
  const [, first, second] = tableOf(
    ['name', 'n'],
    [
      ['日本', '1'],
      ['abcd', '2'],
    ],
    layout,
  ).split('\n');
  expect(stringWidth(first!.slice(0, first!.indexOf('1')))).toBe(second!.indexOf('2'));
});

it('truncates between visible characters, never within one', () => {
  expect(truncate('👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 5, '…')).toBe('👨‍👩‍👧👨‍👩‍👧…');
  expect(truncate('abc', 3, '…')).toBe('abc');
});

describe('text-of.ts', () => {
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
});
