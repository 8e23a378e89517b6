/** Replays on perpetuals: shorts, flips, margin, `max_leverage` and the margin ratio. */
import { PAIR, TERMS } from '../planning/testing/plan-inputs.js';
import { Replay } from './replay.js';
import type { ReplayedPerpetual, ReplayOptions, ReplayPair, ReplaySignal } from './replay.types.js';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const PERPETUAL: ReplayedPerpetual = { leverage: '5', maintenanceRate: '0.05', isMaintenanceAssumed: false };

const pairOf = (perpetual: Partial<ReplayedPerpetual> = {}, symbol = 'BTC/USDT:USDT'): ReplayPair => ({
  rules: { ...PAIR, symbol, tradingType: 'perpetual', lastPrice: null },
  feeRate: '0',
  mark: null,
  perpetual: { ...PERPETUAL, ...perpetual },
});

function replayOf(
  equity: string,
  terms: Partial<ReplayOptions['terms']> = {},
  perpetual: Partial<ReplayedPerpetual> = {},
  more: Partial<ReplayOptions> = {},
): Replay {
  return new Replay({
    copierId: 'copier',
    terms: { ...TERMS, sizing: { mode: 'MULTIPLIER', value: '1', capital: null }, ...terms },
    onBreach: 'CLOSE_ONLY',
    startingEquity: new Map([['USDT', equity]]),
    pairs: new Map([['BTC/USDT:USDT', pairOf(perpetual)]]),
    ...more,
  });
}

/** Applies signals one minute apart. By default each opens a short lot of 2 at 100, which is named by its place. */
function play(replay: Replay, ...signals: Partial<ReplaySignal>[]) {
  return signals.map((override, index) => {
    const at = new Date(START + index * 60_000);
    const { plan } = replay.apply({
      id: `signal ${index}`,
      sequence: index + 1,
      kind: 'OPEN',
      side: 'SELL',
      symbol: 'BTC/USDT:USDT',
      lotTradeId: `lot ${index}`,
      lotFirstSequence: 1,
      lotOpenedAt: at,
      lotOrderAmount: '2',
      filledAmount: '2',
      cumulativeAmount: '2',
      lotAmountBefore: '0',
      exitAmount: '0',
      referencePrice: '100',
      leaderEquity: '1000',
      signalAt: at,
      emittedAt: at,
      sourceTradeId: 'source',
      sourceFillId: `fill ${index}`,
      ...override,
    });
    return [plan.code ?? plan.outcome, plan.order?.amount ?? '0'];
  });
}

const closeShort = (price: string, more: Partial<ReplaySignal> = {}): Partial<ReplaySignal> => ({
  kind: 'CLOSE',
  side: 'BUY',
  lotTradeId: 'lot 0',
  exitAmount: '2',
  lotAmountBefore: '2',
  referencePrice: price,
  ...more,
});

describe('a replay on perpetuals', () => {
  it('opens and closes shorts, and reports their result and tracking difference', () => {
    const replay = replayOf('1000');
    expect(play(replay, {}, closeShort('90'))).toEqual([
      ['COPIED', '2'],
      ['COPIED', '2'],
    ]);
    expect(replay.resultIn('USDT')).toMatchObject({ netPnl: '20', tracking: { differenceBps: '0' } });
  });

  it('values an open short at the last price', () => {
    const replay = replayOf('1000');
    play(
      replay,
      {},
      { side: 'BUY', lotOrderAmount: '1', cumulativeAmount: '1', filledAmount: '1', referencePrice: '130' },
    );
    expect(replay.resultIn('USDT').netPnl).toBe('-60');
  });

  it('needs the initial margin at the leverage of the account', () => {
    // Each lot needs 40.2 at 5, and the open ones hold 40 each.
    expect(play(replayOf('100'), {}, {}, {}).map(([code]) => code)).toEqual([
      'COPIED',
      'COPIED',
      'INSUFFICIENT_BALANCE',
    ]);
  });

  it('needs only the fee while the leverage is unknown', () => {
    const codes = play(replayOf('100', {}, { leverage: null }), {}, {}, {}).map(([code]) => code);
    expect(codes).toEqual(['COPIED', 'COPIED', 'COPIED']);
  });

  it('frees the margin and the profit of closed lots', () => {
    const codes = play(replayOf('45'), {}, {}, closeShort('90'), {}).map(([code]) => code);
    expect(codes).toEqual(['COPIED', 'INSUFFICIENT_BALANCE', 'COPIED', 'COPIED']);
  });

  it('stays within `max_leverage` of the equity, with the open results', () => {
    const replay = replayOf('100', { maxLeverage: '3' });
    // 300 of notional: 200 at 100, then 180 at 90, when the equity is 120 and the limit price 89.55.
    expect(play(replay, {}, { referencePrice: '90' })).toEqual([
      ['COPIED', '2'],
      ['COPIED', '2'],
    ]);
    expect(play(replayOf('100', { maxLeverage: '3' }), {}, {})).toEqual([
      ['COPIED', '2'],
      ['MAX_LEVERAGE', '1'],
    ]);
  });

  it('counts the notional of a perpetual once, although two symbols are copied on it', () => {
    const pairs = new Map([
      ['BTC/USDT:USDT', pairOf()],
      ['BTC/USDC:USDC', pairOf()],
    ]);
    const replay = replayOf('100', { maxLeverage: '3' }, {}, { pairs });
    expect(play(replay, {}, { symbol: 'BTC/USDC:USDC' })[1]).toEqual(['MAX_LEVERAGE', '1']);
    expect(replay.marginIn('USDT').lowestRatio).toBe('6.66666666');
  });

  it('skips entries below the margin ratio, but no exits; an assumed maintenance margin skips nothing', () => {
    // 100 of equity, 200 × 0.05 of maintenance margin.
    const codesOf = (ratio: string, isMaintenanceAssumed = false) =>
      play(
        replayOf('100', { minMarginRatio: ratio }, { isMaintenanceAssumed }),
        {},
        {},
        closeShort('100'),
      ).map(([code]) => code);
    expect(codesOf('10')).toEqual(['COPIED', 'COPIED', 'COPIED']);
    expect(codesOf('10.1')).toEqual(['COPIED', 'MARGIN_RATIO', 'COPIED']);
    expect(codesOf('10.1', true)).toEqual(['COPIED', 'COPIED', 'COPIED']);
  });

  it('has no margin ratio once its position is closed', () => {
    const codes = play(replayOf('100', { minMarginRatio: '10.1' }), {}, closeShort('100'), {}).map(
      ([code]) => code,
    );
    expect(codes).toEqual(['COPIED', 'COPIED', 'COPIED']);
  });

  it('plans the signals of a flip before it fills the first of them, as live', () => {
    const flip = [
      closeShort('100', { sourceFillId: 'flip' }),
      { side: 'BUY', sourceFillId: 'flip' } as const,
    ];
    // What the flip closes does not count against its entry.
    for (const limits of [{ maxOpenTrades: 1 }, { maxOpenQuote: '201' }, { maxLeverage: '0.2' }]) {
      const codes = play(replayOf('1000', limits), {}, ...flip).map(([code]) => code);
      expect(codes).toEqual(['COPIED', 'COPIED', 'COPIED']);
    }
    // Each lot needs 40.2 of margin at 5.
    expect(play(replayOf('45'), {}, ...flip).map(([code]) => code)).toEqual(['COPIED', 'COPIED', 'COPIED']);
    // Another lot counts.
    expect(play(replayOf('1000', { maxOpenTrades: 1 }), {}, {}).map(([code]) => code)).toContain(
      'MAX_TRADES',
    );
    const separate = [closeShort('100'), { side: 'BUY' } as const];
    expect(play(replayOf('100', { maxLeverage: '3' }), {}, ...separate)[2]).toEqual(['COPIED', '2']);
  });

  it('covers what a loss leaves missing before a flip uses the margin that its exit frees', () => {
    // At 110, the equity is 25, and the short takes 44. After its exit, 25 is free.
    const flipOf = (amount: string) => [
      closeShort('110', { sourceFillId: 'flip' }),
      {
        side: 'BUY',
        sourceFillId: 'flip',
        referencePrice: '110',
        lotOrderAmount: amount,
        filledAmount: amount,
        cumulativeAmount: amount,
      } as const,
    ];
    const codeOf = (amount: string) => play(replayOf('45'), {}, ...flipOf(amount))[2]?.[0];
    expect(codeOf('1')).toBe('COPIED');
    expect(codeOf('1.5')).toBe('INSUFFICIENT_BALANCE');
  });

  it('keeps its account in the settlement currency', () => {
    const symbol = 'BTC/USD:USDC';
    const pairs = new Map([[symbol, pairOf({}, symbol)]]);
    const replay = replayOf('0', {}, {}, { pairs, startingEquity: new Map([['USDC', '1000']]) });
    expect(play(replay, { symbol }, closeShort('90', { symbol })).map(([code]) => code)).toEqual([
      'COPIED',
      'COPIED',
    ]);
    expect([replay.currency, replay.resultIn('USDC').netPnl]).toEqual(['USDC', '20']);
  });

  it('fills the orders of the last signal before it reports', () => {
    const replay = replayOf('1000');
    play(replay, {});
    expect(replay.marginIn('USDT').lowestRatio).toBe('100');
  });
});

describe('a replay on a margin account', () => {
  it('opens no short, because copies never borrow, and copies longs as on spot', () => {
    const pair: ReplayPair = {
      rules: { ...PAIR, tradingType: 'margin', lastPrice: null },
      feeRate: '0',
      mark: null,
    };
    const replay = replayOf('1000', {}, {}, { pairs: new Map([['BTC/USDT', pair]]) });
    const symbol = 'BTC/USDT';
    const long = { symbol, side: 'BUY' } as const;
    const exit = closeShort('110', { symbol, side: 'SELL' });
    expect(play(replay, long, { symbol }, exit).map(([code]) => code)).toEqual([
      'COPIED',
      'SIDE_BLOCKED',
      'COPIED',
    ]);
    expect(replay.resultIn('USDT').netPnl).toBe('20');
  });
});
