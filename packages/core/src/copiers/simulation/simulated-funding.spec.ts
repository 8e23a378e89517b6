import { BigDecimal } from '../../values/index.js';
import { PAIR, TERMS } from '../planning/testing/plan-inputs.js';
import { FundingFeed, type PastFunding } from './funding-feed.js';
import { Replay } from './replay.js';
import type { ReplaySignal } from './replay.types.js';
import { SimulatedMargin } from './simulated-margin.js';
import { SimulatedPortfolio } from './simulated-portfolio.js';

const START = Date.parse('2026-03-01T00:00:00.000Z');
const at = (hours: number) => new Date(START + hours * 3_600_000);
const funding = (hours: number, rate = '0.01', markPrice: string | null = '100'): PastFunding => ({
  at: at(hours),
  rate,
  markPrice,
});

function signal(sequence: number, hours: number, more: Partial<ReplaySignal> = {}): ReplaySignal {
  return {
    id: `signal ${sequence}`,
    sequence,
    kind: 'OPEN',
    side: 'BUY',
    symbol: 'BTC/USDT',
    lotTradeId: 'lot',
    lotFirstSequence: 1,
    lotOpenedAt: at(0),
    lotOrderAmount: '2',
    filledAmount: '2',
    cumulativeAmount: '2',
    lotAmountBefore: '0',
    exitAmount: '0',
    referencePrice: '100',
    leaderEquity: '1000',
    signalAt: at(hours),
    emittedAt: at(hours),
    sourceTradeId: 'source',
    sourceFillId: `fill ${sequence}`,
    ...more,
  };
}

const close = (sequence: number, hours: number, referencePrice: string) =>
  signal(sequence, hours, {
    kind: 'CLOSE',
    side: 'SELL',
    exitAmount: '2',
    lotAmountBefore: '2',
    referencePrice,
  });

/** Replays a lot on a perpetual with a maintenance margin of 5 %, and a starting equity that is chosen. */
function replayOf(fundings: readonly PastFunding[], equity = '1000'): Replay {
  return new Replay({
    copierId: 'copier',
    terms: TERMS,
    onBreach: 'CLOSE_ONLY',
    startingEquity: new Map([['USDT', equity]]),
    pairs: new Map([
      [
        'BTC/USDT',
        {
          rules: { ...PAIR, lastPrice: null, tradingType: 'perpetual' },
          feeRate: '0',
          mark: null,
          perpetual: { leverage: null, maintenanceRate: '0.05', isMaintenanceAssumed: true },
        },
      ],
    ]),
    funding: new Map([['BTC/USDT', fundings]]),
  });
}

/** Applies the entry and returns the held amount. */
function enter(replay: Replay): BigDecimal {
  const { plan } = replay.apply(signal(1, 1));
  expect(plan.order).not.toBeNull();
  return new BigDecimal(plan.order!.amount);
}

describe('the funding of a replay', () => {
  it('is paid at its times on what is held then, at the mark price', () => {
    const replay = replayOf([funding(0), funding(2), funding(3, '-0.02', '90'), funding(5)]);
    const held = enter(replay);
    replay.apply(close(2, 4, '100'));
    expect([...replay.fundingSteps(at(6))]).toHaveLength(1);
    const expected = held.times('-1').plus(held.times('1.8'));
    expect(replay.fundingIn('USDT')).toBe(expected.toString());
    expect(replay.resultIn('USDT').netPnl).toBe(expected.toString());
  });

  it('at the instant of a signal is paid on what was held before it', () => {
    const replay = replayOf([funding(1)]);
    enter(replay);
    expect(replay.fundingIn('USDT')).toBe('0');
  });

  it('without a mark price is paid at the price of the last signal', () => {
    const replay = replayOf([funding(2, '0.01', null)]);
    const held = enter(replay);
    expect([...replay.fundingSteps(at(2))]).toHaveLength(1);
    expect(replay.fundingIn('USDT')).toBe(held.times('-1').toString());
  });
});

describe('the margin of a replay', () => {
  it('is the lowest at any signal or funding, and nothing is liquidated', () => {
    const replay = replayOf([funding(2, '9.5')]);
    const held = enter(replay);
    replay.apply(close(2, 4, '110'));
    const lowest = new BigDecimal(1000).minus(held.times(950)).div(held.times(5));
    expect(replay.marginIn('USDT')).toEqual({
      lowestRatio: lowest.toDecimalPlaces(8).toString(),
      liquidatedAt: null,
    });
    expect(replay.resultIn('USDT').netPnl).toBe(held.times(-940).toString());
  });

  it('is judged at the mark price of a payment', () => {
    const replay = replayOf([funding(2, '0', '200')]);
    const held = enter(replay);
    [...replay.fundingSteps(at(2))];
    const lowest = new BigDecimal(1000).plus(held.times(100)).div(held.times(10));
    expect(replay.marginIn('USDT').lowestRatio).toBe(lowest.toDecimalPlaces(8).toString());
  });

  it('below 1 reports when the account would have been liquidated first', () => {
    const replay = replayOf([funding(2, '9.99'), funding(3, '0')]);
    enter(replay);
    [...replay.fundingSteps(at(3))];
    expect(replay.marginIn('USDT').liquidatedAt).toEqual(at(2));
  });

  it('does not exist without a position', () => {
    const margin = new SimulatedMargin(new SimulatedPortfolio(), new Map());
    margin.record('USDT', at(0), new BigDecimal(1));
    expect(margin.in('USDT')).toEqual({ lowestRatio: null, liquidatedAt: null });
    expect(replayOf([]).marginIn('USDT').lowestRatio).toBeNull();
  });
});

it('a feed merges the funding of several perpetuals in the order of time, once', () => {
  const feed = new FundingFeed(
    new Map([
      ['A', [funding(1), funding(3)]],
      ['B', [funding(2), funding(3), funding(9)]],
    ]),
  );
  const read = (hours: number) =>
    [...feed.dueUntil(at(hours))].map(({ symbol, at: time }) => [
      symbol,
      (time.getTime() - START) / 3_600_000,
    ]);
  expect(read(2)).toEqual([
    ['A', 1],
    ['B', 2],
  ]);
  expect(read(3)).toEqual([
    ['A', 3],
    ['B', 3],
  ]);
  expect(read(3)).toEqual([]);
});
