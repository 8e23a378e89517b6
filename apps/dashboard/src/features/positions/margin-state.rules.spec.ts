import { marginStateOf } from './margin-state.rules';

it.each([
  [undefined, undefined],
  ['1.2499', 'call'],
  ['-1', 'call'],
  ['1.25', 'low'],
  ['1.4999', 'low'],
  ['1.5', 'enough'],
])('the margin ratio %s is judged as %s', (ratio, expected) => {
  expect(marginStateOf(ratio)).toBe(expected);
});
