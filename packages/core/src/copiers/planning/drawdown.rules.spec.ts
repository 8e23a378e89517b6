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
])('a fall of %s to an equity of %s is a drawdown of %s %%', (drawdownQuote, equity, percent) => {
  expect(drawdownPercentOf({ drawdownQuote, equity, capital: null })).toBe(percent);
});

it.each([
  ['less than the equity at the peak: it counts', '90', '50', '20'],
  ['equal to the equity at the peak', '90', '100', '10'],
  ['greater than the equity at the peak: the equity counts', '90', '1000', '10'],
  ['less than the fall', '90', '5', '200'],
  ['set, and the equity is not known', null, '200', '5'],
  ['not set, and the equity is not known', null, null, null],
  ['set, and the equity at the peak is not positive', '-10', '50', '100'],
])('the capital is %s', (_title, equity, capital, percent) => {
  expect(drawdownPercentOf({ drawdownQuote: '10', equity, capital })).toBe(percent);
});
