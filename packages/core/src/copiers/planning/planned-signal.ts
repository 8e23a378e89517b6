/**
 * Maps stored rows to the input of `planCopy`. Live copying and the simulation use the same functions, so that they
 * plan with the same numbers.
 */
import {
  canonicalDecimal,
  type Decimal,
  type SignalKind,
  type SizingMode,
  type TradeSide,
} from '@trading-automation/contracts';
import type { CopyPair, CopyTerms, PlannedSignal } from './plan.types.js';

/** The fields of a stored signal that `planCopy` needs. */
export interface SignalToPlan {
  readonly id: string;
  readonly sequence: number;
  readonly kind: SignalKind;
  readonly side: TradeSide;
  readonly symbol: string;
  readonly lotTradeId: string;
  readonly lotFirstSequence: number;
  readonly lotOpenedAt: Date;
  /** Amount of the trade that opened the lot, filled or not. */
  readonly lotOrderAmount: Decimal;
  readonly filledAmount: Decimal;
  readonly cumulativeAmount: Decimal;
  readonly lotAmountBefore: Decimal;
  readonly exitAmount: Decimal;
  readonly referencePrice: Decimal;
  readonly leaderEquity: Decimal | null;
  readonly signalAt: Date;
}

export function plannedSignalOf(signal: SignalToPlan): PlannedSignal {
  return {
    id: signal.id,
    sequence: signal.sequence,
    kind: signal.kind,
    symbol: signal.symbol,
    side: signal.side,
    lotTradeId: signal.lotTradeId,
    lotFirstSequence: signal.lotFirstSequence,
    lotOpenedAt: signal.lotOpenedAt,
    signalAt: signal.signalAt,
    cumulativeAmount: signal.cumulativeAmount,
    filledAmount: signal.filledAmount,
    leaderOrderAmount: signal.lotOrderAmount,
    lotAmountBefore: signal.lotAmountBefore,
    exitAmount: signal.exitAmount,
    referencePrice: signal.referencePrice,
    leaderEquity: signal.leaderEquity,
  };
}

/** The columns of a copier that determine the size and the limits of its copies. */
export interface CopierSettings extends Omit<CopyTerms, 'sizing'> {
  readonly sizingMode: SizingMode;
  readonly sizingValue: Decimal;
  readonly sizingCapital: Decimal | null;
}

export function termsOf(settings: CopierSettings): CopyTerms {
  return {
    sizing: {
      mode: settings.sizingMode,
      value: canonicalDecimal(settings.sizingValue),
      capital: canonical(settings.sizingCapital),
    },
    belowMinimum: settings.belowMinimum,
    maxTradeQuote: canonical(settings.maxTradeQuote),
    maxOpenQuote: canonical(settings.maxOpenQuote),
    maxOpenTrades: settings.maxOpenTrades,
    maxDailyLossQuote: canonical(settings.maxDailyLossQuote),
    maxDrawdownPercent: canonical(settings.maxDrawdownPercent),
    maxSlippageBps: settings.maxSlippageBps,
    maxSignalAgeMs: settings.maxSignalAgeMs,
    allowedPairs: settings.allowedPairs,
    blockedPairs: settings.blockedPairs,
    allowedSides: settings.allowedSides,
    maxLeverage: canonical(settings.maxLeverage ?? null),
    minMarginRatio: canonical(settings.minMarginRatio ?? null),
  };
}

/** Maps the symbol of a pair, and the columns that limit its orders. */
export function copyPairOf(pair: CopyPair): CopyPair {
  return {
    symbol: pair.symbol,
    priceTick: canonicalDecimal(pair.priceTick),
    amountStep: canonicalDecimal(pair.amountStep),
    marketAmountStep: canonical(pair.marketAmountStep),
    marketMaxAmount: canonical(pair.marketMaxAmount ?? null),
    minAmount: canonicalDecimal(pair.minAmount),
    maxAmount: canonical(pair.maxAmount),
    minNotional: canonicalDecimal(pair.minNotional),
    maxNotional: canonical(pair.maxNotional),
    lastPrice: canonical(pair.lastPrice),
    lastPriceAt: pair.lastPriceAt ?? null,
    takerFee: canonical(pair.takerFee),
    tradingType: pair.tradingType ?? 'spot',
  };
}

/** Formats decimals as decisions show them. */
const canonical = (value: Decimal | null): Decimal | null =>
  value === null ? null : canonicalDecimal(value);
