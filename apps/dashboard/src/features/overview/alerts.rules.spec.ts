import { alertText } from './alert-text.rules';
import { alertsOf } from './alerts.rules';

const account = {
  id: 'exa_1',
  account_name: 'Main',
  is_active: true,
  inactive_reason: null,
  can_withdraw: false,
  last_sync_at: '2026-03-01T10:00:00.000Z',
};
const webhook = { id: 'whk_1', url: 'https://example.com/hook', is_active: false };

describe('alertsOf', () => {
  it('is empty if all is well', () => {
    const failure = { accountId: 'exa_1', at: '2026-03-01T09:00:00.000Z' };
    expect(alertsOf([account], [{ ...webhook, is_active: true }], [failure])).toEqual([]);
  });

  it('reports an account that is not active, and nothing else of the same account', () => {
    const inactive = { ...account, is_active: false, can_withdraw: true };
    expect(alertsOf([inactive], [], [])).toMatchObject([{ key: 'exa_1 inactive', isUrgent: true }]);
  });

  it.each([
    ['CREDENTIALS', 'The exchange rejected the credentials. Replace them to trade again.'],
    [
      'POSITION_MODE',
      'Switch the account to one-way mode at the exchange, then enter its credentials again.',
    ],
    [
      'PORTFOLIO_MARGIN',
      'Switch the account to cross margin at the exchange, then enter its credentials again.',
    ],
    ['ACCOUNT_TYPE', 'Switch the kind of the account at the exchange, then enter its credentials again.'],
  ])('says what to do about an account that is not active because of %s', (inactive_reason, advice) => {
    const texts = alertsOf([{ ...account, is_active: false, inactive_reason }], [], []).map(alertText);
    expect(texts).toEqual([`Nothing is traded on Main. ${advice}`]);
  });

  it('reports a sync that failed after the last success', () => {
    const failures = [
      { accountId: 'exa_1', at: '2026-03-01T11:00:00.000Z' },
      { accountId: 'exa_1', at: '2026-03-01T10:30:00.000Z' },
      { accountId: 'exa_2', at: '2026-03-01T12:00:00.000Z' },
    ];
    expect(alertsOf([account], [], failures)).toMatchObject([
      { key: 'exa_1 sync', at: '2026-03-01T11:00:00.000Z' },
    ]);
  });

  it('reports a webhook that the product deactivated, not one that the user did', () => {
    const failed = { ...webhook, deactivation_reason: 'consecutive_failures' };
    const byUser = { ...webhook, id: 'whk_2', deactivation_reason: 'user' };
    expect(alertsOf([], [failed, byUser], [])).toMatchObject([
      {
        text: 'The webhook https://example.com/hook is deactivated, because too many attempts failed in a row.',
      },
    ]);
  });

  it('lists urgent alerts first', () => {
    const alerts = alertsOf([{ ...account, can_withdraw: true }], [webhook], []);
    expect(alerts.map(({ isUrgent }) => isUrgent)).toEqual([true, false]);
  });
});
