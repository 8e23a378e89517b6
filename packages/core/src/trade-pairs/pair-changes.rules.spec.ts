import { type ListedPair, pairChanges, type Recipients } from './pair-changes.rules.js';

const pair: ListedPair = {
  id: 'p',
  symbol: 'BTC/USDT:USDT',
  tradingType: 'perpetual',
  exchangeSymbol: 'BTCUSDT',
  contractSize: '0.001',
  isActive: true,
  inactiveReason: null,
};
const market = {
  symbol: pair.symbol,
  tradingType: pair.tradingType,
  exchangeSymbol: pair.exchangeSymbol,
  contractSize: '0.0010',
  isActive: true,
} as const;
const paused = { isActive: false, inactiveReason: 'PAUSED' } as const;
const delisted = { isActive: false, inactiveReason: 'DELISTED' } as const;

describe('a pair', () => {
  it.each([
    ['is listed as before', {}],
    ['was stored without a symbol of the exchange', { exchangeSymbol: '' }],
    ['was stored without a contract size', { contractSize: null }],
    ['was paused', paused],
    ['was delisted', delisted],
  ])('does not change if it %s', (_case, before) => {
    const changes = pairChanges([{ ...pair, ...before }], [market]);
    expect(changes).toEqual({ delisted: [], replaced: [], deactivated: [] });
  });

  it('does not change if the market has no contract size', () => {
    const { contractSize: _, ...spot } = market;
    expect(pairChanges([pair], [spot]).replaced).toEqual([]);
  });

  it.each([
    ['another symbol of the exchange', { exchangeSymbol: 'BTCUSDT_NEW' }],
    ['another contract size', { contractSize: '1' }],
    ['both, and is paused', { exchangeSymbol: 'X', contractSize: '1', isActive: false }],
  ])('is replaced if its symbol has %s', (_case, now) => {
    expect(pairChanges([pair], [{ ...market, ...now }])).toEqual({
      delisted: [],
      replaced: ['p'],
      deactivated: [{ pairId: 'p', recipients: 'HOLDERS_AND_NAMERS' }],
    });
  });

  it.each([
    ['another symbol', { symbol: 'ETH/USDT:USDT' }],
    ['another trading type', { tradingType: 'spot' as const }],
  ])('is delisted if only %s is listed', (_case, now) => {
    expect(pairChanges([pair], [{ ...market, ...now }])).toEqual({
      delisted: ['p'],
      replaced: [],
      deactivated: [{ pairId: 'p', recipients: 'HOLDERS_AND_NAMERS' }],
    });
  });

  const pausedNow = [{ ...market, isActive: false }];
  const replacedNow = [{ ...market, exchangeSymbol: 'X' }];
  it.each<[string, Partial<ListedPair>, readonly (typeof market | (typeof pausedNow)[0])[], Recipients[]]>([
    ['paused', {}, pausedNow, ['HOLDERS']],
    ['paused as before', paused, pausedNow, []],
    ['paused, after it was delisted', delisted, pausedNow, []],
    ['delisted, after it was paused', paused, [], ['NAMERS_WITHOUT_HOLDINGS']],
    ['delisted as before', delisted, [], []],
    ['inactive since an earlier release', { isActive: false }, [], []],
    ['replaced, after it was paused', paused, replacedNow, ['NAMERS_WITHOUT_HOLDINGS']],
    ['replaced, after it was delisted', delisted, replacedNow, []],
  ])('notifies each user once: %s', (_case, before, now, recipients) => {
    const { deactivated } = pairChanges([{ ...pair, ...before }], now);
    expect(deactivated.map((each) => each.recipients)).toEqual(recipients);
  });
});
