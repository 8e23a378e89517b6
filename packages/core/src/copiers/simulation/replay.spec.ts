/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { BigDecimal } from '../../values/index.js';
import { planCopy } from '../planning/plan.rules.js';
import type { CopiedLotState, CopyPlan } from '../planning/plan.types.js';
import { plannedSignalOf } from '../planning/planned-signal.js';
import { entryInput, lotAfter, PAIR, TERMS } from '../planning/testing/plan-inputs.js';
import { Replay } from './replay.js';
import type { ReplayOptions, ReplayPair, ReplaySignal } from './replay.types.js';

const START = Date.parse('2026-03-01T23:00:00.000Z');

const TRADED_PAIR: ReplayPair = { rules: { ...PAIR, lastPrice: null }, feeRate: '0', mark: null };

type SignalOverrides = Partial<ReplaySignal>;

/** Returns signals of a lot of 2 at 100, one minute apart, each with its overrides. */
function signalsFrom(...overrides: SignalOverrides[]): ReplaySignal[] {
  return overrides.map((override, index) => {
    const at = new Date(START + index * 60_000);
    return {
      id: `signal ${index}`,
      sequence: index + 7,
      kind: 'OPEN',
      side: override.kind === 'REDUCE' || override.kind === 'CLOSE' ? 'SELL' : 'BUY',
      symbol: 'BTC/USDT',
      lotTradeId: 'lot',
      lotFirstSequence: 7,
      lotOpenedAt: new Date(START),
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
    };
  });
}

function replayOf(more: Partial<ReplayOptions> = {}): Replay {
  return new Replay({
    copierId: 'copier',
    terms: TERMS,
    onBreach: 'CLOSE_ONLY',
    startingEquity: new Map([['USDT', '1000']]),
    pairs: new Map([['BTC/USDT', TRADED_PAIR]]),
    ...more,
  });
}

const exit = (exitAmount: string, lotAmountBefore: string, referencePrice: string): SignalOverrides => ({
  kind: exitAmount === lotAmountBefore ? 'CLOSE' : 'REDUCE',
  exitAmount,
  lotAmountBefore,
  filledAmount: exitAmount,
  referencePrice,
});

describe('a replay', () => {
  it('makes the same decisions as `planCopy` with the same holdings', () => {
    const signals = signalsFrom(
      { filledAmount: '0.01', cumulativeAmount: '0.01' },
      { kind: 'INCREASE', filledAmount: '1.49', cumulativeAmount: '1.5' },
      exit('0.5', '1.5', '110'),
      { kind: 'INCREASE', filledAmount: '0.5', cumulativeAmount: '2' },
      exit('1.5', '1.5', '120'),
    );
    const replay = replayOf();
    let lot: CopiedLotState | null = null;
    for (const signal of signals) {
      const { plan } = replay.apply(signal);
      const live: CopyPlan = planCopy({
        ...entryInput({ lot, account: { freeQuote: '1000' } }),
        signal: plannedSignalOf(signal),
        now: signal.emittedAt,
        copier: { ...entryInput({ lot }).copier, startedSequence: 6, lot },
      });
      expect([plan.outcome, plan.code, plan.targetAmount, plan.order?.amount]).toEqual([
        live.outcome,
        live.code,
        live.targetAmount,
        live.order?.amount,
      ]);
      lot = lotAfter(live, lot?.heldAmount);
    }
    expect(replay.counts).toEqual({
      copied: 4,
      clamped: 0,
      skipped: 1,
      skippedByReason: { BELOW_MINIMUM: 1 },
    });
  });

  it('reports the result of the strategy, less the fees of the copies', () => {
    const free = replayOf();
    const paying = replayOf({ pairs: new Map([['BTC/USDT', { ...TRADED_PAIR, feeRate: '0.001' }]]) });
    for (const signal of signalsFrom({}, exit('2', '2', '110')))
      for (const replay of [free, paying]) replay.apply(signal);
    expect(free.resultIn('USDT')).toMatchObject({
      fees: '0',
      netPnl: '10',
      tracking: { differenceBps: '0' },
    });
    // Bought 1 less 0.001; sold 0.999 at 110 for 109.89 less a fee of 0.10989.
    expect(paying.resultIn('USDT')).toEqual({
      fees: '0.20989',
      netPnl: '9.78011',
      tracking: {
        differenceBps: '-22',
        parts: {
          fees_bps: '-22',
          slippage_bps: '0',
          rounding_bps: '0',
          skips_bps: '0',
          latency_bps: '0',
        },
      },
    });
  });

  it('values open lots at the price of the last signal of their pair', () => {
    const replay = replayOf();
    for (const signal of signalsFrom({}, exit('1', '2', '130'))) replay.apply(signal);
    expect(replay.resultIn('USDT').netPnl).toBe('30');
  });

  it('keeps quote currencies separate, each with its own starting equity', () => {
    const pairs = new Map([
      ['BTC/USDT', TRADED_PAIR],
      ['BTC/EUR', TRADED_PAIR],
    ]);
    const replay = replayOf({
      pairs,
      startingEquity: new Map([
        ['USDT', '1000'],
        ['EUR', '50'],
      ]),
    });
    const euro = { symbol: 'BTC/EUR', lotTradeId: 'euro', lotFirstSequence: 9 };
    const [first, second, third] = signalsFrom({}, exit('2', '2', '90'), euro);
    expect(replay.apply(first!).plan.outcome).toBe('COPIED');
    expect(replay.apply(second!).plan.outcome).toBe('COPIED');
    expect(replay.apply(third!).plan).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(replay.currency).toBe('USDT');
    expect([replay.resultIn('USDT').netPnl, replay.resultIn('EUR').netPnl]).toEqual(['-10', '0']);
    expect(replay.resultIn('EUR').tracking).toBeNull();
  });

  it('does not follow entries and exits of lots that were already open at its start', () => {
    const replay = replayOf();
    const old = { lotFirstSequence: 3, lotTradeId: 'old' };
    const codes = signalsFrom({ ...old, kind: 'INCREASE' }, { ...old, ...exit('1', '2', '100') }).map(
      (signal) => replay.apply(signal).plan.code,
    );
    expect(codes).toEqual(['NOT_HELD', 'NOT_HELD']);
  });

  it('measures the age of a signal at the time it was emitted', () => {
    const replay = replayOf();
    const [late] = signalsFrom({ signalAt: new Date(START - 61_000) });
    expect(replay.apply(late!).plan.code).toBe('STALE_SIGNAL');
  });

  it('sizes copies by an equity that includes the profit of earlier copies', () => {
    const terms = { ...TERMS, sizing: { mode: 'EQUITY_RATIO', value: '1', capital: null } } as const;
    const replay = replayOf({ terms, startingEquity: new Map([['USDT', '500']]) });
    const [open, close, again] = signalsFrom({}, exit('2', '2', '150'), {
      lotTradeId: 'next',
      lotFirstSequence: 9,
      referencePrice: '50',
    });
    expect(replay.apply(open!).plan.targetAmount).toBe('1');
    replay.apply(close!);
    // 500 and a profit of 50, against the leader's 1,000.
    expect(replay.apply(again!).plan.targetAmount).toBe('1.1');
  });

  it('skips pairs that the exchange does not trade', () => {
    const replay = replayOf({ pairs: new Map() });
    const [signal] = signalsFrom({});
    expect(replay.apply(signal!).plan).toMatchObject({ code: 'PAIR_UNAVAILABLE', order: null });
  });
});

describe('rule 16: a replay that reaches its daily loss', () => {
  const terms = { ...TERMS, maxDailyLossQuote: '15' };
  const next = { lotTradeId: 'next', lotFirstSequence: 9, referencePrice: '80' };

  it('is stopped: it skips all entries after the loss, but follows exits', () => {
    const replay = replayOf({ terms });
    const codes = signalsFrom(
      {},
      exit('1', '2', '80'),
      next,
      { ...next, kind: 'INCREASE' },
      exit('1', '1', '80'),
    ).map((signal) => replay.apply(signal).plan.code);
    expect(codes).toEqual([null, null, 'NOT_ACTIVE', 'NOT_ACTIVE', null]);
  });

  it('is stopped only by the loss of a single day, not by the sum of several days', () => {
    const day = 86_400_000;
    const at = (ms: number) => ({ emittedAt: new Date(START + ms), signalAt: new Date(START + ms) });
    const replay = replayOf({ terms });
    const codes = signalsFrom(
      {},
      { ...exit('1', '2', '90'), ...at(60_000) },
      { ...next, referencePrice: '80', ...at(day) },
      { ...next, kind: 'INCREASE', referencePrice: '60', ...at(2 * day) },
    ).map((signal) => replay.apply(signal).plan.code);
    // The loss is 10 on the first day, 5 on the second, and more than 15 only on the third.
    expect(codes).toEqual([null, null, null, 'DAILY_LOSS']);
  });

  it('is paused if on_breach is PAUSE, so that exits are not followed', () => {
    const replay = replayOf({ terms, onBreach: 'PAUSE' });
    const codes = signalsFrom({}, exit('1', '2', '70'), exit('1', '1', '70')).map(
      (signal) => replay.apply(signal).plan.code,
    );
    expect(codes).toEqual([null, null, 'NOT_ACTIVE']);
  });
});

describe('rule 16: a replay that reaches its drawdown', () => {
  it.each([
    ['the equity, which is less than the capital', '1000000', '0.0005', '1.9'],
    ['the capital, which is less than the equity', '100', '5', '19'],
  ])('is stopped: the drawdown relates to %s', (_title, capital, value, maxDrawdownPercent) => {
    const sizing = { mode: 'EQUITY_RATIO', value, capital } as const;
    // 1 is bought at 100, and the price falls to 80: the fall is 20.
    const codesWith = (percent: string) => {
      const replay = replayOf({ terms: { ...TERMS, sizing, maxDrawdownPercent: percent } });
      const next = { lotTradeId: 'next', lotFirstSequence: 9, referencePrice: '80' };
      return signalsFrom({}, exit('1', '2', '80'), next).map((signal) => replay.apply(signal).plan.code);
    };
    expect(codesWith(maxDrawdownPercent)).toEqual([null, null, 'NOT_ACTIVE']);
    expect(codesWith(new BigDecimal(maxDrawdownPercent).times('1.1').toString())).toEqual([null, null, null]);
  });
});
