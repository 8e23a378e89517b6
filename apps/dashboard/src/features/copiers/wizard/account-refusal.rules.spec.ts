import { refusalOf } from './account-refusal.rules';

const account = { id: 'exa_1', is_active: true, inactive_reason: null };
const inactive = { ...account, is_active: false };

describe('the refusal of an account for a copier', () => {
  it('is missing for an active account', () => {
    expect(refusalOf(account, { exchange_account_id: 'exa_2' })).toBeUndefined();
    expect(refusalOf(account, {})).toBeUndefined();
  });

  it('names the account of the strategy', () => {
    const refusal = refusalOf(account, { exchange_account_id: 'exa_1' });
    expect(refusal).toBe('The strategy itself trades on this account.');
  });

  it.each([
    ['CREDENTIALS', 'The exchange rejected the credentials.'],
    ['POSITION_MODE', 'Switch the account to one-way mode'],
    ['PORTFOLIO_MARGIN', 'Switch the account to cross margin'],
    ['ACCOUNT_TYPE', 'Switch the kind of the account'],
  ])('says what to do about the reason %s', (inactive_reason, advice) => {
    expect(refusalOf({ ...inactive, inactive_reason }, {})).toContain(advice);
  });
});
