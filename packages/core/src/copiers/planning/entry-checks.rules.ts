/**
 * Checks whether an entry may be copied at all, in this order: status, watermark, credentials, pair, side, age, market
 * price, known equity for `max_leverage`, daily loss, drawdown, number of open lots. The first rule that fails is the reason
 * of the rejection. The margin ratio is checked after the limits on the amount: entry-plan.rules.ts.
 */
import type { Decimal, DecisionCode } from '@trading-automation/contracts';
import { ceilTo, dividedBy, fractionOf, isLess, minus, times } from './fraction.rules.js';
import type { CopyInput, CopyTerms } from './plan.types.js';
import { DEFAULT_SLIPPAGE_BPS } from './sizing.rules.js';

/** The rule that failed, the actual value and the limit. */
export interface EntryRejection {
  readonly code: DecisionCode;
  readonly rule: string;
  readonly value: string | number | null;
  readonly limit: string | number | null;
  /** The middle of the order book with which the reference price was compared. */
  readonly book_mid?: Decimal | null;
}

export function checkEntry(input: CopyInput, terms: CopyTerms): EntryRejection | null {
  return (
    checkStatus(input) ??
    checkPair(input, terms) ??
    checkAge(input, terms) ??
    checkMarketPrice(input, terms) ??
    checkEquity(input, terms) ??
    checkRiskLimits(input, terms)
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
  // A short on margin is borrowed base, and a copy never borrows.
  if (account.pair.tradingType === 'margin' && side === 'SELL') {
    return { code: 'SIDE_BLOCKED', rule: 'no_borrowing', value: side, limit: 'BUY' };
  }
  return null;
}

function checkAge({ signal, now }: CopyInput, { maxSignalAgeMs }: CopyTerms): EntryRejection | null {
  const ageMs = now.getTime() - signal.signalAt.getTime();
  if (ageMs <= maxSignalAgeMs) return null;
  return { code: 'STALE_SIGNAL', rule: 'max_signal_age_ms', value: ageMs, limit: maxSignalAgeMs };
}

/**
 * Rejects an entry whose reference price differs from the market by more than the slippage bound. Otherwise a leader
 * could fill an order against itself, far from the market, and copiers would pay that price. Without a recent order
 * book the entry is rejected, too: the last price may be the leader's own fill.
 */
function checkMarketPrice(
  { signal, bookMid }: CopyInput,
  { maxSlippageBps }: CopyTerms,
): EntryRejection | null {
  if (bookMid === 'PAST') return null;
  const limit = maxSlippageBps ?? DEFAULT_SLIPPAGE_BPS;
  if (bookMid === null) {
    return { code: 'OFF_MARKET', rule: 'order_book', value: null, limit, book_mid: null };
  }
  const [mid, reference] = [fractionOf(bookMid), fractionOf(signal.referencePrice)];
  const difference = isLess(mid, reference) ? minus(reference, mid) : minus(mid, reference);
  const bps = dividedBy(times(difference, { numerator: 10_000n, denominator: 1n }), mid);
  if (!isLess(fractionOf(String(limit)), bps)) return null;
  const value = ceilTo(bps, '0.0001');
  return { code: 'OFF_MARKET', rule: 'max_slippage_bps', value, limit, book_mid: bookMid };
}

/** The margin ratio below which a copier without `min_margin_ratio` copies no entries. */
const DEFAULT_MARGIN_RATIO = '1.5';

/** Returns a rejection if the account's margin ratio is too low for an entry. */
export function checkMarginRatio({ account }: CopyInput, terms: CopyTerms): EntryRejection | null {
  const limit = terms.minMarginRatio ?? DEFAULT_MARGIN_RATIO;
  const value = account.perpetual?.marginRatio ?? null;
  if (value === null || !isLess(fractionOf(value), fractionOf(limit))) return null;
  return { code: 'MARGIN_RATIO', rule: 'min_margin_ratio', value, limit };
}

function checkEquity({ account: { perpetual, equity } }: CopyInput, terms: CopyTerms): EntryRejection | null {
  if (perpetual === undefined || terms.maxLeverage == null || equity !== null) return null;
  return { code: 'STALE_EQUITY', rule: 'max_leverage', value: null, limit: terms.maxLeverage };
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
