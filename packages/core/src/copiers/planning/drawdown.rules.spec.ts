import { drawdownPercentOf } from './drawdown.rules.js';

it.each([
  ['0', '100', '0'],
  ['25', '75', '25'],
  ['1', '2', '33.333333333333333333'],
  ['100', '0', '100'],
  ['50', '-20', '166.666666666666666666'],
  ['50', '-50', '100'],
  ['50', '-80', '100'],
  ['0', '0', '0'],
  ['0', '-5', '0'],
])('a fall of %s to an equity of %s is a drawdown of %s %%', (fall, equity, percent) => {
  expect(drawdownPercentOf(fall, equity)).toBe(percent);
});
