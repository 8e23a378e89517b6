import { coarseSignal } from '../planning/coarse-signal.rules.js';
import { PAIR, TERMS } from '../planning/testing/plan-inputs.js';
import { Replay } from './replay.js';
import type { ReplaySignal } from './replay.types.js';

const AT = new Date('2026-03-01T10:00:00.000Z');

/** The amounts of a leader who buys in two fills, sells a part, and sells the rest. */
interface LeaderAmounts {
  readonly equity: string;
  readonly order: string;
  readonly firstFill: string;
  readonly secondFill: string;
  readonly sold: string;
  readonly rest: string;
}

function signalsOf({ equity, order, firstFill, secondFill, sold, rest }: LeaderAmounts): ReplaySignal[] {
  const entries = [
    { kind: 'OPEN', side: 'BUY', filledAmount: firstFill, cumulativeAmount: firstFill, lotAmountBefore: '0' },
    {
      kind: 'INCREASE',
      side: 'BUY',
      filledAmount: secondFill,
      cumulativeAmount: order,
      lotAmountBefore: firstFill,
    },
  ] as const;
  const exits = [
    {
      kind: 'REDUCE',
      side: 'SELL',
      filledAmount: sold,
      cumulativeAmount: sold,
      lotAmountBefore: order,
      exitAmount: sold,
    },
    {
      kind: 'CLOSE',
      side: 'SELL',
      filledAmount: rest,
      cumulativeAmount: rest,
      lotAmountBefore: rest,
      exitAmount: rest,
    },
  ] as const;
  return [...entries.map((entry) => ({ ...entry, exitAmount: '0' })), ...exits].map((each, i) => ({
    id: `signal ${i}`,
    sequence: i + 1,
    symbol: 'BTC/USDT',
    lotTradeId: 'lot',
    lotFirstSequence: 1,
    lotOpenedAt: AT,
    lotOrderAmount: order,
    referencePrice: '100',
    leaderEquity: equity,
    signalAt: AT,
    emittedAt: AT,
    sourceTradeId: 'source',
    sourceFillId: `fill ${i}`,
    ...each,
  }));
}

const LEADER = {
  equity: '1234567.9',
  order: '0.73519',
  firstFill: '0.20111',
  secondFill: '0.53408',
  sold: '0.31111',
  rest: '0.42408',
};
/** Differs from LEADER only after the second digit of equity, amounts and the sold fraction. */
const OTHER = {
  equity: '1200000',
  order: '0.74',
  firstFill: '0.2',
  secondFill: '0.54',
  sold: '0.3108',
  rest: '0.4292',
};

const SIZINGS = [
  { mode: 'FIXED_AMOUNT', value: '1300', capital: null },
  { mode: 'FIXED_QUOTE', value: '987654.321', capital: null },
  { mode: 'EQUITY_RATIO', value: '1', capital: '1000000000' },
] as const;

const decisionsOn = (signals: readonly ReplaySignal[], sizing: (typeof SIZINGS)[number]) => {
  const replay = new Replay({
    copierId: 'copier',
    terms: { ...TERMS, sizing },
    onBreach: 'CLOSE_ONLY',
    startingEquity: new Map([['USDT', '1000000000']]),
    pairs: new Map([
      ['BTC/USDT', { rules: { ...PAIR, maxAmount: null, lastPrice: null }, feeRate: '0.001', mark: null }],
    ]),
  });
  return signals.map((signal) => replay.apply(signal).plan);
};

describe('a simulation of another user’s strategy', () => {
  it.each(SIZINGS)(
    'with $mode is the same for leaders whose equity and amounts agree in two digits',
    (sizing) => {
      const [seen, other] = [LEADER, OTHER].map((leader) =>
        decisionsOn(signalsOf(leader).map(coarseSignal), sizing),
      );
      expect(seen).toEqual(other);
      expect(seen!.filter(({ order }) => order !== null).length).toBe(4);
      // Exact signals distinguish the two leaders.
      expect(decisionsOn(signalsOf(LEADER), sizing)).not.toEqual(decisionsOn(signalsOf(OTHER), sizing));
    },
  );
});

describe('the signal that a simulation of another user’s strategy computes with', () => {
  it('sells the fraction that the signal shows, and everything at the end', () => {
    const [, , reduced, closed] = signalsOf(LEADER).map(coarseSignal);
    expect(reduced).toMatchObject({ exitAmount: '0.42', lotAmountBefore: '1' });
    expect(closed).toMatchObject({ exitAmount: '1', lotAmountBefore: '1' });
  });

  it('never sells everything before the end, and nothing of an empty lot', () => {
    const [, , reduced] = signalsOf({ ...LEADER, sold: '0.73518' }).map(coarseSignal);
    expect(reduced!.exitAmount).toBe('0.99');
    expect(coarseSignal({ ...reduced!, lotAmountBefore: '0' }).exitAmount).toBe('0');
  });

  it('keeps an unknown equity unknown', () => {
    expect(coarseSignal({ ...signalsOf(LEADER)[0]!, leaderEquity: null }).leaderEquity).toBeNull();
  });

  it('has fills that add up to the rounded total', () => {
    const [first, second] = signalsOf(LEADER).map(coarseSignal);
    expect([first!.filledAmount, second!.filledAmount, second!.cumulativeAmount]).toEqual([
      '0.2',
      '0.54',
      '0.74',
    ]);
  });
});
