/** Input and output of `planCopy`. Amounts are in base currency, prices and values in quote currency. */
import type {
  BelowMinimumRule,
  CopierStatus,
  Decimal,
  DecisionCode,
  FinalOutcome,
  SignalKind,
  SizingMode,
  TimeInForce,
  TradeSide,
  TradeType,
  TradingType,
} from '@trading-automation/contracts';

/** The fields of a signal that `planCopy` needs. A signal reports a fill on the strategy's account, for one lot. */
export interface PlannedSignal {
  readonly id: string;
  readonly sequence: number;
  readonly kind: SignalKind;
  readonly symbol: string;
  /** Side of the leader's fill. */
  readonly side: TradeSide;
  /** The trade that opened the leader's lot. */
  readonly lotTradeId: string;
  /** Sequence of the lot's first signal. */
  readonly lotFirstSequence: number;
  readonly lotOpenedAt: Date;
  /** When the leader's fill was executed. */
  readonly signalAt: Date;
  /** Entries: the filled amount of the leader's trade so far, this fill included. */
  readonly cumulativeAmount: Decimal;
  /** Entries: the amount of this fill. */
  readonly filledAmount: Decimal;
  /** Entries: the amount of the leader's whole order, filled or not. */
  readonly leaderOrderAmount: Decimal;
  /**
   * Exits: the amount of the leader's lot before the fill, and the amount that the fill closed. Both are net of fees in
   * base currency.
   */
  readonly lotAmountBefore: Decimal;
  readonly exitAmount: Decimal;
  /** Average price of the leader's fill. */
  readonly referencePrice: Decimal;
  /**
   * The leader's equity when its order was submitted, in the pair's quote currency; null if no recent value is known.
   */
  readonly leaderEquity: Decimal | null;
  /**
   * Whether this entry copies a lot that was already open at the copier's start. The watermark does not apply to it.
   * Its amounts are the current amount of the leader's lot, and its price is the current price.
   */
  readonly copiesExisting?: boolean;
}

/** Settings of a copier. A lot keeps the settings that applied at its first entry. */
export interface CopyTerms {
  readonly sizing: { readonly mode: SizingMode; readonly value: Decimal; readonly capital: Decimal | null };
  readonly belowMinimum: BelowMinimumRule;
  readonly maxTradeQuote: Decimal | null;
  readonly maxOpenQuote: Decimal | null;
  readonly maxOpenTrades: number | null;
  readonly maxDailyLossQuote: Decimal | null;
  readonly maxDrawdownPercent: Decimal | null;
  /** In basis points; null means 50. */
  readonly maxSlippageBps: number | null;
  readonly maxSignalAgeMs: number;
  readonly allowedPairs: readonly string[] | null;
  readonly blockedPairs: readonly string[] | null;
  readonly allowedSides: readonly TradeSide[] | null;
  /** Perpetuals only; absent in lots of older releases. */
  readonly maxLeverage?: Decimal | null;
  /** Perpetuals only; null means 1.5. */
  readonly minMarginRatio?: Decimal | null;
}

/** The copier's share of one lot of the leader. */
export interface CopiedLotState {
  /**
   * Base units of the copy for one base unit of the leader, frozen at the first entry. Both are integers in lowest
   * terms, of up to about 80 digits.
   */
  readonly ratio: { readonly numerator: Decimal; readonly denominator: Decimal } | null;
  /**
   * The ratio as users other than the strategy's owner may see it, to two significant digits. Null in lots of the
   * previous release, and in lots that a start began without an entry.
   */
  readonly maskedRatio: Decimal | null;
  readonly terms: CopyTerms;
  /** The amount ordered for entries so far, filled or not. */
  readonly sentAmount: Decimal;
  /** The highest possible cost of the sent amount, in quote currency. */
  readonly sentQuote: Decimal;
  /** The amount that was not sent because of limits, age or an insufficient balance; it is never sent later. */
  readonly forgoneAmount: Decimal;
  /**
   * The forgone amount as users other than the strategy's owner may know it; below zero if more was sent than the masked
   * amounts request. Null for an own strategy, and in lots of the previous release.
   */
  readonly maskedForgone: Decimal | null;
  /** The leader's cumulative amount at the last entry that was planned. */
  readonly seenAmount: Decimal;
  /** The amount that exits still have to sell: it was too small or too large for one order, or was not filled. */
  readonly owedAmount: Decimal;
  /** The amount bought and not sold yet, net of fees in base currency. */
  readonly heldAmount: Decimal;
}

export interface CopierState {
  readonly id: string;
  readonly status: CopierStatus;
  /** Whether the plan's numbers are masked, because the strategy belongs to another user. */
  readonly masksAmounts: boolean;
  /** What pending exits of the lot still have to sell, as far as the copier's user may know; see `maskedTarget`. */
  readonly maskedPendingAmount: Decimal;
  /** Settings of new lots. */
  readonly terms: CopyTerms;
  readonly startedAt: Date | null;
  /** The strategy's last sequence at the copier's start. Lots that began by then are not copied. */
  readonly startedSequence: number;
  /** The copier's share of the signal's lot; null if it has none yet. */
  readonly lot: CopiedLotState | null;
  /** Loss since 00:00 UTC, realised and open, as a positive number; fees included. */
  readonly dayLossQuote: Decimal;
  /** Fall of the copier's result from its peak, in percent; null without a drawdown limit, or if it is not known. */
  readonly drawdownPercent: Decimal | null;
  /**
   * Number of the copier's lots, other than the signal's, that hold something or have entries in flight. Lots that exits of
   * the leader's same trade are closing do not count.
   */
  readonly openLotCount: number;
  /** Cost of all these lots and the signal's, plus the highest possible cost of entries in flight. */
  readonly openQuote: Decimal;
}

/** The pair on the copier's exchange. Amounts are in base currency, whatever the contract size. */
export interface CopyPair {
  /** Default: the symbol of the strategy's pair. */
  readonly symbol?: string | undefined;
  readonly priceTick: Decimal;
  readonly amountStep: Decimal;
  /** Step of market orders; null if it equals `amountStep`. */
  readonly marketAmountStep: Decimal | null;
  readonly marketMaxAmount?: Decimal | null;
  readonly minAmount: Decimal;
  readonly maxAmount: Decimal | null;
  readonly minNotional: Decimal;
  readonly maxNotional: Decimal | null;
  readonly lastPrice: Decimal | null;
  /** When the exchange reported `lastPrice`; null if unknown. */
  readonly lastPriceAt?: Date | null;
  /** Taker fee, as a share; null if the exchange publishes none. */
  readonly takerFee: Decimal | null;
  /** Default: spot. */
  readonly tradingType?: TradingType;
}

/** What copies on perpetuals depend on. Amounts of money are in the settlement currency. */
export interface PerpetualAccount {
  /** The net position of the account in the pair: above zero if long. What open orders will still reduce is deducted. */
  readonly netPosition: Decimal;
  /** The account's leverage in the pair; null if unknown. */
  readonly leverage: Decimal | null;
  /** The mark price of the account's position in the pair; null without one. */
  readonly markPrice: Decimal | null;
  /**
   * The sum of the absolute notionals of all positions at mark price, and of entries in flight. Lots that exits of the
   * leader's same trade are closing do not count.
   */
  readonly notional: Decimal;
  /** Margin ÷ maintenance margin; null without positions, or if unknown. */
  readonly marginRatio: Decimal | null;
}

export interface CopyAccount {
  /** False if the exchange rejected the account's credentials. */
  readonly isActive: boolean;
  /** Free balance, less reservations. */
  readonly freeBase: Decimal;
  readonly freeQuote: Decimal;
  /** The equity in the pair's quote currency, at most 60 s old; null if unavailable. */
  readonly equity: Decimal | null;
  readonly pair: CopyPair | null;
  /** Set for perpetuals only. */
  readonly perpetual?: PerpetualAccount | undefined;
}

export interface CopyInput {
  readonly signal: PlannedSignal;
  readonly copier: CopierState;
  readonly account: CopyAccount;
  /**
   * The middle between the best prices of the order book on the copier's exchange; null if no recent book is known. PAST
   * for a replayed signal, because past order books are not recorded; its price is then not checked.
   */
  readonly bookMid: Decimal | 'PAST' | null;
  readonly now: Date;
}

export interface CopyOrder {
  readonly type: Extract<TradeType, 'LIMIT' | 'MARKET'>;
  readonly side: TradeSide;
  readonly timeInForce: Extract<TimeInForce, 'IOC' | 'GTC'>;
  readonly price: Decimal | null;
  readonly amount: Decimal;
  readonly reduceOnly: boolean;
  /** The amount that the order reserves: quote currency for a buy, base currency for a sell, the margin on perpetuals. */
  readonly reserved: Decimal;
}

/** The numbers that the decision's record shows. */
export type PlanInputs = Readonly<Record<string, string | number | boolean | null>>;

/** A plan with exact numbers. */
export interface ExactPlan {
  readonly outcome: Exclude<FinalOutcome, 'FAILED'>;
  readonly code: DecisionCode | null;
  /**
   * The amount that the signal requests to buy or to sell, before limits and rounding. 0 if the entry was rejected
   * before sizing.
   */
  readonly targetAmount: Decimal;
  /** Null if no order is sent. */
  readonly order: CopyOrder | null;
  /** The copier's share of the lot after the plan; null if it has none. */
  readonly lot: Omit<CopiedLotState, 'heldAmount'> | null;
  /** The numbers behind the decision, for its record. */
  readonly inputs: PlanInputs;
}

/** A plan whose inputs and code are those that the copier's user may know. */
export interface CopyPlan extends ExactPlan {
  /** The target amount as users other than the strategy's owner may know it; null for an own strategy. */
  readonly maskedTarget: Decimal | null;
}
