/** Input and output of the planning of a copy. Amounts are in base currency, prices and values in quote currency. */
import type {
  BelowMinimumRule,
  CopierStatus,
  Decimal,
  DecisionCode,
  DecisionOutcome,
  SignalKind,
  SizingMode,
  TimeInForce,
  TradeSide,
  TradeType,
} from '@trading-automation/contracts';

/** A fill on the strategy's account, as its copiers receive it. Each signal concerns one lot of the leader. */
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
   * Exits: the amount of the leader's lot before the fill, and the part that the fill took. Net of fees in base
   * currency.
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
   * Whether this entry copies what was already open at the copier's start. The watermark does not apply to it. Amounts
   * are what the leader's lot holds now, and the price is the current one.
   */
  readonly copiesExisting?: boolean;
}

/** Settings of a copier. A lot keeps the settings of its first signal. */
export interface CopyTerms {
  readonly sizing: { readonly mode: SizingMode; readonly value: Decimal; readonly capital: Decimal | null };
  readonly belowMinimum: BelowMinimumRule;
  readonly maxTradeQuote: Decimal | null;
  readonly maxOpenQuote: Decimal | null;
  readonly maxOpenTrades: number | null;
  readonly maxDailyLossQuote: Decimal | null;
  readonly maxDrawdownPercent: Decimal | null;
  /** Null means 50. */
  readonly maxSlippageBps: number | null;
  readonly maxSignalAgeMs: number;
  readonly allowedPairs: readonly string[] | null;
  readonly blockedPairs: readonly string[] | null;
  readonly allowedSides: readonly TradeSide[] | null;
}

/** The copier's share of one lot of the leader. */
export interface CopiedLotState {
  /**
   * Base units of the copy for one base unit of the leader, frozen at the first entry. Both are integers in lowest
   * terms, of up to about 80 digits.
   */
  readonly ratio: { readonly numerator: Decimal; readonly denominator: Decimal } | null;
  readonly terms: CopyTerms;
  /** Ordered for entries so far, filled or not. */
  readonly sentAmount: Decimal;
  /** The most that the sent amount may have cost, in quote currency. */
  readonly sentQuote: Decimal;
  /** Cut off by limits, age or insufficient balance; never sent later. */
  readonly forgoneAmount: Decimal;
  /** The leader's cumulative amount at the last entry that was planned. */
  readonly seenAmount: Decimal;
  /** Owed by exits so far: too small or too large for one order, and still to be sold. */
  readonly owedAmount: Decimal;
  /** Bought and not sold yet, net of base fees; never more than exits can still take. */
  readonly heldAmount: Decimal;
}

export interface CopierState {
  readonly id: string;
  readonly status: CopierStatus;
  /** Settings of new lots. */
  readonly terms: CopyTerms;
  readonly startedAt: Date | null;
  /** The strategy's last sequence at the copier's start. Lots that began by then are not copied. */
  readonly startedSequence: number;
  /** Null if the copier has no such lot yet. */
  readonly lot: CopiedLotState | null;
  /** Loss since 00:00 UTC, realised and open, as a positive number; fees included. */
  readonly dayLossQuote: Decimal;
  /** Fall of the copier's equity from its peak, in percent; null if its equity is unknown. */
  readonly drawdownPercent: Decimal | null;
  /** Number of the copier's other lots that hold something or have entries in flight. */
  readonly openLotCount: number;
  /** Cost of the open lots, this one included, and the most that entries in flight may cost. */
  readonly openQuote: Decimal;
}

/** Rules of the pair on the copier's exchange. */
export interface CopyPair {
  readonly priceTick: Decimal;
  readonly amountStep: Decimal;
  /** Step of market orders, if it differs. */
  readonly marketAmountStep: Decimal | null;
  readonly marketMaxAmount?: Decimal | null;
  readonly minAmount: Decimal;
  readonly maxAmount: Decimal | null;
  readonly minNotional: Decimal;
  readonly maxNotional: Decimal | null;
  readonly lastPrice: Decimal | null;
}

export interface CopyAccount {
  /** False if the exchange rejected the account's credentials. */
  readonly isActive: boolean;
  /** Free balance, less reservations. */
  readonly freeBase: Decimal;
  readonly freeQuote: Decimal;
  /** In the pair's quote currency, at most 60 s old; null if unavailable. */
  readonly equity: Decimal | null;
  readonly pair: CopyPair | null;
}

export interface CopyInput {
  readonly signal: PlannedSignal;
  readonly copier: CopierState;
  readonly account: CopyAccount;
  readonly now: Date;
}

export interface CopyOrder {
  readonly type: Extract<TradeType, 'LIMIT' | 'MARKET'>;
  readonly side: TradeSide;
  readonly timeInForce: Extract<TimeInForce, 'IOC' | 'GTC'>;
  readonly price: Decimal | null;
  readonly amount: Decimal;
  readonly reduceOnly: boolean;
  /** The amount that the order reserves: quote currency for a buy, base currency for a sell. */
  readonly reserved: Decimal;
}

/** The numbers of the decision record. None of them reveals what the leader owns. */
export type PlanInputs = Readonly<Record<string, string | number | boolean | null>>;

export interface CopyPlan {
  readonly outcome: Exclude<DecisionOutcome, 'FAILED'>;
  readonly code: DecisionCode | null;
  /**
   * Amount that the signal requests, before limits and rounding; for an exit, what it takes. 0 if the entry was not
   * sized.
   */
  readonly targetAmount: Decimal;
  /** Null if nothing is sent. */
  readonly order: CopyOrder | null;
  /** The copier's new share of the lot; null if it has none. */
  readonly lot: Omit<CopiedLotState, 'heldAmount'> | null;
  /** The numbers behind the decision, for its record. */
  readonly inputs: PlanInputs;
}
