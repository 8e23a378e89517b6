import type { Decimal, SignalKind, TradeSide, TradingType } from '@trading-automation/contracts';

/**
 * One change that a strategy's account made to one lot of the strategy. Here a lot is the whole amount that one trade
 * of the strategy opened. Amounts are in base currency, prices and values in quote currency.
 */
export interface NewSignal {
  readonly strategyId: string;
  /** OPEN is a lot's first signal. After CLOSE the lot is empty; it can grow again if its entry order is still open. */
  readonly kind: SignalKind;
  /** The side of the fill, which is the side of its copies. */
  readonly side: TradeSide;
  readonly exchangeAccountId: string;
  readonly tradePairId: string;
  readonly symbol: string;
  readonly tradingType: TradingType;
  /** The trade that opened the lot. Copies of entries and of exits have it as their `source_trade_id`. */
  readonly lotTradeId: string;
  /**
   * The sequence of the lot's first signal, for watermarks. Null if this is the lot's first signal; 0 if the lot is
   * older than all signals.
   */
  readonly lotFirstSequence: number | null;
  readonly lotOpenedAt: Date;
  /** The amount of the whole order that opens the lot, filled or not. */
  readonly lotOrderAmount: Decimal;
  /** The trade of the fill that caused the signal. */
  readonly sourceTradeId: string;
  readonly sourceFillId: string;
  /** Entries: the amount that the fill added to the filled amount of the lot's order. Exits: equals `exitAmount`. */
  readonly filledAmount: Decimal;
  /** The total filled amount of the lot's order, including fees in base currency; copies are sized by it. */
  readonly cumulativeAmount: Decimal;
  /** The lot's amount before and after this signal, net of fees in base currency. */
  readonly lotAmountBefore: Decimal;
  readonly lotAmountAfter: Decimal;
  /** The amount that an exit closed; copies close the fraction `exitAmount / lotAmountBefore`. 0 for entries. */
  readonly exitAmount: Decimal;
  readonly referencePrice: Decimal;
  /** The leader's equity when the lot's order was sent; null if no recent valuation was known. */
  readonly leaderEquity: Decimal | null;
  /** When the fill was executed, by the exchange's clock. */
  readonly signalAt: Date;
}

export interface Signal extends Omit<NewSignal, 'lotFirstSequence'> {
  readonly id: string;
  /** Gapless per strategy, from 1: a reader that sees one signal also sees all earlier signals. */
  readonly sequence: number;
  readonly lotFirstSequence: number;
  /** `filledAmount × referencePrice / leaderEquity`, rounded to 18 decimals; null without a positive equity. */
  readonly leaderRatio: Decimal | null;
  readonly emittedAt: Date;
}

/** The state of a lot according to the signals emitted so far. */
export interface EmittedLotState {
  readonly firstSequence: number;
  readonly openedAt: Date;
  readonly cumulativeAmount: Decimal;
  readonly openAmount: Decimal;
}
