// Written by scripts/generate.mjs from the contracts: run `npm run generate`, never edit.
import type { DecimalForm, DecimalInput, DecimalOf } from '../core/decimals.js';
import type { ListQuery } from '../core/list-query.js';

/** Accepted profit share: part of `Copier` and `StoppedCopier`. */
export interface AcceptedProfitShare<D extends DecimalForm = 'number'> {
  /** Fraction of the profit above the high-water mark, from 0 to 0.5. */
  rate: DecimalOf<D>;
  /** How often the profit share is settled. */
  period: 'WEEK' | 'MONTH' | 'QUARTER' | (string & {});
  /** Time at which you accepted the terms. A cut of the rate does not change it. */
  accepted_at: string;
  /** Terms that you accepted and that apply from the next period on. */
  next?: {
    /** Fraction of the profit above the high-water mark, from 0 to 0.5. */
    rate: DecimalOf<D>;
    /** How often the profit share is settled. */
    period: 'WEEK' | 'MONTH' | 'QUARTER' | (string & {});
    /** Start of the period in which they apply. */
    from: string;
  };
}

/** Analytics: returned by `trades.analytics`. */
export interface Analytics<D extends DecimalForm = 'number'> {
  from: string | null;
  to: string | null;
  /** Currency of all totals: the quote currency with the most closed trades; if several have the most, the one of them with the most fills. Amounts in different currencies are never added. Trades in other quote currencies are counted in excluded_quotes and listed in by_pair and by_strategy under their own currency. Null if nothing was filled. */
  currency: string | null;
  /** Fills and closed trades that the totals exclude because they are quoted in another currency. */
  excluded_quotes: {
    currency: string;
    fill_count: number;
    closed_count: number;
  }[];
  /** Number of trades created in the range, regardless of status and currency. */
  trade_count: number;
  /** Number of trades closed in the range: their lots were fully offset, first in, first out. Rates, averages and gross amounts cover only these trades. */
  closed_count: number;
  /** Number of closed trades with a net profit. */
  winning_count: number;
  /** Number of closed trades with a net loss. A trade that broke even counts as neither winning nor losing. */
  losing_count: number;
  /** winning_count ÷ closed_count, from 0 to 1. Null if no trade was closed. */
  win_rate: DecimalOf<D> | null;
  /** gross_profit ÷ gross_loss. Null if there was no loss. */
  profit_factor: DecimalOf<D> | null;
  /** Mean net result of a closed trade. Null if no trade was closed. */
  expectancy: DecimalOf<D> | null;
  /** expectancy ÷ average_loss. Null if there was no loss. */
  expectancy_ratio: DecimalOf<D> | null;
  /** Sum of the profits of winning trades, after fees. */
  gross_profit: DecimalOf<D>;
  /** Sum of the losses of losing trades, after fees, as a positive amount. */
  gross_loss: DecimalOf<D>;
  /** net_pnl − funding − gross_profit + gross_loss. This is the result that partly open trades realized in the range, less the result that trades closed in the range had realized before it. */
  partial_pnl: DecimalOf<D>;
  /** Fees paid in the range, in currency. Fees in base currency are converted at the price of their own fill, fees in a third asset at the price of the time of their fill. */
  fees: DecimalOf<D>;
  /** True while a fee in a third asset has no known price yet. Such a fee appears in fees_by_currency, but in no other figure. */
  fees_incomplete: boolean;
  /** All fees paid in the range, by the currency in which they were paid. */
  fees_by_currency: {
    amount: DecimalOf<D>;
    currency: string;
  }[];
  /** Funding payments less interest on loans, as far as they were paid in the range: positive if received. Part of net_pnl. 0 on spot. Funding in another currency than the quote currency is left out. */
  funding: DecimalOf<D>;
  /** Profit or loss realized in the range: the parts of lots that were offset in the range, first in, first out, after the fees of the opening and the closing fills, plus `funding`. Lots bought before the range count at their cost. */
  net_pnl: DecimalOf<D>;
  /** Result of the lots that are open at the end of the range, at the last known prices, after the fees paid. */
  unrealized_pnl: DecimalOf<D>;
  /** Sum of the last recorded equity of each account with results in `currency`. Null if an account has none. */
  equity: DecimalOf<D> | null;
  /** Return over the range; 1 means that the capital doubled. The return of a UTC day is the change of the realized and the open result, after fees and funding, ÷ the equity at the start of the day. Daily returns are compounded. Open lots are valued at the last price of each day; without one, at the last price before it. Deposits and withdrawals are not profit; they change the capital from the next day on. A day without a result needs no equity. Null if nothing was filled, or if the equity at the start of a day with a result was not recorded. */
  roi: DecimalOf<D> | null;
  /** Like roi, of net_pnl alone: open lots do not count. 0 while no lot was closed. */
  realized_roi: DecimalOf<D> | null;
  /** Sum of price × amount over all fills in the range, buys and sells. */
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
  /** Mean time from the first fill of a closed trade until it was fully offset, exact to the millisecond. */
  average_holding_seconds: DecimalOf<D> | null;
  /** Longest run of losing trades, in the order in which they were closed. */
  max_consecutive_losses: number;
  /** Drawdown of the realized and the open result. */
  max_drawdown: {
    /** Largest fall of the cumulative result below its previous peak, as a positive amount. It is measured at the end of each UTC day; changes within a day are ignored. */
    amount: DecimalOf<D>;
    /** Of realized results: the fall in percent of the equity at the end of the day of the peak. Otherwise: the largest fall of the compounded daily returns, in percent. Null if an equity was not recorded or there was no drawdown. */
    percent: DecimalOf<D> | null;
    /** Day of the peak. Null if the peak is the start of the range or there was no drawdown. */
    peak_at: string | null;
    /** Day of the lowest point after the peak. Null if there was no drawdown. */
    trough_at: string | null;
    /** Day on which the peak was reached again. Null if it was not reached again. */
    recovered_at: string | null;
  };
  /** Drawdown of net_pnl. */
  realized_max_drawdown: {
    /** Largest fall of the cumulative result below its previous peak, as a positive amount. It is measured at the end of each UTC day; changes within a day are ignored. */
    amount: DecimalOf<D>;
    /** Of realized results: the fall in percent of the equity at the end of the day of the peak. Otherwise: the largest fall of the compounded daily returns, in percent. Null if an equity was not recorded or there was no drawdown. */
    percent: DecimalOf<D> | null;
    /** Day of the peak. Null if the peak is the start of the range or there was no drawdown. */
    peak_at: string | null;
    /** Day of the lowest point after the peak. Null if there was no drawdown. */
    trough_at: string | null;
    /** Day on which the peak was reached again. Null if it was not reached again. */
    recovered_at: string | null;
  };
  /** Sharpe ratio: mean ÷ standard deviation (n − 1) of the daily returns on equity, × √365, without a risk-free rate. n is sample_days. Null for fewer than 2 days, a deviation of 0, or an equity that was not recorded. Rounded to 8 decimals. */
  sharpe: DecimalOf<D> | null;
  /** Sortino ratio: like sharpe, but divided by √(Σ negative return² ÷ (n − 1)) instead of the standard deviation. Null for fewer than 2 days, if no day had a loss, or if an equity was not recorded. */
  sortino: DecimalOf<D> | null;
  /** Sharpe ratio of the daily net_pnl, relative to a constant capital, from the first to the last day with a fill. A day without a closed trade counts as 0. */
  realized_sharpe: DecimalOf<D> | null;
  /** Sortino ratio of the daily net_pnl, like realized_sharpe. */
  realized_sortino: DecimalOf<D> | null;
  /** Calmar ratio: roi × 365 ÷ sample_days, divided by the percent of max_drawdown as a fraction. Null for fewer than 2 days, if roi or the percent is null, or if there was no drawdown. */
  calmar: DecimalOf<D> | null;
  /** UTC days of the range from the first fill, or the first day if lots were open before, to the last day with a fill or an open lot. */
  sample_days: number;
  /** True if sample_days is below 30. sharpe and sortino are then unreliable. */
  low_sample: boolean;
  /** Fills in the range that sold more than the open lots held. A spot sale without a lot opens no lot, and its result is unknown. */
  unmatched_fill_count: number;
  by_status: {
    PENDING: number;
    FILLED: number;
    PARTIALLY_FILLED: number;
    CANCELLED: number;
    FAILED: number;
  };
  by_pair: PairResult<D>[];
  /** Results by currency and by the strategy of the trade that opened the lot. */
  by_strategy: StrategyResult<D>[];
  /** How your copiers copied in the range, by the time of their decisions. Absent if there were no decisions. */
  copy?: CopyingResults<D>;
  /** Periods with a realized result, oldest first. */
  equity_curve: {
    /** Start of the period in UTC. Weeks start on Monday. */
    at: string;
    /** Sum of the latest equity of each account with results in `currency`, as recorded in or before the period. It includes open lots. Null if an account has no recorded equity yet. */
    equity: DecimalOf<D> | null;
    /** Cumulative result from the start of the range to the end of the period. */
    net_pnl: DecimalOf<D>;
    /** Result of this period only. */
    period_pnl: DecimalOf<D>;
    /** How far net_pnl is below its peak so far, at the end of the period. */
    drawdown: DecimalOf<D>;
  }[];
}

/** API key: returned by `apiKeys.list`. */
export interface ApiKey {
  /** Id of an API key (`key_…`). */
  id: string;
  name: string;
  prefix: 'svc_live_' | 'svc_test_' | (string & {});
  /** Last four characters of the key, to help you recognize it. */
  last_four: string;
  permissions: ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN' | (string & {}))[];
  /** IP addresses and CIDR ranges that may use the key. An empty list allows every address. */
  ip_allowlist: string[];
  /** Null if the key does not expire. */
  expires_at: string | null;
  /** Null before the first use. */
  last_used_at: string | null;
  created_at: string;
  /** Null unless the key is revoked. */
  revoked_at: string | null;
}

/** Input of `apiKeys.create`. */
export interface ApiKeyCreate {
  /** A label for the key. */
  name: string;
  permissions?: readonly ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN')[] | null;
  /** Each entry must lie within an entry of your credential's list, if it has one. Default: your credential's list. */
  ip_allowlist?: readonly (string | string | string | string)[] | null;
  /** If your credential expires, the key must expire at the same time or earlier. Default: when your credential expires. */
  expires_at?: string | null;
}

/** API key with value: returned by `apiKeys.create` and `apiKeys.rotate`. */
export interface ApiKeyWithValue {
  /** Id of an API key (`key_…`). */
  id: string;
  name: string;
  prefix: 'svc_live_' | 'svc_test_' | (string & {});
  /** Last four characters of the key, to help you recognize it. */
  last_four: string;
  permissions: ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN' | (string & {}))[];
  /** IP addresses and CIDR ranges that may use the key. An empty list allows every address. */
  ip_allowlist: string[];
  /** Null if the key does not expire. */
  expires_at: string | null;
  /** Null before the first use. */
  last_used_at: string | null;
  created_at: string;
  /** Null unless the key is revoked. */
  revoked_at: string | null;
  /** The full API key. It is returned only in this response; store it securely. */
  key: string;
}

/** Asset balance: part of `ExchangeAccount`. */
export interface AssetBalance<D extends DecimalForm = 'number'> {
  /** Free and used together, as in `balance`. */
  total: DecimalOf<D>;
  /** The total less what is used. */
  free: DecimalOf<D>;
  /** Locked by open orders, by the exchange's last report. */
  used: DecimalOf<D>;
  /** Margin only: what the account has borrowed from the exchange. Omitted until it was read once. Exchanges that add interest to the loan report it here. */
  borrowed?: DecimalOf<D>;
  /** Margin only: interest that was charged and is not paid yet. Omitted until it was read once. */
  interest?: DecimalOf<D>;
}

/** Browser session: returned by `browserSessions.create`, `browserSessions.list` and `deviceAuthorizations.approve`. */
export interface BrowserSession {
  /** Id of the public key that signs the requests of the session. */
  id: string;
  /** Id of a user (`usr_…`). */
  user_id: string;
  client_name: string;
  /** IP address of the client that opened the session. */
  address: string;
  permissions: ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN' | (string & {}))[];
  /** The credential that approved the session. The session ends with it. */
  approved_by: {
    kind: 'api_key' | 'public_key' | 'session' | (string & {});
    id: string;
  };
  approved_at: string;
  /** Time of the last request that a user caused, to within 10 seconds. */
  last_used_at: string;
  /** When the session ends unless a user causes a request: 30 minutes after `last_used_at`. */
  idle_at: string;
  /** When the session ends in any case: at most 12 hours after `approved_at`. */
  expires_at: string;
  created_at: string;
}

/** Input of `browserSessions.create`. */
export interface BrowserSessionCreate {
  /** Name of the client, which the approver sees: letters, digits, punctuation, symbols and spaces. */
  client_name: string;
  challenge: string;
  /** Compressed secp256k1 public key. */
  pubkey: string;
  /** Signature over the UTF-8 string `svc-cli-identity\n<challenge>\n<pubkey>`. */
  signature: string;
}

/** Candle: part of `Candles`. */
export interface Candle<D extends DecimalForm = 'number'> {
  /** Start of the interval. */
  at: string;
  open: DecimalOf<D>;
  high: DecimalOf<D>;
  low: DecimalOf<D>;
  /** Last price of the interval; of the current interval, the last price so far. */
  close: DecimalOf<D>;
  /** Traded amount, in base currency. */
  volume: DecimalOf<D>;
}

/** Candles: returned by `tradePairs.candles`. */
export interface Candles<D extends DecimalForm = 'number'> {
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  exchange: string;
  symbol: string;
  interval: '1m' | '5m' | '15m' | '1h' | '4h' | '1d' | (string & {});
  /** Oldest first. Intervals without a trade may be missing. */
  candles: Candle<D>[];
  /** When the exchange sent this. Older data is not returned. */
  as_of: string;
}

/** CLI challenge: returned by `auth.cliChallenge`. */
export interface CliChallenge {
  challenge: string;
  expires_at: string;
}

/** Input of `auth.cliIdentity`. */
export interface CliIdentityCreate {
  challenge: string;
  /** Compressed secp256k1 public key. */
  pubkey: string;
  /** Signature over the UTF-8 string `svc-cli-identity\n<challenge>\n<pubkey>`. */
  signature: string;
  label?: string | null;
}

/** Copier: returned by `copiers.acceptProfitShare`, `copiers.create`, `copiers.get`, `copiers.list`, `copiers.start` and `copiers.update`. */
export interface Copier<D extends DecimalForm = 'number'> {
  /** Id of a copier (`cpr_…`). */
  id: string;
  name: string;
  /** The strategy that the copier follows. */
  strategy_id?: string;
  /** The account on which the copier places its orders. */
  exchange_account_id: string;
  /** ACTIVE copies entries and exits, CLOSE_ONLY copies only exits, and PAUSED copies nothing. */
  status: 'ACTIVE' | 'CLOSE_ONLY' | 'PAUSED' | (string & {});
  /** Why the copier is no longer ACTIVE. */
  status_reason?: 'USER' | 'DAILY_LOSS' | 'DRAWDOWN' | 'CREDENTIALS' | 'STRATEGY_ARCHIVED' | (string & {});
  /** FIXED_AMOUNT: `value` in base currency. FIXED_QUOTE: `value` in quote currency for each lot of the strategy. MULTIPLIER: `value` × the strategy's amount; for another user's strategy only if it has `allow_multiplier`. EQUITY_RATIO: `value` × the strategy's amount × your equity (or `capital`) ÷ the strategy's equity. */
  sizing: {
    mode: 'FIXED_AMOUNT' | 'FIXED_QUOTE' | 'MULTIPLIER' | 'EQUITY_RATIO' | (string & {});
    value: DecimalOf<D>;
    capital?: DecimalOf<D>;
  };
  limits: CopierLimits<D>;
  /** Groups of quote currencies that count as the same, such as `[["USD", "USDT", "USDC"]]`. If the exchange of the copier lacks a pair of the strategy, the copier uses a pair of the same base with another quote currency of the group, the first one in the order of the group. For perpetuals, this includes the settlement currency. The copier uses the strategy's prices as they are, without conversion. */
  quote_aliases: string[][];
  /** Pairs to use instead of pairs of the strategy: `{"<strategy's symbol>": "<copier's symbol>"}`. An entry applies before the same symbol and before `quote_aliases`, unless its pair is inactive. Spot pairs map to spot pairs, and perpetuals to perpetuals. The base currencies must be the same asset, and the quote currencies must have the same value. */
  symbol_map: Record<string, string>;
  /** Sizing and limits for single pairs, by the strategy's symbol. `sizing` replaces that of the copier. Each limit in `limits` replaces that of the copier, and the copier's other limits apply. `max_open_quote`, `max_open_trades`, `max_daily_loss_quote` and `max_drawdown_percent` still measure all lots of the copier; here they only prevent or reduce entries of the pair, and do not trigger `on_breach`. */
  overrides: Record<string, CopierOverride<D>>;
  on_breach: 'CLOSE_ONLY' | 'PAUSE' | (string & {});
  below_minimum: 'SKIP' | 'ACCUMULATE' | 'ROUND_UP' | (string & {});
  copy_existing: boolean;
  /** Highest net profit of this copier so far, in quote currency. The mark of profit shares covers all your copiers of the same account of a leader. */
  high_water_mark: DecimalOf<D>;
  /** Terms of the profit share that you accepted. The first start with a strategy accepts its terms (rate 0 if it has none). A cut applies at once, a raise only after you accept it. Of several copiers of one account of a leader, the lowest rate counts. Absent before the first start. */
  profit_share?: AcceptedProfitShare<D>;
  /** Terms that the strategy offers now, if they differ from those that you accepted. */
  profit_share_offer?: OfferedProfitShare<D>;
  stats: CopierStats<D>;
  /** Lots that the copier still held at its last start although its strategy had reduced or closed them during the pause. They are not sold automatically; start the copier with `{"resync": "EXITS"}` to sell them. */
  drift: CopyDrift<D>[];
  /** Time of the last start. The copier copies lots that the strategy opens after this time. */
  started_at?: string;
  /** Time at which the copier was last paused or set to CLOSE_ONLY. */
  stopped_at?: string;
  created_at: string;
  updated_at: string;
}

/** Input of `copiers.create`. */
export interface CopierCreate {
  name: string;
  /** Your own strategy, or another user's active public one. */
  strategy_id?: string | null;
  /** The account on which the copier places its orders. It cannot be the strategy's own account. */
  exchange_account_id: string;
  sizing: SizingGiven;
  limits?: CopierLimitsCreate | null;
  /** Groups of quote currencies that count as the same, such as `[["USD", "USDT", "USDC"]]`. If the exchange of the copier lacks a pair of the strategy, the copier uses a pair of the same base with another quote currency of the group, the first one in the order of the group. For perpetuals, this includes the settlement currency. The copier uses the strategy's prices as they are, without conversion. A change replaces all entries and applies to new lots only. Open lots keep their pair. */
  quote_aliases?: readonly (readonly string[])[] | null;
  /** Pairs to use instead of pairs of the strategy: `{"<strategy's symbol>": "<copier's symbol>"}`. An entry applies before the same symbol and before `quote_aliases`, unless its pair is inactive. Spot pairs map to spot pairs, and perpetuals to perpetuals. The base currencies must be the same asset, and the quote currencies must have the same value. A change replaces all entries and applies to new lots only. Open lots keep their pair. */
  symbol_map?: Record<string, string> | null;
  /** Sizing and limits for single pairs, by the strategy's symbol. `sizing` replaces that of the copier. Each limit in `limits` replaces that of the copier, and the copier's other limits apply. `max_open_quote`, `max_open_trades`, `max_daily_loss_quote` and `max_drawdown_percent` still measure all lots of the copier; here they only prevent or reduce entries of the pair, and do not trigger `on_breach`. A change replaces all overrides and applies to new lots only. Open lots keep their settings. */
  overrides?: Record<string, CopierOverrideGiven> | null;
  /** What the copier does when a loss limit is reached. Default: "CLOSE_ONLY". */
  on_breach?: 'CLOSE_ONLY' | 'PAUSE' | null;
  /** What to do with a copy below the exchange's minimum. SKIP: do not place it. ACCUMULATE: add it to the next copy of the same lot. ROUND_UP: raise it to the minimum, to at most twice its size. Default: "ACCUMULATE". */
  below_minimum?: 'SKIP' | 'ACCUMULATE' | 'ROUND_UP' | null;
  /** Whether a start also copies the lots that the strategy has open at that time: what the strategy still holds of them, at the last price, within `max_slippage_bps`. A lot for which the copier ever placed an order is not copied again. Default: false. */
  copy_existing?: boolean | null;
}

/** Copier limits: part of `Copier` and `StoppedCopier`. */
export interface CopierLimits<D extends DecimalForm = 'number'> {
  /** Maximum cost of one entry, in quote currency. A larger entry is reduced to this cost. */
  max_trade_quote?: DecimalOf<D>;
  /** Maximum open exposure, in quote currency. An entry that would exceed it is reduced. */
  max_open_quote?: DecimalOf<D>;
  /** Maximum number of open lots. */
  max_open_trades?: number;
  /** Loss since 00:00 UTC, in quote currency, that triggers the action of `on_breach`. */
  max_daily_loss_quote?: DecimalOf<D>;
  /** Fall of the result from its peak, in percent of the equity at that peak, or of `sizing.capital` if that is less, that triggers the action of `on_breach`. */
  max_drawdown_percent?: DecimalOf<D>;
  /** Maximum slippage of an entry against the strategy's price, in basis points (hundredths of a percent). */
  max_slippage_bps?: number;
  /** Maximum age of an entry signal, in milliseconds. Older entries are not copied; exits are always copied. */
  max_signal_age_ms: number;
  /** Perpetuals only: maximum of the notionals of all positions of the account ÷ its equity after an entry. A larger entry is reduced. */
  max_leverage?: DecimalOf<D>;
  /** Perpetuals only: minimum of the margin ÷ the maintenance margin. Below it, entries are not copied. Default: 1.5. */
  min_margin_ratio?: DecimalOf<D>;
  /** Symbols (`BASE/QUOTE`) of the pairs to copy. Other pairs are not copied. */
  allowed_pairs?: string[];
  /** Symbols (`BASE/QUOTE`) of pairs that are never copied. */
  blocked_pairs?: string[];
  /** Sides on which entries are copied. Entries on other sides are not copied. */
  allowed_sides?: ('BUY' | 'SELL' | (string & {}))[];
}

/** Copier limits create: part of `CopierCreate`. */
export interface CopierLimitsCreate {
  /** Maximum cost of one entry, in quote currency. A larger entry is reduced to this cost. */
  max_trade_quote?: DecimalInput | null;
  /** Maximum open exposure, in quote currency. An entry that would exceed it is reduced. */
  max_open_quote?: DecimalInput | null;
  /** Maximum number of open lots. */
  max_open_trades?: number | null;
  /** Loss since 00:00 UTC, in quote currency, that triggers the action of `on_breach`. */
  max_daily_loss_quote?: DecimalInput | null;
  /** Fall of the result from its peak, in percent of the equity at that peak, or of `sizing.capital` if that is less, that triggers the action of `on_breach`. At most 100. */
  max_drawdown_percent?: DecimalInput | null;
  /** Maximum slippage of an entry against the strategy's price, in basis points (hundredths of a percent). */
  max_slippage_bps?: number | null;
  /** Perpetuals only: maximum of the notionals of all positions of the account ÷ its equity after an entry. A larger entry is reduced. */
  max_leverage?: DecimalInput | null;
  /** Perpetuals only: minimum of the margin ÷ the maintenance margin. Below it, entries are not copied. Default: 1.5. */
  min_margin_ratio?: DecimalInput | null;
  /** Symbols (`BASE/QUOTE`) of the pairs to copy. Other pairs are not copied. */
  allowed_pairs?: readonly string[] | null;
  /** Symbols (`BASE/QUOTE`) of pairs that are never copied. */
  blocked_pairs?: readonly string[] | null;
  /** Sides on which entries are copied. Entries on other sides are not copied. */
  allowed_sides?: readonly ('BUY' | 'SELL')[] | null;
  /** Maximum age of an entry signal, in milliseconds. Older entries are not copied; exits are always copied. Default: 60000. */
  max_signal_age_ms?: number | null;
}

/** Copier limits update: part of `CopierUpdate`. */
export interface CopierLimitsUpdate {
  max_trade_quote?: DecimalInput | null;
  max_open_quote?: DecimalInput | null;
  max_open_trades?: number | null;
  max_daily_loss_quote?: DecimalInput | null;
  max_drawdown_percent?: DecimalInput | null;
  max_slippage_bps?: number | null;
  /** Maximum age of an entry signal, in milliseconds. Older entries are not copied; exits are always copied. */
  max_signal_age_ms?: number;
  max_leverage?: DecimalInput | null;
  min_margin_ratio?: DecimalInput | null;
  allowed_pairs?: readonly string[] | null;
  blocked_pairs?: readonly string[] | null;
  allowed_sides?: readonly ('BUY' | 'SELL')[] | null;
}

/** Copier override: part of `Copier` and `StoppedCopier`. */
export interface CopierOverride<D extends DecimalForm = 'number'> {
  /** FIXED_AMOUNT: `value` in base currency. FIXED_QUOTE: `value` in quote currency for each lot of the strategy. MULTIPLIER: `value` × the strategy's amount; for another user's strategy only if it has `allow_multiplier`. EQUITY_RATIO: `value` × the strategy's amount × your equity (or `capital`) ÷ the strategy's equity. */
  sizing?: {
    mode: 'FIXED_AMOUNT' | 'FIXED_QUOTE' | 'MULTIPLIER' | 'EQUITY_RATIO' | (string & {});
    value: DecimalOf<D>;
    capital?: DecimalOf<D>;
  };
  limits?: OverrideLimits<D>;
}

/** Copier override given: part of `CopierCreate` and `CopierUpdate`. */
export interface CopierOverrideGiven {
  sizing?: SizingGiven | null;
  limits?: OverrideLimitsGiven | null;
}

/** Input of `copiers.start`. */
export interface CopierStart {
  /** EXITS: sells the amounts of copied lots that the strategy sold while the copier was paused. */
  resync?: 'EXITS' | null;
  /** Overrides the copier's `copy_existing` for this start. */
  copy_existing?: boolean | null;
}

/** Copier stats: part of `Copier` and `StoppedCopier`. */
export interface CopierStats<D extends DecimalForm = 'number'> {
  copied: number;
  skipped: number;
  failed: number;
  median_latency_ms: number | null;
  p99_latency_ms: number | null;
  average_slippage_bps: DecimalOf<D> | null;
  /** The copier's return less that of a perfect copy, in whole basis points of the perfect copy's cost. A perfect copy copies each signal in full, at the strategy's price and fee rate, without limits and minimums. Covers the newest 1,000 lots that the strategy closed, at least in part, while the copier was active. Omits lots that were closed by hand. Null if there is no such lot. */
  tracking_difference_bps: DecimalOf<D> | null;
  /** Breakdown of `tracking_difference_bps`. The five values add up to it. */
  tracking?: TrackingParts<D>;
  open_exposure_quote: DecimalOf<D>;
  /** Realized net profit or loss after fees and funding, in quote currency. */
  net_pnl: DecimalOf<D>;
  /** True while a fee in a third asset has no known price. The results of the copies exclude this fee until then. */
  fees_incomplete: boolean;
  /** Result of the open lots at the last known prices, after the fees paid, in quote currency. */
  unrealized_pnl: DecimalOf<D>;
  /** Last recorded equity of the account, in the quote currency of the results: the one with the most copied lots. Null before the first copy, which determines the currency, or if none was recorded. */
  equity: DecimalOf<D> | null;
  /** Return of the copies; 1 means that the capital doubled. The return of a UTC day is the change of the realized and the open result, after fees and funding, ÷ the account's equity at the start of the day. Daily returns are compounded. Deposits, withdrawals and other trades never count. A day without a result needs no equity. Null before the first copy, or if the equity at the start of a day with a result was not recorded. */
  roi: DecimalOf<D> | null;
  /** Largest fall of the compounded daily returns from their peak, in percent. Null if there was no fall or an equity was not recorded. */
  max_drawdown_percent: DecimalOf<D> | null;
  /** Sharpe ratio: mean ÷ standard deviation (n − 1) of the daily returns on equity, × √365, without a risk-free rate. Null for fewer than 2 days, a deviation of 0, or an equity that was not recorded. */
  sharpe: DecimalOf<D> | null;
  /** Sortino ratio: like sharpe, but divided by √(Σ negative return² ÷ (n − 1)). */
  sortino: DecimalOf<D> | null;
}

/** Input of `copiers.stop`. */
export interface CopierStop {
  /** PAUSED: copies neither entries nor exits. CLOSE_ONLY: still copies the strategy's exits. Default: "PAUSED". */
  mode?: 'PAUSED' | 'CLOSE_ONLY' | null;
}

/** Input of `copiers.update`. */
export interface CopierUpdate {
  name?: string;
  /** Can be changed only while the copier is PAUSED. Null removes the strategy. */
  strategy_id?: string | null;
  sizing?: SizingGiven;
  /** Limits to change; others keep their value. Null removes a limit. */
  limits?: CopierLimitsUpdate;
  /** Groups of quote currencies that count as the same, such as `[["USD", "USDT", "USDC"]]`. If the exchange of the copier lacks a pair of the strategy, the copier uses a pair of the same base with another quote currency of the group, the first one in the order of the group. For perpetuals, this includes the settlement currency. The copier uses the strategy's prices as they are, without conversion. A change replaces all entries and applies to new lots only. Open lots keep their pair. */
  quote_aliases?: readonly (readonly string[])[];
  /** Pairs to use instead of pairs of the strategy: `{"<strategy's symbol>": "<copier's symbol>"}`. An entry applies before the same symbol and before `quote_aliases`, unless its pair is inactive. Spot pairs map to spot pairs, and perpetuals to perpetuals. The base currencies must be the same asset, and the quote currencies must have the same value. A change replaces all entries and applies to new lots only. Open lots keep their pair. */
  symbol_map?: Record<string, string>;
  /** Sizing and limits for single pairs, by the strategy's symbol. `sizing` replaces that of the copier. Each limit in `limits` replaces that of the copier, and the copier's other limits apply. `max_open_quote`, `max_open_trades`, `max_daily_loss_quote` and `max_drawdown_percent` still measure all lots of the copier; here they only prevent or reduce entries of the pair, and do not trigger `on_breach`. A change replaces all overrides and applies to new lots only. Open lots keep their settings. */
  overrides?: Record<string, CopierOverrideGiven>;
  /** What the copier does when a loss limit is reached. */
  on_breach?: 'CLOSE_ONLY' | 'PAUSE';
  /** What to do with a copy below the exchange's minimum. SKIP: do not place it. ACCUMULATE: add it to the next copy of the same lot. ROUND_UP: raise it to the minimum, to at most twice its size. */
  below_minimum?: 'SKIP' | 'ACCUMULATE' | 'ROUND_UP';
  /** Whether a start also copies the lots that the strategy has open at that time: what the strategy still holds of them, at the last price, within `max_slippage_bps`. A lot for which the copier ever placed an order is not copied again. */
  copy_existing?: boolean;
}

/** Input of `strategies.linkCopiers`. */
export interface CopiersLink {
  /** Ids of your copiers. Either all of them are linked, or none. */
  copier_ids: readonly string[];
}

/** Copy drift: part of `Copier` and `StoppedCopier`. */
export interface CopyDrift<D extends DecimalForm = 'number'> {
  symbol: string;
  /** The strategy's trade that opened the lot. */
  source_trade_id: string;
  /** Amount that the copier held at its last start, in base currency. */
  held_amount: DecimalOf<D>;
  /** Amount that the copier would have sold during the pause if it had copied the exits, in base currency and whole amount steps. If another user owns the strategy, it is computed from the fractions that its signals show; a resync sells the exact amount. */
  excess_amount: DecimalOf<D>;
}

/** Copying results: part of `Analytics`. */
export interface CopyingResults<D extends DecimalForm = 'number'> {
  median_latency_ms: number | null;
  /** Time within which 99 % of the copies were sent. */
  p99_latency_ms: number | null;
  /** Mean slippage of the filled copies, in basis points. */
  average_slippage_bps: DecimalOf<D> | null;
  skipped_by_reason: Record<string, number>;
}

/** Credentials test result: returned by `exchanges.test`. */
export interface CredentialsTestResult {
  ok: true;
  trading_types: ('spot' | 'margin' | 'perpetual' | (string & {}))[];
  /** Null if the exchange does not report it. */
  can_trade: boolean | null;
  /** Null if the exchange does not report it; it then counts as true when an account is connected. */
  can_withdraw: boolean | null;
}

/** Dead letter: returned by `deadLetters.list`. */
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
    | 'copier.exit_delayed'
    | 'strategy.multiplier_kept'
    | 'copier.profit_share_raised'
    | 'reward.claimable'
    | 'exchange.permissions_changed'
    | 'trade_pair.deactivated'
    | 'funding.paid'
    | 'position.opened'
    | 'position.changed'
    | 'position.closed'
    | 'position.margin_call'
    | 'position.liquidated'
    | (string & {});
  /** Number of the run whose attempts failed. The deliveries of this run have the same number. */
  run: number;
  /** PENDING: can be retried or discarded. RETRIED: sent again in a new run, which may end in another dead letter. DISCARDED: will not be sent again. */
  status: 'PENDING' | 'RETRIED' | 'DISCARDED' | (string & {});
  /** Number of attempts made. */
  attempts: number;
  last_status_code?: number;
  /** Why the last attempt failed. `webhook_inactive`: the remaining attempts were not made. */
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
  /** More specific than `last_error`. */
  last_error_reason?:
    | 'dns_error'
    | 'dns_name_not_found'
    | 'dns_no_address'
    | 'dns_server_failure'
    | 'dns_server_timeout'
    | 'blocked_address'
    | 'connect_refused'
    | 'network_unreachable'
    | 'connect_timeout'
    | 'tls_handshake_timeout'
    | 'tls_error'
    | 'certificate_self_signed'
    | 'certificate_untrusted'
    | 'certificate_expired'
    | 'certificate_not_yet_valid'
    | 'certificate_name_mismatch'
    | 'certificate_invalid'
    | 'client_certificate_required'
    | 'tls_not_spoken'
    | 'tls_version_unsupported'
    | 'tls_no_common_cipher'
    | 'tls_name_unknown'
    | 'http2_only'
    | 'timeout'
    | 'timeout_in_dns'
    | 'timeout_in_connect'
    | 'timeout_in_tls_handshake'
    | 'timeout_in_response'
    | 'reset'
    | 'closed_without_response'
    | 'closed_in_tls_handshake'
    | 'tls_expected'
    | 'http2_response'
    | 'not_http'
    | 'unexpected_upgrade'
    | 'response_too_large'
    | 'response_headers_too_large'
    | 'http_status'
    | 'redirect_not_followed'
    | 'invalid_url'
    | 'internal'
    | 'webhook_inactive'
    | (string & {});
  /** What went wrong and how to fix it. The wording may change; programs should compare `last_error_reason`. */
  last_error_message?: string;
  /** Time at which the dead letter was retried or discarded. */
  resolved_at?: string;
  created_at: string;
  updated_at: string;
}

/** Dead letter detail: returned by `deadLetters.get` and `deadLetters.retry`. */
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
    | 'copier.exit_delayed'
    | 'strategy.multiplier_kept'
    | 'copier.profit_share_raised'
    | 'reward.claimable'
    | 'exchange.permissions_changed'
    | 'trade_pair.deactivated'
    | 'funding.paid'
    | 'position.opened'
    | 'position.changed'
    | 'position.closed'
    | 'position.margin_call'
    | 'position.liquidated'
    | (string & {});
  /** Number of the run whose attempts failed. The deliveries of this run have the same number. */
  run: number;
  /** PENDING: can be retried or discarded. RETRIED: sent again in a new run, which may end in another dead letter. DISCARDED: will not be sent again. */
  status: 'PENDING' | 'RETRIED' | 'DISCARDED' | (string & {});
  /** Number of attempts made. */
  attempts: number;
  last_status_code?: number;
  /** Why the last attempt failed. `webhook_inactive`: the remaining attempts were not made. */
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
  /** More specific than `last_error`. */
  last_error_reason?:
    | 'dns_error'
    | 'dns_name_not_found'
    | 'dns_no_address'
    | 'dns_server_failure'
    | 'dns_server_timeout'
    | 'blocked_address'
    | 'connect_refused'
    | 'network_unreachable'
    | 'connect_timeout'
    | 'tls_handshake_timeout'
    | 'tls_error'
    | 'certificate_self_signed'
    | 'certificate_untrusted'
    | 'certificate_expired'
    | 'certificate_not_yet_valid'
    | 'certificate_name_mismatch'
    | 'certificate_invalid'
    | 'client_certificate_required'
    | 'tls_not_spoken'
    | 'tls_version_unsupported'
    | 'tls_no_common_cipher'
    | 'tls_name_unknown'
    | 'http2_only'
    | 'timeout'
    | 'timeout_in_dns'
    | 'timeout_in_connect'
    | 'timeout_in_tls_handshake'
    | 'timeout_in_response'
    | 'reset'
    | 'closed_without_response'
    | 'closed_in_tls_handshake'
    | 'tls_expected'
    | 'http2_response'
    | 'not_http'
    | 'unexpected_upgrade'
    | 'response_too_large'
    | 'response_headers_too_large'
    | 'http_status'
    | 'redirect_not_followed'
    | 'invalid_url'
    | 'internal'
    | 'webhook_inactive'
    | (string & {});
  /** What went wrong and how to fix it. The wording may change; programs should compare `last_error_reason`. */
  last_error_message?: string;
  /** Time at which the dead letter was retried or discarded. */
  resolved_at?: string;
  created_at: string;
  updated_at: string;
  /** The event, exactly as it was sent in each attempt. */
  payload: WebhookEvent<D>;
}

/** Dead letter retry: returned by `deadLetters.retryMany`. */
export interface DeadLetterRetry {
  /** Number of dead letters being retried: oldest first, at most 10000 per call. */
  retried: number;
  /** True if matching dead letters are still pending. Call again to retry them. */
  has_more: boolean;
}

/** Input of `deadLetters.retryMany`. */
export interface DeadLetterRetryAsked {
  /** Start of the range, inclusive. Default: no lower bound. Filters dead letters by created_at. */
  from?: string | null;
  /** End of the range, exclusive. Default: no upper bound. */
  to?: string | null;
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
    | 'public_key.linked'
    | 'copier.exit_delayed'
    | 'strategy.multiplier_kept'
    | 'copier.profit_share_raised'
    | 'reward.claimable'
    | 'exchange.permissions_changed'
    | 'trade_pair.deactivated'
    | 'funding.paid'
    | 'position.opened'
    | 'position.changed'
    | 'position.closed'
    | 'position.margin_call'
    | 'position.liquidated'
    | null;
}

/** Dead letter stats: returned by `deadLetters.stats`. */
export interface DeadLetterStats {
  pending: number;
  retried: number;
  discarded: number;
}

/** Decision: returned by `copiers.decisions`. */
export interface Decision<D extends DecimalForm = 'number'> {
  /** Id of a decision (`dec_…`). */
  id: string;
  /** Id of a copier (`cpr_…`). */
  copier_id: string;
  /** Id of a strategy (`str_…`). */
  strategy_id: string;
  /** The signal that caused the decision. If a start copied the lot (`copy_existing`), the last signal of the lot. */
  signal_id: string;
  /** The signal's number within its strategy. */
  sequence: number;
  /** The trade whose fill caused the signal. */
  source_trade_id: string;
  symbol: string;
  /** What the copier does: OPEN and INCREASE are entries into a lot of the strategy, REDUCE and CLOSE are exits. It is the kind of the signal. If a start copied the lot (`copy_existing`), it is OPEN, even if the signal is of another kind. */
  kind: 'OPEN' | 'INCREASE' | 'REDUCE' | 'CLOSE' | (string & {});
  /** PENDING: not final yet; settled_at is absent. CLAMPED: copied in part. FAILED: the order was rejected or never reached the exchange. */
  outcome: 'COPIED' | 'CLAMPED' | 'SKIPPED' | 'FAILED' | 'PENDING' | (string & {});
  /** Why the signal was not copied, or was copied only in part. While the outcome is PENDING: why the copy waits, or which limit reduced it. */
  code?:
    | 'NOT_ACTIVE'
    | 'NOT_HELD'
    | 'PAIR_BLOCKED'
    | 'PAIR_UNAVAILABLE'
    | 'SIDE_BLOCKED'
    | 'STALE_SIGNAL'
    | 'OFF_MARKET'
    | 'STALE_EQUITY'
    | 'DAILY_LOSS'
    | 'DRAWDOWN'
    | 'MAX_TRADES'
    | 'MAX_TRADE'
    | 'MAX_OPEN'
    | 'MAX_LEVERAGE'
    | 'MARGIN_RATIO'
    | 'BELOW_MINIMUM'
    | 'INSUFFICIENT_BALANCE'
    | 'SLIPPAGE'
    | 'EXCHANGE_REJECTED'
    | 'NOT_ACCEPTED'
    | 'CREDENTIALS'
    | 'RATE_LIMITED'
    | (string & {});
  /** The values behind the decision. Amounts are decimal strings. If another user owns the strategy, the amounts of its account are omitted, and `ratio` and values that are proportional to such amounts have two significant digits, are computed from amounts of two digits, and may be null. `copy_existing` is true if a start decided on a lot that was already open; the other values are those at the start. */
  inputs: Record<string, string | number | boolean | null>;
  /** Amount that the sizing yields, in base currency, before limits and rounding. If another user owns the strategy: computed from amounts of two significant digits, or the ordered amount, and rounded to two digits. */
  target_amount: DecimalOf<D>;
  /** Amount ordered, in base currency. An amount that is ordered again counts once. */
  sent_amount: DecimalOf<D>;
  /** Amount filled, in base currency. */
  filled_amount: DecimalOf<D>;
  /** The copy, if an order was placed. */
  trade_id?: string;
  /** Time from the fill that caused the signal until the copy was sent, in milliseconds. If a start copied the lot (`copy_existing`), time from the start. */
  latency_ms?: number;
  /** How much worse the copy's price is than the strategy's, in basis points. Negative if it is better. If a start copied the lot (`copy_existing`), the price is compared with the last price at the start. Absent if nothing was filled, and for an exit of another user's strategy that several orders sold in parts. */
  slippage_bps?: DecimalOf<D>;
  created_at: string;
  /** Time at which the copier first decided on the signal. A later start may replace a decision that placed no order; the time does not change then. */
  decided_at: string;
  /** Time at which the decision became final. */
  settled_at?: string;
}

/** Delivery: returned by `webhooks.deliveries` and `webhooks.test`. */
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
    | 'copier.exit_delayed'
    | 'strategy.multiplier_kept'
    | 'copier.profit_share_raised'
    | 'reward.claimable'
    | 'exchange.permissions_changed'
    | 'trade_pair.deactivated'
    | 'funding.paid'
    | 'position.opened'
    | 'position.changed'
    | 'position.closed'
    | 'position.margin_call'
    | 'position.liquidated'
    | (string & {});
  /** Number of the run of attempts. Run 0 is the automatic delivery, or the first replay if there was no automatic delivery. Each later retry or replay adds 1. */
  run: number;
  attempt: number;
  status: 'SUCCEEDED' | 'FAILED' | (string & {});
  status_code?: number;
  /** Class of the failure. Absent if the attempt succeeded. */
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
  /** More specific than `error`. */
  error_reason?:
    | 'dns_error'
    | 'dns_name_not_found'
    | 'dns_no_address'
    | 'dns_server_failure'
    | 'dns_server_timeout'
    | 'blocked_address'
    | 'connect_refused'
    | 'network_unreachable'
    | 'connect_timeout'
    | 'tls_handshake_timeout'
    | 'tls_error'
    | 'certificate_self_signed'
    | 'certificate_untrusted'
    | 'certificate_expired'
    | 'certificate_not_yet_valid'
    | 'certificate_name_mismatch'
    | 'certificate_invalid'
    | 'client_certificate_required'
    | 'tls_not_spoken'
    | 'tls_version_unsupported'
    | 'tls_no_common_cipher'
    | 'tls_name_unknown'
    | 'http2_only'
    | 'timeout'
    | 'timeout_in_dns'
    | 'timeout_in_connect'
    | 'timeout_in_tls_handshake'
    | 'timeout_in_response'
    | 'reset'
    | 'closed_without_response'
    | 'closed_in_tls_handshake'
    | 'tls_expected'
    | 'http2_response'
    | 'not_http'
    | 'unexpected_upgrade'
    | 'response_too_large'
    | 'response_headers_too_large'
    | 'http_status'
    | 'redirect_not_followed'
    | 'invalid_url'
    | 'internal'
    | (string & {});
  /** What went wrong and how to fix it. The wording may change; programs should compare `error_reason`. */
  error_message?: string;
  /** The headers of the request, without the value of the signature. */
  request_headers: RequestHeader[];
  response_time_ms: number;
  /** The first 1 KiB of the response body. A gzip, deflate or br body is decoded first. Null if there was no response, no body, or a body that cannot be decoded. */
  response_body: string | null;
  attempted_at: string;
  next_attempt_at?: string;
  created_at: string;
}

/** Detailed health: returned by `health.detailed`. */
export interface DetailedHealth {
  status: 'ok' | 'degraded' | (string & {});
  services: Record<
    string,
    {
      status: 'ok' | 'degraded' | (string & {});
      /** Time since the service's last heartbeat, in milliseconds. */
      age_ms: number;
    }
  >;
}

/** Input of `deviceAuthorizations.approve`. */
export interface DeviceApproval {
  /** Code that the client shows. Letter case, spaces and hyphens do not matter. */
  user_code: string;
  /** The permissions to grant, each of which the client requested. Default: all of these. */
  permissions?: readonly ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN')[] | null;
}

/** Device authorization: returned by `deviceAuthorizations.deny` and `deviceAuthorizations.get`. */
export interface DeviceAuthorization {
  user_code: string;
  client_name: string;
  /** IP address of the client. */
  address: string;
  /** The permissions that the client requests. */
  permissions: ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN' | (string & {}))[];
  status: 'PENDING' | 'APPROVED' | 'DENIED' | 'EXPIRED' | (string & {});
  created_at: string;
  expires_at: string;
}

/** Input of `deviceAuthorizations.create`. */
export interface DeviceAuthorizationCreate {
  /** Name of the client, which the approver sees: letters, digits, punctuation, symbols and spaces. */
  client_name: string;
  /** The permissions that the client requests. The approver may grant fewer. */
  permissions?: readonly ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN')[] | null;
  challenge: string;
  /** Compressed secp256k1 public key. */
  pubkey: string;
  /** Signature over the UTF-8 string `svc-cli-identity\n<challenge>\n<pubkey>`. */
  signature: string;
}

/** Input of `deviceAuthorizations.deny`. */
export interface DeviceDenial {
  /** Code that the client shows. Letter case, spaces and hyphens do not matter. */
  user_code: string;
}

/** Input of `deviceAuthorizations.token`. */
export interface DeviceTokenCreate {
  device_code: string;
}

/** Emergency stop: returned by `emergencyStop.run`. */
export interface EmergencyStop<D extends DecimalForm = 'number'> {
  /** Copiers that this call paused. Their positions stay open and are not closed automatically. */
  paused_copiers: Copier<D>[];
  /** Your open lots by pair and side. `close_positions` closes those of perpetuals alone. */
  open_lots: OpenLot<D>[];
  /** The orders that close your positions, if you asked for it. A position in a market that the exchange does not trade at the moment, or whose account is not active, has no such order. */
  closing: Trade<D>[];
  /** Trades that were open and are now cancelled. Filled amounts stay filled. */
  cancelled: Trade<D>[];
  /** Trades that were filled before they could be cancelled, or that failed. */
  ended_otherwise: Trade<D>[];
  /** Trades that are still open. With `sub_status` PENDING_CANCEL, the exchange has not confirmed the cancellation yet. The cancellation continues in the background; call again to see its progress. Orders of an inactive account are cancelled when the account becomes active again. Trades placed after the stop are listed but not cancelled. */
  still_open: Trade<D>[];
}

/** Input of `emergencyStop.run`. */
export interface EmergencyStopRequest {
  /** Whether to close all positions in perpetuals, too, with reduce-only market orders. Default: false. */
  close_positions?: boolean | null;
}

/** An event of one type. */
export interface WebhookEventOf<Type extends keyof EventData, D extends DecimalForm = 'number'> {
  type: Type;
  /** The record at the time of the event, as the API returns it. */
  data: EventData<D>[Type];
  /** Id of an event (`evt_…`). */
  event_id: string;
  timestamp: string;
  truncated?: true;
}

/**
 * An event of webhooks, lists and streams; `type` determines the record in `data`. Ignore event types that you do
 * not know: new ones may be added.
 */
export type WebhookEvent<D extends DecimalForm = 'number'> = {
  [Type in keyof EventData]: WebhookEventOf<Type, D>;
}[keyof EventData];

/** Event catalogue: returned by `events.types`. */
export interface EventCatalogue<D extends DecimalForm = 'number'> {
  types: EventKind<D>[];
}

/** Event kind: part of `EventCatalogue`. */
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
    | 'copier.exit_delayed'
    | 'strategy.multiplier_kept'
    | 'copier.profit_share_raised'
    | 'reward.claimable'
    | 'exchange.permissions_changed'
    | 'trade_pair.deactivated'
    | 'funding.paid'
    | 'position.opened'
    | 'position.changed'
    | 'position.closed'
    | 'position.margin_call'
    | 'position.liquidated'
    | (string & {});
  /** When the event is sent. */
  description: string;
  /** JSON Schema (2020-12) of the whole payload. A later release may add members to payloads. */
  schema: Record<string, unknown>;
  /** A payload that matches the schema. Its ids belong to no record. */
  sample: WebhookEvent<D>;
}

/** Exchange account: returned by `exchanges.create`, `exchanges.get`, `exchanges.list`, `exchanges.sync` and `exchanges.update`. */
export interface ExchangeAccount<D extends DecimalForm = 'number'> {
  /** Id of an exchange account (`exa_…`). */
  id: string;
  /** Id of the exchange, as in the list of supported exchanges. */
  exchange_name: string;
  account_name: string;
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** False if the account cannot trade, for the reason in `inactive_reason`. */
  is_active: boolean;
  /** Why the account is not active. `CREDENTIALS`: the exchange rejected them. `POSITION_MODE`: the account is in hedge mode. `PORTFOLIO_MARGIN` and `ACCOUNT_TYPE`: the kind of the account is not supported. Null while it is active. */
  inactive_reason:
    | 'CREDENTIALS'
    | 'POSITION_MODE'
    | 'PORTFOLIO_MARGIN'
    | 'ACCOUNT_TYPE'
    | (string & {})
    | null;
  /** Whether the credentials can trade. Null if the exchange does not report it, or if it was not read yet. Read again each day. */
  can_trade: boolean | null;
  /** True if the credentials can withdraw. Replace such credentials with ones that cannot. Null if the exchange does not report it. Read again each day. */
  can_withdraw: boolean | null;
  /** Total balance (free and locked) by asset. */
  balance: Record<string, DecimalOf<D>>;
  /** The parts of each balance, by asset; on margin also what the account owes. An asset that it only owes has a total of 0. Loans are read with the balances, as often as the rate limit of the exchange allows. */
  balance_detail: Record<string, AssetBalance<D>>;
  /** When all balances were last read from the exchange; null before the first sync. While the account stream works, changes are applied as the exchange reports them, and all balances are read at least every 4 hours. */
  last_sync_at: string | null;
  created_at: string;
  updated_at: string;
}

/** Input of `exchanges.create`. */
export interface ExchangeAccountCreate {
  /** Id of a supported exchange. */
  exchange: string;
  trading_type: 'spot' | 'margin' | 'perpetual';
  credentials: ExchangeCredentials;
  /** A label for the account. */
  account_name: string;
  /** Accept credentials that can withdraw. Default: false. */
  allow_withdraw_keys?: boolean | null;
}

/** Input of `exchanges.test`. */
export interface ExchangeAccountTest {
  /** Id of a supported exchange. */
  exchange: string;
  trading_type: 'spot' | 'margin' | 'perpetual';
  credentials: ExchangeCredentials;
}

/** Input of `exchanges.update`. */
export interface ExchangeAccountUpdate {
  /** A label for the account. */
  account_name?: string;
  /** New credentials for the same account at the exchange. They are tested before they are stored. */
  credentials?: ExchangeCredentials;
  /** Accept credentials that can withdraw. Default: false. */
  allow_withdraw_keys?: boolean;
}

/** Exchange credentials: part of `ExchangeAccountCreate`, `ExchangeAccountTest` and `ExchangeAccountUpdate`. */
export interface ExchangeCredentials {
  api_key: string;
  api_secret: string;
  passphrase?: string | null;
}

/** Fill: part of `TradeDetail`. */
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
  /** Value of the fee in quote currency at the time of the fill. A fee in a third asset is converted by the last prices of the exchange, or by its candles of that minute. Null until a price is known; results do not contain the fee until then. */
  fee_value: DecimalOf<D> | null;
  liquidity: 'MAKER' | 'TAKER' | (string & {});
  executed_at: string;
}

/** Funding payment. */
export interface FundingPayment<D extends DecimalForm = 'number'> {
  /** Id of a funding payment (`fnd_…`). */
  id: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id: string;
  /** Absent if the product does not offer the market. */
  trade_pair_id?: string;
  symbol: string;
  /** Positive if the account received it, negative if the account paid it. */
  amount: DecimalOf<D>;
  /** Settlement currency of the perpetual. */
  currency: string;
  /** When the exchange paid or charged it. */
  paid_at: string;
  created_at: string;
}

/** Granted session: returned by `deviceAuthorizations.token`. */
export interface GrantedSession {
  /** Id of a public key (`pbk_…`). */
  public_key_id: string;
  /** Id of a user (`usr_…`). */
  user_id: string;
  permissions: ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN' | (string & {}))[];
  expires_at: string;
}

/** Health: returned by `health.get`. */
export interface Health {
  status: 'ok';
}

/** Index point: part of `StrategyResults`. */
export interface IndexPoint<D extends DecimalForm = 'number'> {
  /** End of a UTC day, or the start of the first one. */
  at: string;
  /** Value of 100 that was invested at the start: 100 × Π(1 + daily return). */
  index: DecimalOf<D>;
}

/** Key permissions: part of `SupportedExchangeCredentials`. */
export interface KeyPermissions {
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** What the key must allow. */
  needed: string[];
  /** What the key must not allow, such as withdrawals. */
  refused: string[];
  /** What else to know when the key is created. Plain sentences. */
  notes: string[];
}

/** Leverage settings: returned by `positions.setLeverage`. */
export interface LeverageSettings<D extends DecimalForm = 'number'> {
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id: string;
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  symbol: string;
  /** Notional of a position ÷ its initial margin. */
  leverage: DecimalOf<D>;
  margin_mode: 'CROSS' | 'ISOLATED' | (string & {});
  /** The highest leverage that the exchange allows for a small position. */
  max_leverage?: DecimalOf<D>;
}

/** Input of `positions.setLeverage`. */
export interface LeverageUpdate {
  /** A perpetual of the exchange of the account. */
  trade_pair_id: string;
  /** The new leverage, above 0. */
  leverage: DecimalInput;
  /** Default: the margin mode does not change. */
  margin_mode?: 'CROSS' | 'ISOLATED' | null;
}

/** Logged request: returned by `requestLog.list`. */
export interface LoggedRequest {
  /** Id of a request (`rqt_…`). */
  id: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | (string & {});
  /** The path with the names of its parameters, like `/v1/trades/:id`. A GraphQL request has `/graphql`. */
  route: string;
  /** The HTTP status. A GraphQL request that was executed has 200. */
  status: number;
  /** Time until the response was sent, as the server measured it. A stream counts until it ends. */
  duration_ms: number;
  /** The `x-request-id` of the response. */
  request_id: string;
  /** The credential of the request. */
  credential: {
    kind: 'api_key' | 'public_key' | 'session' | 'browser_session' | (string & {});
    id: string;
  };
  /** The IP address of the client. */
  address: string;
  /** When the request arrived. */
  created_at: string;
}

/** Lot: returned by `lots.get` and `lots.list`. */
export interface Lot<D extends DecimalForm = 'number'> {
  /** Id of a lot (`lot_…`). */
  id: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id: string;
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  symbol: string;
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** The trade whose fill opened the lot. */
  trade_id: string;
  /** The strategy of the trade. For a copy: the strategy that it copies. */
  strategy_id?: string;
  /** For a copy: the copier that placed it. */
  copier_id?: string;
  /** For a copy: the strategy's trade that opened the copied lot. */
  source_trade_id?: string;
  /** BUY: bought, and sold again. SELL: sold short, and bought back. */
  side: 'BUY' | 'SELL' | (string & {});
  status: 'OPEN' | 'CLOSED' | (string & {});
  /** Opened amount in base currency, after a fee in base currency. */
  amount: DecimalOf<D>;
  /** Part of `amount` that is still open. A copy sells lots with its own `source_trade_id` first, then others of its copier; any other sale closes lots of no copier first, then those of copiers. In each case the oldest is first. */
  remaining_amount: DecimalOf<D>;
  /** Price of the fill that opened the lot, in quote currency. */
  entry_price: DecimalOf<D>;
  /** Cost of `amount` after fees, in quote currency. For a short lot: the proceeds after fees. */
  cost: DecimalOf<D>;
  /** Part of `cost` that belongs to `remaining_amount`. */
  remaining_cost: DecimalOf<D>;
  /** Fees of the fills that opened and closed the lot, as far as they belong to it, valued in quote currency at the time of their fills. A remainder below the amount step, which is closed without proceeds, counts as a fee. */
  fees: DecimalOf<D>;
  /** True while a fee in a third asset has no known price. `cost`, `fees` and the results exclude this fee until then. */
  fees_incomplete: boolean;
  /** Result of the closed part after fees, in quote currency. */
  realized_pnl: DecimalOf<D>;
  /** Result of the open part at the last known price, after the fees paid, in quote currency. 0 for a closed lot. Null without a price. */
  unrealized_pnl: DecimalOf<D> | null;
  /** Funding payments and loan interest of the lot so far, in quote currency: positive if received. Each payment is divided by amount among the lots that were open at its time. `realized_pnl` and `unrealized_pnl` exclude it. */
  funding: DecimalOf<D>;
  /** True if something other than its copier reduced a copy. Later exits of the strategy apply to what is left. */
  is_detached: boolean;
  /** Execution time of the fill that opened the lot. */
  opened_at: string;
  closed_at?: string;
  /** Equals `opened_at`. */
  created_at: string;
}

/** Input of `lots.close`. */
export interface LotClose {
  /** Fraction of the remaining amount to close, above 0 and at most 1. The amount is rounded down to the amount step. */
  fraction?: DecimalInput | null;
}

/** Me: returned by `me.get` and `me.update`. */
export interface Me {
  /** Id of a user (`usr_…`). */
  id: string;
  /** The latest address that you set. Mail goes to the previous verified address until this one is verified. */
  email?: string;
  /** True after the verification link sent to `email` was opened. */
  email_verified: boolean;
  created_at: string;
  credential: {
    kind: 'api_key' | 'public_key' | 'session' | 'browser_session' | (string & {});
    id: string;
    permissions: ('READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN' | (string & {}))[];
  };
  world: 'test' | 'live' | (string & {});
}

/** Input of `me.update`. */
export interface MePatch {
  /** Sends a verification link to this address. Sending the same address again resends the link. */
  email?: string;
}

/** Notification: returned by `notifications.list` and `notifications.read`. */
export interface Notification {
  /** Id of a notification (`ntf_…`). */
  id: string;
  /** The type of the event that caused the notification. */
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
    | 'copier.exit_delayed'
    | 'strategy.multiplier_kept'
    | 'copier.profit_share_raised'
    | 'reward.claimable'
    | 'exchange.permissions_changed'
    | 'trade_pair.deactivated'
    | 'funding.paid'
    | 'position.opened'
    | 'position.changed'
    | 'position.closed'
    | 'position.margin_call'
    | 'position.liquidated'
    | (string & {});
  severity: 'INFO' | 'WARNING' | 'CRITICAL' | (string & {});
  title: string;
  body: string;
  /** The record that the notification is about. */
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
      | 'strategy'
      | 'trade_pair'
      | 'position'
      | (string & {});
    id: string;
  };
  is_read: boolean;
  read_at?: string;
  /** Time of the event. */
  created_at: string;
}

/** Offered profit share: part of `Copier` and `StoppedCopier`. */
export interface OfferedProfitShare<D extends DecimalForm = 'number'> {
  /** Fraction of the profit above the high-water mark, from 0 to 0.5. */
  rate: DecimalOf<D>;
  /** How often the profit share is settled. */
  period: 'WEEK' | 'MONTH' | 'QUARTER' | (string & {});
}

/** Open lot: part of `EmergencyStop` and `StoppedCopier`. */
export interface OpenLot<D extends DecimalForm = 'number'> {
  symbol: string;
  side: 'BUY' | 'SELL' | (string & {});
  /** Open amount in base currency. */
  amount: DecimalOf<D>;
  average_price: DecimalOf<D>;
}

/** Order book: returned by `tradePairs.orderBook`. */
export interface OrderBook<D extends DecimalForm = 'number'> {
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  exchange: string;
  symbol: string;
  /** Levels as `[price, amount]`, highest price first. Prices are in quote currency, amounts in base currency. */
  bids: (readonly [DecimalOf<D>, DecimalOf<D>])[];
  /** Levels as `[price, amount]`, lowest price first. Prices are in quote currency, amounts in base currency. */
  asks: (readonly [DecimalOf<D>, DecimalOf<D>])[];
  /** When the exchange sent this. Older data is not returned. */
  as_of: string;
}

/** Order book update. */
export interface OrderBookUpdate<D extends DecimalForm = 'number'> {
  /** Id of the exchange. */
  exchange: string;
  symbol: string;
  /** SNAPSHOT: all levels within the depth. DELTA: the levels that changed since previous_sequence. */
  kind: 'SNAPSHOT' | 'DELTA' | (string & {});
  /** Number of the update. It increases with each update of the book, but may have gaps. */
  sequence: number;
  /** For a DELTA, the sequence of the update before it. Null for a SNAPSHOT. */
  previous_sequence: number | null;
  /** Levels as `[price, amount]`, highest price first. Prices are in quote currency, amounts in base currency. In a DELTA, an amount of 0 removes the level. */
  bids: (readonly [DecimalOf<D>, DecimalOf<D>])[];
  /** Levels as `[price, amount]`, lowest price first. Prices are in quote currency, amounts in base currency. In a DELTA, an amount of 0 removes the level. */
  asks: (readonly [DecimalOf<D>, DecimalOf<D>])[];
  /** Time of the update at the exchange. */
  exchange_timestamp: string;
  /** Time at which the update was received from the exchange. */
  received_at: string;
}

/** Override limits: part of `CopierOverride`. */
export interface OverrideLimits<D extends DecimalForm = 'number'> {
  /** Maximum cost of one entry, in quote currency. A larger entry is reduced to this cost. */
  max_trade_quote?: DecimalOf<D>;
  /** Maximum open exposure, in quote currency. An entry that would exceed it is reduced. */
  max_open_quote?: DecimalOf<D>;
  /** Maximum number of open lots. */
  max_open_trades?: number;
  /** Loss since 00:00 UTC, in quote currency, that triggers the action of `on_breach`. */
  max_daily_loss_quote?: DecimalOf<D>;
  /** Fall of the result from its peak, in percent of the equity at that peak, or of `sizing.capital` if that is less, that triggers the action of `on_breach`. */
  max_drawdown_percent?: DecimalOf<D>;
  /** Maximum slippage of an entry against the strategy's price, in basis points (hundredths of a percent). */
  max_slippage_bps?: number;
  /** Maximum age of an entry signal, in milliseconds. Older entries are not copied; exits are always copied. */
  max_signal_age_ms?: number;
  /** Perpetuals only: maximum of the notionals of all positions of the account ÷ its equity after an entry. A larger entry is reduced. */
  max_leverage?: DecimalOf<D>;
  /** Perpetuals only: minimum of the margin ÷ the maintenance margin. Below it, entries are not copied. Default: 1.5. */
  min_margin_ratio?: DecimalOf<D>;
  /** Sides on which entries are copied. Entries on other sides are not copied. */
  allowed_sides?: ('BUY' | 'SELL' | (string & {}))[];
}

/** Override limits given: part of `CopierOverrideGiven`. */
export interface OverrideLimitsGiven {
  /** Maximum cost of one entry, in quote currency. A larger entry is reduced to this cost. */
  max_trade_quote?: DecimalInput | null;
  /** Maximum open exposure, in quote currency. An entry that would exceed it is reduced. */
  max_open_quote?: DecimalInput | null;
  /** Maximum number of open lots. */
  max_open_trades?: number | null;
  /** Loss since 00:00 UTC, in quote currency, that triggers the action of `on_breach`. */
  max_daily_loss_quote?: DecimalInput | null;
  /** Fall of the result from its peak, in percent of the equity at that peak, or of `sizing.capital` if that is less, that triggers the action of `on_breach`. At most 100. */
  max_drawdown_percent?: DecimalInput | null;
  /** Maximum slippage of an entry against the strategy's price, in basis points (hundredths of a percent). */
  max_slippage_bps?: number | null;
  /** Perpetuals only: maximum of the notionals of all positions of the account ÷ its equity after an entry. A larger entry is reduced. */
  max_leverage?: DecimalInput | null;
  /** Perpetuals only: minimum of the margin ÷ the maintenance margin. Below it, entries are not copied. Default: 1.5. */
  min_margin_ratio?: DecimalInput | null;
  /** Sides on which entries are copied. Entries on other sides are not copied. */
  allowed_sides?: readonly ('BUY' | 'SELL')[] | null;
  /** Maximum age of an entry signal, in milliseconds. Older entries are not copied; exits are always copied. */
  max_signal_age_ms?: number | null;
}

/** Pair result: part of `Analytics`. */
export interface PairResult<D extends DecimalForm = 'number'> {
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  symbol: string;
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** Quote currency of the amounts in this object. */
  currency: string;
  /** Number of trades created in the range, regardless of status. */
  trade_count: number;
  closed_count: number;
  winning_count: number;
  losing_count: number;
  /** winning_count ÷ closed_count. Null if no trade was closed. */
  win_rate: DecimalOf<D> | null;
  /** Realized result after fees, plus funding and loan interest. */
  net_pnl: DecimalOf<D>;
  fees: DecimalOf<D>;
  volume: DecimalOf<D>;
}

/** Position: returned by `positions.list`. */
export interface Position<D extends DecimalForm = 'number'> {
  /** An account has one position of each market, for ever. */
  id: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id: string;
  /** Omitted if the product does not offer the market. */
  trade_pair_id?: string;
  symbol: string;
  /** LONG: the account gains when the price rises. Of a closed position, its last side. */
  side: 'LONG' | 'SHORT' | (string & {});
  /** Size in base currency. 0: the position is closed. */
  amount: DecimalOf<D>;
  /** The exchange's average entry price. Of a closed position, the last one. Null if the exchange did not report it. */
  entry_price: DecimalOf<D> | null;
  /** The price at which the exchange values the position. Null if it was not read yet. Read every 30 s while the position is open. */
  mark_price: DecimalOf<D> | null;
  /** Omitted without a position, or if no price within reach liquidates it. */
  liquidation_price?: DecimalOf<D>;
  /** The leverage of the account for the market. Null if unknown. */
  leverage: DecimalOf<D> | null;
  max_leverage: DecimalOf<D> | null;
  /** CROSS: all positions share the margin of the account. ISOLATED: it has a margin of its own. */
  margin_mode: 'CROSS' | 'ISOLATED' | (string & {});
  /** Margin balance ÷ maintenance margin: of the account in CROSS, of the position in ISOLATED. At 1, the exchange liquidates. Omitted without a position, or if it was not read yet. */
  margin_ratio?: DecimalOf<D>;
  /** Open result at the mark price, in the settlement currency. Null if it was not read yet. */
  unrealized_pnl: DecimalOf<D> | null;
  /** Result of the closed part since the position was last flat, in the settlement currency, net of fees and without funding. Of a closed position, the result from its opening to its close. */
  realized_pnl: DecimalOf<D>;
  /** Funding since the position was last flat, in the settlement currency. Positive: the account paid. */
  funding_paid: DecimalOf<D>;
  /** False for a position that the product lists and never changes: of a hedge mode, or of an inverse or dated contract. */
  is_supported: boolean;
  updated_at: string;
}

/** Input of `copiers.acceptProfitShare`. */
export interface ProfitShareAccept {
  /** The offered rate. At most 0.5. */
  rate: DecimalInput;
  /** The offered period. */
  period: 'WEEK' | 'MONTH' | 'QUARTER';
}

/** Profit share given: part of `StrategyCreate` and `StrategyUpdate`. */
export interface ProfitShareGiven {
  /** Fraction of the profit above the high-water mark, from 0 to 0.5. At most 0.5. */
  rate: DecimalInput;
  /** Default: "HIGH_WATER_MARK". */
  basis?: 'HIGH_WATER_MARK' | null;
  /** How often the profit share is settled. */
  period: 'WEEK' | 'MONTH' | 'QUARTER';
}

/** Public key: returned by `auth.cliIdentity` and `publicKeys.list`. */
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

/** Request header: part of `Delivery`. */
export interface RequestHeader {
  name: string;
  value: string;
}

/** Revoked sessions: returned by `browserSessions.revokeAll`. */
export interface RevokedSessions {
  /** Number of ended sessions. */
  revoked: number;
}

/** Reward: returned by `rewards.claim` and `rewards.list`. */
export interface Reward<D extends DecimalForm = 'number'> {
  /** Id of a reward (`rwd_…`). */
  id: string;
  /** Id of a reward type (`rwt_…`). */
  type_id: string;
  amount: DecimalOf<D>;
  /** The reward token. */
  currency: string;
  /** PENDING until `claimable_at`, then CLAIMABLE. A profit share is PENDING until its UTC month has ended and its amount is final. EXPIRED if it was not claimed before `expires_at`. */
  status: 'PENDING' | 'CLAIMABLE' | 'CLAIMED' | 'EXPIRED' | (string & {});
  /** Why the reward was granted, as a sentence. */
  reason: string;
  /** The record for which the reward was granted. */
  source: {
    kind: 'exchange_account' | 'trade' | 'copier' | 'strategy' | 'referral' | (string & {});
    id: string;
  };
  /** For a profit share: the settled period in UTC. `to` is exclusive. */
  period?: {
    from: string;
    to: string;
  };
  /** For a profit share: the copying user's highest settled net profit with the leader's account, in quote currency, before and after this reward. */
  high_water_mark?: {
    before: DecimalOf<D>;
    after: DecimalOf<D>;
  };
  /** How the amount was calculated: `rate` × (`high_water_mark.after` − `high_water_mark.before`) × `tokens_per_quote`, rounded down to 18 decimals, × `scale`, rounded down. `high_water_mark.after` is `realized` − `open_loss`. */
  profit_share?: {
    /** Id of a strategy (`str_…`). */
    strategy_id: string;
    /** Currency of the profit and of the mark: the quote currency that the user traded most until the first settlement. */
    quote: string;
    /** The owner's share of the profit, as a fraction: the lowest rate of the user's copiers. */
    rate: DecimalOf<D>;
    /** Reward tokens per unit of the quote currency. */
    tokens_per_quote: DecimalOf<D>;
    /** Net realized profit of the user's copies of the leader's account since the first one. Other quote currencies are valued at the time of the fill. */
    realized?: DecimalOf<D>;
    /** Losses of the open copies at the end of the period. Open gains do not reduce them. */
    open_loss?: DecimalOf<D>;
    /** The amount in reward tokens before `scale`. */
    unscaled_amount?: DecimalOf<D>;
    /** The factor of all profit shares of the month, from 0 to 1: less than 1 if they exceed the budget. Absent until the month ends. */
    scale?: DecimalOf<D>;
    /** Number of lots that changed the profit since the last settlement. */
    lot_count?: number;
    /** The ids of these lots, at most 1,000. */
    lots?: string[];
  };
  claimable_at: string;
  /** Time from which the reward can no longer be claimed. */
  expires_at?: string;
  claimed_at?: string;
  created_at: string;
  updated_at: string;
}

/** Reward balance: returned by `rewards.balance`. */
export interface RewardBalance<D extends DecimalForm = 'number'> {
  /** The reward token. */
  currency: string;
  /** Claimed amount that can be withdrawn. */
  available: DecimalOf<D>;
  /** Amount held by open withdrawals. */
  held: DecimalOf<D>;
}

/** Reward type: returned by `rewards.types`. */
export interface RewardType<D extends DecimalForm = 'number'> {
  /** Id of a reward type (`rwt_…`). */
  id: string;
  /** Stable code, for example `SIGN_UP`. */
  code: string;
  name: string;
  description: string;
  /** How the amount is calculated. */
  rule: {
    basis: 'FLAT' | 'VOLUME' | 'PROFIT_SHARE' | (string & {});
    /** For FLAT: reward tokens per grant. For VOLUME and PROFIT_SHARE: fraction of the volume or profit. */
    rate: DecimalOf<D>;
    /** Maximum reward tokens per grant. */
    cap?: DecimalOf<D>;
    /** How often the reward is settled. Absent if it is granted immediately. */
    period?: string;
  };
  /** False if rewards of this type are currently not granted. */
  is_active: boolean;
  created_at: string;
  updated_at: string;
}

/** Setting: returned by `settings.get`, `settings.list` and `settings.put`. */
export interface Setting {
  /** 1 to 64 characters of a-z, 0-9, `.`, `_` and `-`. */
  key: string;
  /** Any JSON value, returned as it was stored. Numbers keep every digit. */
  value: unknown;
  /** For a default, the time at which your account was created. */
  created_at: string;
  /** For a default, the time at which your account was created. */
  updated_at: string;
  /** Whether the setting was never set, and the value is the default of the product. */
  is_default: boolean;
}

/** Input of `settings.put`. */
export interface SettingPut {
  /** Any JSON value, including null, of at most 16 KiB. The setting `notifications` selects the events that notify you: `{"in_app": {"trade.filled": false}, "email": {"trade.*": true, "trade.filled": false}}`. Each key is an event type, `subject.*` or `*`; the most specific key applies. By default, every notification appears in the product, and these are also sent by e-mail: `key.created`, `key.revoked`, `public_key.linked`, `withdrawal.created`, `withdrawal.completed`, `withdrawal.cancelled`, `withdrawal.failed`, `exchange.credentials_rejected`, `exchange.permissions_changed`, `trade_pair.deactivated`, `position.margin_call`, `position.liquidated`, `copier.stopped`, `copier.drift`, `copier.exit_delayed`, `webhook.deactivated`. You get no e-mail about a copier that you stopped yourself. `key.created`, `key.revoked`, `public_key.linked`, `withdrawal.created` always notify you. E-mail is sent only to a verified address (PATCH /v1/me). You get at most 10 e-mails per event type and day; for `webhook.deactivated`, one per webhook and day. */
  value: unknown;
}

/** Simulated decision: part of `Simulation`. */
export interface SimulatedDecision<D extends DecimalForm = 'number'> {
  /** The signal that caused the decision. If a start copied the lot (`copy_existing`), the last signal of the lot. */
  signal_id: string;
  /** The signal's number within its strategy. */
  sequence: number;
  /** The trade whose fill caused the signal. */
  source_trade_id: string;
  symbol: string;
  /** What the copier does: OPEN and INCREASE are entries into a lot of the strategy, REDUCE and CLOSE are exits. It is the kind of the signal. If a start copied the lot (`copy_existing`), it is OPEN, even if the signal is of another kind. */
  kind: 'OPEN' | 'INCREASE' | 'REDUCE' | 'CLOSE' | (string & {});
  /** Why the signal was not copied, or was copied only in part. While the outcome is PENDING: why the copy waits, or which limit reduced it. */
  code?:
    | 'NOT_ACTIVE'
    | 'NOT_HELD'
    | 'PAIR_BLOCKED'
    | 'PAIR_UNAVAILABLE'
    | 'SIDE_BLOCKED'
    | 'STALE_SIGNAL'
    | 'OFF_MARKET'
    | 'STALE_EQUITY'
    | 'DAILY_LOSS'
    | 'DRAWDOWN'
    | 'MAX_TRADES'
    | 'MAX_TRADE'
    | 'MAX_OPEN'
    | 'MAX_LEVERAGE'
    | 'MARGIN_RATIO'
    | 'BELOW_MINIMUM'
    | 'INSUFFICIENT_BALANCE'
    | 'SLIPPAGE'
    | 'EXCHANGE_REJECTED'
    | 'NOT_ACCEPTED'
    | 'CREDENTIALS'
    | 'RATE_LIMITED'
    | (string & {});
  /** The values behind the decision. Amounts are decimal strings. If another user owns the strategy, the amounts of its account are omitted, and `ratio` and values that are proportional to such amounts have two significant digits, are computed from amounts of two digits, and may be null. `copy_existing` is true if a start decided on a lot that was already open; the other values are those at the start. */
  inputs: Record<string, string | number | boolean | null>;
  /** Amount that the sizing yields, in base currency, before limits and rounding. If another user owns the strategy: computed from amounts of two significant digits, or the ordered amount, and rounded to two digits. */
  target_amount: DecimalOf<D>;
  /** Amount ordered, in base currency. An amount that is ordered again counts once. */
  sent_amount: DecimalOf<D>;
  outcome: 'COPIED' | 'CLAMPED' | 'SKIPPED' | (string & {});
  /** Execution time of the fill that caused the signal. */
  signal_at: string;
}

/** Simulation: returned by `copiers.simulate`. */
export interface Simulation<D extends DecimalForm = 'number'> {
  /** Time of the first replayed signal. */
  from?: string;
  /** Time of the last replayed signal. */
  to?: string;
  /** Number of replayed signals. */
  signal_count: number;
  /** Number of older signals in the range that were not replayed. At most the newest 20000 are replayed. */
  left_out_count: number;
  /** Decisions, oldest first. At most the newest 1000 are returned. */
  decisions: SimulatedDecision<D>[];
  /** True if `decisions` omits older decisions. The counts include all of them. */
  truncated: boolean;
  /** Signals copied in full. */
  copied: number;
  /** Signals copied in part. */
  clamped: number;
  skipped: number;
  skipped_by_reason: Record<string, number>;
  /** The quote currency of most signals. All amounts of money in this object are in this currency and exclude pairs with other quote currencies. */
  currency?: string;
  /** Current equity of the account, with which the replay starts. On perpetuals, the replay starts without positions, and the free balance is the equity less the initial margins at the current leverage. */
  starting_equity: DecimalOf<D>;
  fees: DecimalOf<D>;
  /** Realized and unrealized profit or loss after fees and funding. Copies are assumed to fill in full at the strategy's price of the time. Lots that are open in the end are valued at the last known price; if `to` is given, at the price of the last signal of their pair. */
  net_pnl: DecimalOf<D>;
  /** Funding received less funding paid, from the recorded rates of the perpetuals. Part of `net_pnl`. 0 on spot, and for times without a recorded rate. */
  funding: DecimalOf<D>;
  /** Perpetuals only: the lowest equity ÷ maintenance margin at the times of signals and of funding. The maintenance margin is estimated: the notional ÷ the highest leverage of the pair, or 5 % of the notional if that is unknown. Entries below `min_margin_ratio` are skipped, but not by the estimate of 5 %. Null without a position. */
  lowest_margin_ratio?: DecimalOf<D> | null;
  /** Perpetuals only: when the margin ratio first was below 1. The simulation liquidates nothing and goes on. */
  would_be_liquidated_at?: string;
  /** As in the copier's stats: the copier's return less that of a perfect copy, in whole basis points of the perfect copy's cost. The perfect copy pays no fees, because signals do not include the strategy's. Null if nothing was closed. */
  tracking_difference_bps: DecimalOf<D> | null;
  /** Breakdown of `tracking_difference_bps`. The five values add up to it. Slippage and latency are 0, because copies fill at once. */
  tracking?: TrackingParts<D>;
}

/** Input of `copiers.simulate`. */
export interface SimulationAsked {
  /** Start of the range, inclusive. Default: no lower bound. Signals are selected by the time at which they were emitted. */
  from?: string | null;
  /** End of the range, exclusive. Default: no upper bound. */
  to?: string | null;
}

/** FIXED_AMOUNT: `value` in base currency. FIXED_QUOTE: `value` in quote currency for each lot of the strategy. MULTIPLIER: `value` × the strategy's amount; for another user's strategy only if it has `allow_multiplier`. EQUITY_RATIO: `value` × the strategy's amount × your equity (or `capital`) ÷ the strategy's equity. */
export interface SizingGiven {
  mode: 'FIXED_AMOUNT' | 'FIXED_QUOTE' | 'MULTIPLIER' | 'EQUITY_RATIO';
  value: DecimalInput;
  /** Only for EQUITY_RATIO: the amount to use as your equity, in quote currency. */
  capital?: DecimalInput | null;
}

/** Started device authorization: returned by `deviceAuthorizations.create`. */
export interface StartedDeviceAuthorization {
  /** Secret of the client, with which it asks for the result. */
  device_code: string;
  /** Code that the client shows. The user enters it where they are signed in, for example `svc auth approve`. */
  user_code: string;
  expires_at: string;
  /** Shortest time between two requests for the result, in seconds. */
  interval: number;
}

/** Stopped copier: returned by `copiers.stop`. */
export interface StoppedCopier<D extends DecimalForm = 'number'> {
  /** Id of a copier (`cpr_…`). */
  id: string;
  name: string;
  /** The strategy that the copier follows. */
  strategy_id?: string;
  /** The account on which the copier places its orders. */
  exchange_account_id: string;
  /** ACTIVE copies entries and exits, CLOSE_ONLY copies only exits, and PAUSED copies nothing. */
  status: 'ACTIVE' | 'CLOSE_ONLY' | 'PAUSED' | (string & {});
  /** Why the copier is no longer ACTIVE. */
  status_reason?: 'USER' | 'DAILY_LOSS' | 'DRAWDOWN' | 'CREDENTIALS' | 'STRATEGY_ARCHIVED' | (string & {});
  /** FIXED_AMOUNT: `value` in base currency. FIXED_QUOTE: `value` in quote currency for each lot of the strategy. MULTIPLIER: `value` × the strategy's amount; for another user's strategy only if it has `allow_multiplier`. EQUITY_RATIO: `value` × the strategy's amount × your equity (or `capital`) ÷ the strategy's equity. */
  sizing: {
    mode: 'FIXED_AMOUNT' | 'FIXED_QUOTE' | 'MULTIPLIER' | 'EQUITY_RATIO' | (string & {});
    value: DecimalOf<D>;
    capital?: DecimalOf<D>;
  };
  limits: CopierLimits<D>;
  /** Groups of quote currencies that count as the same, such as `[["USD", "USDT", "USDC"]]`. If the exchange of the copier lacks a pair of the strategy, the copier uses a pair of the same base with another quote currency of the group, the first one in the order of the group. For perpetuals, this includes the settlement currency. The copier uses the strategy's prices as they are, without conversion. */
  quote_aliases: string[][];
  /** Pairs to use instead of pairs of the strategy: `{"<strategy's symbol>": "<copier's symbol>"}`. An entry applies before the same symbol and before `quote_aliases`, unless its pair is inactive. Spot pairs map to spot pairs, and perpetuals to perpetuals. The base currencies must be the same asset, and the quote currencies must have the same value. */
  symbol_map: Record<string, string>;
  /** Sizing and limits for single pairs, by the strategy's symbol. `sizing` replaces that of the copier. Each limit in `limits` replaces that of the copier, and the copier's other limits apply. `max_open_quote`, `max_open_trades`, `max_daily_loss_quote` and `max_drawdown_percent` still measure all lots of the copier; here they only prevent or reduce entries of the pair, and do not trigger `on_breach`. */
  overrides: Record<string, CopierOverride<D>>;
  on_breach: 'CLOSE_ONLY' | 'PAUSE' | (string & {});
  below_minimum: 'SKIP' | 'ACCUMULATE' | 'ROUND_UP' | (string & {});
  copy_existing: boolean;
  /** Highest net profit of this copier so far, in quote currency. The mark of profit shares covers all your copiers of the same account of a leader. */
  high_water_mark: DecimalOf<D>;
  /** Terms of the profit share that you accepted. The first start with a strategy accepts its terms (rate 0 if it has none). A cut applies at once, a raise only after you accept it. Of several copiers of one account of a leader, the lowest rate counts. Absent before the first start. */
  profit_share?: AcceptedProfitShare<D>;
  /** Terms that the strategy offers now, if they differ from those that you accepted. */
  profit_share_offer?: OfferedProfitShare<D>;
  stats: CopierStats<D>;
  /** Lots that the copier still held at its last start although its strategy had reduced or closed them during the pause. They are not sold automatically; start the copier with `{"resync": "EXITS"}` to sell them. */
  drift: CopyDrift<D>[];
  /** Time of the last start. The copier copies lots that the strategy opens after this time. */
  started_at?: string;
  /** Time at which the copier was last paused or set to CLOSE_ONLY. */
  stopped_at?: string;
  created_at: string;
  updated_at: string;
  /** Copies that stay open. They are not closed automatically. */
  open_lots: OpenLot<D>[];
}

/** Strategy: returned by `strategies.create`, `strategies.get`, `strategies.linkCopiers`, `strategies.list` and `strategies.update`. */
export interface Strategy<D extends DecimalForm = 'number'> {
  /** Id of a strategy (`str_…`). */
  id: string;
  name: string;
  description?: string;
  /** The account whose trades cause the signals. Returned only to the owner of the strategy. */
  exchange_account_id?: string;
  /** Pairs that the strategy trades. Absent if it may trade any pair of its exchange. */
  trade_pair_ids?: string[];
  visibility: 'PRIVATE' | 'PUBLIC' | (string & {});
  /** A strategy that another user has copied stays listed after its deletion and while it is private; other users then see it as ARCHIVED. */
  status: 'ACTIVE' | 'ARCHIVED' | (string & {});
  /** Number of linked copiers, regardless of status. */
  copier_count: number;
  profit_share?: {
    rate: DecimalOf<D>;
    basis: 'HIGH_WATER_MARK';
    period: 'WEEK' | 'MONTH' | 'QUARTER' | (string & {});
  };
  min_copy_equity?: DecimalOf<D>;
  capacity?: number;
  /** Whether other users may copy with the sizing mode MULTIPLIER, which shows them your amounts. */
  allow_multiplier: boolean;
  performance: StrategyResults<D>;
  created_at: string;
  updated_at: string;
}

/** Input of `strategies.create`. */
export interface StrategyCreate {
  name: string;
  description?: string | null;
  /** Pairs that the strategy may trade, of the account's exchange and trading type. Omit to allow any pair. */
  trade_pair_ids?: readonly string[] | null;
  /** PUBLIC: every user can read and copy the strategy, but cannot see its account and balances. Default: "PRIVATE". */
  visibility?: 'PRIVATE' | 'PUBLIC' | null;
  profit_share?: ProfitShareGiven | null;
  /** Minimum equity of a copier, in quote currency. */
  min_copy_equity?: DecimalInput | null;
  /** Maximum number of linked copiers. Lowering it does not remove linked copiers. */
  capacity?: number | null;
  /** Default: false. Whether other users may copy with the sizing mode MULTIPLIER. Their sizes then show the amounts that your account trades. */
  allow_multiplier?: boolean | null;
  /** The account whose trades cause the signals. */
  exchange_account_id: string;
}

/** Input of `strategies.delete`. */
export interface StrategyDelete {
  /** True: pauses the copiers that still follow the strategy. False: the request fails if a copier still follows the strategy. Default: false. */
  stop_copiers?: boolean | null;
}

/** Strategy result: part of `Analytics`. */
export interface StrategyResult<D extends DecimalForm = 'number'> {
  /** Id of a strategy (`str_…`). */
  strategy_id: string;
  /** Quote currency of the amounts in this object. */
  currency: string;
  /** Number of trades created in the range, regardless of status. */
  trade_count: number;
  closed_count: number;
  winning_count: number;
  losing_count: number;
  /** winning_count ÷ closed_count. Null if no trade was closed. */
  win_rate: DecimalOf<D> | null;
  /** Realized result after fees, plus funding and loan interest. */
  net_pnl: DecimalOf<D>;
  fees: DecimalOf<D>;
  volume: DecimalOf<D>;
}

/** Strategy results: part of `Strategy`. */
export interface StrategyResults<D extends DecimalForm = 'number'> {
  /** Start of the record: the creation of the strategy or, if earlier, of the owner's first archived strategy on the same account, whose results count too. */
  since: string;
  /** Number of closed trades: their lots were fully offset, first in, first out. A trade counts once, however many fills opened or closed it. */
  closed_count: number;
  /** Fraction of closed trades with a profit, from 0 to 1. Null if no trade is closed. */
  win_rate: DecimalOf<D> | null;
  /** Profits ÷ losses of the closed trades, after fees, with two significant digits. Null if there was no loss. */
  profit_factor: DecimalOf<D> | null;
  /** Return; 1 means that the capital doubled. The return of a UTC day is the change of the realized and the open result, after fees and funding, ÷ the account's equity at the start of the day. Daily returns are compounded. Open lots are valued at the last price of the day. Deposits, withdrawals and trades outside the strategy never count. A day without a result needs no equity. Null before the first fill, or if the equity at the start of a day with a result was not recorded. */
  roi: DecimalOf<D> | null;
  /** Largest fall of the compounded daily returns from their peak, in percent. Null if there was no fall or an equity was not recorded. */
  max_drawdown_percent: DecimalOf<D> | null;
  /** Sharpe ratio: mean ÷ standard deviation (n − 1) of the daily returns on equity, × √365, without a risk-free rate. Null for fewer than 2 days, a deviation of 0, or an equity that was not recorded. */
  sharpe: DecimalOf<D> | null;
  /** True if the record has fewer than 30 days. The ratios are then unreliable. */
  low_sample: boolean;
  /** True while a fee in a third asset, paid for a lot of the strategy, has no known price. Its results exclude this fee until then. */
  fees_incomplete: boolean;
  /** Result of all copiers of other users, realized and open, after fees, ÷ the sum of their accounts' equities at the last hour before the day of their first copy, or else the first hour of that day, with two decimals. Others than the owner see it change at most once a day. Null unless at least 5 users other than the owner and you have copied the strategy. */
  copier_roi: DecimalOf<D> | null;
  /** Compounded daily returns, oldest first; the first point is 100. Long records have about 100 points. Empty if an equity was not recorded. */
  curve: IndexPoint<D>[];
  /** Realized profit or loss of the closed parts of lots, after fees. Returned only to the strategy's owner. */
  net_pnl?: DecimalOf<D>;
  /** Result of the open lots at the last known prices, after the fees paid. Returned only to the strategy's owner. */
  unrealized_pnl?: DecimalOf<D>;
  /** Last recorded equity of the account, in the currency of the results. Null before the first fill, which determines the currency, or if none was recorded. Returned only to the strategy's owner. */
  equity?: DecimalOf<D> | null;
  /** Sortino ratio: like sharpe, but divided by √(Σ negative return² ÷ (n − 1)). Returned only to the strategy's owner. */
  sortino?: DecimalOf<D> | null;
  /** Like roi, of realized results alone. 0 while no lot was closed. Returned only to the strategy's owner. */
  realized_roi?: DecimalOf<D> | null;
  /** Largest fall of the cumulative realized result, in percent of the equity at its peak. Returned only to the strategy's owner. */
  realized_max_drawdown_percent?: DecimalOf<D> | null;
  /** Sharpe ratio of the realized results by day, relative to a constant capital. Returned only to the strategy's owner. */
  realized_sharpe?: DecimalOf<D> | null;
  /** Sortino ratio of the realized results by day, relative to a constant capital. Returned only to the strategy's owner. */
  realized_sortino?: DecimalOf<D> | null;
  /** Realized net profit or loss of all copiers of the strategy, after fees. Returned only to the strategy's owner. */
  copier_net_pnl?: DecimalOf<D>;
}

/** Input of `strategies.update`. */
export interface StrategyUpdate {
  name?: string;
  /** Null removes the value. */
  description?: string | null;
  /** Null allows any pair of the exchange. */
  trade_pair_ids?: readonly string[] | null;
  /** PUBLIC: every user can read and copy the strategy, but cannot see its account and balances. */
  visibility?: 'PRIVATE' | 'PUBLIC';
  /** ARCHIVED: the strategy emits no more signals, and its active copiers become CLOSE_ONLY. */
  status?: 'ACTIVE' | 'ARCHIVED';
  /** Null makes copying free. */
  profit_share?: ProfitShareGiven | null;
  /** Null removes the value. */
  min_copy_equity?: DecimalInput | null;
  /** Null removes the limit. */
  capacity?: number | null;
  /** Whether other users may copy with the sizing mode MULTIPLIER. Their sizes then show the amounts that your account trades. Existing copiers keep their mode. */
  allow_multiplier?: boolean;
}

/** Supported exchange: returned by `supportedExchanges.list`. */
export interface SupportedExchange {
  id: string;
  name: string;
  /** The trading types that are proven and offered. */
  trading_types: ('spot' | 'margin' | 'perpetual' | (string & {}))[];
  /** The stage of each trading type. `BETA`: proven by tests alone. `STABLE`: also by a run at the exchange. */
  stages: Record<string, 'BETA' | 'STABLE' | (string & {})>;
  /** The credentials that the exchange issues. */
  credentials: SupportedExchangeCredentials;
  is_active: boolean;
  created_at: string;
}

/** Supported exchange credentials: part of `SupportedExchange`. */
export interface SupportedExchangeCredentials {
  /** What `api_secret` is: a secret text, or an EC private key in PEM format. */
  secret: 'HMAC_SECRET' | 'EC_PRIVATE_KEY' | (string & {});
  /** Whether the exchange needs `passphrase`. */
  has_passphrase: boolean;
  /** The permissions of a key for each trading type, as the exchange names them. Empty for an exchange without permissions, such as the paper exchange. */
  permissions: KeyPermissions[];
}

/** Ticker: returned by `tradePairs.ticker`. */
export interface Ticker<D extends DecimalForm = 'number'> {
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  exchange: string;
  symbol: string;
  /** Last traded price, in quote currency. */
  last: DecimalOf<D> | null;
  /** Highest price of a buyer. Null without one. */
  bid: DecimalOf<D> | null;
  /** Lowest price of a seller. Null without one. */
  ask: DecimalOf<D> | null;
  /** Price 24 hours ago. */
  open: DecimalOf<D> | null;
  /** Highest price of the last 24 hours. */
  high: DecimalOf<D> | null;
  /** Lowest price of the last 24 hours. */
  low: DecimalOf<D> | null;
  /** Change of the price in the last 24 hours, in percent of `open`. */
  change_percent: DecimalOf<D> | null;
  /** Amount that was traded in the last 24 hours, in base currency. */
  volume: DecimalOf<D>;
  /** Value that was traded in the last 24 hours, in quote currency. */
  quote_volume: DecimalOf<D>;
  /** When the exchange sent this. Older data is not returned. */
  as_of: string;
}

/** Tracking parts: part of `CopierStats` and `Simulation`. */
export interface TrackingParts<D extends DecimalForm = 'number'> {
  /** Part caused by fees: what the copies paid beyond the strategy's fee rate. Amounts below one amount step that a fee in base currency leaves count as fees. */
  fees_bps: DecimalOf<D>;
  /** Part caused by execution: the copies were filled at other prices than the market price at which their orders were planned. */
  slippage_bps: DecimalOf<D>;
  /** Part caused by amount steps and minimums: entries were rounded, or were too small for the exchange. */
  rounding_bps: DecimalOf<D>;
  /** Part caused by skipped signals: entries that were skipped for another reason than a minimum, that failed, or that a limit or an incomplete fill reduced. Includes lots that the copier never held. */
  skips_bps: DecimalOf<D>;
  /** Part caused by delay: the market moved between the strategy's fill and the order of the copy. 0 where the market price was unknown; the move then counts as slippage. */
  latency_bps: DecimalOf<D>;
}

/** Trade: returned by `trades.list`. */
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
  /** The lot that the order closes, if it closes one lot only. */
  closes_lot_id?: string;
  /** Id of a trade (`trd_…`). */
  source_trade_id?: string;
  /** For a copy: the copied fill. */
  source_fill_id?: string;
  client_order_id: string;
  exchange_order_id?: string;
  /** What placed the order. EXTERNAL: it was placed outside the product. RECONCILIATION: a correction that was never sent. LIQUIDATION, ADL and SETTLEMENT: the exchange reduced or closed a position. */
  origin:
    | 'API'
    | 'COPIER'
    | 'STRATEGY'
    | 'EXTERNAL'
    | 'RECONCILIATION'
    | 'LIQUIDATION'
    | 'ADL'
    | 'SETTLEMENT'
    | (string & {});
  type: 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET' | (string & {});
  side: 'BUY' | 'SELL' | (string & {});
  intent: 'OPEN' | 'INCREASE' | 'REDUCE' | 'CLOSE' | (string & {});
  /** Perpetuals only: the side of the position that the order opens, increases, reduces or closes. An order that closes a position and opens one on the other side has the side of the closed one. */
  position_side?: 'LONG' | 'SHORT' | (string & {});
  /** Perpetuals only: whether the exchange may fill the order only as far as it reduces a position. */
  reduce_only: boolean;
  /** Margin only: whether the exchange may lend what the account lacks for the order. */
  auto_borrow: boolean;
  time_in_force: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY' | (string & {});
  price?: DecimalOf<D>;
  stop_price?: DecimalOf<D>;
  amount: DecimalOf<D>;
  /** Requested amount, before rounding to the exchange's amount step. */
  requested_amount: DecimalOf<D>;
  filled_amount: DecimalOf<D>;
  remaining_amount: DecimalOf<D>;
  average_price?: DecimalOf<D>;
  /** Sum of price × amount over the fills, in quote currency. */
  cost: DecimalOf<D>;
  /** Fee in the currency of most fees. fees_by_currency lists all of them. */
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
  /** Why the rest of the order was cancelled. RISK: the order closes a lot, and other trades reduced the lot before the order was sent. */
  cancel_reason?: 'USER' | 'EXCHANGE' | 'EXPIRED' | 'IOC_REMAINDER' | 'RISK' | 'FOK_UNFILLED' | (string & {});
  copy?: TradeCopy<D>;
  /** Time at which a reconciliation with the exchange last corrected or created this trade. */
  reconciled_at?: string;
  /** Increases with every change. A higher version is the newer state. */
  version: number;
  submitted_at?: string;
  filled_at?: string;
  cancelled_at?: string;
  closed_at?: string;
  created_at: string;
  updated_at: string;
}

/** Trade copy: part of `TradeDetail` and `Trade`. */
export interface TradeCopy<D extends DecimalForm = 'number'> {
  /** Time at which the copied fill was executed. */
  signal_at: string;
  /** Time at which the copied fill was received. */
  received_at: string;
  /** Time at which the copy was sent. Absent until then. */
  submitted_at?: string;
  /** Time from received_at to submitted_at, in milliseconds. Absent until the copy is sent. */
  latency_ms?: number;
  /** Average price of the copied fills, in quote currency, rounded to the price tick. */
  reference_price: DecimalOf<D>;
  /** How much worse the fill price is than reference_price, in basis points. Negative if it is better. Absent without a fill. */
  slippage_bps?: DecimalOf<D>;
  /** Amount of the copy per unit of the copied trade. It is fixed for the lot. It has two significant digits if another user owns the strategy. */
  ratio: DecimalOf<D>;
}

/** Input of `trades.create`. */
export interface TradeCreate {
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id: string;
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id: string;
  type: 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET';
  side: 'BUY' | 'SELL';
  /** Limit price, in quote currency. */
  price?: DecimalInput | null;
  /** Amount in base currency. */
  amount: DecimalInput;
  /** Id of a strategy (`str_…`). */
  strategy_id?: string | null;
  /** Price that triggers a stop order, in quote currency. */
  stop_price?: DecimalInput | null;
  /** Default: "GTC". */
  time_in_force?: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY' | null;
  /** Perpetuals only: whether the order may only reduce a position. Default: false. */
  reduce_only?: boolean | null;
  /** Margin only: whether the exchange lends what the account lacks for the order. The order that closes the lot repays the loan. Default: false. */
  auto_borrow?: boolean | null;
  /** Your own id for the order, unique per exchange account. */
  client_order_id?: string | null;
}

/** Trade detail: returned by `lots.close`, `trades.cancel`, `trades.create` and `trades.get`. */
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
  /** The lot that the order closes, if it closes one lot only. */
  closes_lot_id?: string;
  /** Id of a trade (`trd_…`). */
  source_trade_id?: string;
  /** For a copy: the copied fill. */
  source_fill_id?: string;
  client_order_id: string;
  exchange_order_id?: string;
  /** What placed the order. EXTERNAL: it was placed outside the product. RECONCILIATION: a correction that was never sent. LIQUIDATION, ADL and SETTLEMENT: the exchange reduced or closed a position. */
  origin:
    | 'API'
    | 'COPIER'
    | 'STRATEGY'
    | 'EXTERNAL'
    | 'RECONCILIATION'
    | 'LIQUIDATION'
    | 'ADL'
    | 'SETTLEMENT'
    | (string & {});
  type: 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET' | (string & {});
  side: 'BUY' | 'SELL' | (string & {});
  intent: 'OPEN' | 'INCREASE' | 'REDUCE' | 'CLOSE' | (string & {});
  /** Perpetuals only: the side of the position that the order opens, increases, reduces or closes. An order that closes a position and opens one on the other side has the side of the closed one. */
  position_side?: 'LONG' | 'SHORT' | (string & {});
  /** Perpetuals only: whether the exchange may fill the order only as far as it reduces a position. */
  reduce_only: boolean;
  /** Margin only: whether the exchange may lend what the account lacks for the order. */
  auto_borrow: boolean;
  time_in_force: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY' | (string & {});
  price?: DecimalOf<D>;
  stop_price?: DecimalOf<D>;
  amount: DecimalOf<D>;
  /** Requested amount, before rounding to the exchange's amount step. */
  requested_amount: DecimalOf<D>;
  filled_amount: DecimalOf<D>;
  remaining_amount: DecimalOf<D>;
  average_price?: DecimalOf<D>;
  /** Sum of price × amount over the fills, in quote currency. */
  cost: DecimalOf<D>;
  /** Fee in the currency of most fees. fees_by_currency lists all of them. */
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
  /** Why the rest of the order was cancelled. RISK: the order closes a lot, and other trades reduced the lot before the order was sent. */
  cancel_reason?: 'USER' | 'EXCHANGE' | 'EXPIRED' | 'IOC_REMAINDER' | 'RISK' | 'FOK_UNFILLED' | (string & {});
  copy?: TradeCopy<D>;
  /** Time at which a reconciliation with the exchange last corrected or created this trade. */
  reconciled_at?: string;
  /** Increases with every change. A higher version is the newer state. */
  version: number;
  submitted_at?: string;
  filled_at?: string;
  cancelled_at?: string;
  closed_at?: string;
  created_at: string;
  updated_at: string;
  fills: Fill<D>[];
}

/** Trade pair: returned by `tradePairs.get` and `tradePairs.list`. */
export interface TradePair<D extends DecimalForm = 'number'> {
  /** Id of a trade pair (`tpr_…`). */
  id: string;
  /** Id of the exchange. */
  exchange: string;
  /** `BASE/QUOTE`, or `BASE/QUOTE:SETTLE` for a pair with a settlement currency. */
  symbol: string;
  /** Symbol of the pair at the exchange. */
  exchange_symbol: string;
  base: string;
  quote: string;
  /** Settlement currency, in which profits are paid. Absent if the pair has none. */
  settle?: string;
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** Price increment in quote currency. Prices must be multiples of it. */
  price_tick: DecimalOf<D>;
  /** Amount increment in base currency. Amounts must be multiples of it. */
  amount_step: DecimalOf<D>;
  min_amount: DecimalOf<D>;
  max_amount?: DecimalOf<D>;
  /** Minimum price × amount, in quote currency. */
  min_notional: DecimalOf<D>;
  max_notional?: DecimalOf<D>;
  /** Amount increment of market orders. Absent if it equals `amount_step`. */
  market_amount_step?: DecimalOf<D>;
  /** Maximum amount of market orders. Absent if it equals `max_amount`. */
  market_max_amount?: DecimalOf<D>;
  /** Amount of base currency in one contract. */
  contract_size?: DecimalOf<D>;
  /** The exchange's standard fee rate, as a fraction of the amount received. Accounts may have a lower rate. */
  maker_fee?: DecimalOf<D>;
  taker_fee?: DecimalOf<D>;
  order_types: ('LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET' | (string & {}))[];
  time_in_forces: ('GTC' | 'IOC' | 'FOK' | 'POST_ONLY' | (string & {}))[];
  /** Whether the exchange trades the pair. Orders on other pairs are refused. */
  is_active: boolean;
  /** Why the pair is inactive. PAUSED: the exchange paused it. DELISTED: the exchange no longer lists it. REPLACED: the exchange lists another pair under its symbol, for example with another contract size; this pair stays inactive and keeps its lots. Absent for an active pair. */
  inactive_reason?: 'PAUSED' | 'DELISTED' | 'REPLACED' | (string & {});
  /** The pair that has the symbol now. Only for REPLACED. */
  replaced_by?: string;
  rules_updated_at: string;
  created_at: string;
  updated_at: string;
}

/** Trade signal. */
export interface TradeSignal<D extends DecimalForm = 'number'> {
  /** Id of the signal. There is one signal per fill and lot; it has the same id each time it is sent. */
  id: string;
  /** The signal's number within its strategy: 1, 2, 3, … without gaps. Resume a subscription after it. */
  sequence: number;
  /** Id of a strategy (`str_…`). */
  strategy_id: string;
  /** OPEN and INCREASE are entries into a lot of the strategy. REDUCE and CLOSE are exits. */
  kind: 'OPEN' | 'INCREASE' | 'REDUCE' | 'CLOSE' | (string & {});
  symbol: string;
  trading_type: 'spot' | 'margin' | 'perpetual' | (string & {});
  /** Side of the fill. */
  side: 'BUY' | 'SELL' | (string & {});
  /** Type of the trade whose fill caused the signal. */
  order_type: 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET' | (string & {});
  /** Limit price of that trade, in quote currency. */
  price?: DecimalOf<D>;
  /** Stop price of that trade, in quote currency. */
  stop_price?: DecimalOf<D>;
  /** Amount that the fill added to or removed from the lot, in base currency. Null for everybody but the strategy's owner. */
  filled_amount: DecimalOf<D> | null;
  /** Value of the fill ÷ equity of the strategy's account. Absent if the equity is unknown. Rounded to two significant digits for everybody but the strategy's owner. */
  leader_ratio?: DecimalOf<D>;
  /** For an exit: the fraction of the lot that was closed, from 0 to 1. Cut to two significant digits for everybody but the strategy's owner. */
  position_fraction_closed?: DecimalOf<D>;
  /** Price of the fill, in quote currency; of several fills of one order, the average price, rounded to the price tick. */
  reference_price: DecimalOf<D>;
  /** The trade whose fill caused the signal. */
  source_trade_id: string;
  emitted_at: string;
  /** Time after which copiers ignore an entry signal, unless their `max_signal_age_ms` differs. Exits never expire. */
  expires_at: string;
}

/** Version: returned by `version.get`. */
export interface Version {
  version: string;
  commit: string;
  api: 'v1';
  world: 'test' | 'live' | (string & {});
}

/** Webhook: returned by `webhooks.get`, `webhooks.list` and `webhooks.update`. */
export interface Webhook {
  /** Id of a webhook (`whk_…`). */
  id: string;
  url: string;
  events: string[];
  description: string;
  is_active: boolean;
  consecutive_failures: number;
  deactivated_at?: string;
  /** `consecutive_failures`: ten or more attempts in a row failed, at least one of them the last attempt of a delivery. `insecure_url`: its URL is not https, which the live world requires. `user`: you deactivated it. */
  deactivation_reason?: 'consecutive_failures' | 'insecure_url' | 'user' | (string & {});
  secret_last_rotated_at: string;
  created_at: string;
  updated_at: string;
}

/** Webhook attempt stats: part of `WebhookStats`. */
export interface WebhookAttemptStats<D extends DecimalForm = 'number'> {
  attempts: number;
  succeeded: number;
  failed: number;
  /** Share of the attempts that succeeded, in percent. Null without attempts. */
  success_rate: DecimalOf<D> | null;
  /** Time within which 95 % of the attempts ended. Null without attempts. */
  p95_response_time_ms: number | null;
}

/** Input of `webhooks.create`. */
export interface WebhookCreate {
  /** URL to which events are sent by POST. */
  url: string;
  /** Event types to send: `trade.filled`, `trade.*`, or `*` for all. */
  events: readonly string[];
  /** Default: "". */
  description?: string | null;
}

/** Webhook replay: returned by `webhooks.replay`. */
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
    | 'copier.exit_delayed'
    | 'strategy.multiplier_kept'
    | 'copier.profit_share_raised'
    | 'reward.claimable'
    | 'exchange.permissions_changed'
    | 'trade_pair.deactivated'
    | 'funding.paid'
    | 'position.opened'
    | 'position.changed'
    | 'position.closed'
    | 'position.margin_call'
    | 'position.liquidated'
    | (string & {});
  /** Number of the started run of up to five attempts. Its deliveries have the same number. */
  run: number;
}

/** Input of `webhooks.replay`. */
export interface WebhookReplayAsked {
  /** One of your events of the last 30 days, of any type except `webhook.test`. The webhook does not need to subscribe to it, and the event may be older than the webhook. */
  event_id: string;
}

/** Webhook stats: returned by `webhooks.stats`. */
export interface WebhookStats<D extends DecimalForm = 'number'> {
  last_24_hours: WebhookAttemptStats<D>;
  last_7_days: WebhookAttemptStats<D>;
}

/** Input of `webhooks.update`. */
export interface WebhookUpdate {
  /** URL to which events are sent by POST. */
  url?: string;
  /** Event types to send: `trade.filled`, `trade.*`, or `*` for all. */
  events?: readonly string[];
  description?: string;
  /** True activates the webhook again and resets its failure count. False deactivates it and moves its pending deliveries to the dead letters. */
  is_active?: boolean;
}

/** Webhook with secret: returned by `webhooks.create` and `webhooks.rotateSecret`. */
export interface WebhookWithSecret {
  /** Id of a webhook (`whk_…`). */
  id: string;
  url: string;
  events: string[];
  description: string;
  is_active: boolean;
  consecutive_failures: number;
  deactivated_at?: string;
  /** `consecutive_failures`: ten or more attempts in a row failed, at least one of them the last attempt of a delivery. `insecure_url`: its URL is not https, which the live world requires. `user`: you deactivated it. */
  deactivation_reason?: 'consecutive_failures' | 'insecure_url' | 'user' | (string & {});
  secret_last_rotated_at: string;
  created_at: string;
  updated_at: string;
  /** Signing secret (`whsec_…`). It is returned only in this response; store it securely. */
  secret: string;
}

/** Withdrawal: returned by `withdrawals.cancel`, `withdrawals.create`, `withdrawals.get` and `withdrawals.list`. */
export interface Withdrawal<D extends DecimalForm = 'number'> {
  /** Id of a withdrawal (`wdr_…`). */
  id: string;
  /** Amount taken from the balance, including the fee. It is held until the withdrawal ends. */
  amount: DecimalOf<D>;
  fee: DecimalOf<D>;
  /** Amount paid out: amount less fee. */
  net_amount: DecimalOf<D>;
  /** The reward token. */
  currency: string;
  /** The network of the payout. */
  network: string;
  /** The address as you sent it. */
  wallet_address: string;
  /** PENDING until the payout starts or the withdrawal is cancelled. CANCELLED and FAILED release the held amount. */
  status: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'CANCELLED' | 'FAILED' | (string & {});
  /** Reason for the status, as a sentence, for example why the payout of a PENDING withdrawal has not started. */
  status_reason?: string;
  /** Hash of the transaction on the network. Absent before it is sent. */
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

/** Withdrawal address: returned by `withdrawalAddresses.create`, `withdrawalAddresses.get` and `withdrawalAddresses.list`. */
export interface WithdrawalAddress {
  /** Id of a withdrawal address (`wad_…`). */
  id: string;
  /** The address as you sent it. */
  address: string;
  label?: string;
  /** PENDING until you confirm the address by the link in the mail. Then HELD until `usable_at`, and ACTIVE from then on. */
  status: 'PENDING' | 'HELD' | 'ACTIVE' | (string & {});
  /** When the address becomes ACTIVE. Absent while it is PENDING. */
  usable_at?: string;
  created_at: string;
  updated_at: string;
}

/** Input of `withdrawalAddresses.create`. */
export interface WithdrawalAddressCreate {
  /** EVM address. If it mixes upper and lower case, its EIP-55 checksum must be valid. */
  address: string;
  /** A name for the address, shown in the mail. */
  label?: string | null;
}

/** Input of `withdrawals.create`. */
export interface WithdrawalCreate {
  /** Amount of reward tokens to withdraw, including the fee. It must be greater than the fee. */
  amount: DecimalInput;
  /** EVM address. If it mixes upper and lower case, its EIP-55 checksum must be valid. In the live world it must be an ACTIVE withdrawal address. */
  wallet_address: string;
}

/** The response to a deletion. */
export interface Deleted {
  id: string;
  deleted: true;
}

/** Query parameters of `auth.verifyEmail`. */
export interface AuthVerifyEmailQuery {
  /** The code from the verification link. */
  code: string;
}

/** The response of `auth.verifyEmail`. */
export interface AuthVerifyEmailResult {
  email_verified: true;
}

/** Query parameters of `auth.cliChallenge`. */
export interface AuthCliChallengeQuery {
  pubkey?: string;
}

/** Query parameters of `apiKeys.list`. */
export interface ApiKeysListQuery extends ListQuery<'created_at' | 'name', 'revoked'> {}

/** Query parameters of `publicKeys.list`. */
export interface PublicKeysListQuery extends ListQuery<'created_at', 'revoked'> {}

/** Query parameters of `browserSessions.list`. */
export interface BrowserSessionsListQuery extends ListQuery<'created_at'> {}

/** Query parameters of `supportedExchanges.list`. */
export interface SupportedExchangesListQuery extends ListQuery<'created_at' | 'name'> {}

/** Query parameters of `exchanges.list`. */
export interface ExchangesListQuery extends ListQuery<'created_at' | 'account_name' | 'exchange_name'> {}

/** Query parameters of `tradePairs.list`. */
export interface TradePairsListQuery extends ListQuery<'created_at' | 'symbol' | 'exchange'> {
  /** Id or name of an exchange. */
  exchange?: string;
  /** Trading type of the pairs. */
  trading_type?: 'spot' | 'margin' | 'perpetual';
  /** The whole symbol, for example `BTC/USDT`. Upper and lower case are equal. */
  symbol?: string;
  /** What the symbol begins with. Upper and lower case are equal, and separators do not count: `btcus` finds BTC/USDT and BTC/USDC:USDC. */
  search?: string;
}

/** Query parameters of `tradePairs.candles`. */
export interface TradePairsCandlesQuery {
  /** Length of a candle. Default: "1h". */
  interval?: '1m' | '5m' | '15m' | '1h' | '4h' | '1d';
  /** Only candles that end after this instant. Default: 300 intervals before `to`. */
  from?: string;
  /** Only candles that begin before this instant. Default: now. */
  to?: string;
}

/** Query parameters of `tradePairs.orderBook`. */
export interface TradePairsOrderBookQuery {
  /** Number of levels of each side. */
  depth?: number;
}

/** Query parameters of `trades.list`. */
export interface TradesListQuery extends ListQuery<'created_at' | 'updated_at'> {
  /** Id of a strategy (`str_…`). */
  strategy_id?: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id?: string;
  status?: 'PENDING' | 'FILLED' | 'PARTIALLY_FILLED' | 'CANCELLED' | 'FAILED';
  side?: 'BUY' | 'SELL';
}

/** Query parameters of `lots.list`. */
export interface LotsListQuery extends ListQuery<'created_at'> {
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id?: string;
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id?: string;
  /** Id of a copier (`cpr_…`). */
  copier_id?: string;
  status?: 'OPEN' | 'CLOSED';
}

/** Query parameters of `positions.list`. */
export interface PositionsListQuery extends ListQuery<'created_at'> {
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id?: string;
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id?: string;
}

/** Query parameters of `rewards.list`. */
export interface RewardsListQuery extends ListQuery<'created_at' | 'claimable_at' | 'amount'> {
  status?: 'PENDING' | 'CLAIMABLE' | 'CLAIMED' | 'EXPIRED';
  /** Id of a reward type (`rwt_…`). */
  type_id?: string;
}

/** Query parameters of `rewards.types`. */
export interface RewardsTypesQuery extends ListQuery<'created_at' | 'code'> {}

/** Query parameters of `withdrawals.list`. */
export interface WithdrawalsListQuery extends ListQuery<'created_at' | 'amount' | 'updated_at'> {
  status?: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'CANCELLED' | 'FAILED';
}

/** Query parameters of `withdrawalAddresses.list`. */
export interface WithdrawalAddressesListQuery extends ListQuery<'created_at'> {}

/** Query parameters of `strategies.list`. */
export interface StrategiesListQuery
  extends ListQuery<'created_at' | 'name' | 'roi' | 'max_drawdown_percent' | 'copier_roi' | 'copier_count'> {
  /** PUBLIC: the public strategies of all users, and the former ones that another user has copied. PRIVATE: your private strategies. */
  visibility?: 'PRIVATE' | 'PUBLIC';
  status?: 'ACTIVE' | 'ARCHIVED';
  /** Trading type of the strategy's account. */
  trading_type?: 'spot' | 'margin' | 'perpetual';
  /** Strategies that are restricted to this pair among others, or that have traded it. */
  symbol?: string;
  /** Strategies whose record (`performance.since`) is at least this many days old. */
  min_days?: number;
}

/** Query parameters of `copiers.list`. */
export interface CopiersListQuery extends ListQuery<'created_at' | 'name'> {
  status?: 'ACTIVE' | 'CLOSE_ONLY' | 'PAUSED';
  /** Id of a strategy (`str_…`). */
  strategy_id?: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id?: string;
}

/** Query parameters of `copiers.decisions`. */
export interface CopiersDecisionsQuery extends ListQuery<'created_at' | 'sequence'> {
  /** Id of a signal (`sig_…`). */
  signal_id?: string;
  outcome?: 'COPIED' | 'CLAMPED' | 'SKIPPED' | 'FAILED' | 'PENDING';
}

/** Query parameters of `notifications.list`. */
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
    | 'public_key.linked'
    | 'copier.exit_delayed'
    | 'strategy.multiplier_kept'
    | 'copier.profit_share_raised'
    | 'reward.claimable'
    | 'exchange.permissions_changed'
    | 'trade_pair.deactivated'
    | 'funding.paid'
    | 'position.opened'
    | 'position.changed'
    | 'position.closed'
    | 'position.margin_call'
    | 'position.liquidated';
}

/** The response of `notifications.count`. */
export interface NotificationsCountResult {
  unread: number;
}

/** The response of `notifications.readAll`. */
export interface NotificationsReadAllResult {
  /** Number of notifications that this call marked as read. */
  updated: number;
}

/** Query parameters of `settings.list`. */
export interface SettingsListQuery extends ListQuery<'created_at' | 'updated_at' | 'key'> {}

/** The response of `settings.delete`. */
export interface SettingsDeleteResult {
  /** 1 to 64 characters of a-z, 0-9, `.`, `_` and `-`. */
  key: string;
  deleted: true;
}

/** Query parameters of `trades.analytics`. */
export interface TradesAnalyticsQuery {
  /** Start of the range, inclusive. Default: no lower bound. Selects trades by created_at, and profits and losses by the time at which they were realized. */
  from?: string;
  /** End of the range, exclusive. Default: no upper bound. */
  to?: string;
  /** Id of a strategy (`str_…`). */
  strategy_id?: string;
  /** Id of an exchange account (`exa_…`). */
  exchange_account_id?: string;
  /** Id of a trade pair (`tpr_…`). */
  trade_pair_id?: string;
  /** Length of each period in equity_curve. Default: "day". */
  interval?: 'day' | 'week' | 'month';
}

/** Query parameters of `events.list`. */
export interface EventsListQuery extends ListQuery<'created_at'> {
  /** Returns only these events: a type (`trade.filled`), a subject (`trade.*`), or `*`. */
  type?: string;
}

/** Query parameters of `events.stream`. */
export interface EventsStreamQuery {
  /** Returns only these events: a type (`trade.filled`), a subject (`trade.*`), or `*`. */
  type?: string;
  /** The `event_id` after which the stream starts. The Last-Event-ID header takes precedence. */
  last_event_id?: string;
}

/** Query parameters of `events.types`. */
export interface EventsTypesQuery {
  /** Returns only these events: a type (`trade.filled`), a subject (`trade.*`), or `*`. */
  type?: string;
}

/** Query parameters of `webhooks.list`. */
export interface WebhooksListQuery extends ListQuery<'created_at' | 'updated_at'> {}

/** Query parameters of `webhooks.deliveries`. */
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
    | 'public_key.linked'
    | 'copier.exit_delayed'
    | 'strategy.multiplier_kept'
    | 'copier.profit_share_raised'
    | 'reward.claimable'
    | 'exchange.permissions_changed'
    | 'trade_pair.deactivated'
    | 'funding.paid'
    | 'position.opened'
    | 'position.changed'
    | 'position.closed'
    | 'position.margin_call'
    | 'position.liquidated';
  /** Id of an event (`evt_…`). */
  event_id?: string;
  /** Start of the range, inclusive. Default: no lower bound. Filters deliveries by created_at. */
  from?: string;
  /** End of the range, exclusive. Default: no upper bound. */
  to?: string;
}

/** Query parameters of `deadLetters.list`. */
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
    | 'public_key.linked'
    | 'copier.exit_delayed'
    | 'strategy.multiplier_kept'
    | 'copier.profit_share_raised'
    | 'reward.claimable'
    | 'exchange.permissions_changed'
    | 'trade_pair.deactivated'
    | 'funding.paid'
    | 'position.opened'
    | 'position.changed'
    | 'position.closed'
    | 'position.margin_call'
    | 'position.liquidated';
  /** Start of the range, inclusive. Default: no lower bound. Filters dead letters by created_at. */
  from?: string;
  /** End of the range, exclusive. Default: no upper bound. */
  to?: string;
}

/** Query parameters of `requestLog.list`. */
export interface RequestLogListQuery extends ListQuery<'created_at'> {
  /** An HTTP status like `404`, or a class like `4xx`. */
  status?: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The id of an API key, a public key or a session. */
  credential_id?: string;
}

/** The record of each event type. */
export interface EventData<D extends DecimalForm = 'number'> {
  /** You or a copier created a trade, or an order that was placed outside the product was found at the exchange. */
  'trade.created': Trade<D>;
  /** Another part of an order was filled. The rest is still open. */
  'trade.partially_filled': Trade<D>;
  /** An order was filled in full. */
  'trade.filled': Trade<D>;
  /** An order ended before it was filled in full. Filled amounts stay filled. */
  'trade.cancelled': Trade<D>;
  /** An order was rejected without a fill. */
  'trade.failed': Trade<D>;
  /** Later fills closed every lot that a trade opened. */
  'trade.closed': Trade<D>;
  /** A copier started to follow its strategy. */
  'copier.started': Copier<D>;
  /** A copier stopped copying entries, for the reason in `status_reason`. */
  'copier.stopped': StoppedCopier<D>;
  /** A signal was not copied, or its copy failed, for the reason in `code`. */
  'copier.trade_skipped': Decision<D>;
  /** An exchange account was synced: at your request, or because a balance changed. */
  'exchange.synced': ExchangeAccount<D>;
  /** An exchange account could not be synced. */
  'exchange.sync_failed': ExchangeAccount<D>;
  /** You were granted a reward. */
  'reward.granted': Reward<D>;
  /** A reward was claimed. Its amount was added to your balance. */
  'reward.claimed': Reward<D>;
  /** A withdrawal was requested. Its amount is held. */
  'withdrawal.created': Withdrawal<D>;
  /** A withdrawal was paid out. */
  'withdrawal.completed': Withdrawal<D>;
  /** A withdrawal was cancelled. Its amount was released. */
  'withdrawal.cancelled': Withdrawal<D>;
  /** A withdrawal failed. Its amount was released. */
  'withdrawal.failed': Withdrawal<D>;
  /** You requested a test of a webhook. The event is sent once, only to that webhook, and is not listed among your events. */
  'webhook.test': Webhook;
  /** A webhook was deactivated because too many attempts in a row failed. The event is sent to your other webhooks. */
  'webhook.deactivated': Webhook;
  /** A copier was started and holds lots that its strategy reduced or closed while the copier was paused. */
  'copier.drift': Copier<D>;
  /** The exchange rejected the credentials of an account. */
  'exchange.credentials_rejected': ExchangeAccount<D>;
  /** An API key was created. */
  'key.created': ApiKey;
  /** An API key or a public key was revoked. */
  'key.revoked': ApiKey | PublicKey;
  /** A public key was linked to your account. */
  'public_key.linked': PublicKey;
  /** A copier cannot sell yet, because the amount is below the exchange's minimum. `inputs.missing_amount` says how much is missing. The exit stays PENDING and is tried again. Sent once for each lot until its pending exits are settled. */
  'copier.exit_delayed': Decision<D>;
  /** Copiers of other users copied your strategy with the sizing mode MULTIPLIER before it needed `allow_multiplier`. They keep the mode. The event is sent once. */
  'strategy.multiplier_kept': Strategy<D>;
  /** The strategy of a copier offers a higher profit share than you accepted, in `profit_share_offer`. Your terms do not change unless you accept it. */
  'copier.profit_share_raised': Copier<D>;
  /** A pending reward is final and can be claimed, because the month of its profit share has ended. Its amount is lower than in `reward.granted` if the budget of the month did not cover all shares. */
  'reward.claimable': Reward<D>;
  /** The rights of the credentials of an account, or the kind of the account, changed at its exchange. */
  'exchange.permissions_changed': ExchangeAccount<D>;
  /** A pair became inactive, for the reason in `inactive_reason`. Sent if you have open lots or open orders on it. If the exchange delisted or replaced the pair, also sent if your strategy, the strategy that you copy, or your copier names it. */
  'trade_pair.deactivated': TradePair<D>;
  /** A position in a perpetual paid or received funding. The event is sent once for each payment that the exchange reports. */
  'funding.paid': FundingPayment<D>;
  /** An account has a position in a perpetual that was flat before, or that was first read now. */
  'position.opened': Position<D>;
  /** The amount of a position changed. A new mark price alone sends no event. */
  'position.changed': Position<D>;
  /** A position was closed. A position that changes its side is closed first and then opened. */
  'position.closed': Position<D>;
  /** The margin balance fell below 1.25 times the maintenance margin: of the account in CROSS, of the position in ISOLATED. In CROSS, the record is the position with the highest notional. Sent again only after the ratio was at least 1.5. */
  'position.margin_call': Position<D>;
  /** The exchange liquidated a position, in whole or in part. The record shows the position as the exchange last reported it. */
  'position.liquidated': Position<D>;
}

/** The input and the response of each operation. */
export interface OperationTypes<D extends DecimalForm = 'number'> {
  /** Liveness check. */
  'health.get': {
    data: Health;
  };
  /** Returns the status of each service that the API depends on. */
  'health.detailed': {
    data: DetailedHealth;
  };
  /** Returns the build version and the environment, test or live. */
  'version.get': {
    data: Version;
  };
  /** Returns the caller's account and credential. */
  'me.get': {
    data: Me;
  };
  /** Updates your account. A new e-mail address takes effect when you confirm it on the page behind the link sent to it. */
  'me.update': {
    body: MePatch;
    data: Me;
  };
  /** Verifies an e-mail address with the code from the verification link, like the button of the page behind the link. The link is valid for 24 hours. */
  'auth.verifyEmail': {
    query: AuthVerifyEmailQuery;
    data: AuthVerifyEmailResult;
  };
  /** Returns a challenge to sign. It is single-use and expires after five minutes. */
  'auth.cliChallenge': {
    query: AuthCliChallengeQuery;
    data: CliChallenge;
  };
  /** Links a public key to the account of the credential; its private key must have signed the challenge. The credential must neither expire nor have an allow-list. Without a credential, creates an account. */
  'auth.cliIdentity': {
    body: CliIdentityCreate;
    data: PublicKey;
  };
  /** Lists your API keys. Add `include=revoked` to include revoked keys. */
  'apiKeys.list': {
    query: ApiKeysListQuery;
    data: ApiKey;
  };
  /** Creates an API key. Its permissions, expiry and allow-list cannot exceed those of the caller's credential. */
  'apiKeys.create': {
    body: ApiKeyCreate;
    data: ApiKeyWithValue;
  };
  /** Revokes an API key immediately. The last ADMIN credential cannot be revoked. */
  'apiKeys.revoke': {
    params: { id: string };
    data: Deleted;
  };
  /** Replaces the value of an API key. The old value stops working immediately. The key's rights cannot exceed those of the caller's credential. */
  'apiKeys.rotate': {
    params: { id: string };
    data: ApiKeyWithValue;
  };
  /** Lists your public keys. Add `include=revoked` to include revoked keys. */
  'publicKeys.list': {
    query: PublicKeysListQuery;
    data: PublicKey;
  };
  /** Revokes a public key immediately. The last ADMIN credential cannot be revoked. A revoked key can be linked again. */
  'publicKeys.revoke': {
    params: { id: string };
    data: Deleted;
  };
  /** Starts a sign-in by code: the client shows the user code, and a user approves it with an ADMIN credential. The private key of `pubkey` must have signed the challenge. */
  'deviceAuthorizations.create': {
    body: DeviceAuthorizationCreate;
    data: StartedDeviceAuthorization;
  };
  /** Returns the sign-in that shows this code, so that a user can check it before they approve it. */
  'deviceAuthorizations.get': {
    params: { user_code: string };
    data: DeviceAuthorization;
  };
  /** Approves a sign-in by code. Its session gets your account, and at most your credential's permissions, expiry and allow-list. */
  'deviceAuthorizations.approve': {
    body: DeviceApproval;
    data: BrowserSession;
  };
  /** Refuses a sign-in by code. */
  'deviceAuthorizations.deny': {
    body: DeviceDenial;
    data: DeviceAuthorization;
  };
  /** Returns the session of an approved sign-in by code. Until then, 409 `invalid_state` with the state PENDING, DENIED or EXPIRED. */
  'deviceAuthorizations.token': {
    body: DeviceTokenCreate;
    data: GrantedSession;
  };
  /** Opens a browser session with the permissions of the request's credential. The private key of `pubkey`, which must have signed the challenge, signs the requests of the session. */
  'browserSessions.create': {
    body: BrowserSessionCreate;
    data: BrowserSession;
  };
  /** Lists your open browser sessions. */
  'browserSessions.list': {
    query: BrowserSessionsListQuery;
    data: BrowserSession;
  };
  /** Ends a browser session immediately. */
  'browserSessions.revoke': {
    params: { id: string };
    data: Deleted;
  };
  /** Ends all your browser sessions immediately. */
  'browserSessions.revokeAll': {
    data: RevokedSessions;
  };
  /** Lists the exchanges whose accounts you can connect. */
  'supportedExchanges.list': {
    query: SupportedExchangesListQuery;
    data: SupportedExchange;
  };
  /** Lists your exchange accounts. */
  'exchanges.list': {
    query: ExchangesListQuery;
    data: ExchangeAccount<D>;
  };
  /** Returns an exchange account. */
  'exchanges.get': {
    params: { id: string };
    data: ExchangeAccount<D>;
  };
  /** Connects an exchange account. Its credentials are tested before they are stored. */
  'exchanges.create': {
    body: ExchangeAccountCreate;
    data: ExchangeAccount<D>;
  };
  /** Renames an exchange account or replaces its credentials. Its lots and copiers are unchanged. */
  'exchanges.update': {
    params: { id: string };
    body: ExchangeAccountUpdate;
    data: ExchangeAccount<D>;
  };
  /** Deletes an exchange account on which no other record depends. */
  'exchanges.delete': {
    params: { id: string };
    data: Deleted;
  };
  /** Tests exchange credentials without storing them. */
  'exchanges.test': {
    body: ExchangeAccountTest;
    data: CredentialsTestResult;
  };
  /** Starts a sync of the balances. The event `exchange.synced` reports its completion. */
  'exchanges.sync': {
    params: { id: string };
    data: ExchangeAccount<D>;
  };
  /** Lists the tradable pairs with the trading rules of their exchange. */
  'tradePairs.list': {
    query: TradePairsListQuery;
    data: TradePair<D>;
  };
  /** Returns a trade pair. */
  'tradePairs.get': {
    params: { id: string };
    data: TradePair<D>;
  };
  /** Returns a pair's prices now and over the last 24 hours, at most 2 seconds old. */
  'tradePairs.ticker': {
    params: { id: string };
    data: Ticker<D>;
  };
  /** Returns a pair's candles, at most 1000 and at most 30 seconds old. */
  'tradePairs.candles': {
    params: { id: string };
    query: TradePairsCandlesQuery;
    data: Candles<D>;
  };
  /** Returns a pair's order book, at most 1 second old. To follow it, subscribe to `orderbookUpdate` of the GraphQL API. */
  'tradePairs.orderBook': {
    params: { id: string };
    query: TradePairsOrderBookQuery;
    data: OrderBook<D>;
  };
  /** Lists your trades. */
  'trades.list': {
    query: TradesListQuery;
    data: Trade<D>;
  };
  /** Returns a trade with its fills. */
  'trades.get': {
    params: { id: string };
    data: TradeDetail<D>;
  };
  /** Places an order. Responds as soon as the order is stored, before it is sent to the exchange. */
  'trades.create': {
    body: TradeCreate;
    data: TradeDetail<D>;
  };
  /** Cancels the unfilled part of a trade and returns the trade. */
  'trades.cancel': {
    params: { id: string };
    data: TradeDetail<D>;
  };
  /** Lists your lots: what your trades and copies opened, with cost and result. */
  'lots.list': {
    query: LotsListQuery;
    data: Lot<D>;
  };
  /** Returns a lot. */
  'lots.get': {
    params: { id: string };
    data: Lot<D>;
  };
  /** Closes a lot, or a fraction of it, with a market order. The order closes no other lot: if the lot is smaller when the order is sent, the excess is cancelled with the reason RISK. A copy is then detached from its copier. */
  'lots.close': {
    params: { id: string };
    body?: LotClose;
    data: TradeDetail<D>;
  };
  /** Lists your open positions in perpetuals. */
  'positions.list': {
    query: PositionsListQuery;
    data: Position<D>;
  };
  /** Sets the leverage, and on request the margin mode, of an account for a perpetual. */
  'positions.setLeverage': {
    params: { id: string };
    body: LeverageUpdate;
    data: LeverageSettings<D>;
  };
  /** Lists your rewards. */
  'rewards.list': {
    query: RewardsListQuery;
    data: Reward<D>;
  };
  /** Lists the reward types and how their amounts are calculated. */
  'rewards.types': {
    query: RewardsTypesQuery;
    data: RewardType<D>;
  };
  /** Returns your balance of reward tokens: the available amount, and the amount held by withdrawals. */
  'rewards.balance': {
    data: RewardBalance<D>;
  };
  /** Claims a reward and adds its amount to your balance. A reward can be claimed once. */
  'rewards.claim': {
    params: { id: string };
    data: Reward<D>;
  };
  /** Lists your withdrawals of reward tokens. */
  'withdrawals.list': {
    query: WithdrawalsListQuery;
    data: Withdrawal<D>;
  };
  /** Returns a withdrawal. */
  'withdrawals.get': {
    params: { id: string };
    data: Withdrawal<D>;
  };
  /** Requests a payout of reward tokens. The amount is held immediately. */
  'withdrawals.create': {
    body: WithdrawalCreate;
    data: Withdrawal<D>;
  };
  /** Cancels a PENDING withdrawal and releases its amount. */
  'withdrawals.cancel': {
    params: { id: string };
    data: Withdrawal<D>;
  };
  /** Lists the addresses that you can withdraw to. */
  'withdrawalAddresses.list': {
    query: WithdrawalAddressesListQuery;
    data: WithdrawalAddress;
  };
  /** Returns a withdrawal address. */
  'withdrawalAddresses.get': {
    params: { id: string };
    data: WithdrawalAddress;
  };
  /** Adds a withdrawal address and mails a link that confirms it, valid for 24 hours. You may have 20 addresses. */
  'withdrawalAddresses.create': {
    body: WithdrawalAddressCreate;
    data: WithdrawalAddress;
  };
  /** Deletes a withdrawal address. In the live world, PENDING withdrawals to it fail when their payout begins. */
  'withdrawalAddresses.delete': {
    params: { id: string };
    data: Deleted;
  };
  /** Lists your strategies. Use `visibility=PUBLIC` for the public strategies of all users, active and archived. */
  'strategies.list': {
    query: StrategiesListQuery;
    data: Strategy<D>;
  };
  /** Returns one of your strategies, or another user's public strategy, or one that was public and copied. */
  'strategies.get': {
    params: { id: string };
    data: Strategy<D>;
  };
  /** Creates a strategy. Copiers follow the trades that you create with its id. */
  'strategies.create': {
    body: StrategyCreate;
    data: Strategy<D>;
  };
  /** Updates or archives a strategy. */
  'strategies.update': {
    params: { id: string };
    body: StrategyUpdate;
    data: Strategy<D>;
  };
  /** Deletes a strategy. Its trades remain readable. */
  'strategies.delete': {
    params: { id: string };
    body?: StrategyDelete;
    data: Deleted;
  };
  /** Links your copiers to a strategy, all of them or none. It does not start them. */
  'strategies.linkCopiers': {
    params: { id: string };
    body: CopiersLink;
    data: Strategy<D>;
  };
  /** Lists your copiers. */
  'copiers.list': {
    query: CopiersListQuery;
    data: Copier<D>;
  };
  /** Returns a copier. */
  'copiers.get': {
    params: { id: string };
    data: Copier<D>;
  };
  /** Creates a copier. It is PAUSED until you start it. */
  'copiers.create': {
    body: CopierCreate;
    data: Copier<D>;
  };
  /** Updates a copier. New sizing and limits apply to lots opened after the change. */
  'copiers.update': {
    params: { id: string };
    body: CopierUpdate;
    data: Copier<D>;
  };
  /** Deletes a PAUSED copier. Its trades remain readable. */
  'copiers.delete': {
    params: { id: string };
    data: Deleted;
  };
  /** Starts a copier. It copies lots that its strategy opens from now on. */
  'copiers.start': {
    params: { id: string };
    body?: CopierStart;
    data: Copier<D>;
  };
  /** Stops a copier. Its positions stay open; the response lists those that are not closed automatically. */
  'copiers.stop': {
    params: { id: string };
    body?: CopierStop;
    data: StoppedCopier<D>;
  };
  /** Accepts exactly the profit share that the strategy offers. It applies from the next period on; other terms are refused with 409. */
  'copiers.acceptProfitShare': {
    params: { id: string };
    body: ProfitShareAccept;
    data: Copier<D>;
  };
  /** Lists a copier's decision on every signal: copied, reduced, skipped, failed or pending. Also works for deleted copiers. */
  'copiers.decisions': {
    params: { id: string };
    query: CopiersDecisionsQuery;
    data: Decision<D>;
  };
  /** Replays past signals of the strategy with the copier's settings, as if the copier had been started just before them. Places no orders. Of another user's strategy, the leader's equity, amounts and fractions are rounded to two significant digits before anything is computed from them. A user runs one simulation at a time. An Idempotency-Key has no effect. */
  'copiers.simulate': {
    params: { id: string };
    body?: SimulationAsked;
    data: Simulation<D>;
  };
  /** Lists your notifications. */
  'notifications.list': {
    query: NotificationsListQuery;
    data: Notification;
  };
  /** Returns the number of unread notifications. */
  'notifications.count': {
    data: NotificationsCountResult;
  };
  /** Marks a notification as read. A notification that is already read is unchanged. */
  'notifications.read': {
    params: { id: string };
    data: Notification;
  };
  /** Marks all notifications as read. */
  'notifications.readAll': {
    data: NotificationsReadAllResult;
  };
  /** Deletes a notification. */
  'notifications.delete': {
    params: { id: string };
    data: Deleted;
  };
  /** Lists your settings. */
  'settings.list': {
    query: SettingsListQuery;
    data: Setting;
  };
  /** Returns a setting. `notifications` has a default, which is returned if you never set it. */
  'settings.get': {
    params: { key: string };
    data: Setting;
  };
  /** Creates or replaces a setting. `notifications` selects the events that notify you. */
  'settings.put': {
    params: { key: string };
    body: SettingPut;
    data: Setting;
  };
  /** Deletes a setting. */
  'settings.delete': {
    params: { key: string };
    data: SettingsDeleteResult;
  };
  /** Returns trading results and statistics, computed from your fills only. */
  'trades.analytics': {
    query: TradesAnalyticsQuery;
    data: Analytics<D>;
  };
  /** Pauses every copier and cancels every open order placed before the call. With `close_positions`, it also closes all positions in perpetuals. Waits a few seconds for the exchanges, then lists what is still open. */
  'emergencyStop.run': {
    body?: EmergencyStopRequest;
    data: EmergencyStop<D>;
  };
  /** Lists your events of the last 30 days. */
  'events.list': {
    query: EventsListQuery;
    data: WebhookEvent<D>;
  };
  /** Streams your events as server-sent events. Last-Event-ID resumes after that event. */
  'events.stream': {
    query: EventsStreamQuery;
    data: WebhookEvent<D>;
  };
  /** Lists the event types, each with the JSON Schema of its payload and a sample. */
  'events.types': {
    query: EventsTypesQuery;
    data: EventCatalogue<D>;
  };
  /** Returns an event of the last 30 days. */
  'events.get': {
    params: { id: string };
    data: WebhookEvent<D>;
  };
  /** Creates a webhook. Its signing secret is returned only in this response. */
  'webhooks.create': {
    body: WebhookCreate;
    data: WebhookWithSecret;
  };
  /** Lists your webhooks. */
  'webhooks.list': {
    query: WebhooksListQuery;
    data: Webhook;
  };
  /** Returns a webhook. */
  'webhooks.get': {
    params: { id: string };
    data: Webhook;
  };
  /** Updates a webhook. The next attempts of pending deliveries use the new values. */
  'webhooks.update': {
    params: { id: string };
    body: WebhookUpdate;
    data: Webhook;
  };
  /** Deletes a webhook. No more events are sent to it. */
  'webhooks.delete': {
    params: { id: string };
    data: Deleted;
  };
  /** Replaces a webhook's signing secret. The old secret is no longer used. */
  'webhooks.rotateSecret': {
    params: { id: string };
    data: WebhookWithSecret;
  };
  /** Lists a webhook's delivery attempts. */
  'webhooks.deliveries': {
    params: { id: string };
    query: WebhooksDeliveriesQuery;
    data: Delivery;
  };
  /** Returns how many of a webhook's delivery attempts succeeded, and how long they took. */
  'webhooks.stats': {
    params: { id: string };
    data: WebhookStats<D>;
  };
  /** Sends a test event once and returns the delivery, even if the receiver failed. */
  'webhooks.test': {
    params: { id: string };
    data: Delivery;
  };
  /** Sends a past event to a webhook, with the same event id and payload, in up to five attempts. */
  'webhooks.replay': {
    params: { id: string };
    body: WebhookReplayAsked;
    data: WebhookReplay;
  };
  /** Lists a webhook's dead letters: deliveries that failed permanently. */
  'deadLetters.list': {
    params: { id: string };
    query: DeadLettersListQuery;
    data: DeadLetter;
  };
  /** Returns the number of a webhook's dead letters that are pending, retried and discarded. */
  'deadLetters.stats': {
    params: { id: string };
    data: DeadLetterStats;
  };
  /** Returns a dead letter with its payload. */
  'deadLetters.get': {
    params: { id: string; dlq_id: string };
    data: DeadLetterDetail<D>;
  };
  /** Retries a pending dead letter in up to five attempts. The event id and the payload do not change. */
  'deadLetters.retry': {
    params: { id: string; dlq_id: string };
    data: DeadLetterDetail<D>;
  };
  /** Retries a webhook's pending dead letters. Filter them by time range or event type. */
  'deadLetters.retryMany': {
    params: { id: string };
    body: DeadLetterRetryAsked;
    data: DeadLetterRetry;
  };
  /** Discards a pending dead letter. It remains readable. */
  'deadLetters.discard': {
    params: { id: string; dlq_id: string };
    data: Deleted;
  };
  /** Lists the requests of the last 7 days that your credentials sent to the APIs. A request appears within some seconds. */
  'requestLog.list': {
    query: RequestLogListQuery;
    data: LoggedRequest;
  };
}
