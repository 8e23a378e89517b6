// Written by scripts/generate.mjs from the contracts: run `npm run generate`, never edit.
import type { DecimalForm, DecimalInput, DecimalOf } from '../core/decimals.js';
import type { ListQuery } from '../core/list-query.js';

/** Analytics: what `trades.analytics` answers with. */
export interface Analytics<D extends DecimalForm = 'number'> {
  from: string | null;
  to: string | null;
  /** Currency of all totals: the quote currency in which most trades were closed, or else filled. Amounts of different currencies are never added: trades in other quotes are counted in excluded_quotes, and stand in by_pair and by_strategy under their own currency. Null where nothing was filled. */
  currency: string | null;
  /** What the totals leave out because it is quoted in another currency. */
  excluded_quotes: {
    currency: string;
    fill_count: number;
    closed_count: number;
  }[];
  /** Trades created in the range, in every state and currency. */
  trade_count: number;
  /** Trades closed in the range: what they opened has been offset in full, oldest lots first. Rates, averages and gross amounts are of these alone. */
  closed_count: number;
  /** Closed trades with a net gain. */
  winning_count: number;
  /** Closed trades with a net loss; one that broke even is in neither count. */
  losing_count: number;
  /** winning_count ÷ closed_count, 0 to 1; null where nothing was closed. */
  win_rate: DecimalOf<D> | null;
  /** gross_profit ÷ gross_loss; null where nothing was lost. */
  profit_factor: DecimalOf<D> | null;
  /** Mean net result of a closed trade; null where nothing was closed. */
  expectancy: DecimalOf<D> | null;
  /** expectancy ÷ average_loss; null where nothing was lost. */
  expectancy_ratio: DecimalOf<D> | null;
  /** Sum of the gains of winning trades, after fees. */
  gross_profit: DecimalOf<D>;
  /** Sum of the losses of losing trades, after fees, as a positive amount. */
  gross_loss: DecimalOf<D>;
  /** net_pnl less gross_profit plus gross_loss: what trades that are still partly open have realised in the range, less what trades closed in it had realised before it. */
  partial_pnl: DecimalOf<D>;
  /** Paid in the range in currency; those in base currency at the price of their own fill. Fees in a third currency have no known rate here: they are in fees_by_currency alone, and in no other amount. */
  fees: DecimalOf<D>;
  /** All fees of the range as they were paid, in every currency. */
  fees_by_currency: {
    amount: DecimalOf<D>;
    currency: string;
  }[];
  /** 0 on spot, which has none; null where the selection holds other trades. */
  funding: DecimalOf<D> | null;
  /** Realised in the range: every part of a lot that was offset in it, first in, first out, after the fees of both sides. Lots bought before the range count with what they cost. */
  net_pnl: DecimalOf<D>;
  /** Return over the range, 1 for a doubling: each day's net_pnl ÷ the equity that the day began with, the days chained. Deposits and withdrawals are no profit: they are capital from the next day on. Null where an equity was not recorded. */
  roi: DecimalOf<D> | null;
  /** Price × amount of the fills in the range, both sides. */
  volume: DecimalOf<D>;
  average_win: DecimalOf<D> | null;
  /** As a positive amount. */
  average_loss: DecimalOf<D> | null;
  /** The closed trade with the highest net result. */
  best_trade: {
    /** Id of a trade (`trd_…`). */
    trade_id: string;
    net_pnl: DecimalOf<D>;
  } | null;
  /** The closed trade with the lowest net result. */
  worst_trade: {
    /** Id of a trade (`trd_…`). */
    trade_id: string;
    net_pnl: DecimalOf<D>;
  } | null;
  /** From the first fill of a closed trade until it was offset in full; to milliseconds. */
  average_holding_seconds: DecimalOf<D> | null;
  /** Longest run of losing trades, in the order of their closing. */
  max_consecutive_losses: number;
  max_drawdown: {
    /** The deepest fall of the cumulated net_pnl below its highest point, both at the end of a UTC day: what rises and falls within a day is not seen. Never negative. */
    amount: DecimalOf<D>;
    /** Of the equity at the end of the peak's day, in hundredths; null where that was not recorded, or where nothing fell. */
    percent: DecimalOf<D> | null;
    /** The day of the highest point; null where it is the beginning, or where nothing fell. */
    peak_at: string | null;
    /** The day of the lowest point after it. */
    trough_at: string | null;
    /** The day on which the highest point was reached again; null where it was not. */
    recovered_at: string | null;
  };
  /** Mean ÷ standard deviation (n − 1) of the daily results, × √365, with no riskless rate. A day is one of UTC; days without a closing count as 0. The results are put in proportion to a constant capital, whose size does not matter to the ratio. Null under 2 days and where the deviation is 0. To 8 decimals. */
  sharpe: DecimalOf<D> | null;
  /** As sharpe, with the deviation of the losing days alone: √(Σ loss² ÷ (n − 1)). Null where no day lost. */
  sortino: DecimalOf<D> | null;
  /** roi × 365 ÷ sample_days, ÷ the percent of max_drawdown as a share. Null under 2 days, and where one of them is null or nothing fell. */
  calmar: DecimalOf<D> | null;
  /** UTC days from the first to the last fill in the range. */
  sample_days: number;
  /** True under 30 sample days: sharpe and sortino say little then. */
  low_sample: boolean;
  /** Fills of the range that sold, in whole or in part, what had not been bought here: a spot sale without a lot opens nothing and has no known result. */
  unmatched_fill_count: number;
  by_status: {
    PENDING: number;
    FILLED: number;
    PARTIALLY_FILLED: number;
    CANCELLED: number;
    FAILED: number;
  };
  by_pair: PairResult<D>[];
  /** By the strategy of the trade that opened a lot, and by currency. */
  by_strategy: StrategyResult<D>[];
  /** How your copiers copied in the range, by when they decided; left out where they decided nothing. */
  copy?: CopyingResults<D>;
  /** Periods in which something was realised, oldest first. */
  equity_curve: {
    /** Where the period begins, in UTC; weeks begin on Monday. */
    at: string;
    /** What the accounts with results in currency were worth, open lots and all, as it was recorded last in or before the period; null where one of them was not recorded yet. */
    equity: DecimalOf<D> | null;
    /** Cumulated over the range, at the end of the period. */
    net_pnl: DecimalOf<D>;
    /** Of the period alone. */
    period_pnl: DecimalOf<D>;
    /** How far net_pnl then stands below its highest point so far. */
    drawdown: DecimalOf<D>;
  }[];
}

/** API key: what `apiKeys.list` answers with. */
export interface ApiKey {
  /** Id of an API key (`key_…`). */
  id: string;
  name: string;
  prefix: 'svc_live_' | 'svc_test_' | (string & {});
  /** Last four characters of the key, to tell keys apart. */
  last_four: string;
  permissions: ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN' | (string & {}))[];
  /** Addresses and CIDR ranges; empty allows all. */
  ip_allowlist: string[];
  /** Null: it does not expire. */
  expires_at: string | null;
  /** Null before the first use. */
  last_used_at: string | null;
  created_at: string;
  /** Null while it works. */
  revoked_at: string | null;
}

/** What `apiKeys.create` takes. */
export interface ApiKeyCreate {
  /** Your label for the key. */
  name: string;
  permissions?: readonly ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN')[];
  ip_allowlist?: readonly (string | string | string | string)[];
  expires_at?: string;
}

/** API key with value: what `apiKeys.create` and `apiKeys.rotate` answer with. */
export interface ApiKeyWithValue {
  /** Id of an API key (`key_…`). */
  id: string;
  name: string;
  prefix: 'svc_live_' | 'svc_test_' | (string & {});
  /** Last four characters of the key, to tell keys apart. */
  last_four: string;
  permissions: ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN' | (string & {}))[];
  /** Addresses and CIDR ranges; empty allows all. */
  ip_allowlist: string[];
  /** Null: it does not expire. */
  expires_at: string | null;
  /** Null before the first use. */
  last_used_at: string | null;
  created_at: string;
  /** Null while it works. */
  revoked_at: string | null;
  /** The key itself: shown here alone, and never again. */
  key: string;
}

/** CLI challenge: what `auth.cliChallenge` answers with. */
export interface CliChallenge {
  challenge: string;
  expires_at: string;
}

/** What `auth.cliIdentity` takes. */
export interface CliIdentityCreate {
  challenge: string;
  /** Compressed secp256k1 public key. */
  pubkey: string;
  /** Over the UTF-8 text `svc-cli-identity\n<challenge>\n<pubkey>`. */
  signature: string;
  label?: string;
}

/** Copier: what `copiers.create`, `copiers.get`, `copiers.list`, `copiers.start` and `copiers.update` answer with. */
export interface Copier<D extends DecimalForm = 'number'> {
  /** Id of a copier (`cpr_…`). */
  id: string;
  name: string;
  /** The strategy that it follows. */
  strategy_id?: string;
  /** Where its copies are made. */
  exchange_account_id: string;
  /** ACTIVE copies entries and exits, CLOSE_ONLY exits alone, PAUSED nothing. */
  status: 'ACTIVE' | 'CLOSE_ONLY' | 'PAUSED' | (string & {});
  /** Why it is no longer ACTIVE. */
  status_reason?: 'USER' | 'DAILY_LOSS' | 'DRAWDOWN' | 'CREDENTIALS' | 'STRATEGY_ARCHIVED' | (string & {});
  /** FIXED_AMOUNT: `value` in base currency. FIXED_QUOTE: `value` in quote currency for each lot of the strategy. MULTIPLIER: `value` times the strategy's amount. EQUITY_RATIO: `value` times the strategy's amount in the proportion of your equity (or `capital`) to the strategy's. */
  sizing: {
    mode: 'FIXED_AMOUNT' | 'FIXED_QUOTE' | 'MULTIPLIER' | 'EQUITY_RATIO' | (string & {});
    value: DecimalOf<D>;
    capital?: DecimalOf<D>;
  };
  limits: CopierLimits<D>;
  on_breach: 'CLOSE_ONLY' | 'PAUSE' | (string & {});
  below_minimum: 'SKIP' | 'ACCUMULATE' | 'ROUND_UP' | (string & {});
  copy_existing: boolean;
  /** Highest net profit so far, in quote currency; profit shares count above it. */
  high_water_mark: DecimalOf<D>;
  stats: CopierStats<D>;
  /** What it held, when it was started last, of lots that its strategy had left while it was paused. Nobody sells it without you: start it with `{"resync": "EXITS"}`. */
  drift: CopyDrift<D>[];
  /** When it was started last: it copies what the strategy opens from then on. */
  started_at?: string;
  /** When it was last paused or set to CLOSE_ONLY. */
  stopped_at?: string;
  created_at: string;
  updated_at: string;
}

/** What `copiers.create` takes. */
export interface CopierCreate {
  name: string;
  /** Your own strategy, or another user's active public one. */
  strategy_id?: string;
  /** Where copies are made; never the strategy's own account. */
  exchange_account_id: string;
  sizing: SizingGiven;
  limits?: CopierLimitsCreate;
  /** What it does once a loss limit is reached. Default: "CLOSE_ONLY". */
  on_breach?: 'CLOSE_ONLY' | 'PAUSE';
  /** A copy under the exchange's minimum is left out (SKIP), added to the next of the same lot (ACCUMULATE) or raised to the minimum, to twice its size at most (ROUND_UP). Default: "ACCUMULATE". */
  below_minimum?: 'SKIP' | 'ACCUMULATE' | 'ROUND_UP';
  /** Whether a start also copies what the strategy has open at that moment. Default: false. */
  copy_existing?: boolean;
}

/** Copier limits: a part of `Copier` and `StoppedCopier`. */
export interface CopierLimits<D extends DecimalForm = 'number'> {
  /** Most that one entry may cost, in quote currency; larger ones are cut to it. */
  max_trade_quote?: DecimalOf<D>;
  /** Most that may be open at once, in quote currency; entries are cut to what is left. */
  max_open_quote?: DecimalOf<D>;
  /** Most lots that may be open at once. */
  max_open_trades?: number;
  /** Loss since 00:00 UTC, in quote currency, at which `on_breach` takes hold. */
  max_daily_loss_quote?: DecimalOf<D>;
  /** Fall from the high-water mark, in percent, at which `on_breach` takes hold. */
  max_drawdown_percent?: DecimalOf<D>;
  /** Most that an entry may be worse than the strategy's price, in hundredths of a percent. */
  max_slippage_bps?: number;
  /** Entries older than this are not copied any more; exits always are. */
  max_signal_age_ms: number;
  /** Most leverage of an entry, on perpetuals. */
  max_leverage?: DecimalOf<D>;
  /** Symbols (`BASE/QUOTE`) of the only pairs that are copied. */
  allowed_pairs?: string[];
  /** Symbols (`BASE/QUOTE`) of pairs that are never copied. */
  blocked_pairs?: string[];
  /** The only sides on which entries are copied. */
  allowed_sides?: ('BUY' | 'SELL' | (string & {}))[];
}

/** Copier limits create: a part of `CopierCreate`. */
export interface CopierLimitsCreate {
  /** Most that one entry may cost, in quote currency; larger ones are cut to it. */
  max_trade_quote?: DecimalInput;
  /** Most that may be open at once, in quote currency; entries are cut to what is left. */
  max_open_quote?: DecimalInput;
  /** Most lots that may be open at once. */
  max_open_trades?: number;
  /** Loss since 00:00 UTC, in quote currency, at which `on_breach` takes hold. */
  max_daily_loss_quote?: DecimalInput;
  /** Fall from the high-water mark, in percent, at which `on_breach` takes hold. At most 100. */
  max_drawdown_percent?: DecimalInput;
  /** Most that an entry may be worse than the strategy's price, in hundredths of a percent. */
  max_slippage_bps?: number;
  /** Most leverage of an entry, on perpetuals. */
  max_leverage?: DecimalInput;
  /** Symbols (`BASE/QUOTE`) of the only pairs that are copied. */
  allowed_pairs?: readonly string[];
  /** Symbols (`BASE/QUOTE`) of pairs that are never copied. */
  blocked_pairs?: readonly string[];
  /** The only sides on which entries are copied. */
  allowed_sides?: readonly ('BUY' | 'SELL')[];
  /** Entries older than this are not copied any more; exits always are. Default: 60000. */
  max_signal_age_ms?: number;
}

/** Copier limits update: a part of `CopierUpdate`. */
export interface CopierLimitsUpdate {
  max_trade_quote?: DecimalInput | null;
  max_open_quote?: DecimalInput | null;
  max_open_trades?: number | null;
  max_daily_loss_quote?: DecimalInput | null;
  max_drawdown_percent?: DecimalInput | null;
  max_slippage_bps?: number | null;
  /** Entries older than this are not copied any more; exits always are. */
  max_signal_age_ms?: number;
  max_leverage?: DecimalInput | null;
  allowed_pairs?: readonly string[] | null;
  blocked_pairs?: readonly string[] | null;
  allowed_sides?: readonly ('BUY' | 'SELL')[] | null;
}

/** What `copiers.start` takes. */
export interface CopierStart {
  /** EXITS: sells what the strategy sold of copied lots while the copier was paused. */
  resync?: 'EXITS';
  /** For this start, instead of the copier's `copy_existing`. */
  copy_existing?: boolean;
}

/** Copier stats: a part of `Copier` and `StoppedCopier`. */
export interface CopierStats<D extends DecimalForm = 'number'> {
  copied: number;
  skipped: number;
  failed: number;
  median_latency_ms: number | null;
  p99_latency_ms: number | null;
  average_slippage_bps: DecimalOf<D> | null;
  /** The copier's return less the strategy's, in hundredths of a percent, over what was closed of the last 1,000 lots that both held, each weighing what the copies cost. */
  tracking_difference_bps: DecimalOf<D> | null;
  /** What the tracking difference is made of; its parts add up to it. */
  tracking?: TrackingParts<D>;
  open_exposure_quote: DecimalOf<D>;
  /** Net of fees, in quote currency. */
  net_pnl: DecimalOf<D>;
}

/** What `copiers.stop` takes. */
export interface CopierStop {
  /** PAUSED: no more entries and no exits. CLOSE_ONLY: it still follows the strategy's exits. Default: "PAUSED". */
  mode?: 'PAUSED' | 'CLOSE_ONLY';
}

/** What `copiers.update` takes. */
export interface CopierUpdate {
  name?: string;
  /** Only while PAUSED. Null: it follows none. */
  strategy_id?: string | null;
  sizing?: SizingGiven;
  /** Those that are given change, the others stay; null removes one. */
  limits?: CopierLimitsUpdate;
  /** What it does once a loss limit is reached. */
  on_breach?: 'CLOSE_ONLY' | 'PAUSE';
  /** A copy under the exchange's minimum is left out (SKIP), added to the next of the same lot (ACCUMULATE) or raised to the minimum, to twice its size at most (ROUND_UP). */
  below_minimum?: 'SKIP' | 'ACCUMULATE' | 'ROUND_UP';
  /** Whether a start also copies what the strategy has open at that moment. */
  copy_existing?: boolean;
}

/** What `strategies.linkCopiers` takes. */
export interface CopiersLink {
  /** Your copiers: all of them are linked, or none. */
  copier_ids: readonly string[];
}

/** Copy drift: a part of `Copier` and `StoppedCopier`. */
export interface CopyDrift<D extends DecimalForm = 'number'> {
  symbol: string;
  /** The strategy's trade that opened the lot. */
  source_trade_id: string;
  /** What the copier held, in base currency. */
  held_amount: DecimalOf<D>;
  /** What it would have sold by then, in base currency. */
  excess_amount: DecimalOf<D>;
}

/** Copying results: a part of `Analytics`. */
export interface CopyingResults<D extends DecimalForm = 'number'> {
  median_latency_ms: number | null;
  /** 99 of 100 copies were sent within it. */
  p99_latency_ms: number | null;
  /** Mean over the copies that were filled. */
  average_slippage_bps: DecimalOf<D> | null;
  skipped_by_reason: Record<string, number>;
}

/** Credentials test result: what `exchanges.test` answers with. */
export interface CredentialsTestResult {
  ok: true;
  trading_types: ('spot' | 'margin' | 'perpetual' | (string & {}))[];
  can_trade: boolean;
  can_withdraw: boolean;
}

/** Dead letter: what `deadLetters.list` answers with. */
export interface DeadLetter {
  /** Id of a dead letter (`dlq_…`). */
  id: string;
  /** Id of an event (`evt_…`). */
  event_id: string;
  event_type:
    | 'trade.created'
    | 'trade.partially_filled'
    | 'trade.filled'
    | 'trade.cancelled'
    | 'trade.failed'
    | 'trade.closed'
    | 'copier.started'
    | 'copier.stopped'
    | 'copier.trade_skipped'
    | 'exchange.synced'
    | 'exchange.sync_failed'
    | 'reward.granted'
    | 'reward.claimed'
    | 'withdrawal.created'
    | 'withdrawal.completed'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'webhook.test'
    | 'webhook.deactivated'
    | 'copier.drift'
    | 'exchange.credentials_rejected'
    | 'key.created'
    | 'key.revoked'
    | 'public_key.linked'
    | (string & {});
  /** The run of attempts that failed, as in the deliveries. */
  run: number;
  /** RETRIED: sent again by a new run. What comes of that run is a delivery, or another dead letter. */
  status: 'PENDING' | 'RETRIED' | 'DISCARDED' | (string & {});
  /** How many were made. */
  attempts: number;
  last_status_code?: number;
  /** Why the last attempt failed; `webhook_inactive` where the rest was not made at all. */
  last_error?:
    | 'dns_error'
    | 'blocked_address'
    | 'connect_refused'
    | 'connect_timeout'
    | 'tls_error'
    | 'timeout'
    | 'reset'
    | 'response_too_large'
    | 'http_status'
    | 'invalid_url'
    | 'internal'
    | 'webhook_inactive'
    | (string & {});
  /** When it was retried or discarded. */
  resolved_at?: string;
  created_at: string;
  updated_at: string;
}

/** Dead letter detail: what `deadLetters.get` and `deadLetters.retry` answer with. */
export interface DeadLetterDetail<D extends DecimalForm = 'number'> {
  /** Id of a dead letter (`dlq_…`). */
  id: string;
  /** Id of an event (`evt_…`). */
  event_id: string;
  event_type:
    | 'trade.created'
    | 'trade.partially_filled'
    | 'trade.filled'
    | 'trade.cancelled'
    | 'trade.failed'
    | 'trade.closed'
    | 'copier.started'
    | 'copier.stopped'
    | 'copier.trade_skipped'
    | 'exchange.synced'
    | 'exchange.sync_failed'
    | 'reward.granted'
    | 'reward.claimed'
    | 'withdrawal.created'
    | 'withdrawal.completed'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'webhook.test'
    | 'webhook.deactivated'
    | 'copier.drift'
    | 'exchange.credentials_rejected'
    | 'key.created'
    | 'key.revoked'
    | 'public_key.linked'
    | (string & {});
  /** The run of attempts that failed, as in the deliveries. */
  run: number;
  /** RETRIED: sent again by a new run. What comes of that run is a delivery, or another dead letter. */
  status: 'PENDING' | 'RETRIED' | 'DISCARDED' | (string & {});
  /** How many were made. */
  attempts: number;
  last_status_code?: number;
  /** Why the last attempt failed; `webhook_inactive` where the rest was not made at all. */
  last_error?:
    | 'dns_error'
    | 'blocked_address'
    | 'connect_refused'
    | 'connect_timeout'
    | 'tls_error'
    | 'timeout'
    | 'reset'
    | 'response_too_large'
    | 'http_status'
    | 'invalid_url'
    | 'internal'
    | 'webhook_inactive'
    | (string & {});
  /** When it was retried or discarded. */
  resolved_at?: string;
  created_at: string;
  updated_at: string;
  /** The event, as it was sent each time. */
  payload: WebhookEvent<D>;
}

/** Dead letter retry: what `deadLetters.retryMany` answers with. */
export interface DeadLetterRetry {
  /** How many are being sent again: the oldest first, at most 10000 by one call. */
  retried: number;
  /** Whether some of those asked for are still pending: call again. */
  has_more: boolean;
}

/** What `deadLetters.retryMany` takes. */
export interface DeadLetterRetryAsked {
  /** First instant of the range; all there is unless given. Dead letters count by created_at. */
  from?: string;
  /** End of the range, itself not in it. */
  to?: string;
  event_type?:
    | 'trade.created'
    | 'trade.partially_filled'
    | 'trade.filled'
    | 'trade.cancelled'
    | 'trade.failed'
    | 'trade.closed'
    | 'copier.started'
    | 'copier.stopped'
    | 'copier.trade_skipped'
    | 'exchange.synced'
    | 'exchange.sync_failed'
    | 'reward.granted'
    | 'reward.claimed'
    | 'withdrawal.created'
    | 'withdrawal.completed'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'webhook.test'
    | 'webhook.deactivated'
    | 'copier.drift'
    | 'exchange.credentials_rejected'
    | 'key.created'
    | 'key.revoked'
    | 'public_key.linked';
}

/** Dead letter stats: what `deadLetters.stats` answers with. */
export interface DeadLetterStats {
  pending: number;
  retried: number;
  discarded: number;
}

/** Decision: what `copiers.decisions` answers with. */
export interface Decision<D extends DecimalForm = 'number'> {
  /** Id of a decision (`dec_…`). */
  id: string;
  /** Id of a copier (`cpr_…`). */
  copier_id: string;
  /** Id of a strategy (`str_…`). */
  strategy_id: string;
  /** Id of a signal (`sig_…`). */
  signal_id: string;
  /** The signal's place among the strategy's signals. */
  sequence: number;
  /** The trade whose fill made the signal. */
  source_trade_id: string;
  symbol: string;
  /** OPEN and INCREASE enter the lot that a trade of the strategy opened; REDUCE and CLOSE leave it. */
  kind: 'OPEN' | 'INCREASE' | 'REDUCE' | 'CLOSE' | (string & {});
  /** CLAMPED: copied in part. FAILED: the exchange did not take the order. Final once settled_at is there. */
  outcome: 'COPIED' | 'CLAMPED' | 'SKIPPED' | 'FAILED' | (string & {});
  /** Why it was not copied, or not in full. */
  code?:
    | 'NOT_ACTIVE'
    | 'NOT_HELD'
    | 'PAIR_BLOCKED'
    | 'PAIR_UNAVAILABLE'
    | 'SIDE_BLOCKED'
    | 'STALE_SIGNAL'
    | 'STALE_EQUITY'
    | 'DAILY_LOSS'
    | 'DRAWDOWN'
    | 'MAX_TRADES'
    | 'MAX_TRADE'
    | 'MAX_OPEN'
    | 'BELOW_MINIMUM'
    | 'INSUFFICIENT_BALANCE'
    | 'SLIPPAGE'
    | 'EXCHANGE_REJECTED'
    | 'CREDENTIALS'
    | 'RATE_LIMITED'
    | (string & {});
  /** The numbers it was decided by; amounts as decimal text. */
  inputs: Record<string, string | number | boolean | null>;
  /** What the sizing asked for, in base currency, before limits and rounding. */
  target_amount: DecimalOf<D>;
  /** What was ordered, in base currency. */
  sent_amount: DecimalOf<D>;
  /** What was filled, in base currency. */
  filled_amount: DecimalOf<D>;
  /** The copy, where one was ordered. */
  trade_id?: string;
  /** From the fill that made the signal to the copy's sending. */
  latency_ms?: number;
  /** How much worse the copy was filled than the strategy's price, in hundredths of a percent. */
  slippage_bps?: DecimalOf<D>;
  created_at: string;
  decided_at: string;
  /** When nothing more could come of it. */
  settled_at?: string;
}

/** Delivery: what `webhooks.deliveries` and `webhooks.test` answer with. */
export interface Delivery {
  /** Id of a delivery (`dlv_…`). */
  id: string;
  /** Id of an event (`evt_…`). */
  event_id: string;
  event_type:
    | 'trade.created'
    | 'trade.partially_filled'
    | 'trade.filled'
    | 'trade.cancelled'
    | 'trade.failed'
    | 'trade.closed'
    | 'copier.started'
    | 'copier.stopped'
    | 'copier.trade_skipped'
    | 'exchange.synced'
    | 'exchange.sync_failed'
    | 'reward.granted'
    | 'reward.claimed'
    | 'withdrawal.created'
    | 'withdrawal.completed'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'webhook.test'
    | 'webhook.deactivated'
    | 'copier.drift'
    | 'exchange.credentials_rejected'
    | 'key.created'
    | 'key.revoked'
    | 'public_key.linked'
    | (string & {});
  /** 0 is the first run of attempts, as a rule the automatic one; each retry or replay adds one. */
  run: number;
  attempt: number;
  status: 'SUCCEEDED' | 'FAILED' | (string & {});
  status_code?: number;
  error?:
    | 'dns_error'
    | 'blocked_address'
    | 'connect_refused'
    | 'connect_timeout'
    | 'tls_error'
    | 'timeout'
    | 'reset'
    | 'response_too_large'
    | 'http_status'
    | 'invalid_url'
    | 'internal'
    | (string & {});
  response_time_ms: number;
  /** At most the first 1 KiB; null where the answer had no body, or none came. */
  response_body: string | null;
  attempted_at: string;
  next_attempt_at?: string;
  created_at: string;
}

/** Detailed health: what `health.detailed` answers with. */
export interface DetailedHealth {
  status: 'ok' | 'degraded' | (string & {});
  services: Record<
    string,
    {
      status: 'ok' | 'degraded' | (string & {});
      /** Time since the service last gave a sign of life. */
      age_ms: number;
    }
  >;
}

/** Emergency stop: what `emergencyStop.run` answers with. */
export interface EmergencyStop<D extends DecimalForm = 'number'> {
  /** Copiers that this call paused. Their positions stay open, and nobody closes them for you. */
  paused_copiers: Copier<D>[];
  /** All that is open of you, by pair and side; nobody closes it for you. */
  open_lots: OpenLot<D>[];
  /** Trades that were open and are cancelled; what was filled stays filled. */
  cancelled: Trade<D>[];
  /** Trades that were open and were filled before they could be cancelled, or failed. */
  ended_otherwise: Trade<D>[];
  /** What is open at this moment. The exchange has not confirmed its cancellation yet (`sub_status` PENDING_CANCEL): it goes on without you, and a further call tells how far it is. An order of an account that is not active waits until the account is. A trade that was placed after the stop is listed and not cancelled. */
  still_open: Trade<D>[];
}

/** An event of one kind. */
export interface WebhookEventOf<Type extends keyof EventData, D extends DecimalForm = 'number'> {
  type: Type;
  /** The record as it was then, as the API shows it. */
  data: EventData<D>[Type];
  /** Id of an event (`evt_…`). */
  event_id: string;
  timestamp: string;
  truncated?: true;
}

/**
 * An event, as webhooks, the list and the stream have it; `type` tells which record `data` is. Kinds that are not
 * among these may come: pass over them.
 */
export type WebhookEvent<D extends DecimalForm = 'number'> = {
  [Type in keyof EventData]: WebhookEventOf<Type, D>;
}[keyof EventData];

/** Event catalogue: what `events.types` answers with. */
export interface EventCatalogue<D extends DecimalForm = 'number'> {
  types: EventKind<D>[];
}

/** Event kind: a part of `EventCatalogue`. */
export interface EventKind<D extends DecimalForm = 'number'> {
  type:
    | 'trade.created'
    | 'trade.partially_filled'
    | 'trade.filled'
    | 'trade.cancelled'
    | 'trade.failed'
    | 'trade.closed'
    | 'copier.started'
    | 'copier.stopped'
    | 'copier.trade_skipped'
    | 'exchange.synced'
    | 'exchange.sync_failed'
    | 'reward.granted'
    | 'reward.claimed'
    | 'withdrawal.created'
    | 'withdrawal.completed'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'webhook.test'
    | 'webhook.deactivated'
    | 'copier.drift'
    | 'exchange.credentials_rejected'
    | 'key.created'
    | 'key.revoked'
    | 'public_key.linked'
    | (string & {});
  /** When it is sent. */
  description: string;
  /** JSON Schema (2020-12) of the whole payload. Payloads may gain members. */
  schema: Record<string, unknown>;
  /** A payload that fits the schema; its ids are of no record. */
  sample: WebhookEvent<D>;
}

/** Exchange account: what `exchanges.create`, `exchanges.get`, `exchanges.list`, `exchanges.sync` and `exchanges.update` answer with. */
export interface ExchangeAccount<D extends DecimalForm = 'number'> {
  /** Id of an exchange account (`exa_…`). */
  id: string;
  /** Id of the exchange, as in the supported exchanges. */
  exchange_name: string;
  account_name: string;
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** False once the exchange refused the credentials. */
  is_active: boolean;
  /** True where the credentials may withdraw: such keys are best replaced. */
  can_withdraw: boolean;
  /** Free and locked together, by asset. */
  balance: Record<string, DecimalOf<D>>;
  /** Null before the first sync. */
  last_sync_at: string | null;
  created_at: string;
  updated_at: string;
}

/** What `exchanges.create` takes. */
export interface ExchangeAccountCreate {
  /** Id of a supported exchange. */
  exchange: string;
  trading_type: 'spot' | 'margin' | 'perpetual';
  credentials: ExchangeCredentials;
  /** Your label for the account. */
  account_name: string;
  /** Take credentials that may withdraw, too. Default: false. */
  allow_withdraw_keys?: boolean;
}

/** What `exchanges.test` takes. */
export interface ExchangeAccountTest {
  /** Id of a supported exchange. */
  exchange: string;
  trading_type: 'spot' | 'margin' | 'perpetual';
  credentials: ExchangeCredentials;
}

/** What `exchanges.update` takes. */
export interface ExchangeAccountUpdate {
  /** Your label for the account. */
  account_name?: string;
  /** New credentials of the same account at the exchange; tested before they are kept. */
  credentials?: ExchangeCredentials;
  /** Take credentials that may withdraw, too. Default: false. */
  allow_withdraw_keys?: boolean;
}

/** Exchange credentials: a part of `ExchangeAccountCreate`, `ExchangeAccountTest` and `ExchangeAccountUpdate`. */
export interface ExchangeCredentials {
  api_key: string;
  api_secret: string;
  passphrase?: string;
}

/** Fill: a part of `TradeDetail`. */
export interface Fill<D extends DecimalForm = 'number'> {
  /** Id of a fill (`fil_…`). */
  id: string;
  exchange_fill_id: string;
  price: DecimalOf<D>;
  amount: DecimalOf<D>;
  fee: {
    amount: DecimalOf<D>;
    currency: string;
  };
  liquidity: 'MAKER' | 'TAKER' | (string & {});
  executed_at: string;
}

/** Health: what `health.get` answers with. */
export interface Health {
  status: 'ok';
}

/** Me: what `me.get` and `me.update` answer with. */
export interface Me {
  /** Id of a user (`usr_…`). */
  id: string;
  /** The address given last. Mail goes to the last verified one until this one is verified. */
  email?: string;
  /** Whether `email` was proved by the link that was sent to it. */
  email_verified: boolean;
  created_at: string;
  credential: {
    kind: 'api_key' | 'public_key' | 'session' | (string & {});
    id: string;
    permissions: ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN' | (string & {}))[];
  };
  world: 'test' | 'live' | (string & {});
}

/** What `me.update` takes. */
export interface MePatch {
  /** A link to verify the address is sent to it; asked for again, the link is sent again. */
  email?: string;
}

/** Notification: what `notifications.list` and `notifications.read` answer with. */
export interface Notification {
  /** Id of a notification (`ntf_…`). */
  id: string;
  /** The kind of the event that it tells of. */
  kind:
    | 'trade.created'
    | 'trade.partially_filled'
    | 'trade.filled'
    | 'trade.cancelled'
    | 'trade.failed'
    | 'trade.closed'
    | 'copier.started'
    | 'copier.stopped'
    | 'copier.trade_skipped'
    | 'exchange.synced'
    | 'exchange.sync_failed'
    | 'reward.granted'
    | 'reward.claimed'
    | 'withdrawal.created'
    | 'withdrawal.completed'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'webhook.test'
    | 'webhook.deactivated'
    | 'copier.drift'
    | 'exchange.credentials_rejected'
    | 'key.created'
    | 'key.revoked'
    | 'public_key.linked'
    | (string & {});
  severity: 'INFO' | 'WARNING' | 'CRITICAL' | (string & {});
  title: string;
  body: string;
  /** The record that it is about. */
  data: {
    resource:
      | 'trade'
      | 'copier'
      | 'decision'
      | 'exchange_account'
      | 'reward'
      | 'withdrawal'
      | 'webhook'
      | 'api_key'
      | 'public_key'
      | (string & {});
    id: string;
  };
  is_read: boolean;
  read_at?: string;
  /** When the event happened. */
  created_at: string;
}

/** Open lot: a part of `EmergencyStop` and `StoppedCopier`. */
export interface OpenLot<D extends DecimalForm = 'number'> {
  symbol: string;
  side: 'BUY' | 'SELL' | (string & {});
  /** In base currency. */
  amount: DecimalOf<D>;
  average_price: DecimalOf<D>;
}

/** Order book update. */
export interface OrderBookUpdate<D extends DecimalForm = 'number'> {
  /** The exchange's id. */
  exchange: string;
  symbol: string;
  /** SNAPSHOT is all levels within the depth and follows nothing; DELTA is what changed in them since previous_sequence. */
  kind: 'SNAPSHOT' | 'DELTA' | (string & {});
  /** The product's own number, per book and growing, not without gaps. */
  sequence: number;
  /** Of the message that a DELTA follows; null of a SNAPSHOT. */
  previous_sequence: number | null;
  /** Levels as `[price, amount]`, highest price first, prices in quote and amounts in base currency. In a DELTA an amount of 0 takes the level out. */
  bids: (readonly [DecimalOf<D>, DecimalOf<D>])[];
  /** Levels as `[price, amount]`, lowest price first, prices in quote and amounts in base currency. In a DELTA an amount of 0 takes the level out. */
  asks: (readonly [DecimalOf<D>, DecimalOf<D>])[];
  /** When the exchange says that it was so. */
  exchange_timestamp: string;
  /** When it was heard of here. */
  received_at: string;
}

/** Pair result: a part of `Analytics`. */
export interface PairResult<D extends DecimalForm = 'number'> {
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  symbol: string;
  /** Quote currency of the amounts beside it. */
  currency: string;
  /** Trades created in the range, in every state. */
  trade_count: number;
  closed_count: number;
  winning_count: number;
  losing_count: number;
  /** winning_count ÷ closed_count; null where nothing was closed. */
  win_rate: DecimalOf<D> | null;
  net_pnl: DecimalOf<D>;
  fees: DecimalOf<D>;
  volume: DecimalOf<D>;
}

/** Profit share given: a part of `StrategyCreate` and `StrategyUpdate`. */
export interface ProfitShareGiven {
  /** Share of the profit above the high-water mark, 0 to 0.5. At most 0.5. */
  rate: DecimalInput;
  /** Default: "HIGH_WATER_MARK". */
  basis?: 'HIGH_WATER_MARK';
  /** How often it is settled. */
  period: 'WEEK' | 'MONTH' | 'QUARTER';
}

/** Public key: what `auth.cliIdentity` and `publicKeys.list` answer with. */
export interface PublicKey {
  /** Id of a public key (`pbk_…`). */
  id: string;
  /** Id of a user (`usr_…`). */
  user_id: string;
  pubkey: string;
  label?: string;
  created_at: string;
  last_used_at?: string;
  revoked_at?: string;
}

/** Reward: what `rewards.claim` and `rewards.list` answer with. */
export interface Reward<D extends DecimalForm = 'number'> {
  /** Id of a reward (`rwd_…`). */
  id: string;
  /** Id of a reward type (`rwt_…`). */
  type_id: string;
  amount: DecimalOf<D>;
  /** The reward token. */
  currency: string;
  /** PENDING until `claimable_at`, then CLAIMABLE; EXPIRED where nobody claimed it in time. */
  status: 'PENDING' | 'CLAIMABLE' | 'CLAIMED' | 'EXPIRED' | (string & {});
  /** What it was granted for, in words. */
  reason: string;
  /** The record that it was granted for. */
  source: {
    kind: 'exchange_account' | 'trade' | 'copier' | 'strategy' | 'referral' | (string & {});
    id: string;
  };
  /** Of a profit share: the period in UTC that it settles; `to` is no longer part of it. */
  period?: {
    from: string;
    to: string;
  };
  /** Of a profit share: the copier's net realised profit with the strategy, in quote currency, up to which profit was settled before, and is now. */
  high_water_mark?: {
    before: DecimalOf<D>;
    after: DecimalOf<D>;
  };
  /** How the amount was found: `rate` × (`high_water_mark.after` − `high_water_mark.before`) × `tokens_per_quote`, rounded down to 18 decimals. */
  profit_share?: {
    /** Id of a strategy (`str_…`). */
    strategy_id: string;
    /** The currency of the profit and of its high-water mark. */
    quote: string;
    /** The strategy's share of the profit. */
    rate: DecimalOf<D>;
    /** Reward tokens for one unit of the quote currency. */
    tokens_per_quote: DecimalOf<D>;
  };
  claimable_at: string;
  /** From then on it can no longer be claimed. */
  expires_at?: string;
  claimed_at?: string;
  created_at: string;
  updated_at: string;
}

/** Reward balance: what `rewards.balance` answers with. */
export interface RewardBalance<D extends DecimalForm = 'number'> {
  /** The reward token. */
  currency: string;
  /** What was claimed and can be withdrawn. */
  available: DecimalOf<D>;
  /** What withdrawals under way hold. */
  held: DecimalOf<D>;
}

/** Reward type: what `rewards.types` answers with. */
export interface RewardType<D extends DecimalForm = 'number'> {
  /** Id of a reward type (`rwt_…`). */
  id: string;
  /** Stable name, for example `SIGN_UP`. */
  code: string;
  name: string;
  description: string;
  /** How its amount is found. */
  rule: {
    basis: 'FLAT' | 'VOLUME' | 'PROFIT_SHARE' | (string & {});
    /** FLAT: reward tokens each time; else the share of the basis. */
    rate: DecimalOf<D>;
    /** Most reward tokens of one grant. */
    cap?: DecimalOf<D>;
    /** How often it is settled; absent where at once. */
    period?: string;
  };
  /** False where it is not granted at present. */
  is_active: boolean;
  created_at: string;
  updated_at: string;
}

/** Setting: what `settings.get`, `settings.list` and `settings.put` answer with. */
export interface Setting {
  /** 1 to 64 characters of a-z, 0-9, `.`, `_` and `-`. */
  key: string;
  /** Any JSON, as it was put: numbers keep every digit. */
  value: unknown;
  created_at: string;
  updated_at: string;
}

/** What `settings.put` takes. */
export interface SettingPut {
  /** Any JSON, null too, of at most 16 KiB. The value of `notifications` chooses what you are told of: `{"in_app": {"trade.filled": false}, "email": {"trade.*": true, "trade.filled": false}}`. Each member names a kind of event, `subject.*` or `*`; the most specific one decides, and what none names stays as it is by default: in the product everything that makes a notification, by e-mail `key.created`, `key.revoked`, `public_key.linked`, `withdrawal.created`, `withdrawal.completed`, `withdrawal.cancelled`, `withdrawal.failed`, `exchange.credentials_rejected`, `copier.stopped`, `copier.drift`, `webhook.deactivated` (a copier that you stopped yourself is none of it). `key.created`, `key.revoked`, `public_key.linked`, `withdrawal.created` are told whatever you choose. E-mail goes to a verified address alone (PATCH /v1/me), at most 10 about one kind in a day, and one about each webhook. */
  value: unknown;
}

/** Simulated decision: a part of `Simulation`. */
export interface SimulatedDecision<D extends DecimalForm = 'number'> {
  /** Id of a signal (`sig_…`). */
  signal_id: string;
  /** The signal's place among the strategy's signals. */
  sequence: number;
  /** The trade whose fill made the signal. */
  source_trade_id: string;
  symbol: string;
  /** OPEN and INCREASE enter the lot that a trade of the strategy opened; REDUCE and CLOSE leave it. */
  kind: 'OPEN' | 'INCREASE' | 'REDUCE' | 'CLOSE' | (string & {});
  /** Why it was not copied, or not in full. */
  code?:
    | 'NOT_ACTIVE'
    | 'NOT_HELD'
    | 'PAIR_BLOCKED'
    | 'PAIR_UNAVAILABLE'
    | 'SIDE_BLOCKED'
    | 'STALE_SIGNAL'
    | 'STALE_EQUITY'
    | 'DAILY_LOSS'
    | 'DRAWDOWN'
    | 'MAX_TRADES'
    | 'MAX_TRADE'
    | 'MAX_OPEN'
    | 'BELOW_MINIMUM'
    | 'INSUFFICIENT_BALANCE'
    | 'SLIPPAGE'
    | 'EXCHANGE_REJECTED'
    | 'CREDENTIALS'
    | 'RATE_LIMITED'
    | (string & {});
  /** The numbers it was decided by; amounts as decimal text. */
  inputs: Record<string, string | number | boolean | null>;
  /** What the sizing asked for, in base currency, before limits and rounding. */
  target_amount: DecimalOf<D>;
  /** What was ordered, in base currency. */
  sent_amount: DecimalOf<D>;
  outcome: 'COPIED' | 'CLAMPED' | 'SKIPPED' | (string & {});
  /** When the fill was executed that made the signal. */
  signal_at: string;
}

/** Simulation: what `copiers.simulate` answers with. */
export interface Simulation<D extends DecimalForm = 'number'> {
  /** When the first signal was given that was replayed. */
  from?: string;
  /** When the last one was. */
  to?: string;
  /** Signals that were replayed. */
  signal_count: number;
  /** Older signals of the range that were not: at most the newest 20000 are. */
  left_out_count: number;
  /** Oldest first; the newest 1000 where there are more. */
  decisions: SimulatedDecision<D>[];
  /** Whether older decisions are left out of the list; the counts have them all. */
  truncated: boolean;
  /** Copied as the sizing asked. */
  copied: number;
  /** Copied in part. */
  clamped: number;
  skipped: number;
  skipped_by_reason: Record<string, number>;
  /** The quote currency of most signals. Amounts of money below are in it, pairs of others not among them. */
  currency?: string;
  /** What the account is worth now: what the replay begins with. */
  starting_equity: DecimalOf<D>;
  fees: DecimalOf<D>;
  /** Realised and open, net of fees; what is open at the price of the last signal of its pair. Copies are filled in full at the price of the strategy. */
  net_pnl: DecimalOf<D>;
  /** As in the copier's stats: its return less the strategy's, in hundredths of a percent, over what was closed of the lots that both held, each weighing what the copies cost. The strategy's is before its fees. Null where nothing was closed. */
  tracking_difference_bps: DecimalOf<D> | null;
}

/** What `copiers.simulate` takes. */
export interface SimulationAsked {
  /** First instant of the range; all there is unless given. Signals count by when they were given. */
  from?: string;
  /** End of the range, itself not in it. */
  to?: string;
}

/** FIXED_AMOUNT: `value` in base currency. FIXED_QUOTE: `value` in quote currency for each lot of the strategy. MULTIPLIER: `value` times the strategy's amount. EQUITY_RATIO: `value` times the strategy's amount in the proportion of your equity (or `capital`) to the strategy's. */
export interface SizingGiven {
  mode: 'FIXED_AMOUNT' | 'FIXED_QUOTE' | 'MULTIPLIER' | 'EQUITY_RATIO';
  value: DecimalInput;
  /** For EQUITY_RATIO alone: what counts as your equity, in quote currency. */
  capital?: DecimalInput;
}

/** Stopped copier: what `copiers.stop` answers with. */
export interface StoppedCopier<D extends DecimalForm = 'number'> {
  /** Id of a copier (`cpr_…`). */
  id: string;
  name: string;
  /** The strategy that it follows. */
  strategy_id?: string;
  /** Where its copies are made. */
  exchange_account_id: string;
  /** ACTIVE copies entries and exits, CLOSE_ONLY exits alone, PAUSED nothing. */
  status: 'ACTIVE' | 'CLOSE_ONLY' | 'PAUSED' | (string & {});
  /** Why it is no longer ACTIVE. */
  status_reason?: 'USER' | 'DAILY_LOSS' | 'DRAWDOWN' | 'CREDENTIALS' | 'STRATEGY_ARCHIVED' | (string & {});
  /** FIXED_AMOUNT: `value` in base currency. FIXED_QUOTE: `value` in quote currency for each lot of the strategy. MULTIPLIER: `value` times the strategy's amount. EQUITY_RATIO: `value` times the strategy's amount in the proportion of your equity (or `capital`) to the strategy's. */
  sizing: {
    mode: 'FIXED_AMOUNT' | 'FIXED_QUOTE' | 'MULTIPLIER' | 'EQUITY_RATIO' | (string & {});
    value: DecimalOf<D>;
    capital?: DecimalOf<D>;
  };
  limits: CopierLimits<D>;
  on_breach: 'CLOSE_ONLY' | 'PAUSE' | (string & {});
  below_minimum: 'SKIP' | 'ACCUMULATE' | 'ROUND_UP' | (string & {});
  copy_existing: boolean;
  /** Highest net profit so far, in quote currency; profit shares count above it. */
  high_water_mark: DecimalOf<D>;
  stats: CopierStats<D>;
  /** What it held, when it was started last, of lots that its strategy had left while it was paused. Nobody sells it without you: start it with `{"resync": "EXITS"}`. */
  drift: CopyDrift<D>[];
  /** When it was started last: it copies what the strategy opens from then on. */
  started_at?: string;
  /** When it was last paused or set to CLOSE_ONLY. */
  stopped_at?: string;
  created_at: string;
  updated_at: string;
  /** Copies that stay open and that nobody closes for you. */
  open_lots: OpenLot<D>[];
}

/** Strategy: what `strategies.create`, `strategies.get`, `strategies.linkCopiers`, `strategies.list` and `strategies.update` answer with. */
export interface Strategy<D extends DecimalForm = 'number'> {
  /** Id of a strategy (`str_…`). */
  id: string;
  name: string;
  description?: string;
  /** The account whose trades are its signals; shown to the owner alone. */
  exchange_account_id?: string;
  /** The pairs that it trades; any pair of its exchange where left out. */
  trade_pair_ids?: string[];
  visibility: 'PRIVATE' | 'PUBLIC' | (string & {});
  status: 'ACTIVE' | 'ARCHIVED' | (string & {});
  /** Copiers linked to it, whatever their state. */
  copier_count: number;
  profit_share?: {
    rate: DecimalOf<D>;
    basis: 'HIGH_WATER_MARK';
    period: 'WEEK' | 'MONTH' | 'QUARTER' | (string & {});
  };
  min_copy_equity?: DecimalOf<D>;
  capacity?: number;
  performance: StrategyResults<D>;
  created_at: string;
  updated_at: string;
}

/** What `strategies.create` takes. */
export interface StrategyCreate {
  name: string;
  description?: string;
  /** Pairs of the account's exchange and trading type; leave it out for any. */
  trade_pair_ids?: readonly string[];
  /** PUBLIC: every user may read and copy it, without its account and balances. Default: "PRIVATE". */
  visibility?: 'PRIVATE' | 'PUBLIC';
  profit_share?: ProfitShareGiven;
  /** Least equity of a copier, in quote currency. */
  min_copy_equity?: DecimalInput;
  /** Most copiers that may be linked; those that are linked stay. */
  capacity?: number;
  /** The account whose trades are its signals. */
  exchange_account_id: string;
}

/** What `strategies.delete` takes. */
export interface StrategyDelete {
  /** Pause the copiers that still follow it; without it they keep it from being deleted. Default: false. */
  stop_copiers?: boolean;
}

/** Strategy result: a part of `Analytics`. */
export interface StrategyResult<D extends DecimalForm = 'number'> {
  /** Id of a strategy (`str_…`). */
  strategy_id: string;
  /** Quote currency of the amounts beside it. */
  currency: string;
  /** Trades created in the range, in every state. */
  trade_count: number;
  closed_count: number;
  winning_count: number;
  losing_count: number;
  /** winning_count ÷ closed_count; null where nothing was closed. */
  win_rate: DecimalOf<D> | null;
  net_pnl: DecimalOf<D>;
  fees: DecimalOf<D>;
  volume: DecimalOf<D>;
}

/** Strategy results: a part of `Strategy`. */
export interface StrategyResults<D extends DecimalForm = 'number'> {
  /** From when on it is measured: the making of the strategy. */
  since: string;
  /** Lots that were closed. */
  closed_count: number;
  /** Closed lots with a profit, 0 to 1; null while none is closed. */
  win_rate: DecimalOf<D> | null;
  /** Net of fees, in the quote currency in which most was closed; results in others are not added to it. */
  net_pnl: DecimalOf<D>;
  /** Each day's result ÷ the equity of its account that the day began with, the days chained; null where an equity was not recorded. */
  roi: DecimalOf<D> | null;
  /** The deepest fall of the cumulated result between two ends of UTC days, in hundredths of the equity at its peak; null where nothing fell, or the equity was not recorded. */
  max_drawdown_percent: DecimalOf<D> | null;
  /** Of daily returns, annualised; null under two days. */
  sharpe: DecimalOf<D> | null;
  /** What its copiers together really made, net of fees. */
  copier_net_pnl: DecimalOf<D>;
}

/** What `strategies.update` takes. */
export interface StrategyUpdate {
  name?: string;
  /** Null removes it. */
  description?: string | null;
  /** Null: any pair of its exchange. */
  trade_pair_ids?: readonly string[] | null;
  /** PUBLIC: every user may read and copy it, without its account and balances. */
  visibility?: 'PRIVATE' | 'PUBLIC';
  /** ARCHIVED: it takes no more signals, and its active copiers go CLOSE_ONLY. */
  status?: 'ACTIVE' | 'ARCHIVED';
  /** Null: copying is free. */
  profit_share?: ProfitShareGiven | null;
  /** Null removes it. */
  min_copy_equity?: DecimalInput | null;
  /** Null: no bound. */
  capacity?: number | null;
}

/** Supported exchange: what `supportedExchanges.list` answers with. */
export interface SupportedExchange {
  id: string;
  name: string;
  trading_types: ('spot' | 'margin' | 'perpetual' | (string & {}))[];
  is_active: boolean;
  created_at: string;
}

/** Tracking parts: a part of `CopierStats`. */
export interface TrackingParts<D extends DecimalForm = 'number'> {
  /** That the copies paid other fees than the strategy, for what they were worth. */
  fees_bps: DecimalOf<D>;
  /** That they were filled at other prices than the strategy's. */
  slippage_bps: DecimalOf<D>;
  /** That limits, steps and minimums made them of other amounts than was asked for. */
  rounding_bps: DecimalOf<D>;
  /** That they left out some of what the strategy did with the lot. */
  skips_bps: DecimalOf<D>;
}

/** Trade: what `trades.list` answers with. */
export interface Trade<D extends DecimalForm = 'number'> {
  /** Id of a trade (`trd_…`). */
  id: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id: string;
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  symbol: string;
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** Id of a strategy (`str_…`). */
  strategy_id?: string;
  /** Id of a copier (`cpr_…`). */
  copier_id?: string;
  /** Id of a trade (`trd_…`). */
  source_trade_id?: string;
  /** Of a copy: the fill that it copies. */
  source_fill_id?: string;
  client_order_id: string;
  exchange_order_id?: string;
  origin: 'API' | 'COPIER' | 'STRATEGY' | 'EXTERNAL' | 'RECONCILIATION' | (string & {});
  type: 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET' | (string & {});
  side: 'BUY' | 'SELL' | (string & {});
  intent: 'OPEN' | 'INCREASE' | 'REDUCE' | 'CLOSE' | (string & {});
  reduce_only: boolean;
  time_in_force: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY' | (string & {});
  price?: DecimalOf<D>;
  stop_price?: DecimalOf<D>;
  amount: DecimalOf<D>;
  /** Before it was rounded to the lot size of the exchange. */
  requested_amount: DecimalOf<D>;
  filled_amount: DecimalOf<D>;
  remaining_amount: DecimalOf<D>;
  average_price?: DecimalOf<D>;
  /** Sum of price × amount over the fills, in quote currency. */
  cost: DecimalOf<D>;
  /** In the currency of most of the fees; all of them in fees_by_currency. */
  fee: {
    amount: DecimalOf<D>;
    currency: string;
  };
  fees_by_currency: {
    amount: DecimalOf<D>;
    currency: string;
  }[];
  realized_pnl?: DecimalOf<D>;
  status: 'PENDING' | 'FILLED' | 'PARTIALLY_FILLED' | 'CANCELLED' | 'FAILED' | (string & {});
  sub_status?: 'SUBMITTING' | 'ACCEPTED' | 'PENDING_CANCEL' | 'UNKNOWN' | (string & {});
  failure?: {
    code: string;
    message: string;
  };
  cancel_reason?: 'USER' | 'EXCHANGE' | 'EXPIRED' | 'IOC_REMAINDER' | 'RISK' | (string & {});
  copy?: TradeCopy<D>;
  /** When a comparison with the exchange last had to correct or make this trade. */
  reconciled_at?: string;
  /** Grows with each change: the higher one is the newer state. */
  version: number;
  submitted_at?: string;
  filled_at?: string;
  cancelled_at?: string;
  closed_at?: string;
  created_at: string;
  updated_at: string;
}

/** Trade copy: a part of `TradeDetail` and `Trade`. */
export interface TradeCopy<D extends DecimalForm = 'number'> {
  /** When the copied fill was executed. */
  signal_at: string;
  /** When the copied fill was received. */
  received_at: string;
  /** When the copy was sent; absent until then. */
  submitted_at?: string;
  /** From received_at to submitted_at; absent until the copy was sent. */
  latency_ms?: number;
  /** Average price of what is copied, in quote currency. */
  reference_price: DecimalOf<D>;
  /** How much worse than reference_price the copy was filled, in hundredths of a percent; below zero where better, absent where nothing was. */
  slippage_bps?: DecimalOf<D>;
  /** Amount of the copy per amount of the copied trade, as fixed for its lot. */
  ratio: DecimalOf<D>;
}

/** What `trades.create` takes. */
export interface TradeCreate {
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id: string;
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  type: 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET';
  side: 'BUY' | 'SELL';
  /** Limit price, in quote currency. */
  price?: DecimalInput;
  /** In base currency. */
  amount: DecimalInput;
  /** Id of a strategy (`str_…`). */
  strategy_id?: string;
  /** Price that sets a stop order off, in quote currency. */
  stop_price?: DecimalInput;
  /** Default: "GTC". */
  time_in_force?: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';
  /** Default: false. */
  reduce_only?: boolean;
  /** Your own id, one of a kind per exchange account. */
  client_order_id?: string;
}

/** Trade detail: what `trades.cancel`, `trades.create` and `trades.get` answer with. */
export interface TradeDetail<D extends DecimalForm = 'number'> {
  /** Id of a trade (`trd_…`). */
  id: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id: string;
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  symbol: string;
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** Id of a strategy (`str_…`). */
  strategy_id?: string;
  /** Id of a copier (`cpr_…`). */
  copier_id?: string;
  /** Id of a trade (`trd_…`). */
  source_trade_id?: string;
  /** Of a copy: the fill that it copies. */
  source_fill_id?: string;
  client_order_id: string;
  exchange_order_id?: string;
  origin: 'API' | 'COPIER' | 'STRATEGY' | 'EXTERNAL' | 'RECONCILIATION' | (string & {});
  type: 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET' | (string & {});
  side: 'BUY' | 'SELL' | (string & {});
  intent: 'OPEN' | 'INCREASE' | 'REDUCE' | 'CLOSE' | (string & {});
  reduce_only: boolean;
  time_in_force: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY' | (string & {});
  price?: DecimalOf<D>;
  stop_price?: DecimalOf<D>;
  amount: DecimalOf<D>;
  /** Before it was rounded to the lot size of the exchange. */
  requested_amount: DecimalOf<D>;
  filled_amount: DecimalOf<D>;
  remaining_amount: DecimalOf<D>;
  average_price?: DecimalOf<D>;
  /** Sum of price × amount over the fills, in quote currency. */
  cost: DecimalOf<D>;
  /** In the currency of most of the fees; all of them in fees_by_currency. */
  fee: {
    amount: DecimalOf<D>;
    currency: string;
  };
  fees_by_currency: {
    amount: DecimalOf<D>;
    currency: string;
  }[];
  realized_pnl?: DecimalOf<D>;
  status: 'PENDING' | 'FILLED' | 'PARTIALLY_FILLED' | 'CANCELLED' | 'FAILED' | (string & {});
  sub_status?: 'SUBMITTING' | 'ACCEPTED' | 'PENDING_CANCEL' | 'UNKNOWN' | (string & {});
  failure?: {
    code: string;
    message: string;
  };
  cancel_reason?: 'USER' | 'EXCHANGE' | 'EXPIRED' | 'IOC_REMAINDER' | 'RISK' | (string & {});
  copy?: TradeCopy<D>;
  /** When a comparison with the exchange last had to correct or make this trade. */
  reconciled_at?: string;
  /** Grows with each change: the higher one is the newer state. */
  version: number;
  submitted_at?: string;
  filled_at?: string;
  cancelled_at?: string;
  closed_at?: string;
  created_at: string;
  updated_at: string;
  fills: Fill<D>[];
}

/** Trade pair: what `tradePairs.get` and `tradePairs.list` answer with. */
export interface TradePair<D extends DecimalForm = 'number'> {
  /** Id of a trade pair (`tpr_…`). */
  id: string;
  /** Id of the exchange. */
  exchange: string;
  /** `BASE/QUOTE`; of what settles in a currency of its own `BASE/QUOTE:SETTLE`. */
  symbol: string;
  /** The exchange's own name of it. */
  exchange_symbol: string;
  base: string;
  quote: string;
  /** What profits are paid in, where base and quote do not say it. */
  settle?: string;
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** Prices are multiples of this, in quote currency. */
  price_tick: DecimalOf<D>;
  /** Amounts are multiples of this, in base currency. */
  amount_step: DecimalOf<D>;
  min_amount: DecimalOf<D>;
  max_amount?: DecimalOf<D>;
  /** Least price × amount, in quote currency. */
  min_notional: DecimalOf<D>;
  max_notional?: DecimalOf<D>;
  /** Of market orders, where it is another than `amount_step`. */
  market_amount_step?: DecimalOf<D>;
  /** Of market orders, where it is another than `max_amount`. */
  market_max_amount?: DecimalOf<D>;
  /** Base currency in one contract. */
  contract_size?: DecimalOf<D>;
  /** The exchange's general rate, as a fraction of the amount received; an account may have a better one. */
  maker_fee?: DecimalOf<D>;
  taker_fee?: DecimalOf<D>;
  order_types: ('LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET' | (string & {}))[];
  time_in_forces: ('GTC' | 'IOC' | 'FOK' | 'POST_ONLY' | (string & {}))[];
  is_active: boolean;
  rules_updated_at: string;
  created_at: string;
  updated_at: string;
}

/** Trade signal. */
export interface TradeSignal<D extends DecimalForm = 'number'> {
  /** The same however often it is sent: there is one for each fill and lot. */
  id: string;
  /** The signal's place among the strategy's signals: 1, 2, 3, … without gaps. A subscription resumes after it. */
  sequence: number;
  /** Id of a strategy (`str_…`). */
  strategy_id: string;
  /** OPEN and INCREASE enter the lot that a trade of the strategy opened; REDUCE and CLOSE leave it. */
  kind: 'OPEN' | 'INCREASE' | 'REDUCE' | 'CLOSE' | (string & {});
  symbol: string;
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** Of the fill. */
  side: 'BUY' | 'SELL' | (string & {});
  /** Of the trade whose fill made the signal. */
  order_type: 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET' | (string & {});
  /** Limit price of that trade, in quote currency. */
  price?: DecimalOf<D>;
  /** Stop price of that trade, in quote currency. */
  stop_price?: DecimalOf<D>;
  /** What the fill added to the lot or took of it, in base currency. */
  filled_amount: DecimalOf<D>;
  /** Value of the fill in proportion to the strategy account's equity; absent where that was not known. */
  leader_ratio?: DecimalOf<D>;
  /** Of an exit: what was taken of the lot in proportion to what it held before, 0 to 1. */
  position_fraction_closed?: DecimalOf<D>;
  /** What the fill was executed at, in quote currency. */
  reference_price: DecimalOf<D>;
  /** The trade whose fill made the signal. */
  source_trade_id: string;
  emitted_at: string;
  /** From when on a copier does not enter on it any more, unless it says otherwise; exits are always followed. */
  expires_at: string;
}

/** Version: what `version.get` answers with. */
export interface Version {
  version: string;
  commit: string;
  api: 'v1';
  world: 'test' | 'live' | (string & {});
}

/** Webhook: what `webhooks.get`, `webhooks.list` and `webhooks.update` answer with. */
export interface Webhook {
  /** Id of a webhook (`whk_…`). */
  id: string;
  url: string;
  events: string[];
  description: string;
  is_active: boolean;
  consecutive_failures: number;
  deactivated_at?: string;
  /** `consecutive_failures`: by the service, after an outage; `user`: by your own hand. */
  deactivation_reason?: 'consecutive_failures' | 'user' | (string & {});
  secret_last_rotated_at: string;
  created_at: string;
  updated_at: string;
}

/** What `webhooks.create` takes. */
export interface WebhookCreate {
  /** Where events are posted. */
  url: string;
  /** Kinds of events, `trade.*`, or `*`. */
  events: readonly string[];
  /** Default: "". */
  description?: string;
}

/** Webhook replay: what `webhooks.replay` answers with. */
export interface WebhookReplay {
  /** Id of an event (`evt_…`). */
  event_id: string;
  event_type:
    | 'trade.created'
    | 'trade.partially_filled'
    | 'trade.filled'
    | 'trade.cancelled'
    | 'trade.failed'
    | 'trade.closed'
    | 'copier.started'
    | 'copier.stopped'
    | 'copier.trade_skipped'
    | 'exchange.synced'
    | 'exchange.sync_failed'
    | 'reward.granted'
    | 'reward.claimed'
    | 'withdrawal.created'
    | 'withdrawal.completed'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'webhook.test'
    | 'webhook.deactivated'
    | 'copier.drift'
    | 'exchange.credentials_rejected'
    | 'key.created'
    | 'key.revoked'
    | 'public_key.linked'
    | (string & {});
  /** The run of up to five attempts that was begun; its deliveries have the same number. */
  run: number;
}

/** What `webhooks.replay` takes. */
export interface WebhookReplayAsked {
  /** One of your events of the last 30 days, of any kind but `webhook.test`: whatever the webhook subscribes to, and also one from before it was there. */
  event_id: string;
}

/** What `webhooks.update` takes. */
export interface WebhookUpdate {
  /** Where events are posted. */
  url?: string;
  /** Kinds of events, `trade.*`, or `*`. */
  events?: readonly string[];
  description?: string;
  /** True takes it into use again and forgets its failures; false sends what is owed to it to the dead letters. */
  is_active?: boolean;
}

/** Webhook with secret: what `webhooks.create` and `webhooks.rotateSecret` answer with. */
export interface WebhookWithSecret {
  /** Id of a webhook (`whk_…`). */
  id: string;
  url: string;
  events: string[];
  description: string;
  is_active: boolean;
  consecutive_failures: number;
  deactivated_at?: string;
  /** `consecutive_failures`: by the service, after an outage; `user`: by your own hand. */
  deactivation_reason?: 'consecutive_failures' | 'user' | (string & {});
  secret_last_rotated_at: string;
  created_at: string;
  updated_at: string;
  /** Signing secret `whsec_…`: shown here alone, and never again. */
  secret: string;
}

/** Withdrawal: what `withdrawals.cancel`, `withdrawals.create`, `withdrawals.get` and `withdrawals.list` answer with. */
export interface Withdrawal<D extends DecimalForm = 'number'> {
  /** Id of a withdrawal (`wdr_…`). */
  id: string;
  /** Taken from the balance, fee included; held until the withdrawal has ended. */
  amount: DecimalOf<D>;
  fee: DecimalOf<D>;
  /** What is paid out: amount less fee. */
  net_amount: DecimalOf<D>;
  /** The reward token. */
  currency: string;
  /** The network it is paid out on. */
  network: string;
  /** As it was given. */
  wallet_address: string;
  /** PENDING until it is paid out or cancelled; CANCELLED and FAILED release what was held. */
  status: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'CANCELLED' | 'FAILED' | (string & {});
  /** Why it is in its status, in words. Says so while no payouts are made: it then stays PENDING. */
  status_reason?: string;
  /** The transaction on the network, once sent. */
  tx_hash?: string;
  confirmations?: number;
  failure?: {
    code: string;
    message: string;
  };
  requested_at: string;
  processed_at?: string;
  completed_at?: string;
  cancelled_at?: string;
  created_at: string;
  updated_at: string;
}

/** What `withdrawals.create` takes. */
export interface WithdrawalCreate {
  /** Reward tokens to withdraw, fee included; above the fee. */
  amount: DecimalInput;
  /** EVM address; in mixed case its EIP-55 checksum must be right. */
  wallet_address: string;
}

/** The answer to a deletion. */
export interface Deleted {
  id: string;
  deleted: true;
}

/** What `auth.verifyEmail` can be narrowed by. */
export interface AuthVerifyEmailQuery {
  /** From the link. */
  code: string;
}

/** The answer of `auth.verifyEmail`. */
export interface AuthVerifyEmailResult {
  email_verified: true;
}

/** What `auth.cliChallenge` can be narrowed by. */
export interface AuthCliChallengeQuery {
  pubkey?: string;
}

/** What `apiKeys.list` can be narrowed by. */
export interface ApiKeysListQuery extends ListQuery<'created_at' | 'name', 'revoked'> {}

/** What `publicKeys.list` can be narrowed by. */
export interface PublicKeysListQuery extends ListQuery<'created_at', 'revoked'> {}

/** What `supportedExchanges.list` can be narrowed by. */
export interface SupportedExchangesListQuery extends ListQuery<'created_at' | 'name'> {}

/** What `exchanges.list` can be narrowed by. */
export interface ExchangesListQuery extends ListQuery<'created_at' | 'account_name' | 'exchange_name'> {}

/** What `tradePairs.list` can be narrowed by. */
export interface TradePairsListQuery extends ListQuery<'created_at' | 'symbol' | 'exchange'> {
  /** Id or name of an exchange. */
  exchange?: string;
}

/** What `trades.list` can be narrowed by. */
export interface TradesListQuery extends ListQuery<'created_at' | 'updated_at'> {
  /** Id of a strategy (`str_…`). */
  strategy_id?: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id?: string;
  status?: 'PENDING' | 'FILLED' | 'PARTIALLY_FILLED' | 'CANCELLED' | 'FAILED';
  side?: 'BUY' | 'SELL';
}

/** What `rewards.list` can be narrowed by. */
export interface RewardsListQuery extends ListQuery<'created_at' | 'claimable_at' | 'amount'> {
  status?: 'PENDING' | 'CLAIMABLE' | 'CLAIMED' | 'EXPIRED';
  /** Id of a reward type (`rwt_…`). */
  type_id?: string;
}

/** What `rewards.types` can be narrowed by. */
export interface RewardsTypesQuery extends ListQuery<'created_at' | 'code'> {}

/** What `withdrawals.list` can be narrowed by. */
export interface WithdrawalsListQuery extends ListQuery<'created_at' | 'amount' | 'updated_at'> {
  status?: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'CANCELLED' | 'FAILED';
}

/** What `strategies.list` can be narrowed by. */
export interface StrategiesListQuery extends ListQuery<'created_at' | 'name'> {
  /** PUBLIC: every user's active public ones. PRIVATE: your own private ones. */
  visibility?: 'PRIVATE' | 'PUBLIC';
  status?: 'ACTIVE' | 'ARCHIVED';
}

/** What `copiers.list` can be narrowed by. */
export interface CopiersListQuery extends ListQuery<'created_at' | 'name'> {
  status?: 'ACTIVE' | 'CLOSE_ONLY' | 'PAUSED';
  /** Id of a strategy (`str_…`). */
  strategy_id?: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id?: string;
}

/** What `copiers.decisions` can be narrowed by. */
export interface CopiersDecisionsQuery extends ListQuery<'created_at' | 'sequence'> {
  /** Id of a signal (`sig_…`). */
  signal_id?: string;
  outcome?: 'COPIED' | 'CLAMPED' | 'SKIPPED' | 'FAILED';
}

/** What `notifications.list` can be narrowed by. */
export interface NotificationsListQuery extends ListQuery<'created_at'> {
  is_read?: boolean;
  kind?:
    | 'trade.created'
    | 'trade.partially_filled'
    | 'trade.filled'
    | 'trade.cancelled'
    | 'trade.failed'
    | 'trade.closed'
    | 'copier.started'
    | 'copier.stopped'
    | 'copier.trade_skipped'
    | 'exchange.synced'
    | 'exchange.sync_failed'
    | 'reward.granted'
    | 'reward.claimed'
    | 'withdrawal.created'
    | 'withdrawal.completed'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'webhook.test'
    | 'webhook.deactivated'
    | 'copier.drift'
    | 'exchange.credentials_rejected'
    | 'key.created'
    | 'key.revoked'
    | 'public_key.linked';
}

/** The answer of `notifications.count`. */
export interface NotificationsCountResult {
  unread: number;
}

/** The answer of `notifications.readAll`. */
export interface NotificationsReadAllResult {
  /** How many were unread until now. */
  updated: number;
}

/** What `settings.list` can be narrowed by. */
export interface SettingsListQuery extends ListQuery<'created_at' | 'updated_at' | 'key'> {}

/** The answer of `settings.delete`. */
export interface SettingsDeleteResult {
  /** 1 to 64 characters of a-z, 0-9, `.`, `_` and `-`. */
  key: string;
  deleted: true;
}

/** What `trades.analytics` can be narrowed by. */
export interface TradesAnalyticsQuery {
  /** First instant of the range; all there is unless given. Trades count by created_at, results by their closing. */
  from?: string;
  /** End of the range, itself not in it. */
  to?: string;
  /** Id of a strategy (`str_…`). */
  strategy_id?: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id?: string;
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id?: string;
  /** Period of equity_curve. Default: "day". */
  interval?: 'day' | 'week' | 'month';
}

/** What `events.list` can be narrowed by. */
export interface EventsListQuery extends ListQuery<'created_at'> {
  /** Only these: a kind (`trade.filled`), `trade.*`, or `*`. */
  type?: string;
}

/** What `events.stream` can be narrowed by. */
export interface EventsStreamQuery {
  /** Only these: a kind (`trade.filled`), `trade.*`, or `*`. */
  type?: string;
  /** An `event_id`: begin after that event. The header Last-Event-ID goes before it. */
  last_event_id?: string;
}

/** What `events.types` can be narrowed by. */
export interface EventsTypesQuery {
  /** Only these: a kind (`trade.filled`), `trade.*`, or `*`. */
  type?: string;
}

/** What `webhooks.list` can be narrowed by. */
export interface WebhooksListQuery extends ListQuery<'created_at' | 'updated_at'> {}

/** What `webhooks.deliveries` can be narrowed by. */
export interface WebhooksDeliveriesQuery extends ListQuery<'created_at' | 'attempted_at'> {
  status?: 'SUCCEEDED' | 'FAILED';
  event_type?:
    | 'trade.created'
    | 'trade.partially_filled'
    | 'trade.filled'
    | 'trade.cancelled'
    | 'trade.failed'
    | 'trade.closed'
    | 'copier.started'
    | 'copier.stopped'
    | 'copier.trade_skipped'
    | 'exchange.synced'
    | 'exchange.sync_failed'
    | 'reward.granted'
    | 'reward.claimed'
    | 'withdrawal.created'
    | 'withdrawal.completed'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'webhook.test'
    | 'webhook.deactivated'
    | 'copier.drift'
    | 'exchange.credentials_rejected'
    | 'key.created'
    | 'key.revoked'
    | 'public_key.linked';
  /** Id of an event (`evt_…`). */
  event_id?: string;
  /** First instant of the range; all there is unless given. Deliveries count by created_at. */
  from?: string;
  /** End of the range, itself not in it. */
  to?: string;
}

/** What `deadLetters.list` can be narrowed by. */
export interface DeadLettersListQuery extends ListQuery<'created_at' | 'updated_at'> {
  status?: 'PENDING' | 'RETRIED' | 'DISCARDED';
  event_type?:
    | 'trade.created'
    | 'trade.partially_filled'
    | 'trade.filled'
    | 'trade.cancelled'
    | 'trade.failed'
    | 'trade.closed'
    | 'copier.started'
    | 'copier.stopped'
    | 'copier.trade_skipped'
    | 'exchange.synced'
    | 'exchange.sync_failed'
    | 'reward.granted'
    | 'reward.claimed'
    | 'withdrawal.created'
    | 'withdrawal.completed'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'webhook.test'
    | 'webhook.deactivated'
    | 'copier.drift'
    | 'exchange.credentials_rejected'
    | 'key.created'
    | 'key.revoked'
    | 'public_key.linked';
  /** First instant of the range; all there is unless given. Dead letters count by created_at. */
  from?: string;
  /** End of the range, itself not in it. */
  to?: string;
}

/** The record that each kind of event carries. */
export interface EventData<D extends DecimalForm = 'number'> {
  /** An order was taken on, by you, by a copier, or found at the exchange. */
  'trade.created': Trade<D>;
  /** More of an order was filled, and some of it is still open. */
  'trade.partially_filled': Trade<D>;
  /** An order was filled in full. */
  'trade.filled': Trade<D>;
  /** An order ended before it was filled in full; what was filled stays. */
  'trade.cancelled': Trade<D>;
  /** An order was refused, and nothing of it was filled. */
  'trade.failed': Trade<D>;
  /** All that a trade opened was closed by later fills. */
  'trade.closed': Trade<D>;
  /** A copier began to follow its strategy. */
  'copier.started': Copier<D>;
  /** A copier no longer copies entries, by your hand or for `status_reason`. */
  'copier.stopped': StoppedCopier<D>;
  /** A signal was not copied, or its copy failed, for `code`. */
  'copier.trade_skipped': Decision<D>;
  /** An exchange account was read from the exchange: a sync that you asked for, or one that changed a balance. */
  'exchange.synced': ExchangeAccount<D>;
  /** An exchange account could not be read from the exchange. */
  'exchange.sync_failed': ExchangeAccount<D>;
  /** You were granted a reward. */
  'reward.granted': Reward<D>;
  /** A reward was claimed: its amount is in your balance. */
  'reward.claimed': Reward<D>;
  /** A withdrawal was asked for; its amount is held. */
  'withdrawal.created': Withdrawal<D>;
  /** A withdrawal was paid out. */
  'withdrawal.completed': Withdrawal<D>;
  /** A withdrawal was cancelled; its amount is released. */
  'withdrawal.cancelled': Withdrawal<D>;
  /** A withdrawal was not paid out; its amount is released. */
  'withdrawal.failed': Withdrawal<D>;
  /** You asked for a test. It goes to that webhook alone, once, and is not among your events. */
  'webhook.test': Webhook;
  /** A webhook was taken out of use because its receiver failed for too long; the others are told. */
  'webhook.deactivated': Webhook;
  /** A copier was started that holds what its strategy has left meanwhile. */
  'copier.drift': Copier<D>;
  /** An exchange refused the credentials of an account. */
  'exchange.credentials_rejected': ExchangeAccount<D>;
  /** An API key was made. */
  'key.created': ApiKey;
  /** An API key or a public key was revoked. */
  'key.revoked': ApiKey | PublicKey;
  /** A public key was linked to your account. */
  'public_key.linked': PublicKey;
}

/** What each operation takes and answers. */
export interface OperationTypes<D extends DecimalForm = 'number'> {
  /** Tells that the API answers. */
  'health.get': {
    data: Health;
  };
  /** Tells how each service behind the API is. */
  'health.detailed': {
    data: DetailedHealth;
  };
  /** Tells which version answers, and for which world. */
  'version.get': {
    data: Version;
  };
  /** The account and the credential that ask. */
  'me.get': {
    data: Me;
  };
  /** Changes the account. A new e-mail address is sent a link; it counts once that was opened. */
  'me.update': {
    body: MePatch;
    data: Me;
  };
  /** Verifies an e-mail address: the link that was sent to it. It is good for 24 hours. */
  'auth.verifyEmail': {
    query: AuthVerifyEmailQuery;
    data: AuthVerifyEmailResult;
  };
  /** A challenge to sign, good once and for five minutes. */
  'auth.cliChallenge': {
    query: AuthCliChallengeQuery;
    data: CliChallenge;
  };
  /** Links a key pair by its signature over a challenge; without a credential, opens an account for it. */
  'auth.cliIdentity': {
    body: CliIdentityCreate;
    data: PublicKey;
  };
  /** The API keys of the account; revoked ones with `include=revoked`. */
  'apiKeys.list': {
    query: ApiKeysListQuery;
    data: ApiKey;
  };
  /** Makes an API key that may do no more than its maker. */
  'apiKeys.create': {
    body: ApiKeyCreate;
    data: ApiKeyWithValue;
  };
  /** Revokes an API key at once; the last ADMIN credential stays. */
  'apiKeys.revoke': {
    params: { id: string };
    data: Deleted;
  };
  /** Gives an API key a new value, and ends the old one at once. */
  'apiKeys.rotate': {
    params: { id: string };
    data: ApiKeyWithValue;
  };
  /** The public keys of the account; revoked ones with `include=revoked`. */
  'publicKeys.list': {
    query: PublicKeysListQuery;
    data: PublicKey;
  };
  /** Revokes a public key at once; the last ADMIN credential stays. It may be linked again. */
  'publicKeys.revoke': {
    params: { id: string };
    data: Deleted;
  };
  /** The exchanges that accounts can be connected to. */
  'supportedExchanges.list': {
    query: SupportedExchangesListQuery;
    data: SupportedExchange;
  };
  /** Your exchange accounts. */
  'exchanges.list': {
    query: ExchangesListQuery;
    data: ExchangeAccount<D>;
  };
  /** One exchange account. */
  'exchanges.get': {
    params: { id: string };
    data: ExchangeAccount<D>;
  };
  /** Connects an exchange account; its credentials are tested before they are kept. */
  'exchanges.create': {
    body: ExchangeAccountCreate;
    data: ExchangeAccount<D>;
  };
  /** Renames an exchange account, or gives it new credentials; what it holds and copies stays. */
  'exchanges.update': {
    params: { id: string };
    body: ExchangeAccountUpdate;
    data: ExchangeAccount<D>;
  };
  /** Removes an exchange account that nothing depends on any more. */
  'exchanges.delete': {
    params: { id: string };
    data: Deleted;
  };
  /** Tests credentials without keeping them. */
  'exchanges.test': {
    body: ExchangeAccountTest;
    data: CredentialsTestResult;
  };
  /** Asks for a fresh look at the balances; `exchange.synced` tells when it is done. */
  'exchanges.sync': {
    params: { id: string };
    data: ExchangeAccount<D>;
  };
  /** The pairs that can be traded, with the rules of their exchange. */
  'tradePairs.list': {
    query: TradePairsListQuery;
    data: TradePair<D>;
  };
  /** One trade pair. */
  'tradePairs.get': {
    params: { id: string };
    data: TradePair<D>;
  };
  /** Your trades. */
  'trades.list': {
    query: TradesListQuery;
    data: Trade<D>;
  };
  /** One trade, with its fills. */
  'trades.get': {
    params: { id: string };
    data: TradeDetail<D>;
  };
  /** Places an order; answers once it is kept, before the exchange has seen it. */
  'trades.create': {
    body: TradeCreate;
    data: TradeDetail<D>;
  };
  /** Cancels what is not filled yet, and answers with the trade as it is then. */
  'trades.cancel': {
    params: { id: string };
    data: TradeDetail<D>;
  };
  /** Your rewards. */
  'rewards.list': {
    query: RewardsListQuery;
    data: Reward<D>;
  };
  /** What rewards are granted for, and how much. */
  'rewards.types': {
    query: RewardsTypesQuery;
    data: RewardType<D>;
  };
  /** Your reward tokens: available, and held by withdrawals. */
  'rewards.balance': {
    data: RewardBalance<D>;
  };
  /** Claims a reward: its amount is added to your balance, once. */
  'rewards.claim': {
    params: { id: string };
    data: Reward<D>;
  };
  /** Your withdrawals of reward tokens. */
  'withdrawals.list': {
    query: WithdrawalsListQuery;
    data: Withdrawal<D>;
  };
  /** One withdrawal. */
  'withdrawals.get': {
    params: { id: string };
    data: Withdrawal<D>;
  };
  /** Asks for a payout of reward tokens; the amount is held at once. */
  'withdrawals.create': {
    body: WithdrawalCreate;
    data: Withdrawal<D>;
  };
  /** Cancels a withdrawal that is PENDING, and gives back what it held. */
  'withdrawals.cancel': {
    params: { id: string };
    data: Withdrawal<D>;
  };
  /** Your strategies; with `visibility=PUBLIC` every user's active public ones. */
  'strategies.list': {
    query: StrategiesListQuery;
    data: Strategy<D>;
  };
  /** One strategy: yours, or another user's active public one. */
  'strategies.get': {
    params: { id: string };
    data: Strategy<D>;
  };
  /** Makes a strategy: trades made with its id are what copiers follow. */
  'strategies.create': {
    body: StrategyCreate;
    data: Strategy<D>;
  };
  /** Changes a strategy, or archives it. */
  'strategies.update': {
    params: { id: string };
    body: StrategyUpdate;
    data: Strategy<D>;
  };
  /** Removes a strategy; its trades stay readable. */
  'strategies.delete': {
    params: { id: string };
    body?: StrategyDelete;
    data: Deleted;
  };
  /** Has your copiers follow the strategy, all of them or none; they are started one by one. */
  'strategies.linkCopiers': {
    params: { id: string };
    body: CopiersLink;
    data: Strategy<D>;
  };
  /** Your copiers. */
  'copiers.list': {
    query: CopiersListQuery;
    data: Copier<D>;
  };
  /** One copier. */
  'copiers.get': {
    params: { id: string };
    data: Copier<D>;
  };
  /** Makes a copier; it is PAUSED until it is started. */
  'copiers.create': {
    body: CopierCreate;
    data: Copier<D>;
  };
  /** Changes a copier; sizing and limits apply to lots that are opened from then on. */
  'copiers.update': {
    params: { id: string };
    body: CopierUpdate;
    data: Copier<D>;
  };
  /** Removes a PAUSED copier; its trades stay readable. */
  'copiers.delete': {
    params: { id: string };
    data: Deleted;
  };
  /** Starts a copier: it copies what its strategy opens from now on. */
  'copiers.start': {
    params: { id: string };
    body?: CopierStart;
    data: Copier<D>;
  };
  /** Stops a copier; positions stay open, and the answer lists those that nobody closes for you. */
  'copiers.stop': {
    params: { id: string };
    body?: CopierStop;
    data: StoppedCopier<D>;
  };
  /** What was copied, cut, skipped or failed, for every signal; also of a copier that was removed. */
  'copiers.decisions': {
    params: { id: string };
    query: CopiersDecisionsQuery;
    data: Decision<D>;
  };
  /** Replays what the strategy signalled through the copier's settings, as if it had been started just before; nothing is traded. */
  'copiers.simulate': {
    params: { id: string };
    body?: SimulationAsked;
    data: Simulation<D>;
  };
  /** What happened to your account, in words. */
  'notifications.list': {
    query: NotificationsListQuery;
    data: Notification;
  };
  /** How many notifications are unread. */
  'notifications.count': {
    data: NotificationsCountResult;
  };
  /** Marks a notification as read; one that is read stays as it is. */
  'notifications.read': {
    params: { id: string };
    data: Notification;
  };
  /** Marks every notification as read. */
  'notifications.readAll': {
    data: NotificationsReadAllResult;
  };
  /** Removes a notification. */
  'notifications.delete': {
    params: { id: string };
    data: Deleted;
  };
  /** Your settings. */
  'settings.list': {
    query: SettingsListQuery;
    data: Setting;
  };
  /** One setting. */
  'settings.get': {
    params: { key: string };
    data: Setting;
  };
  /** Makes a setting, or gives it another value; `notifications` chooses what you are told of. */
  'settings.put': {
    params: { key: string };
    body: SettingPut;
    data: Setting;
  };
  /** Removes a setting. */
  'settings.delete': {
    params: { key: string };
    data: SettingsDeleteResult;
  };
  /** What your trades came to, computed from your fills alone. */
  'trades.analytics': {
    query: TradesAnalyticsQuery;
    data: Analytics<D>;
  };
  /** Pauses every copier and cancels every open order that was placed before the call; waits a few seconds for the exchanges, and lists what stays open. */
  'emergencyStop.run': {
    data: EmergencyStop<D>;
  };
  /** Your events of the last 30 days. */
  'events.list': {
    query: EventsListQuery;
    data: WebhookEvent<D>;
  };
  /** Your events as they happen, as server-sent events; Last-Event-ID resumes after that event. */
  'events.stream': {
    query: EventsStreamQuery;
    data: WebhookEvent<D>;
  };
  /** The kinds of events, each with the JSON Schema of its payload and a sample. */
  'events.types': {
    query: EventsTypesQuery;
    data: EventCatalogue<D>;
  };
  /** One event of the last 30 days. */
  'events.get': {
    params: { id: string };
    data: WebhookEvent<D>;
  };
  /** Registers a receiver; the answer alone carries its signing secret. */
  'webhooks.create': {
    body: WebhookCreate;
    data: WebhookWithSecret;
  };
  /** Your webhooks. */
  'webhooks.list': {
    query: WebhooksListQuery;
    data: Webhook;
  };
  /** One webhook. */
  'webhooks.get': {
    params: { id: string };
    data: Webhook;
  };
  /** Changes a webhook; the next attempt of what is owed to it uses what it says then. */
  'webhooks.update': {
    params: { id: string };
    body: WebhookUpdate;
    data: Webhook;
  };
  /** Removes a webhook; nothing more is sent to it. */
  'webhooks.delete': {
    params: { id: string };
    data: Deleted;
  };
  /** Gives a webhook a new signing secret; the old one signs nothing any more. */
  'webhooks.rotateSecret': {
    params: { id: string };
    data: WebhookWithSecret;
  };
  /** The attempts made for a webhook. */
  'webhooks.deliveries': {
    params: { id: string };
    query: WebhooksDeliveriesQuery;
    data: Delivery;
  };
  /** Sends a test event once, and answers with that delivery whatever the receiver said. */
  'webhooks.test': {
    params: { id: string };
    data: Delivery;
  };
  /** Sends a past event to a webhook: up to five attempts, with the same event id and bytes. */
  'webhooks.replay': {
    params: { id: string };
    body: WebhookReplayAsked;
    data: WebhookReplay;
  };
  /** A webhook's dead letters: deliveries that were given up. */
  'deadLetters.list': {
    params: { id: string };
    query: DeadLettersListQuery;
    data: DeadLetter;
  };
  /** How many of a webhook's dead letters are pending, retried and discarded. */
  'deadLetters.stats': {
    params: { id: string };
    data: DeadLetterStats;
  };
  /** One dead letter, with its payload. */
  'deadLetters.get': {
    params: { id: string; dlq_id: string };
    data: DeadLetterDetail<D>;
  };
  /** Sends a pending dead letter again: up to five attempts, with the same event id and bytes. */
  'deadLetters.retry': {
    params: { id: string; dlq_id: string };
    data: DeadLetterDetail<D>;
  };
  /** Sends the pending dead letters of a webhook again: all of them, of a range, or of a kind. */
  'deadLetters.retryMany': {
    params: { id: string };
    body: DeadLetterRetryAsked;
    data: DeadLetterRetry;
  };
  /** Gives a pending dead letter up; it stays readable. */
  'deadLetters.discard': {
    params: { id: string; dlq_id: string };
    data: Deleted;
  };
}
