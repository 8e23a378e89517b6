import { copyPairOf, plannedSignalOf, type SignalToPlan, termsOf } from './planned-signal.js';

describe('stored rows as input of planCopy', () => {
  it('are stripped of the trailing zeros that the database adds', () => {
    const terms = termsOf({
      sizingMode: 'EQUITY_RATIO',
      sizingValue: '0.500000000000000000',
      sizingCapital: '1000.000000000000000000',
      belowMinimum: 'SKIP',
      maxTradeQuote: '50.000000000000000000',
      maxOpenQuote: null,
      maxOpenTrades: 3,
      maxDailyLossQuote: '1.250000000000000000',
      maxDrawdownPercent: '10.000000000000000000',
      maxSlippageBps: null,
      maxSignalAgeMs: 60_000,
      allowedPairs: null,
      blockedPairs: ['BTC/USDT'],
      allowedSides: ['BUY'],
      maxLeverage: '3.000000000000000000',
    });
    expect(terms).toEqual({
      sizing: { mode: 'EQUITY_RATIO', value: '0.5', capital: '1000' },
      belowMinimum: 'SKIP',
      maxTradeQuote: '50',
      maxOpenQuote: null,
      maxOpenTrades: 3,
      maxDailyLossQuote: '1.25',
      maxDrawdownPercent: '10',
      maxSlippageBps: null,
      maxSignalAgeMs: 60_000,
      allowedPairs: null,
      blockedPairs: ['BTC/USDT'],
      allowedSides: ['BUY'],
      maxLeverage: '3',
      minMarginRatio: null,
    });
  });

  it('contain only the columns of a pair that the planner needs', () => {
    const rules = {
      symbol: 'BTC/USDT',
      priceTick: '0.010000000000000000',
      amountStep: '0.001000000000000000',
      marketAmountStep: null,
      minAmount: '0.001000000000000000',
      maxAmount: '9000.000000000000000000',
      minNotional: '5.000000000000000000',
      maxNotional: null,
      takerFee: '0.0010',
      lastPrice: '100.000000000000000000',
    };
    expect(copyPairOf({ ...rules, isActive: true } as typeof rules)).toEqual({
      symbol: 'BTC/USDT',
      priceTick: '0.01',
      amountStep: '0.001',
      marketAmountStep: null,
      marketMaxAmount: null,
      minAmount: '0.001',
      maxAmount: '9000',
      minNotional: '5',
      maxNotional: null,
      lastPrice: '100',
      lastPriceAt: null,
      takerFee: '0.001',
      tradingType: 'spot',
    });
  });

  it('contain the fields of a signal; the amount of the lot’s order is that of the leader', () => {
    const fields = {
      id: 'id',
      sequence: 3,
      kind: 'INCREASE',
      side: 'BUY',
      symbol: 'BTC/USDT',
      lotTradeId: 'lot',
      lotFirstSequence: 2,
      lotOpenedAt: new Date(1),
      filledAmount: '1',
      cumulativeAmount: '2',
      lotAmountBefore: '3',
      exitAmount: '4',
      referencePrice: '5',
      leaderEquity: '6',
      signalAt: new Date(2),
    } as const;
    const signal: SignalToPlan = { ...fields, lotOrderAmount: '7' };
    expect(plannedSignalOf(signal)).toEqual({ ...fields, leaderOrderAmount: '7' });
  });
});
