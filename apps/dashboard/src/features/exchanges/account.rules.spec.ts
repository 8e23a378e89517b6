import {
  type AccountUse,
  balancesOf,
  consequencesOf,
  heldOf,
  marginBalancesOf,
  obstaclesOf,
  stateOf,
} from './account.rules';

const NOW = Date.parse('2026-05-01T12:00:00Z');
const account = {
  is_active: true,
  inactive_reason: null,
  can_trade: true,
  can_withdraw: false,
  last_sync_at: '2026-05-01T11:59:00Z',
};

it('computes what orders hold of a balance', () => {
  expect(heldOf('3', '1.25')).toBe('1.75');
  // No open order concerns the asset.
  expect(heldOf('3')).toBe('0');
});

describe('stateOf', () => {
  it('is active after a recent sync', () => {
    expect(stateOf(account, NOW)).toEqual({ label: 'Active', tone: 'gain' });
  });

  it('names the most serious problem', () => {
    expect(stateOf({ ...account, is_active: false, can_withdraw: true }, NOW)).toMatchObject({
      tone: 'loss',
    });
    expect(stateOf({ ...account, can_withdraw: true, last_sync_at: null }, NOW).advice).toMatch(
      'can only trade',
    );
    expect(stateOf({ ...account, last_sync_at: null }, NOW).label).toMatch('not synced');
    expect(stateOf({ ...account, last_sync_at: '2026-05-01T06:59:00Z' }, NOW).label).toMatch('old');
  });
});

it('lists what an account holds, by name', () => {
  expect(balancesOf({ balance: { USDT: '5', ETH: '0', BTC: '0.000000000000000001' } })).toEqual([
    { asset: 'BTC', amount: '0.000000000000000001' },
    { asset: 'USDT', amount: '5' },
  ]);
});

it('lists what a margin account holds or owes, by name', () => {
  const amounts = (total: string, borrowed: string, interest: string) => {
    return { total, free: total, used: '0', borrowed, interest };
  };
  const balance_detail = {
    USDT: amounts('5', '0', '0'),
    ETH: amounts('0', '0', '0.0'),
    BTC: amounts('0', '0.1', '0'),
    BNB: amounts('0', '0', '0.000001'),
    SOL: { total: '1', free: '0.5', used: '0.5' },
  };
  const rows = marginBalancesOf({ balance_detail });
  expect(rows.map(({ asset }) => asset)).toEqual(['BNB', 'BTC', 'SOL', 'USDT']);
  expect(rows[1]).toEqual({ asset: 'BTC', ...balance_detail.BTC });
});

describe('removal', () => {
  const unused: AccountUse = {
    openOrders: 0,
    openLots: 0,
    activeStrategies: 0,
    archivedStrategies: 0,
    runningCopiers: 0,
    pausedCopiers: 0,
  };

  it('has no obstacle for an unused account', () => {
    expect(obstaclesOf(unused)).toEqual([]);
    expect(consequencesOf(unused)).toHaveLength(3);
  });

  it('names every obstacle with its number', () => {
    const texts = obstaclesOf({
      ...unused,
      openOrders: 1,
      openLots: 2,
      activeStrategies: 1,
      runningCopiers: 3,
    });
    expect(texts.map(({ text }) => text)).toEqual([
      '1 open order: cancel first.',
      '2 open lots: close first.',
      '1 active strategy: archive first.',
      '3 running copiers: stop first.',
    ]);
  });

  it('names what can no longer be used', () => {
    const texts = consequencesOf({ ...unused, pausedCopiers: 1, archivedStrategies: 2 }).join(' ');
    expect(texts).toMatch(/1 paused copier cannot.*2 archived strategies cannot/);
  });
});
