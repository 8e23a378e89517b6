/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { TIMES_IN_FORCE, TRADE_STATUSES, type TradeStatus } from '@trading-automation/contracts';
import fc from 'fast-check';
import {
  isAbsentAfter,
  isTerminal,
  type OrderObservation,
  STAGES,
  type Stage,
  stageOf,
  sumFees,
  TRANSITIONS,
  TRIGGERS,
  type TradeState,
  type TradeTransition,
  transitionOn,
  transitionOnReport,
} from './trade.rules.js';

const ORDER_STATUSES = ['OPEN', 'FILLED', 'CANCELLED', 'EXPIRED', 'REJECTED'] as const;
const SCALE = 18;

/** Returns `units` × 10^-18 as an exact decimal string. */
function formatUnits(units: bigint): string {
  const digits = units.toString().padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -SCALE) : `${digits.slice(0, -SCALE)}.${fraction}`;
}
function parseUnits(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(SCALE, '0'));
}

const stateOf = (overrides: Partial<TradeState> = {}): TradeState => ({
  status: 'PENDING',
  amount: '1',
  isCapped: false,
  filledAmount: '0',
  timeInForce: 'GTC',
  isCancelRequested: false,
  isSubmitted: true,
  isAcknowledged: true,
  ...overrides,
});
const observationOf = (
  orderStatus: OrderObservation['orderStatus'],
  orderFilledAmount = '0',
  knownFilledAmount = orderFilledAmount,
): OrderObservation => ({ orderStatus, orderFilledAmount, knownFilledAmount });

describe('a transition', () => {
  const OPEN: readonly TradeStatus[] = ['PENDING', 'PARTIALLY_FILLED'];

  /** Returns the expected status and event for an order of 1; written independently of the rules. */
  function expected(
    from: TradeStatus,
    observation: OrderObservation,
  ): [TradeStatus, TradeTransition['event']] {
    if (!OPEN.includes(from)) return [from, null];
    const [known, reported] = [Number(observation.knownFilledAmount), Number(observation.orderFilledAmount)];
    const before = from === 'PENDING' ? 0 : 0.4;
    const filled = Math.max(before, known);
    const hasEnded = observation.orderStatus !== 'OPEN' && filled >= reported;
    if (filled >= 1 && filled >= reported) return ['FILLED', 'trade.filled'];
    if (hasEnded && observation.orderStatus === 'FILLED' && filled > 0) return ['FILLED', 'trade.filled'];
    if (hasEnded && observation.orderStatus === 'REJECTED' && filled === 0) return ['FAILED', 'trade.failed'];
    if (hasEnded && observation.orderStatus !== 'FILLED') return ['CANCELLED', 'trade.cancelled'];
    if (filled === 0) return ['PENDING', null];
    return ['PARTIALLY_FILLED', filled > before ? 'trade.partially_filled' : null];
  }

  const amounts = ['0', '0.4', '0.7', '1', '1.1'];
  const combinations = TRADE_STATUSES.flatMap((from) =>
    ORDER_STATUSES.flatMap((orderStatus) =>
      amounts.flatMap((reported) => amounts.map((known) => [from, orderStatus, reported, known] as const)),
    ),
  );

  it.each(TRADE_STATUSES)('from %s leads to the expected status and event for every report', (from) => {
    const filledAmount = from === 'PENDING' || from === 'FAILED' ? '0' : '0.4';
    for (const [, orderStatus, reported, known] of combinations.filter((each) => each[0] === from)) {
      const observation = observationOf(orderStatus, reported, known);
      const transition = transitionOnReport(stateOf({ status: from, filledAmount }), observation);
      const [status, event] = expected(from, observation);
      expect({ observation, status: transition.status, event: transition.event }).toEqual({
        observation,
        status,
        event,
      });
      expect(transition.filledAmount).toBe(Number(known) > Number(filledAmount) ? known : filledAmount);
      expect(transition.cancelReason !== null).toBe(status === 'CANCELLED' && from !== 'CANCELLED');
    }
  });

  it.each([
    ['the user requested it', { isCancelRequested: true, timeInForce: 'IOC' }, 'EXPIRED', 'USER'],
    ['an IOC was ended by the exchange', { timeInForce: 'IOC' }, 'CANCELLED', 'IOC_REMAINDER'],
    ['a FOK expired', { timeInForce: 'FOK' }, 'EXPIRED', 'FOK_UNFILLED'],
    ['another order expired', { timeInForce: 'GTC' }, 'EXPIRED', 'EXPIRED'],
    ['a POST_ONLY expired', { timeInForce: 'POST_ONLY' }, 'EXPIRED', 'EXPIRED'],
    ['the exchange cancelled', {}, 'CANCELLED', 'EXCHANGE'],
  ] as const)('has the reason of the cancellation: %s', (_case, state, orderStatus, reason) => {
    expect(transitionOnReport(stateOf(state), observationOf(orderStatus)).cancelReason).toBe(reason);
  });

  it('leads to FILLED with less than the amount if the exchange reports the order as FILLED', () => {
    expect(transitionOnReport(stateOf(), observationOf('FILLED', '0.999'))).toMatchObject({
      status: 'FILLED',
      filledAmount: '0.999',
    });
  });

  it('leads to CANCELLED with RISK if a capped order is filled, and keeps the reason of other ends', () => {
    const state = stateOf({ isCapped: true });
    expect(transitionOnReport(state, observationOf('FILLED', '1'))).toMatchObject({
      status: 'CANCELLED',
      filledAmount: '1',
      cancelReason: 'RISK',
      event: 'trade.cancelled',
    });
    expect(transitionOnReport(state, observationOf('OPEN', '0.4'))).toMatchObject({
      status: 'PARTIALLY_FILLED',
    });
    expect(transitionOnReport(state, observationOf('CANCELLED', '0.4'))).toMatchObject({
      status: 'CANCELLED',
      cancelReason: 'EXCHANGE',
    });
    const ended = stateOf({ isCapped: true, status: 'CANCELLED', filledAmount: '1' });
    expect(transitionOnReport(ended, observationOf('FILLED', '1'))).toMatchObject({
      status: 'CANCELLED',
      event: null,
    });
  });
});

/** Amounts from tiny to huge, in units of 10^-18. */
const units = (max: bigint) => fc.bigInt({ min: 0n, max });
const AMOUNT_MAX = 10n ** 38n - 1n;

const anyState = fc
  .record({
    status: fc.constantFrom(...TRADE_STATUSES),
    amount: fc.bigInt({ min: 1n, max: AMOUNT_MAX }),
    filled: units(AMOUNT_MAX),
    timeInForce: fc.constantFrom(...TIMES_IN_FORCE),
    isCapped: fc.boolean(),
    isCancelRequested: fc.boolean(),
    isSubmitted: fc.boolean(),
    isAcknowledged: fc.boolean(),
  })
  .map(({ amount, filled, ...rest }): TradeState => {
    const isUnfilled = rest.status === 'PENDING' || rest.status === 'FAILED';
    const isFilled = rest.status === 'PARTIALLY_FILLED' || rest.status === 'FILLED';
    const filledUnits = isUnfilled ? 0n : isFilled && filled === 0n ? 1n : filled;
    return { ...rest, amount: formatUnits(amount), filledAmount: formatUnits(filledUnits) };
  });
const anyObservation = fc
  .record({
    orderStatus: fc.constantFrom(...ORDER_STATUSES),
    reported: units(AMOUNT_MAX),
    known: units(AMOUNT_MAX),
  })
  .map(({ orderStatus, reported, known }) =>
    observationOf(orderStatus, formatUnits(reported), formatUnits(known)),
  );

describe('any report of an order', () => {
  const assertHolds = (
    property: (state: TradeState, observation: OrderObservation, transition: TradeTransition) => void,
  ) =>
    fc.assert(
      fc.property(anyState, anyObservation, (state, observation) =>
        property(state, observation, transitionOnReport(state, observation)),
      ),
      { numRuns: 1_000 },
    );

  it('never decreases the filled amount, which is the sum of the known fills', () =>
    assertHolds((state, observation, { filledAmount }) => {
      const before = parseUnits(state.filledAmount);
      const known = parseUnits(observation.knownFilledAmount);
      expect(parseUnits(filledAmount)).toBeGreaterThanOrEqual(before);
      expect(parseUnits(filledAmount)).toBeGreaterThanOrEqual(known);
      expect([before, known]).toContain(parseUnits(filledAmount));
    }));

  it('never leaves a final stage', () =>
    assertHolds((state, _seen, { status, event }) => {
      if (isTerminal(state.status)) expect({ status, event }).toEqual({ status: state.status, event: null });
    }));

  it('ends the trade only when the known fills add up to the filled amount in the report', () =>
    assertHolds((state, observation, { status, filledAmount }) => {
      if (isTerminal(state.status) || !isTerminal(status)) return;
      expect(parseUnits(filledAmount)).toBeGreaterThanOrEqual(parseUnits(observation.orderFilledAmount));
    }));

  it('leads to FAILED only if the filled amount is zero, and to PARTIALLY_FILLED only if it is not', () =>
    assertHolds((state, _seen, { status, filledAmount }) => {
      if (isTerminal(state.status)) return;
      if (status === 'FAILED' || status === 'PENDING') expect(filledAmount).toBe('0');
      if (status === 'PARTIALLY_FILLED' || status === 'FILLED') expect(filledAmount).not.toBe('0');
    }));

  it('changes nothing and emits no event if it is repeated', () =>
    assertHolds((state, observation, first) => {
      const { status, filledAmount } = first;
      const again = transitionOnReport({ ...state, status, filledAmount }, observation);
      expect(again).toMatchObject({ status, filledAmount, event: null });
    }));
});

describe('the same reports in any order, some of them repeated', () => {
  interface History {
    readonly amount: bigint;
    readonly fills: readonly bigint[];
    readonly end: 'FILLED' | 'CANCELLED' | 'EXPIRED' | 'REJECTED';
  }
  const histories: fc.Arbitrary<History> = fc
    .record({
      fills: fc.array(fc.bigInt({ min: 1n, max: 10n ** 30n }), { maxLength: 6 }),
      rest: units(10n ** 30n),
      end: fc.constantFrom('CANCELLED', 'EXPIRED', 'REJECTED'),
    })
    .map(({ fills, rest, end }) => {
      const filled = fills.reduce((sum, fill) => sum + fill, 0n);
      const isWhole = rest === 0n && filled > 0n;
      const amount = isWhole ? filled : filled + rest + 1n;
      const isRejected = end === 'REJECTED' && filled > 0n;
      return { amount, fills, end: isWhole ? 'FILLED' : isRejected ? 'CANCELLED' : end };
    });

  /** A report of the order after its first `progress` fills; the last `lag` of these fills are not listed yet. */
  interface Report {
    readonly progress: number;
    readonly lag: number;
  }
  const reportsOf = ({ fills }: History): fc.Arbitrary<Report[]> =>
    fc.array(fc.record({ progress: fc.nat(fills.length), lag: fc.nat(fills.length) }), { maxLength: 12 });

  function run({ amount, fills, end }: History, reports: readonly Report[]): TradeState {
    let state = stateOf({ amount: formatUnits(amount) });
    const known = new Set<number>();
    for (const { progress, lag } of reports) {
      for (let i = 0; i < progress - lag; i++) known.add(i);
      const reported = fills.slice(0, progress).reduce((sum, fill) => sum + fill, 0n);
      const sum = [...known].reduce((total, i) => total + fills[i]!, 0n);
      const isLast = progress === fills.length;
      const observation = observationOf(isLast ? end : 'OPEN', formatUnits(reported), formatUnits(sum));
      const { status, filledAmount } = transitionOnReport(state, observation);
      state = { ...state, status, filledAmount };
    }
    return state;
  }

  it('lead to the same final state', () => {
    fc.assert(
      fc.property(
        histories.chain((history) => fc.tuple(fc.constant(history), reportsOf(history))),
        ([history, reports]) => {
          // Reports continue until the trade has ended, so the last report includes all fills.
          const final: Report = { progress: history.fills.length, lag: 0 };
          const direct = run(history, [final]);
          const status = {
            FILLED: 'FILLED',
            CANCELLED: 'CANCELLED',
            EXPIRED: 'CANCELLED',
            REJECTED: 'FAILED',
          } as const;
          const filled = history.fills.reduce((sum, fill) => sum + fill, 0n);
          expect(direct).toMatchObject({ status: status[history.end], filledAmount: formatUnits(filled) });
          expect(run(history, [...reports, final])).toEqual(direct);
          expect(run(history, [...reports, ...reports, final, ...reports.toReversed(), final])).toEqual(
            direct,
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the transition table', () => {
  const FINAL = ['FILLED', 'CANCELLED', 'FAILED'] as const;
  const ACCEPTED = ['RESTING', 'PARTIALLY_FILLED'] as const;
  const from = (stage: Stage) => TRIGGERS.map((trigger) => [trigger, TRANSITIONS[stage][trigger]] as const);

  it('has a next stage for every trigger in every stage', () => {
    for (const stage of STAGES) {
      expect(Object.keys(TRANSITIONS[stage]).sort()).toEqual([...TRIGGERS].sort());
      for (const [, next] of from(stage)) expect(STAGES).toContain(next);
    }
  });

  it.each(FINAL)('rule 21: never leaves %s for any trigger', (stage) => {
    for (const [, next] of from(stage)) expect(next).toBe(stage);
  });

  it.each(ACCEPTED)(
    'rule 20: never resubmits an order that was %s, and never lets it fail because of a missing response',
    (stage) => {
      for (const [trigger, next] of from(stage)) {
        expect(['UNSENT', 'SENT']).not.toContain(next);
        if (next === 'FAILED') expect([stage, trigger]).toEqual(['RESTING', 'REPORTED_REJECTED']);
      }
    },
  );

  it('never loses a fill: PARTIALLY_FILLED leads only to itself, FILLED or CANCELLED', () => {
    const reached = new Set(from('PARTIALLY_FILLED').map(([, next]) => next));
    expect([...reached].sort()).toEqual(['CANCELLED', 'FILLED', 'PARTIALLY_FILLED']);
  });

  it('rule 20: returns a trade to UNSENT only if its submission had no effect or its order is confirmed absent', () => {
    const back = from('SENT').filter(([, next]) => next === 'UNSENT');
    expect(back.map(([trigger]) => trigger).sort()).toEqual(['ABSENT_RESUBMITTABLE', 'REJECTED_RETRYABLE']);
    expect(
      from('SENT')
        .filter(([, next]) => next === 'FAILED')
        .map(([trigger]) => trigger)
        .sort(),
    ).toEqual(['ABSENT', 'REJECTED', 'REPORTED_REJECTED']);
  });

  it('moves a trade to SENT when its submission is claimed, but only from UNSENT', () => {
    for (const stage of STAGES) {
      const next = TRANSITIONS[stage].SUBMISSION_CLAIMED;
      expect(next).toBe(stage === 'UNSENT' ? 'SENT' : stage);
    }
  });

  it('distinguishes the seven stages of a trade', () => {
    const notSent = { isSubmitted: false, isAcknowledged: false };
    expect(stageOf(stateOf(notSent))).toBe('UNSENT');
    expect(stageOf(stateOf({ isAcknowledged: false }))).toBe('SENT');
    expect(stageOf(stateOf({ ...notSent, isAcknowledged: true }))).toBe('RESTING');
    for (const status of ['PARTIALLY_FILLED', ...FINAL] as const)
      expect(stageOf(stateOf({ ...notSent, status }))).toBe(status);
  });

  it('emits one event when a trade ends, and no event for a claimed submission', () => {
    const unsent = stateOf({ isSubmitted: false, isAcknowledged: false });
    expect(transitionOn(unsent, 'SUBMISSION_CLAIMED')).toMatchObject({ stage: 'SENT', event: null });
    expect(transitionOn(unsent, 'CANCEL_REQUESTED')).toMatchObject({
      event: 'trade.cancelled',
      cancelReason: 'USER',
    });
    expect(transitionOn(unsent, 'EXPIRED')).toMatchObject({
      event: 'trade.cancelled',
      cancelReason: 'EXPIRED',
    });
    expect(transitionOn(unsent, 'UNSENDABLE')).toMatchObject({ event: 'trade.failed', cancelReason: null });
    expect(transitionOn(stateOf({ status: 'CANCELLED' }), 'CANCEL_REQUESTED')).toMatchObject({ event: null });
  });
});

describe('an order that the exchange does not know', () => {
  it('counts as absent only after six consecutive probes', () => {
    for (const probes of [0, 1, 4, 5]) expect(isAbsentAfter(probes)).toBe(false);
    for (const probes of [6, 7]) expect(isAbsentAfter(probes)).toBe(true);
  });

  it.each([
    ['is FAILED without an acknowledgement', { isAcknowledged: false }, 'FAILED', null],
    ['is CANCELLED if it was accepted before', {}, 'CANCELLED', 'EXCHANGE'],
    [
      'is CANCELLED if it was partly filled',
      { status: 'PARTIALLY_FILLED', filledAmount: '0.5' },
      'CANCELLED',
      'EXCHANGE',
    ],
    [
      'is CANCELLED by the user if it was accepted and its cancellation was requested',
      { isCancelRequested: true },
      'CANCELLED',
      'USER',
    ],
  ] as const)('rule 20: %s, once it counts as absent', (_case, overrides, status, cancelReason) => {
    const state = stateOf(overrides);
    const transition = transitionOn(state, 'ABSENT');
    const event = status === 'FAILED' ? 'trade.failed' : 'trade.cancelled';
    expect(transition).toMatchObject({ status, cancelReason, event, filledAmount: state.filledAmount });
  });
});

describe('fees', () => {
  const feeLists = fc.array(
    fc.record({
      amount: fc.bigInt({ min: 0n, max: 10n ** 38n - 1n }),
      currency: fc.constantFrom('BTC', 'USDT', 'BNB'),
    }),
    { maxLength: 40 },
  );

  it('are summed exactly by currency, the currency of the most fills first, in any order of input', () => {
    fc.assert(
      fc.property(feeLists, (fees) => {
        const feeParts = fees.map(({ amount, currency }) => ({
          amount: formatUnits(amount),
          currency,
          count: 1,
        }));
        const sums = sumFees(feeParts);
        expect(sumFees(feeParts.toReversed())).toEqual(sums);
        expect(new Set(sums.map(({ currency }) => currency))).toEqual(
          new Set(fees.map(({ currency }) => currency)),
        );
        for (const { amount, currency } of sums) {
          const exact = fees
            .filter((fee) => fee.currency === currency)
            .reduce((sum, fee) => sum + fee.amount, 0n);
          expect(amount).toBe(formatUnits(exact));
        }
        const counts = sums.map(({ currency }) => fees.filter((fee) => fee.currency === currency).length);
        expect(counts).toEqual(counts.toSorted((a, b) => b - a));
      }),
    );
  });

  it('may be rebates', () => {
    const rebates = [
      { amount: '0.3', currency: 'USDT', count: 1 },
      { amount: '-0.1', currency: 'USDT', count: 1 },
      { amount: '-0.2', currency: 'USDT', count: 1 },
    ];
    expect(sumFees(rebates)).toEqual([{ amount: '0', currency: 'USDT' }]);
  });
});
