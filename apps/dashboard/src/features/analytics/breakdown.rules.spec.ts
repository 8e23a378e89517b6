import { restOf, sortByResult } from './breakdown.rules';

const group = {
  currency: 'USDT',
  trade_count: 4,
  closed_count: 2,
  win_rate: '0.5',
  net_pnl: '10.5',
  fees: '0.4',
  volume: '1000',
};
const totals = { ...group, trade_count: 10, closed_count: 3, net_pnl: '8', fees: '0.6', volume: '1500' };

describe('restOf', () => {
  it('is what the groups of the same currency leave', () => {
    const inBitcoin = { ...group, currency: 'BTC', trade_count: 3, net_pnl: '100' };
    expect(restOf(totals, [group, inBitcoin], 'Without a strategy')).toEqual({
      name: 'Without a strategy',
      currency: 'USDT',
      trade_count: 3,
      closed_count: 1,
      win_rate: null,
      net_pnl: '-2.5',
      fees: '0.2',
      volume: '500',
    });
  });

  it('is undefined if the groups cover everything', () => {
    expect(restOf({ ...totals, volume: '1000' }, [group], 'Rest')).toBeUndefined();
    expect(restOf({ ...totals, currency: null }, [], 'Rest')).toBeUndefined();
  });
});

describe('sortByResult', () => {
  it('compares exact values', () => {
    const named = (name: string, net_pnl: string) => ({ ...group, name, net_pnl });
    const sorted = sortByResult([named('a', '-3'), named('b', '9'), named('c', '10')]);
    expect(sorted.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  });
});
