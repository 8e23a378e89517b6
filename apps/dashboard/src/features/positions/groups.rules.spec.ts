import { groupLots } from './groups.rules';

const lot = (id: string, changes: object = {}) => ({
  id,
  exchange_account_id: 'exa_1',
  trade_pair_id: 'tpr_1',
  symbol: 'BTC/USDT',
  side: 'BUY',
  remaining_amount: '0.1',
  remaining_cost: '6000.06',
  entry_price: '60000',
  unrealized_pnl: '10',
  ...changes,
});

describe('groupLots', () => {
  it('adds the lots of one account, pair and side', () => {
    const second = lot('b', { remaining_amount: '0.3', entry_price: '64000', remaining_cost: '19200' });
    expect(groupLots([lot('a'), second])).toMatchObject([
      { amount: '0.4', averagePrice: '63000', value: '25220.06', result: '20', symbol: 'BTC/USDT' },
    ]);
  });

  it('separates accounts, pairs and sides, in a fixed order', () => {
    const lots = [
      lot('a', { exchange_account_id: 'exa_2' }),
      lot('b', { symbol: 'ETH/USDT' }),
      lot('c', { side: 'SELL' }),
      lot('d'),
    ];
    expect(groupLots(lots).map(({ lots: [first] }) => first?.id)).toEqual(['d', 'c', 'b', 'a']);
  });

  it('has the last price and the result as a share of the cost', () => {
    expect(groupLots([lot('a', { remaining_cost: '5990', unrealized_pnl: '11.98' })])).toMatchObject([
      { lastPrice: '60019.8', ratio: '0.002' },
    ]);
  });

  it('knows no value if a lot has no price', () => {
    expect(groupLots([lot('a'), lot('b', { unrealized_pnl: null })])).toMatchObject([
      { value: null, result: null },
    ]);
  });

  it('values a short group at what buying it back costs', () => {
    expect(groupLots([lot('a', { side: 'SELL' })])).toMatchObject([{ value: '5990.06', result: '10' }]);
  });
});
