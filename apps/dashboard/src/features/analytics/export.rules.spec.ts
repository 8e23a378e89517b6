import { figuresFile, fileOf } from './export.rules';

describe('fileOf', () => {
  it('writes the columns in their order', () => {
    const rows = [{ at: '2026-03-01', net_pnl: '-1.5', equity: null, more: 1 }];
    expect(fileOf(['at', 'equity', 'net_pnl'], rows)).toBe('at,equity,net_pnl\r\n2026-03-01,,-1.5\r\n');
  });
});

describe('figuresFile', () => {
  it('writes one line for each figure and each member, without lists', () => {
    const figures = {
      net_pnl: '5',
      max_drawdown: { amount: '1', percent: null },
      by_pair: [{ net_pnl: '5' }],
    };
    expect(figuresFile(figures)).toBe(
      'figure,value\r\nnet_pnl,5\r\nmax_drawdown.amount,1\r\nmax_drawdown.percent,\r\n',
    );
  });
});
