/** Reads what `planCopies` needs about many copiers, in a few statements. */
import type { CopierOverride, CopierStatus, Decimal, TradingType } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { lockWallets } from '../../exchange-accounts/index.js';
import { overrideColumns } from '../copier.rules.js';
import { choosePairs, type OfferedPair, type PairChoice, pairRequestOf } from '../offered-pairs.queries.js';
import type { CopyTerms } from '../planning/plan.types.js';
import type { CopierSettings } from '../planning/planned-signal.js';
import { inWholeSteps } from './order-steps.js';

/** A copier with its account and its share of the signal's lot. An override for the signal's pair is applied. */
export interface CopierRow extends CopierSettings {
  readonly id: string;
  readonly userId: string;
  readonly accountId: string;
  /** The account that owns the balances; accounts that share a wallet have the same. */
  readonly walletId: string;
  /** Whether the copier's user also owns the strategy; false if the strategy no longer exists. */
  readonly isOwnStrategy: boolean;
  readonly status: CopierStatus;
  readonly startedAt: Date | null;
  readonly startedSequence: number;
  readonly resumedSequence: number;
  readonly isAccountActive: boolean;
  readonly exchange: string;
  /** The pair of the copier's lot, or the one that its settings choose; null if the exchange does not offer it. */
  readonly pair: OfferedPair | null;
  /** This and the following fields are null if the copier has no share of the lot. */
  readonly lotTerms: CopyTerms | null;
  readonly ratioNumerator: Decimal | null;
  readonly ratioDenominator: Decimal | null;
  readonly maskedRatio: Decimal | null;
  readonly sentAmount: Decimal;
  readonly sentQuote: Decimal;
  readonly forgoneAmount: Decimal;
  readonly maskedForgone: Decimal | null;
  readonly seenAmount: Decimal;
  readonly owedAmount: Decimal;
}

/**
 * Without a pair if the copier holds the lot on a replaced pair: an order on the new pair would not close it. Decimals are
 * trimmed of trailing zeros, which speeds up the arithmetic.
 */
const BY_COPIER = `
  SELECT c.id, c.user_id AS "userId", c.exchange_account_id AS "accountId", coalesce(a.wallet_id, a.id) AS "walletId",
    coalesce(s.user_id = c.user_id, false) AS "isOwnStrategy", c.status, c.started_at AS "startedAt",
    c.started_sequence::float8 AS "startedSequence", c.resumed_sequence::float8 AS "resumedSequence",
    c.sizing_mode AS "sizingMode", trim_scale(c.sizing_value) AS "sizingValue",
    trim_scale(c.sizing_capital) AS "sizingCapital", c.below_minimum AS "belowMinimum",
    trim_scale(c.max_trade_quote) AS "maxTradeQuote", trim_scale(c.max_open_quote) AS "maxOpenQuote",
    c.max_open_trades AS "maxOpenTrades", trim_scale(c.max_daily_loss_quote) AS "maxDailyLossQuote",
    trim_scale(c.max_drawdown_percent) AS "maxDrawdownPercent", c.max_slippage_bps AS "maxSlippageBps",
    c.max_signal_age_ms AS "maxSignalAgeMs", c.allowed_pairs AS "allowedPairs", c.blocked_pairs AS "blockedPairs",
    c.allowed_sides AS "allowedSides", trim_scale(c.max_leverage) AS "maxLeverage",
    trim_scale(c.min_margin_ratio) AS "minMarginRatio",
    a.is_active AND a.deleted_at IS NULL AS "isAccountActive",
    a.exchange, a.trading_type AS "accountTradingType", c.quote_aliases AS "quoteAliases", c.symbol_map ->> $3::text AS "mappedSymbol",
    EXISTS (SELECT FROM lots o JOIN trade_pairs r ON r.id = o.trade_pair_id AND r.listed_symbol IS NOT NULL
      WHERE o.copier_id = c.id AND o.source_trade_id = $2 AND o.open_amount > 0) AS "isOnReplacedPair",
    l.copier_id IS NOT NULL AS "hasLot", l.symbol AS "lotSymbol", c.overrides -> $3::text AS override,
    l.terms AS "lotTerms", l.ratio_numerator AS "ratioNumerator", l.ratio_denominator AS "ratioDenominator",
    trim_scale(l.masked_ratio) AS "maskedRatio",
    trim_scale(l.sent_amount) AS "sentAmount", trim_scale(l.sent_quote) AS "sentQuote",
    trim_scale(l.forgone_amount) AS "forgoneAmount",
    trim_scale(l.masked_forgone) AS "maskedForgone", trim_scale(l.seen_amount) AS "seenAmount",
    trim_scale(l.owed_amount) AS "owedAmount"
  FROM copiers c
  JOIN exchange_accounts a ON a.id = c.exchange_account_id
  LEFT JOIN strategies s ON s.id = c.strategy_id
  LEFT JOIN copied_lots l ON l.copier_id = c.id AND l.lot_trade_id = $2
  WHERE c.id = ANY ($1)`;

export interface SignalledLot {
  readonly lotTradeId: string;
  readonly tradingType: TradingType;
  readonly symbol: string;
}

interface StoredCopier extends Omit<CopierRow, 'pair'>, PairChoice {
  readonly override: CopierOverride | null;
}

/** Returns the copiers, in no particular order. */
export async function copierRows(
  tx: Tx,
  copierIds: readonly string[],
  lot: SignalledLot,
): Promise<CopierRow[]> {
  const copiers = await queryPrepared<StoredCopier>(tx, BY_COPIER, [copierIds, lot.lotTradeId, lot.symbol]);
  const pairs = await choosePairs(
    tx,
    lot.tradingType,
    copiers.map((copier) => pairRequestOf(copier, lot)),
  );
  return copiers.map((copier, index) => ({
    ...copier,
    ...(copier.override === null ? {} : overrideColumns(copier.override)),
    pair: pairs[index]!,
  }));
}

/** A copier's holdings, orders in flight and losses. */
export interface CopierHoldings {
  /** What the copier holds of the signal's lot. */
  readonly heldAmount: Decimal;
  /** Number of the copier's lots, other than the signal's, that hold something or have entries in flight; see `isClosing`. */
  readonly openLotCount: number;
  /** Cost of all open lots, the signal's included, plus the reservations of entries in flight; see `isClosing`. */
  readonly openQuote: Decimal;
  readonly dayLossQuote: Decimal;
  /** The peak result less the current result, in quote currency. */
  readonly drawdownQuote: Decimal;
  /** Earlier orders of the copier for this lot, or orders by which the user closes a part of it. */
  readonly hasOrdersInFlight: boolean;
  /** What earlier exits of the signal's lot, which are pending without an order, still have to sell. */
  readonly pendingExitAmount: Decimal;
  /** The same for exits up to the signal's, as users other than the strategy's owner may know it. */
  readonly maskedPendingAmount: Decimal;
  /** Whether the owner was already notified that an exit of the lot is delayed. */
  readonly isDelayReported: boolean;
}

export const NOTHING_HELD: CopierHoldings = {
  heldAmount: '0',
  openLotCount: 0,
  openQuote: '0',
  dayLossQuote: '0',
  drawdownQuote: '0',
  hasOrdersInFlight: false,
  pendingExitAmount: '0',
  maskedPendingAmount: '0',
  isDelayReported: false,
};

/**
 * True for a decision `d` that closes a whole lot because of a leader's trade that also opens a lot (rule 5). Such a lot does
 * not count against the limits of the entry, which is planned while the order of the exit is still in flight: the two
 * never are open together once both orders end. The exit must have an order, or be about to get one when an earlier order
 * of its lot ends. An exit that only waits to be tried again, because the exchange refused its order or its amount is too
 * small, leaves the lot open for an unknown time; the lot then counts.
 */
export const isClosing = (leaderTrade: string): string => `
  d.settled_at IS NULL AND d.kind = 'CLOSE' AND d.source_trade_id = ${leaderTrade}
  AND (d.pending_trade_id IS NOT NULL OR NOT d.is_applied)`;

/**
 * Computes each sum once for all copiers. The held amount counts only entries before the signal's sequence, because an
 * exit does not apply to later entries.
 */
const HOLDINGS = `
  WITH parts AS (
    SELECT o.copier_id, o.source_trade_id AS lot_trade_id, o.open_value AS value,
      CASE WHEN coalesce((t.copy->>'sequence')::bigint, 0) < $3 THEN o.open_amount END AS amount
    FROM lots o JOIN trades t ON t.id = o.trade_id
    WHERE o.copier_id = ANY ($1) AND o.open_amount > 0
    UNION ALL
    SELECT d.copier_id, d.lot_trade_id,
      CASE t.trading_type WHEN 'perpetual' THEN t.amount * coalesce(t.price, 0) ELSE t.reserved_amount END, NULL
    FROM decisions d JOIN trades t ON t.id = d.trade_id
    WHERE d.copier_id = ANY ($1) AND d.settled_at IS NULL AND d.kind IN ('OPEN', 'INCREASE')
      AND t.status IN ('PENDING', 'PARTIALLY_FILLED')),
  closing AS (
    SELECT DISTINCT d.copier_id, d.lot_trade_id FROM decisions d
    WHERE d.copier_id = ANY ($1) AND d.lot_trade_id <> $2 AND ${isClosing('$6')}),
  sums AS (
    SELECT copier_id, sum(amount) FILTER (WHERE lot_trade_id = $2) AS held,
      sum(value) FILTER (WHERE c.lot_trade_id IS NULL) AS value,
      count(DISTINCT lot_trade_id) FILTER (WHERE lot_trade_id <> $2 AND c.lot_trade_id IS NULL) AS others
    FROM parts LEFT JOIN closing c USING (copier_id, lot_trade_id) GROUP BY copier_id),
  unsettled AS (
    SELECT d.copier_id,
      bool_or(CASE WHEN d.kind IN ('OPEN', 'INCREASE') THEN coalesce(t.status IN ('PENDING', 'PARTIALLY_FILLED'), false)
        ELSE d.pending_trade_id IS NOT NULL OR NOT d.is_applied OR d.is_abandoned END) FILTER (WHERE d.sequence < $3) AS is_busy,
      bool_or(d.delay_reported_at IS NOT NULL) FILTER (WHERE d.sequence < $3) AS is_reported,
      sum(greatest(0, d.target_amount - d.filled_amount))
        FILTER (WHERE d.kind IN ('REDUCE', 'CLOSE') AND d.sequence < $3) AS pending,
      sum(greatest(0, coalesce((d.inputs ->> 'masked_target')::numeric, d.target_amount)
        - coalesce(${inWholeSteps('d.filled_amount', 'd.trade_id')}, 0)))
        FILTER (WHERE d.kind IN ('REDUCE', 'CLOSE')) AS masked_pending
    FROM decisions d LEFT JOIN trades t ON t.id = d.pending_trade_id
    WHERE d.copier_id = ANY ($1) AND d.settled_at IS NULL AND d.lot_trade_id = $2 AND d.sequence <= $3
    GROUP BY d.copier_id)
  SELECT requested.id, trim_scale(coalesce(s.held, 0))::text AS "heldAmount", coalesce(s.others, 0)::int AS "openLotCount",
    trim_scale(coalesce(s.value, 0))::text AS "openQuote",
    coalesce(greatest(0, CASE WHEN m.day = $5::date THEN m.day_pnl - m.pnl END), 0)::text AS "dayLossQuote",
    coalesce(greatest(0, m.peak_pnl - m.pnl), 0)::text AS "drawdownQuote",
    coalesce(e.is_busy, false) OR closing.is_busy AS "hasOrdersInFlight", trim_scale(coalesce(e.pending, 0))::text AS "pendingExitAmount",
    trim_scale(coalesce(e.masked_pending, 0))::text AS "maskedPendingAmount",
    coalesce(e.is_reported, false) AS "isDelayReported"
  FROM unnest($1::uuid[], $4::text[]) AS requested (id, quote)
  LEFT JOIN sums s ON s.copier_id = requested.id
  LEFT JOIN unsettled e ON e.copier_id = requested.id
  LEFT JOIN copier_marks m ON m.copier_id = requested.id AND m.quote = requested.quote
  CROSS JOIN LATERAL (SELECT EXISTS (
    SELECT FROM lots o JOIN trades t ON t.closes_lot_id = o.id
    WHERE o.copier_id = requested.id AND o.source_trade_id = $2 AND o.open_amount > 0
      AND t.status IN ('PENDING', 'PARTIALLY_FILLED')) AS is_busy) closing`;

export interface HoldingsQuery {
  readonly lotTradeId: string;
  readonly sequence: number;
  /** The leader's trade with the fill that the signal reports. */
  readonly sourceTradeId: string;
  /** The database's current day in UTC, `YYYY-MM-DD`. */
  readonly day: string;
}

/** @param copiers - with the quote currency in which the losses are measured */
export async function holdingsOf(
  tx: Tx,
  copiers: readonly { readonly id: string; readonly quote: string }[],
  { lotTradeId, sequence, sourceTradeId, day }: HoldingsQuery,
): Promise<Map<string, CopierHoldings>> {
  const rows = await queryPrepared<CopierHoldings & { id: string }>(tx, HOLDINGS, [
    copiers.map(({ id }) => id),
    lotTradeId,
    sequence,
    copiers.map(({ quote }) => quote),
    day,
    sourceTradeId,
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the database's time. All decisions that depend on time use this clock. */
export async function databaseNow(tx: Tx): Promise<Date> {
  const [row] = await queryPrepared<{ now: Date }>(tx, 'SELECT clock_timestamp() AS now', []);
  return row!.now;
}

/**
 * Locks the accounts, then the copiers, in the order that all transactions use. Other orders on these accounts and
 * stops of these copiers wait until the transaction ends.
 */
export async function lockForCopying(
  tx: Tx,
  accountIds: readonly string[],
  copierIds: readonly string[],
): Promise<void> {
  await lockWallets(tx, accountIds);
  await queryPrepared(tx, 'SELECT FROM copiers WHERE id = ANY ($1) ORDER BY id FOR SHARE', [copierIds]);
}
