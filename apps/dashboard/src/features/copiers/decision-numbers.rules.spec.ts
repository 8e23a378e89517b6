import { decisionNumbers } from './decision-numbers.rules';

describe('the numbers of a decision', () => {
  it('have readable names and values, without those that are hidden', () => {
    expect(
      decisionNumbers(
        { rule: 'max_open_quote', value: '1234.5', limit: '1000', leader_amount: null, rounded_up: true },
        'en',
      ),
    ).toEqual([
      { name: 'rule', value: 'max open quote' },
      { name: 'value', value: '1,234.50' },
      { name: 'limit', value: '1,000.00' },
      { name: 'rounded up', value: 'true' },
    ]);
  });
});
