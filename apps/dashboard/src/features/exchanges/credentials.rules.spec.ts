import { rejectionAdvice } from './credentials.rules';

it('the advice after rejected credentials names only the fields that the exchange has', () => {
  expect(rejectionAdvice('paper')).toBe('Check the API key and the API secret.');
  expect(rejectionAdvice('okx')).toMatch(/passphrase.*IP allow list/);
});
