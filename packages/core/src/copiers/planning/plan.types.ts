/** What the planning of a copy is told, and what it answers. Amounts in base currency, prices and values in quote currency. */
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

/** A fill of the strategy's account, as its copiers learn of it. One signal speaks of one lot of the leader. */
export interface PlannedSignal {
  readonly id: string;
  readonly sequence: number;
  readonly kind: SignalKind;
  readonly symbol: string;
  /** Of the leader's fill. */
  readonly side: TradeSide;
  /** The trade that opened the leader's lot. */
  readonly lotTradeId: string;
  /** Sequence of the lot's first signal. */
  readonly lotFirstSequence: number;
  readonly lotOpenedAt: Date;
  /** When the leader's fill was executed. */
  readonly signalAt: Date;
  /** Entries: all that the leader's trade has filled by now, this fill included. */
  readonly cumulativeAmount: Decimal;
  /** Entries: this fill's part of it. */
  readonly filledAmount: Decimal;
  /** Entries: the amount of the leader's whole order, filled or not. */
  readonly leaderOrderAmount: Decimal;
  /** Exits: what the leader's lot held before the fill, and what the fill took of it. Net of fees in base currency. */
  readonly lotAmountBefore: Decimal;
  readonly exitAmount: Decimal;
  /** Average price of the leader's fill. */
  readonly referencePrice: Decimal;
  /** The leader's equity when its order was submitted, in the pair's quote currency; null where none young enough is known. */
  readonly leaderEquity: Decimal | null;
  /**
   * Whether the copier was told at its start to copy what is open already: the watermark does not hold for this one
   * entry. Amounts are what the leader holds of the lot now, the price is the current one.
   */
  readonly copiesExisting?: boolean;
}

/** Settings of a copier; those of a lot stay what they were at its first signal. */
export interface CopyTerms {
  readonly sizing: { readonly mode: SizingMode; readonly value: Decimal; readonly capital: Decimal | null };
  readonly belowMinimum: BelowMinimumRule;
  readonly maxTradeQuote: Decimal | null;
  readonly maxOpenQuote: Decimal | null;
  readonly maxOpenTrades: number | null;
  readonly maxDailyLossQuote: Decimal | null;
  readonly maxDrawdownPercent: Decimal | null;
  /** Null: 50. */
  readonly maxSlippageBps: number | null;
  readonly maxSignalAgeMs: number;
  readonly allowedPairs: readonly string[] | null;
  readonly blockedPairs: readonly string[] | null;
  readonly allowedSides: readonly TradeSide[] | null;
}

/** The copier's share of one lot of the leader. */
export interface CopiedLotState {
  /**
   * Base units of the copy for one base unit of the leader, in whole numbers without a common divisor (of up to some
   * 80 digits); frozen at the first entry.
   */
  readonly ratio: { readonly numerator: Decimal; readonly denominator: Decimal } | null;
  readonly terms: CopyTerms;
  /** Ordered for entries so far, whatever was filled of it. */
  readonly sentAmount: Decimal;
  /** What that may have cost at most, in quote currency. */
  readonly sentQuote: Decimal;
  /** What limits, age or a lack of balance cut off: never sent later. */
  readonly forgoneAmount: Decimal;
  /** The leader's cumulative amount at the last entry that was looked at. */
  readonly seenAmount: Decimal;
  /** Of the exits so far, what could not be sent yet because it was too small or too large for one order. */
  readonly owedAmount: Decimal;
  /** Bought and not sold yet, net of base fees; never more than what is left for exits to take. */
  readonly heldAmount: Decimal;
}

export interface CopierState {
  readonly id: string;
  readonly status: CopierStatus;
  /** Settings of new lots. */
  readonly terms: CopyTerms;
  readonly startedAt: Date | null;
  /** The strategy's last sequence when the copier was started: lots that began by then are none of its. */
  readonly startedSequence: number;
  /** Null where there is no such lot yet. */
  readonly lot: CopiedLotState | null;
  /** Loss since 00:00 UTC, realised and open, as a positive number; fees included. */
  readonly dayLossQuote: Decimal;
  /** Fall of the copier's equity from its peak, in percent; null where its equity is not known. */
  readonly drawdownPercent: Decimal | null;
  /** Its other lots that hold something or have entries under way. */
  readonly openLotCount: number;
  /** What its open lots cost, this one included, and what its entries under way may cost. */
  readonly openQuote: Decimal;
}

/** Rules of the pair on the copier's exchange; null where it is not traded there. */
export interface CopyPair {
  readonly priceTick: Decimal;
  readonly amountStep: Decimal;
  /** Of market orders, where it differs. */
  readonly marketAmountStep: Decimal | null;
  readonly marketMaxAmount?: Decimal | null;
  readonly minAmount: Decimal;
  readonly maxAmount: Decimal | null;
  readonly minNotional: Decimal;
  readonly maxNotional: Decimal | null;
  readonly lastPrice: Decimal | null;
}

export interface CopyAccount {
  /** False where the exchange refused its credentials. */
  readonly isActive: boolean;
  /** Free and not reserved. */
  readonly freeBase: Decimal;
  readonly freeQuote: Decimal;
  /** In the pair's quote currency, at most 60 s old; null where it could not be had. */
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
  /** What it takes from the free balance, of quote for a buy and of base for a sell. */
  readonly reserved: Decimal;
}

/** As the decision record shows them; none of them tells what the leader owns. */
export type PlanInputs = Readonly<Record<string, string | number | boolean | null>>;

export interface CopyPlan {
  readonly outcome: Exclude<DecisionOutcome, 'FAILED'>;
  readonly code: DecisionCode | null;
  /** What the sizing asks for by this signal, before limits and rounding; an exit: what it takes. 0 where it was not come to. */
  readonly targetAmount: Decimal;
  /** Null where nothing is to be sent. */
  readonly order: CopyOrder | null;
  /** The copier's share of the lot from now on; null where it has none and gets none. */
  readonly lot: Omit<CopiedLotState, 'heldAmount'> | null;
  /** The numbers that it was decided by, for the record. */
  readonly inputs: PlanInputs;
}
