import { basisOf, rebasedCurve, simulatedCurve } from './simulated-curve.rules';

const at = (day: number) => `2026-03-0${day}T00:00:00.000Z`;
const copy = (day: number, kind: string, amount: string, price: string, symbol = 'BTC/USDT') => ({
  symbol,
  kind,
  sent_amount: amount,
  inputs: { reference_price: price },
  signal_at: at(day),
});
type Result = Parameters<typeof simulatedCurve>[0];
const result = (decisions: readonly object[], overrides: Partial<Result> = {}) =>
  ({
    decisions,
    truncated: false,
    currency: 'USDT',
    starting_equity: '1000',
    fees: '0',
    net_pnl: '10',
    to: at(3),
    ...overrides,
  }) as Result;

describe('what a result is compared with', () => {
  const equity = { starting_equity: '5000' };

  it('is the capital of a copier that is sized by equity', () => {
    expect(basisOf(equity, { mode: 'EQUITY_RATIO', capital: '800' })).toEqual({
      amount: '800',
      kind: 'capital',
    });
  });

  it('is the equity of the account if no capital counts', () => {
    const whole = { amount: '5000', kind: 'equity' };
    expect(basisOf(equity, { mode: 'EQUITY_RATIO' })).toEqual(whole);
    expect(basisOf(equity, { mode: 'FIXED_QUOTE', capital: '800' })).toEqual(whole);
  });
});

describe('the curve of a simulation', () => {
  it('values what is held at the price of each signal, and ends at the reported result', () => {
    const decisions = [
      copy(1, 'OPEN', '1', '100'),
      copy(2, 'REDUCE', '0.5', '120'),
      copy(3, 'CLOSE', '0.5', '100'),
    ];
    expect(simulatedCurve(result(decisions), '1000')).toEqual([
      { at: at(1), value: 100 },
      { at: at(2), value: 102 },
      { at: at(3), value: 101 },
    ]);
  });

  it('deducts fees in proportion to the cost', () => {
    const decisions = [copy(1, 'OPEN', '1', '100'), copy(2, 'CLOSE', '1', '300')];
    const [first] = simulatedCurve(result(decisions, { fees: '4' }), '1000');
    expect(first).toEqual({ at: at(1), value: 99.9 });
  });

  it('gives no value to what a closed lot leaves', () => {
    const decisions = [
      copy(1, 'OPEN', '1', '100'),
      copy(1, 'OPEN', '3', '100'),
      copy(2, 'CLOSE', '0.9', '100'),
      copy(3, 'CLOSE', '0', '100'),
    ];
    expect(simulatedCurve(result(decisions), '1000').map(({ value }) => value)).toEqual([100, 99, 101]);
  });

  it('leaves out pairs of other currencies', () => {
    expect(simulatedCurve(result([copy(1, 'OPEN', '1', '100', 'ETH/BTC')]), '1000')).toEqual([]);
  });

  it('does not exist if decisions are missing or there is no equity', () => {
    const decisions = [copy(1, 'OPEN', '1', '100')];
    expect(simulatedCurve(result(decisions, { truncated: true }), '1000')).toEqual([]);
    expect(simulatedCurve(result(decisions), '0')).toEqual([]);
  });
});

describe('the curve of the strategy', () => {
  const curve = [
    { at: at(1), index: '100' },
    { at: at(2), index: '110' },
    { at: at(4), index: '121' },
  ];

  it('starts with 100 where the simulation starts', () => {
    expect(rebasedCurve(curve, at(3), at(9))).toEqual([
      { at: at(3), value: 100 },
      { at: at(4), value: 110 },
    ]);
  });

  it('ends now, not at the end of the day', () => {
    const now = '2026-03-03T12:00:00.000Z';
    expect(rebasedCurve(curve, at(3), now).at(-1)).toEqual({ at: now, value: 110 });
  });

  it('is empty without points or a start', () => {
    expect(rebasedCurve([], at(1), at(9))).toEqual([]);
    expect(rebasedCurve(curve, undefined, at(9))).toEqual([]);
  });
});
