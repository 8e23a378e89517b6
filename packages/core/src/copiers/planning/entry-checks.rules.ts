/**
 * Checks whether an entry may be copied at all, in this order: status, watermark, credentials, pair, side, age, daily
 * loss, drawdown, number of open lots. The first rule that fails is the reason of the rejection.
 */
import type { DecisionCode } from '@trading-automation/contracts';
import { fractionOf, isLess } from './fraction.rules.js';
import type { CopyInput, CopyTerms } from './plan.types.js';

/** The rule that failed, the actual value and the limit. */
export interface EntryRejection {
  readonly code: DecisionCode;
  readonly rule: string;
  readonly value: string | number | null;
  readonly limit: string | number | null;
}

export function checkEntry(input: CopyInput, terms: CopyTerms): EntryRejection | null {
  return (
    checkStatus(input) ?? checkPair(input, terms) ?? checkAge(input, terms) ?? checkRiskLimits(input, terms)
  );
}

function checkStatus({ copier, signal, account }: CopyInput): EntryRejection | null {
  if (copier.status !== 'ACTIVE' || copier.startedAt === null) {
    return { code: 'NOT_ACTIVE', rule: 'status', value: copier.status, limit: 'ACTIVE' };
  }
  const { lotFirstSequence } = signal;
  if (lotFirstSequence <= copier.startedSequence && signal.copiesExisting !== true) {
    return { code: 'NOT_HELD', rule: 'watermark', value: lotFirstSequence, limit: copier.startedSequence };
  }
  if (!account.isActive) {
    return { code: 'CREDENTIALS', rule: 'credentials', value: 'REFUSED', limit: null };
  }
  return null;
}

function checkPair({ signal, account }: CopyInput, terms: CopyTerms): EntryRejection | null {
  const { symbol, side } = signal;
  if (terms.allowedPairs !== null && !terms.allowedPairs.includes(symbol)) {
    return { code: 'PAIR_BLOCKED', rule: 'allowed_pairs', value: symbol, limit: null };
  }
  if (terms.blockedPairs?.includes(symbol)) {
    return { code: 'PAIR_BLOCKED', rule: 'blocked_pairs', value: symbol, limit: null };
  }
  if (account.pair === null) {
    return { code: 'PAIR_UNAVAILABLE', rule: 'pair', value: symbol, limit: null };
  }
  if (terms.allowedSides !== null && !terms.allowedSides.includes(side)) {
    return { code: 'SIDE_BLOCKED', rule: 'allowed_sides', value: side, limit: terms.allowedSides.join(',') };
  }
  return null;
}

function checkAge({ signal, now }: CopyInput, { maxSignalAgeMs }: CopyTerms): EntryRejection | null {
  const ageMs = now.getTime() - signal.signalAt.getTime();
  if (ageMs <= maxSignalAgeMs) return null;
  return { code: 'STALE_SIGNAL', rule: 'max_signal_age_ms', value: ageMs, limit: maxSignalAgeMs };
}

function checkRiskLimits({ copier }: CopyInput, terms: CopyTerms): EntryRejection | null {
  const { maxDailyLossQuote, maxDrawdownPercent, maxOpenTrades } = terms;
  if (maxDailyLossQuote !== null && hasReached(copier.dayLossQuote, maxDailyLossQuote)) {
    const value = copier.dayLossQuote;
    return { code: 'DAILY_LOSS', rule: 'max_daily_loss_quote', value, limit: maxDailyLossQuote };
  }
  const value = copier.drawdownPercent;
  if (maxDrawdownPercent !== null && value !== null && hasReached(value, maxDrawdownPercent)) {
    return { code: 'DRAWDOWN', rule: 'max_drawdown_percent', value, limit: maxDrawdownPercent };
  }
  if (maxOpenTrades !== null && copier.openLotCount >= maxOpenTrades) {
    return { code: 'MAX_TRADES', rule: 'max_open_trades', value: copier.openLotCount, limit: maxOpenTrades };
  }
  return null;
}

const hasReached = (value: string, limit: string) => !isLess(fractionOf(value), fractionOf(limit));
