/** What a replay reads and returns. */
import type { BreachReaction, Decimal, DecisionCode } from '@trading-automation/contracts';
import type { CopyPair, CopyPlan, CopyTerms } from '../planning/plan.types.js';
import type { SignalToPlan } from '../planning/planned-signal.js';
import type { Tracking } from '../tracking.rules.js';
import type { PastFunding } from './funding-feed.js';

/** The margin settings of the copier's account in a perpetual. */
export interface ReplayedPerpetual {
  /** Null if unknown; it then counts as 1. */
  readonly leverage: Decimal | null;
  /** The maintenance margin as a share of the notional. */
  readonly maintenanceRate: Decimal;
  /** Whether `maintenanceRate` is a default. It then gives the reported margin ratio, and rejects no entry. */
  readonly isMaintenanceAssumed: boolean;
}

/** The pair on which the copier copies. */
export interface ReplayPair {
  /** Its `lastPrice` is null: only the price of each signal is a price of that time. */
  readonly rules: CopyPair & { readonly lastPrice: null };
  /** Taker fee, as a share of the received amount; on perpetuals of the notional. */
  readonly feeRate: Decimal;
  /** The price at which open lots are valued in the end; null for the price of the pair's last signal. */
  readonly mark: Decimal | null;
  /** Set for perpetuals only. */
  readonly perpetual?: ReplayedPerpetual | undefined;
}

export interface ReplaySignal extends SignalToPlan {
  readonly sourceTradeId: string;
  /** The leader's fill. A fill that flips the leader's position has several signals. */
  readonly sourceFillId: string;
  /** When the signal was emitted. Its age is measured at this time. */
  readonly emittedAt: Date;
}

export interface ReplayOptions {
  readonly copierId: string;
  readonly terms: CopyTerms;
  /** The terms of pairs with an override, by the strategy's symbol. */
  readonly overriddenTerms?: ReadonlyMap<string, CopyTerms>;
  readonly onBreach: BreachReaction;
  /** The account's equity, by quote currency. */
  readonly startingEquity: ReadonlyMap<string, Decimal>;
  /** The pairs on which the copier copies, by the strategy's symbol. Absent if the account's exchange offers none. */
  readonly pairs: ReadonlyMap<string, ReplayPair>;
  /** Past funding by symbol, oldest first. */
  readonly funding?: ReadonlyMap<string, readonly PastFunding[]>;
}

export interface ReplayedDecision {
  readonly signal: ReplaySignal;
  readonly plan: CopyPlan;
}

export interface ReplayCounts {
  readonly copied: number;
  readonly clamped: number;
  readonly skipped: number;
  readonly skippedByReason: Readonly<Partial<Record<DecisionCode, number>>>;
}

export interface ReplayResult {
  readonly fees: Decimal;
  readonly netPnl: Decimal;
  /** Null if the leader closed no lot that the copier was to copy. */
  readonly tracking: Tracking | null;
}
