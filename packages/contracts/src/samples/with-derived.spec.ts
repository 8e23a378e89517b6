import { settingOperations } from '../settings.js';
import { tradeOperations } from '../trades.js';
import { withDerivedSamples } from './with-derived.js';

const { list, get, create, cancel } = tradeOperations;
const given = [
  { operation: create, title: 'Place', as: 'resting', body: {} },
  { operation: cancel, title: 'Cancel', params: { id: '$resting.id' } },
];

it('a GET gets the parameters of its resource and a title from its summary', () => {
  expect(withDerivedSamples([list, get, create, cancel], given)).toEqual([
    ...given,
    { operation: get, title: 'Returns a trade with its fills', params: { id: '$resting.id' } },
    { operation: list, title: 'Lists your trades' },
  ]);
});

it('a change and a GET with other parameters get none', () => {
  expect(withDerivedSamples([create, cancel, settingOperations.get], [])).toEqual([]);
});
