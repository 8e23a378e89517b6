import { closingPlanOf, type PlannedPosition } from './closing-plan.rules';

const position: PlannedPosition = {
  id: 'pos_1',
  exchange_account_id: 'exa_1',
  trade_pair_id: 'tpr_1',
  symbol: 'BTC/USDT:USDT',
  side: 'LONG',
  amount: '0.4',
  mark_price: '60000',
  entry_price: '50000',
  is_supported: true,
};
const account = { id: 'exa_1', is_active: true };
const pair = {
  id: 'tpr_1',
  is_active: true,
  order_types: ['LIMIT', 'MARKET'],
  amount_step: '0.001',
  min_amount: '0.001',
};

describe('the positions that an emergency stop closes', () => {
  it('are those of active accounts in markets that trade', () => {
    expect(closingPlanOf([position], [account], [pair])).toEqual({ closed: [position], staying: [] });
  });

  it.each([
    ['UNSUPPORTED', { ...position, is_supported: false }, account, pair],
    ['UNSUPPORTED', { ...position, trade_pair_id: undefined }, account, pair],
    ['ACCOUNT', position, { ...account, is_active: false }, pair],
    ['ACCOUNT', position, { ...account, id: 'exa_2' }, pair],
    ['MARKET', position, account, { ...pair, is_active: false }],
    ['MARKET', position, account, { ...pair, id: 'tpr_2' }],
    ['MARKET', position, account, { ...pair, order_types: ['LIMIT'] }],
    ['SIZE', position, account, { ...pair, min_amount: '1' }],
    ['SIZE', position, account, { ...pair, max_notional: '20000' }],
  ])('leave out one for the reason %s', (reason, left, ofAccount, ofPair) => {
    expect(closingPlanOf([left], [ofAccount], [ofPair])).toEqual({
      closed: [],
      staying: [{ position: left, amount: '0.4', reason }],
    });
  });

  it.each([
    ['the maximum amount', { max_amount: '0.3' }, '0.3', '0.1'],
    ['the maximum of market orders', { max_amount: '0.3', market_max_amount: '0.25' }, '0.25', '0.15'],
    ['the step of market orders', { market_amount_step: '0.15' }, '0.3', '0.1'],
  ])('are closed in part because of %s', (_, limits, amount, rest) => {
    expect(closingPlanOf([position], [account], [{ ...pair, ...limits }])).toEqual({
      closed: [{ ...position, amount }],
      staying: [{ position, amount: rest, reason: 'SIZE' }],
    });
  });
});
