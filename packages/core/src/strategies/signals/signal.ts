import type { Decimal, SignalKind, TradeSide, TradingType } from '@trading-automation/contracts';

/**
 * One thing that a strategy's account did to one lot of the strategy. A lot is what one trade of the strategy opened.
 * Amounts in base currency, prices and values in quote currency.
 */
export interface NewSignal {
  readonly strategyId: string;
  /** OPEN is a lot's first signal. CLOSE leaves nothing of the lot; an order that is still open may fill it again. */
  readonly kind: SignalKind;
  /** Of the fill: what its copies do. */
  readonly side: TradeSide;
  readonly exchangeAccountId: string;
  readonly tradePairId: string;
  readonly symbol: string;
  readonly tradingType: TradingType;
  /** The trade that opened the lot; a copy names it as its `source_trade_id`, exits too. */
  readonly lotTradeId: string;
  /**
   * Sequence of the lot's first signal, for watermarks; null for a lot of which none was given yet, which this one is
   * then. 0: it is older than all signals.
   */
  readonly lotFirstSequence: number | null;
  readonly lotOpenedAt: Date;
  /** The amount of the whole order that opens the lot, filled or not. */
  readonly lotOrderAmount: Decimal;
  /** The trade of the fill. */
  readonly sourceTradeId: string;
  readonly sourceFillId: string;
  /** Entries: what the fill added to what the lot's order has filled. Exits: as `exitAmount`. */
  readonly filledAmount: Decimal;
  /** All that the lot's order has filled by now, fees in base not taken off: what copies are sized by. */
  readonly cumulativeAmount: Decimal;
  /** What the lot held before and after, net of fees in base, as far as signals tell. */
  readonly lotAmountBefore: Decimal;
  readonly lotAmountAfter: Decimal;
  /** What was taken of the lot: `exitAmount / lotAmountBefore` is the fraction that copies close. 0 of entries. */
  readonly exitAmount: Decimal;
  readonly referencePrice: Decimal;
  /** When the lot's order was sent; null where none young enough was known. */
  readonly leaderEquity: Decimal | null;
  /** When the fill was executed, by the exchange's clock. */
  readonly signalAt: Date;
}

export interface Signal extends Omit<NewSignal, 'lotFirstSequence'> {
  readonly id: string;
  /** 1, 2, 3, … of the strategy: whoever sees one sees all before it. */
  readonly sequence: number;
  readonly lotFirstSequence: number;
  /** `filledAmount × referencePrice / leaderEquity`, at 18 decimals. */
  readonly leaderRatio: Decimal | null;
  readonly emittedAt: Date;
}

/** What signals told of a lot by now. */
export interface EmittedLotState {
  readonly firstSequence: number;
  readonly openedAt: Date;
  readonly cumulativeAmount: Decimal;
  readonly openAmount: Decimal;
}
