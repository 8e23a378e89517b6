/**
 * Decides how a report of an exchange changes the stored positions of an account, which events follow, and when a margin
 * call is due.
 */
import type { Decimal, EventType, MarginMode, PositionSide } from '@trading-automation/contracts';
import { BigDecimal, divideDecimals } from '../values/index.js';

/** Below this ratio of margin balance to maintenance margin, a margin call is due. */
const MARGIN_CALL_BELOW = '1.25';
/** From this ratio on, a later margin call is a new one. */
const MARGIN_CALL_ENDS_AT = '1.5';
const RATIO_DECIMALS = 8;

/** The side and amount of a position. The side of a market that never had a position is null. */
interface Held {
  readonly side: PositionSide | null;
  readonly amount: Decimal;
}

/** A stored position, as far as a report can change it. */
export interface StoredPosition extends Held {
  readonly symbol: string;
  readonly entryPrice: Decimal | null;
  readonly markPrice: Decimal | null;
  readonly liquidationPrice: Decimal | null;
  readonly unrealizedPnl: Decimal | null;
  readonly maintenanceMargin: Decimal | null;
  readonly isolatedMargin: Decimal | null;
  readonly leverage: Decimal | null;
  readonly marginMode: MarginMode | null;
  readonly isSupported: boolean;
  /** The exchange's time of the last report; null if only settings are known. */
  readonly reportedAt: Date | null;
}

/** A position in a report of an exchange. */
export interface ReportedPosition {
  readonly symbol: string;
  readonly side: PositionSide;
  readonly amount: Decimal;
  readonly entryPrice?: Decimal | undefined;
  readonly markPrice?: Decimal | undefined;
  readonly liquidationPrice?: Decimal | undefined;
  readonly unrealizedPnl?: Decimal | undefined;
  readonly maintenanceMargin?: Decimal | undefined;
  readonly isolatedMargin?: Decimal | undefined;
  readonly leverage?: Decimal | undefined;
  readonly marginMode: MarginMode;
  readonly isSupported: boolean;
}

export interface Report {
  readonly positions: readonly ReportedPosition[];
  /** The exchange's time of the report. A complete report may lack changes of the same millisecond. */
  readonly at: Date;
  /** Whether the report lists every position of the account. */
  readonly isComplete: boolean;
}

type PositionEvent = Extract<EventType, 'position.opened' | 'position.changed' | 'position.closed'>;

/** A new state of a position, and the event that reports it, if its amount changed. */
export interface PositionStep {
  readonly position: StoredPosition;
  readonly event: PositionEvent | null;
}

/**
 * Returns the states that each position of the report takes in turn. A position that changes its side is closed first and
 * then opened. The report with the later time of the exchange wins. Positions that a complete report lacks are closed.
 */
export function stepsOf(stored: readonly StoredPosition[], report: Report): readonly PositionStep[] {
  const bySymbol = new Map(stored.map((position) => [position.symbol, position]));
  const reported = largestBySymbol(report.positions);
  const steps: PositionStep[] = [];
  for (const [symbol, next] of reported) {
    const before = bySymbol.get(symbol);
    if (before === undefined || isNewer(before, report)) steps.push(...stepsTo(before, next, report));
  }
  if (!report.isComplete) return steps;
  for (const before of stored) {
    if (reported.has(before.symbol) || isZero(before.amount) || !isNewer(before, report)) continue;
    steps.push({ position: closed(before, before.markPrice, report.at), event: 'position.closed' });
  }
  return steps;
}

/** An account in hedge mode has two positions of one market. The product shows the larger one, and touches neither. */
function largestBySymbol(positions: readonly ReportedPosition[]): ReadonlyMap<string, ReportedPosition> {
  const largest = new Map<string, ReportedPosition>();
  for (const position of positions) {
    const other = largest.get(position.symbol);
    if (other === undefined || new BigDecimal(other.amount).lt(position.amount))
      largest.set(position.symbol, position);
  }
  return largest;
}

/** A stream's reports of one millisecond arrive in order; a complete report of that millisecond may lack them. */
function isNewer({ reportedAt }: StoredPosition, { at, isComplete }: Report): boolean {
  return reportedAt === null || reportedAt < at || (!isComplete && reportedAt.getTime() === at.getTime());
}

function stepsTo(
  before: StoredPosition | undefined,
  next: ReportedPosition,
  { at, isComplete }: Report,
): readonly PositionStep[] {
  const wasFlat = before === undefined || isZero(before.amount);
  if (isZero(next.amount)) {
    if (before === undefined) return [];
    const position = closed(before, next.markPrice ?? before.markPrice, at);
    return [{ position, event: wasFlat ? null : 'position.closed' }];
  }
  // The mark price of an earlier position may be old.
  if (wasFlat)
    return [
      { position: opened(before && { ...before, markPrice: null }, next, at), event: 'position.opened' },
    ];
  if (before.side !== next.side)
    return [
      { position: closed(before, next.markPrice ?? before.markPrice, at), event: 'position.closed' },
      { position: opened(before, next, at), event: 'position.opened' },
    ];
  const isChanged = !new BigDecimal(before.amount).eq(next.amount);
  // A stream may report the amount alone. What it implies for the margin is then unknown until the next complete report.
  const keepsMargin = !isComplete && !isChanged;
  const position = {
    ...opened(before, next, at),
    entryPrice: next.entryPrice ?? before.entryPrice,
    ...(keepsMargin ? marginOf(before, next) : {}),
  };
  return [{ position, event: isChanged ? 'position.changed' : null }];
}

function opened(before: StoredPosition | undefined, next: ReportedPosition, at: Date): StoredPosition {
  return {
    symbol: next.symbol,
    side: next.side,
    amount: next.amount,
    entryPrice: next.entryPrice ?? null,
    markPrice: next.markPrice ?? before?.markPrice ?? null,
    liquidationPrice: next.liquidationPrice ?? null,
    unrealizedPnl: next.unrealizedPnl ?? null,
    maintenanceMargin: next.maintenanceMargin ?? null,
    isolatedMargin: next.isolatedMargin ?? null,
    leverage: next.leverage ?? before?.leverage ?? null,
    marginMode: next.marginMode,
    isSupported: next.isSupported,
    reportedAt: at,
  };
}

/** Keeps the side and the entry price, by which the closed position is shown. */
function closed(before: StoredPosition, markPrice: Decimal | null, at: Date): StoredPosition {
  return {
    ...before,
    amount: '0',
    markPrice,
    liquidationPrice: null,
    unrealizedPnl: '0',
    maintenanceMargin: null,
    isolatedMargin: null,
    reportedAt: at,
  };
}

function marginOf(before: StoredPosition, next: ReportedPosition) {
  return {
    liquidationPrice: next.liquidationPrice ?? before.liquidationPrice,
    unrealizedPnl: next.unrealizedPnl ?? before.unrealizedPnl,
    maintenanceMargin: next.maintenanceMargin ?? before.maintenanceMargin,
    isolatedMargin: next.isolatedMargin ?? before.isolatedMargin,
  };
}

const isZero = (amount: Decimal) => new BigDecimal(amount).isZero();

/** Returns margin balance ÷ maintenance margin; null if one is unknown or no margin has to be maintained. */
export function marginRatio(balance: Decimal | null, maintenance: Decimal | null): Decimal | null {
  if (balance === null || maintenance === null || isZero(maintenance)) return null;
  const ratio = divideDecimals(balance, maintenance);
  return new BigDecimal(ratio).toDecimalPlaces(RATIO_DECIMALS).toString();
}

/**
 * Returns whether a margin call is in force. It begins below 1.25 and ends at 1.5. It also ends once the ratio is null,
 * because no margin has to be maintained then.
 */
export function isMarginCalled(wasCalled: boolean, ratio: Decimal | null): boolean {
  if (ratio === null) return false;
  const value = new BigDecimal(ratio);
  return wasCalled ? value.lt(MARGIN_CALL_ENDS_AT) : value.lt(MARGIN_CALL_BELOW);
}
