import stringWidth from 'string-width';
import { tableOf, truncate } from './table.js';

const layout = { columns: 60, ellipsis: '…', heading: (text: string) => text };
const ID = 'trd_01k9y3wq8ge1t8p8bf1mq93h57';

const widestLine = (table: string) => Math.max(...table.split('\n').map((line) => stringWidth(line)));

it('is never wider than the screen', () => {
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
