import { arrivalPriceOf, perfectAmountOf } from './perfect-copy.rules.js';
import { planCopy } from './plan.rules.js';
import { entryInput, exitInput, NOW, type PlanOverrides } from './testing/plan-inputs.js';

function perfectAmount(overrides: PlanOverrides) {
  const input = entryInput(overrides);
  return perfectAmountOf(input, planCopy(input));
}

describe('the amount of a perfect copy', () => {
  it('is the ratio times the amount of the fill, without limits, minimums and steps', () => {
    expect(perfectAmount({})).toBe('1');
    expect(perfectAmount({ terms: { maxTradeQuote: '10' } })).toBe('1');
    expect(perfectAmount({ pair: { minNotional: '1000000' } })).toBe('1');
    expect(perfectAmount({ signal: { filledAmount: '0.00001', cumulativeAmount: '0.00001' } })).toBe(
      '0.000005',
    );
  });

  it('is that of the fill alone if earlier entries left something', () => {
    const lot = { sentAmount: '0', seenAmount: '2' };
    const signal = { kind: 'INCREASE', filledAmount: '1', cumulativeAmount: '3' } as const;
    expect(perfectAmount({ lot, signal })).toBe('0.5');
  });

  it('exists for entries that are rejected before they are sized', () => {
    expect(perfectAmount({ bookMid: '150' })).toBe('1');
    expect(perfectAmount({ pair: null })).toBe('1');
    expect(perfectAmount({ terms: { blockedPairs: ['BTC/USDT'] } })).toBe('1');
    expect(perfectAmount({ copier: { dayLossQuote: '5' }, terms: { maxDailyLossQuote: '5' } })).toBe('1');
  });

  it('is null for exits, while the copier is not active, for lots that it does not follow and without an equity', () => {
    const exit = exitInput();
    expect(perfectAmountOf(exit, planCopy(exit))).toBeNull();
    expect(perfectAmount({ copier: { status: 'CLOSE_ONLY' } })).toBeNull();
    expect(perfectAmount({ copier: { startedSequence: 11 } })).toBeNull();
    const sizing = { mode: 'EQUITY_RATIO', value: '1', capital: null } as const;
    expect(perfectAmount({ terms: { sizing }, signal: { leaderEquity: null } })).toBeNull();
  });
});

describe('the arrival price', () => {
  it('of an entry is the middle of the order book, if it is known', () => {
    expect(arrivalPriceOf(entryInput({ bookMid: '100.1' }))).toBe('100.1');
    const increase = { signal: { kind: 'INCREASE' } } as const;
    expect(arrivalPriceOf(entryInput({ ...increase, bookMid: '100.1' }))).toBe('100.1');
    expect(arrivalPriceOf(entryInput({ bookMid: null }))).toBeNull();
    expect(arrivalPriceOf(entryInput({ bookMid: 'PAST' }))).toBeNull();
  });

  it('of an exit is the last price if it is newer than the leader’s fill', () => {
    const at = (ms: number) => ({ lastPrice: '99', lastPriceAt: new Date(NOW.getTime() + ms) });
    expect(arrivalPriceOf(exitInput({ pair: at(1) }))).toBe('99');
    expect(arrivalPriceOf(exitInput({ pair: at(0) }))).toBeNull();
    expect(arrivalPriceOf(exitInput({ pair: { lastPrice: '99' } }))).toBeNull();
    expect(arrivalPriceOf(exitInput({ pair: null }))).toBeNull();
  });
});
