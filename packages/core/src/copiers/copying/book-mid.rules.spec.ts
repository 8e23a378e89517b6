import { bookMidOf } from './book-mid.rules.js';

it.each([
  ['99', '101', '100'],
  ['0.1', '0.2', '0.15'],
  ['100', '100', '100'],
  [null, '101', null],
  ['99', null, null],
  [null, null, null],
  ['0', '0', null],
  ['-3', '1', null],
])('the middle between bid %p and ask %p is %p', (bid, ask, mid) => {
  expect(bookMidOf({ bid, ask })).toBe(mid);
});
