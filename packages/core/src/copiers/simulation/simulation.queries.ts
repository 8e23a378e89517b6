import type {
  BreachReaction,
  CopierOverrides,
  Decimal,
  QuoteAliases,
  SymbolMap,
  TradingType,
} from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import type { CopierSettings } from '../planning/planned-signal.js';
import type { PastFunding } from './funding-feed.js';

export interface CopierToSimulate extends CopierSettings {
  readonly id: string;
  readonly strategyId: string | null;
  readonly onBreach: BreachReaction;
  readonly quoteAliases: QuoteAliases;
  readonly symbolMap: SymbolMap;
  readonly overrides: CopierOverrides;
  readonly accountId: string;
  readonly exchange: string;
  readonly tradingType: TradingType;
  readonly isAccountRemoved: boolean;
  /** False until the balances of the account were read once. */
  readonly areBalancesKnown: boolean;
  /** Whether the user owns the strategy. */
  readonly isOwnStrategy: boolean;
}

/** Returns the user's copier, or null if the user has no such copier. */
export async function copierToSimulate(tx: Tx, userId: string, id: string): Promise<CopierToSimulate | null> {
  const [copier] = await queryPrepared<CopierToSimulate>(
    tx,
    `SELECT c.id, c.strategy_id AS "strategyId", c.on_breach AS "onBreach", c.sizing_mode AS "sizingMode",
       c.sizing_value AS "sizingValue", c.sizing_capital AS "sizingCapital", c.below_minimum AS "belowMinimum",
       c.max_trade_quote AS "maxTradeQuote", c.max_open_quote AS "maxOpenQuote",
       c.max_open_trades AS "maxOpenTrades", c.max_daily_loss_quote AS "maxDailyLossQuote",
       c.max_drawdown_percent AS "maxDrawdownPercent", c.max_slippage_bps AS "maxSlippageBps",
       c.max_signal_age_ms AS "maxSignalAgeMs", c.allowed_pairs AS "allowedPairs",
       c.blocked_pairs AS "blockedPairs", c.allowed_sides AS "allowedSides",
       c.max_leverage AS "maxLeverage", c.min_margin_ratio AS "minMarginRatio",
       c.quote_aliases AS "quoteAliases", c.symbol_map AS "symbolMap", c.overrides,
       a.id AS "accountId", a.exchange, a.trading_type AS "tradingType",
       a.deleted_at IS NOT NULL AS "isAccountRemoved", a.balances_taken_at IS NOT NULL AS "areBalancesKnown",
       coalesce((SELECT st.user_id = c.user_id FROM strategies st WHERE st.id = c.strategy_id), false) AS "isOwnStrategy"
     FROM copiers c JOIN exchange_accounts a ON a.id = c.exchange_account_id
     WHERE c.id = $1 AND c.user_id = $2 AND c.deleted_at IS NULL`,
    [id, userId],
  );
  return copier ?? null;
}

/**
 * Returns the sequence of the first signal emitted at the instant or later; one more than the last sequence if there is
 * no such signal. Sequences have no gaps and increase with time, so a binary search needs only a few look-ups by key.
 */
export async function firstSequenceAt(
  tx: Tx,
  strategyId: string,
  lastSequence: number,
  at: Date,
): Promise<number> {
  let [low, high] = [1, lastSequence + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await queryPrepared<{ is_before: boolean }>(
      tx,
      'SELECT emitted_at < $3 AS is_before FROM signals WHERE strategy_id = $1 AND sequence = $2',
      [strategyId, middle, at],
    );
    if (row?.is_before === true) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Null if the account's exchange did not report it. */
export interface MarketLeverage {
  readonly leverage: Decimal | null;
  readonly maxLeverage: Decimal | null;
}

/** Returns the account's current leverage in a pair, and the highest one that it may set. */
export async function leverageOf(tx: Tx, accountId: string, pairId: string): Promise<MarketLeverage> {
  const [row] = await queryPrepared<MarketLeverage>(
    tx,
    `SELECT trim_scale(leverage)::text AS leverage, trim_scale(max_leverage)::text AS "maxLeverage" FROM positions
     WHERE exchange_account_id = $1 AND trade_pair_id = $2`,
    [accountId, pairId],
  );
  return row ?? { leverage: null, maxLeverage: null };
}

/** A pair needs no more funding than this; hourly funding of about six years. */
const FUNDINGS_MAX = 50_000;

/** Returns the stored funding of a pair in a time range, oldest first. */
export function pastFunding(tx: Tx, pairId: string, from: Date, to: Date): Promise<PastFunding[]> {
  return queryPrepared<PastFunding>(
    tx,
    `SELECT at, trim_scale(rate)::text AS rate, trim_scale(mark_price)::text AS "markPrice" FROM funding_rates
     WHERE trade_pair_id = $1 AND at >= $2 AND at <= $3 ORDER BY at LIMIT $4`,
    [pairId, from, to, FUNDINGS_MAX],
  );
}

/** Returns the account's last known balance of an asset, free plus locked; 0 if unknown. */
export async function balanceOf(tx: Tx, accountId: string, asset: string): Promise<Decimal> {
  const [row] = await queryPrepared<{ amount: Decimal }>(
    tx,
    'SELECT trim_scale(amount)::text AS amount FROM current_balances(ARRAY[$1::uuid]) WHERE asset = $2',
    [accountId, asset],
  );
  return row?.amount ?? '0';
}

/** How many of the copier's newest trades are sampled for the fee rate. */
const FEE_SAMPLE = 100;

/** Returns the average fee of the copier's newest fills, as a share of the received amount; null without such fills. */
export async function observedFeeRate(tx: Tx, copierId: string): Promise<Decimal | null> {
  const [row] = await queryPrepared<{ rate: Decimal | null }>(
    tx,
    `SELECT trim_scale(round(avg(share), 18))::text AS rate FROM (
       SELECT CASE WHEN f.fee_value IS NULL THEN f.fee_amount / CASE t.side WHEN 'BUY' THEN f.amount ELSE f.amount * f.price END
         ELSE f.fee_value / (f.amount * f.price) END AS share
       FROM (SELECT id, side, trade_pair_id FROM trades WHERE copier_id = $1 AND filled_amount > 0
             ORDER BY created_at DESC LIMIT $2) t
       JOIN trade_pairs p ON p.id = t.trade_pair_id
       JOIN fills f ON f.trade_id = t.id
         AND (f.fee_value IS NOT NULL OR f.fee_currency = CASE t.side WHEN 'BUY' THEN p.base ELSE p.quote END)
     ) AS paid`,
    [copierId, FEE_SAMPLE],
  );
  return row?.rate ?? null;
}
