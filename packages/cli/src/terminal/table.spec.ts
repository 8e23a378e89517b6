import stringWidth from 'string-width';
import { cut, tableOf } from './table.js';

const look = { columns: 60, ellipsis: '…', heading: (text: string) => text };
const ID = 'trd_01k9y3wq8ge1t8p8bf1mq93h57';

const widest = (table: string) => Math.max(...table.split('\n').map((line) => stringWidth(line)));

it('is never wider than the screen', () => {
  const table = tableOf(['id', 'name', 'note'], [[ID, 'a'.repeat(80), 'b'.repeat(80)]], look);
  expect(widest(table)).toBeLessThanOrEqual(60);
  expect(table).toContain('…');
});

it('cuts no id, no decimal and no instant: columns that have no room are left out', () => {
  const price = '60000.100000000000000001';
  const at = '2026-01-31T12:00:00Z';
  const table = tableOf(['id', 'price', 'at'], [[ID, price, at]], look);
  expect(table).toContain(ID);
  expect(table).toContain(price);
  expect(table).not.toContain('2026');
  expect(widest(table)).toBeLessThanOrEqual(60);
});

it('shows the first columns whole even where nothing fits', () => {
  const table = tableOf(['id', 'amount', 'more'], [[ID, '12.5', 'x']], { ...look, columns: 10 });
  expect(table).toContain(ID);
  expect(table).toContain('12.5');
});

it('lines up what is wider than its number of characters', () => {
  const [, first, second] = tableOf(
    ['name', 'n'],
    [
      ['日本', '1'],
      ['abcd', '2'],
    ],
    look,
  ).split('\n');
  expect(stringWidth(first!.slice(0, first!.indexOf('1')))).toBe(second!.indexOf('2'));
});

it('cuts between characters, never within one', () => {
  expect(cut('👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 5, '…')).toBe('👨‍👩‍👧👨‍👩‍👧…');
  expect(cut('abc', 3, '…')).toBe('abc');
});
