import type {
  CopiedLotState,
  CopierState,
  CopyAccount,
  CopyInput,
  CopyPair,
  CopyPlan,
  CopyTerms,
  PlannedSignal,
} from '../plan.types.js';

export const NOW = new Date('2026-03-01T12:00:00.000Z');

/** The fields that a test overrides. By default a copier copies at half size, with a large balance and loose rules. */
export interface PlanOverrides {
  readonly signal?: Partial<PlannedSignal>;
  readonly terms?: Partial<CopyTerms>;
  readonly copier?: Partial<CopierState>;
  readonly lot?: Partial<CopiedLotState> | null;
  readonly account?: Partial<CopyAccount>;
  readonly pair?: Partial<CopyPair> | null;
  /** Default: the reference price. */
  readonly bookMid?: CopyInput['bookMid'];
}

export const TERMS: CopyTerms = {
  sizing: { mode: 'MULTIPLIER', value: '0.5', capital: null },
  belowMinimum: 'ACCUMULATE',
  maxTradeQuote: null,
  maxOpenQuote: null,
  maxOpenTrades: null,
  maxDailyLossQuote: null,
  maxDrawdownPercent: null,
  maxSlippageBps: null,
  maxSignalAgeMs: 60_000,
  allowedPairs: null,
  blockedPairs: null,
  allowedSides: null,
};

export const PAIR: CopyPair = {
  priceTick: '0.01',
  amountStep: '0.001',
  marketAmountStep: null,
  minAmount: '0.001',
  maxAmount: null,
  minNotional: '5',
  maxNotional: null,
  lastPrice: '100',
  takerFee: '0.001',
};

const LOT: CopiedLotState = {
  ratio: { numerator: '1', denominator: '2' },
  maskedRatio: '0.5',
  terms: TERMS,
  sentAmount: '1',
  sentQuote: '100.5',
  forgoneAmount: '0',
  maskedForgone: null,
  seenAmount: '2',
  owedAmount: '0',
  heldAmount: '1',
};

/** Returns the input of an entry. By default the leader opens its whole lot with a fill of 2 at 100. */
export function entryInput(overrides: PlanOverrides = {}): CopyInput {
  const terms = { ...TERMS, ...overrides.terms };
  return {
    signal: {
      id: 'signal',
      sequence: 11,
      kind: 'OPEN',
      symbol: 'BTC/USDT',
      side: 'BUY',
      lotTradeId: 'lot',
      lotFirstSequence: 11,
      lotOpenedAt: NOW,
      signalAt: NOW,
      cumulativeAmount: '2',
      filledAmount: '2',
      leaderOrderAmount: '2',
      lotAmountBefore: '0',
      exitAmount: '0',
      referencePrice: '100',
      leaderEquity: '1000',
      ...overrides.signal,
    },
    copier: {
      id: 'copier',
      status: 'ACTIVE',
      masksAmounts: false,
      maskedPendingAmount: '0',
      terms,
      startedAt: new Date(NOW.getTime() - 3_600_000),
      startedSequence: 10,
      lot: overrides.lot ? { ...LOT, terms, ...overrides.lot } : null,
      dayLossQuote: '0',
      drawdownPercent: null,
      openLotCount: 0,
      openQuote: '0',
      ...overrides.copier,
    },
    account: {
      isActive: true,
      freeBase: '1000',
      freeQuote: '1000000',
      equity: '500',
      pair: overrides.pair === null ? null : { ...PAIR, ...overrides.pair },
      ...overrides.account,
    },
    bookMid:
      overrides.bookMid === undefined ? (overrides.signal?.referencePrice ?? '100') : overrides.bookMid,
    now: NOW,
  };
}

/** Returns the input of an exit. By default the leader sells a fifth of its lot of 2, and the copier holds 1. */
export function exitInput(overrides: PlanOverrides = {}): CopyInput {
  return entryInput({
    lot: {},
    ...overrides,
    signal: {
      kind: 'REDUCE',
      side: 'SELL',
      sequence: 12,
      lotAmountBefore: '2',
      exitAmount: '0.4',
      ...overrides.signal,
    },
  });
}

/** Returns the copier's lot after a plan, if the sent order is filled completely and without fees. */
export function lotAfter(plan: CopyPlan, heldBefore = '0'): CopiedLotState | null {
  if (plan.lot === null) return null;
  const sent = Number(plan.order?.amount ?? 0) * (plan.order?.type === 'MARKET' ? -1 : 1);
  return { ...plan.lot, heldAmount: String(Number((Number(heldBefore) + sent).toFixed(9))) };
}
