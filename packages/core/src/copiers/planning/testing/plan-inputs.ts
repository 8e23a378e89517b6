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

/** What a test says of an input; the rest is that of a copier at half size, with a rich account and loose rules. */
export interface PlanOverrides {
  readonly signal?: Partial<PlannedSignal>;
  readonly terms?: Partial<CopyTerms>;
  readonly copier?: Partial<CopierState>;
  readonly lot?: Partial<CopiedLotState> | null;
  readonly account?: Partial<CopyAccount>;
  readonly pair?: Partial<CopyPair> | null;
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
};

const LOT: CopiedLotState = {
  ratio: { numerator: '1', denominator: '2' },
  terms: TERMS,
  sentAmount: '1',
  sentQuote: '100.5',
  forgoneAmount: '0',
  seenAmount: '2',
  owedAmount: '0',
  heldAmount: '1',
};

/** An entry of 2 at 100 that opens the leader's lot in full, unless it is said to be otherwise. */
export function entryInput(said: PlanOverrides = {}): CopyInput {
  const terms = { ...TERMS, ...said.terms };
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
      ...said.signal,
    },
    copier: {
      id: 'copier',
      status: 'ACTIVE',
      terms,
      startedAt: new Date(NOW.getTime() - 3_600_000),
      startedSequence: 10,
      lot: said.lot ? { ...LOT, terms, ...said.lot } : null,
      dayLossQuote: '0',
      drawdownPercent: null,
      openLotCount: 0,
      openQuote: '0',
      ...said.copier,
    },
    account: {
      isActive: true,
      freeBase: '1000',
      freeQuote: '1000000',
      equity: '500',
      pair: said.pair === null ? null : { ...PAIR, ...said.pair },
      ...said.account,
    },
    now: NOW,
  };
}

/** An exit of a fifth of the leader's lot of 2, unless it is said to be otherwise; the copier holds 1. */
export function exitInput(said: PlanOverrides = {}): CopyInput {
  return entryInput({
    lot: {},
    ...said,
    signal: {
      kind: 'REDUCE',
      side: 'SELL',
      sequence: 12,
      lotAmountBefore: '2',
      exitAmount: '0.4',
      ...said.signal,
    },
  });
}

/** The copier's lot after a plan, where all that was sent was filled at once and without fees. */
export function lotAfter(plan: CopyPlan, heldBefore = '0'): CopiedLotState | null {
  if (plan.lot === null) return null;
  const sent = Number(plan.order?.amount ?? 0) * (plan.order?.type === 'MARKET' ? -1 : 1);
  return { ...plan.lot, heldAmount: String(Number((Number(heldBefore) + sent).toFixed(9))) };
}
