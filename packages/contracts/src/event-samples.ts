/** A sample record for the `data` of each event type. The ids belong to no record. */
import type { z } from 'zod';
import type { ApiKey, PublicKey } from './access.js';
import type { Copier } from './copiers.js';
import type { Decision } from './decisions.js';
import type { EVENT_DEFINITIONS } from './event-kinds.js';
import type { EventType } from './events.js';
import type { ExchangeAccount } from './exchange-accounts.js';
import type { FundingPayment } from './funding.js';
import type { Position } from './positions.js';
import type { Reward } from './rewards.js';
import { exampleId } from './samples/sample.js';
import type { Strategy } from './strategies.js';
import type { TradePair } from './trade-pairs.js';
import type { Trade } from './trades.js';
import type { Webhook } from './webhooks.js';
import type { Withdrawal } from './withdrawals.js';

/** Time of every sample event. No time in its record is later. */
export const SAMPLE_AT = '2026-01-31T12:00:00.000Z';
const EARLIER = '2026-01-31T11:59:30.000Z';
const LONG_BEFORE = '2026-01-12T08:30:00.000Z';
const timestamps = { created_at: EARLIER, updated_at: SAMPLE_AT };

const placedTrade: Trade = {
  id: exampleId('trd'),
  exchange_account_id: exampleId('exa'),
  trade_pair_id: exampleId('tpr'),
  symbol: 'BTC/USDT',
  trading_type: 'spot',
  client_order_id: 'desk-1042',
  origin: 'API',
  type: 'LIMIT',
  side: 'BUY',
  intent: 'OPEN',
  reduce_only: false,
  auto_borrow: false,
  time_in_force: 'GTC',
  price: '60000.5',
  amount: '0.25',
  requested_amount: '0.25',
  filled_amount: '0',
  remaining_amount: '0.25',
  cost: '0',
  fee: { amount: '0', currency: 'USDT' },
  fees_by_currency: [],
  status: 'PENDING',
  sub_status: 'SUBMITTING',
  version: 1,
  ...timestamps,
};

/**
 * The base of the samples of submitted trades. It omits `sub_status`, because finished trades have none; the sample of
 * an open trade adds it.
 */
const { sub_status: _, ...submittedTrade }: Trade = {
  ...placedTrade,
  exchange_order_id: '8400217733',
  submitted_at: EARLIER,
};

const partlyFilled: Trade = {
  ...submittedTrade,
  status: 'PARTIALLY_FILLED',
  sub_status: 'ACCEPTED',
  filled_amount: '0.1',
  remaining_amount: '0.15',
  average_price: '60000.4',
  cost: '6000.04',
  fee: { amount: '6.00004', currency: 'USDT' },
  fees_by_currency: [{ amount: '6.00004', currency: 'USDT' }],
  version: 3,
};

const filled: Trade = {
  ...submittedTrade,
  status: 'FILLED',
  filled_amount: '0.25',
  remaining_amount: '0',
  average_price: '60000.44',
  cost: '15000.11',
  fee: { amount: '15.00011', currency: 'USDT' },
  fees_by_currency: [{ amount: '15.00011', currency: 'USDT' }],
  version: 4,
  filled_at: SAMPLE_AT,
};

const copier: Copier = {
  id: exampleId('cpr'),
  name: 'Half size',
  strategy_id: exampleId('str'),
  exchange_account_id: exampleId('exa'),
  status: 'ACTIVE',
  sizing: { mode: 'MULTIPLIER', value: '0.5' },
  limits: { max_trade_quote: '500', max_daily_loss_quote: '100', max_signal_age_ms: 60_000 },
  quote_aliases: [['USDT', 'USDC']],
  symbol_map: {},
  overrides: { 'ETH/USDT': { limits: { max_trade_quote: '200' } } },
  on_breach: 'CLOSE_ONLY',
  below_minimum: 'SKIP',
  copy_existing: false,
  high_water_mark: '182.4',
  stats: {
    copied: 41,
    skipped: 3,
    failed: 0,
    median_latency_ms: 38,
    p99_latency_ms: 121,
    average_slippage_bps: '1.7',
    tracking_difference_bps: '-4',
    tracking: {
      fees_bps: '-1',
      slippage_bps: '-1',
      rounding_bps: '0',
      skips_bps: '-1',
      latency_bps: '-1',
    },
    open_exposure_quote: '0',
    net_pnl: '182.4',
    fees_incomplete: false,
    unrealized_pnl: '4.2',
    equity: '12500',
    roi: '0.0251',
    max_drawdown_percent: '1.75',
    sharpe: '1.4',
    sortino: '2.1',
  },
  drift: [],
  started_at: SAMPLE_AT,
  ...timestamps,
};

const deactivatedPair: TradePair = {
  id: exampleId('tpr'),
  exchange: 'paper',
  symbol: 'BTC/USDT',
  exchange_symbol: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  trading_type: 'spot',
  price_tick: '0.01',
  amount_step: '0.00001',
  min_amount: '0.00001',
  min_notional: '5',
  order_types: ['LIMIT', 'MARKET'],
  time_in_forces: ['GTC', 'IOC', 'FOK'],
  is_active: false,
  inactive_reason: 'DELISTED',
  rules_updated_at: SAMPLE_AT,
  created_at: LONG_BEFORE,
  updated_at: SAMPLE_AT,
};

const strategy: Strategy = {
  id: exampleId('str'),
  name: 'Breakouts',
  exchange_account_id: exampleId('exa'),
  visibility: 'PUBLIC',
  status: 'ACTIVE',
  copier_count: 3,
  allow_multiplier: false,
  performance: {
    since: LONG_BEFORE,
    closed_count: 12,
    win_rate: '0.58333333',
    profit_factor: '1.6',
    roi: '0.042',
    max_drawdown_percent: '2.4',
    sharpe: '1.8',
    low_sample: true,
    fees_incomplete: false,
    copier_roi: null,
    curve: [
      { at: '2026-01-12T00:00:00.000Z', index: '100' },
      { at: '2026-01-31T00:00:00.000Z', index: '104.2' },
    ],
    net_pnl: '420.5',
    unrealized_pnl: '-12.25',
    equity: '10408.25',
    sortino: '2.6',
    realized_roi: '0.0432',
    realized_max_drawdown_percent: '1.9',
    realized_sharpe: '1.9',
    realized_sortino: '2.8',
    copier_net_pnl: '96.4',
  },
  ...timestamps,
};

const decision: Decision = {
  id: exampleId('dec'),
  copier_id: exampleId('cpr'),
  strategy_id: exampleId('str'),
  signal_id: exampleId('sig'),
  sequence: 118,
  source_trade_id: exampleId('trd'),
  symbol: 'BTC/USDT',
  kind: 'OPEN',
  outcome: 'SKIPPED',
  code: 'BELOW_MINIMUM',
  inputs: { rule: 'min_notional', value: '3.2', limit: '5' },
  target_amount: '0.00005',
  sent_amount: '0',
  filled_amount: '0',
  created_at: EARLIER,
  decided_at: SAMPLE_AT,
  settled_at: SAMPLE_AT,
};

const delayedExit: Decision = {
  ...decision,
  sequence: 121,
  kind: 'CLOSE',
  outcome: 'PENDING',
  inputs: { rule: 'min_notional', value: '4.8', limit: '5', missing_amount: '0.00001' },
  target_amount: '0.00008',
  settled_at: undefined,
};

const account: ExchangeAccount = {
  id: exampleId('exa'),
  exchange_name: 'paper',
  account_name: 'main',
  trading_type: 'spot',
  is_active: true,
  inactive_reason: null,
  can_trade: true,
  can_withdraw: false,
  balance: { BTC: '0.25', USDT: '84999.88989' },
  balance_detail: {
    BTC: { total: '0.25', free: '0.2', used: '0.05' },
    USDT: { total: '84999.88989', free: '84999.88989', used: '0' },
  },
  last_sync_at: SAMPLE_AT,
  created_at: LONG_BEFORE,
  updated_at: SAMPLE_AT,
};

const funding: FundingPayment = {
  id: exampleId('fnd'),
  exchange_account_id: exampleId('exa'),
  trade_pair_id: exampleId('tpr'),
  symbol: 'BTC/USDT:USDT',
  amount: '-1.5',
  currency: 'USDT',
  paid_at: EARLIER,
  created_at: SAMPLE_AT,
};

const position: Position = {
  id: exampleId('pos'),
  exchange_account_id: exampleId('exa'),
  trade_pair_id: exampleId('tpr'),
  symbol: 'BTC/USDT:USDT',
  side: 'LONG',
  amount: '0.25',
  entry_price: '60000.44',
  mark_price: '60120.5',
  liquidation_price: '54310.2',
  leverage: '10',
  max_leverage: '125',
  margin_mode: 'CROSS',
  margin_ratio: '24.6',
  unrealized_pnl: '30.015',
  realized_pnl: '-7.5',
  funding_paid: '1.5',
  is_supported: true,
  updated_at: SAMPLE_AT,
};
const closedPosition: Position = {
  ...position,
  amount: '0',
  liquidation_price: undefined,
  margin_ratio: undefined,
  unrealized_pnl: '0',
};

const reward: Reward = {
  id: exampleId('rwd'),
  type_id: exampleId('rwt'),
  amount: '25',
  currency: 'SVC-TEST',
  status: 'CLAIMABLE',
  reason: 'The first trade of an account',
  source: { kind: 'trade', id: exampleId('trd') },
  claimable_at: SAMPLE_AT,
  ...timestamps,
};

const withdrawal: Withdrawal = {
  id: exampleId('wdr'),
  amount: '25',
  fee: '1.5',
  net_amount: '23.5',
  currency: 'SVC-TEST',
  network: 'ethereum',
  wallet_address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  status: 'PENDING',
  requested_at: EARLIER,
  ...timestamps,
};

const webhook: Webhook = {
  id: exampleId('whk'),
  url: 'https://example.com/hooks/trading',
  events: ['trade.*'],
  description: 'order desk',
  is_active: true,
  consecutive_failures: 0,
  secret_last_rotated_at: LONG_BEFORE,
  created_at: LONG_BEFORE,
  updated_at: LONG_BEFORE,
};

const apiKey: ApiKey = {
  id: exampleId('key'),
  name: 'trading bot',
  prefix: 'svc_test_',
  last_four: 'x7Qa',
  permissions: ['READ', 'TRADE'],
  ip_allowlist: ['203.0.113.7'],
  expires_at: null,
  last_used_at: null,
  created_at: SAMPLE_AT,
  revoked_at: null,
};

const publicKey: PublicKey = {
  id: exampleId('pbk'),
  user_id: exampleId('usr'),
  pubkey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  label: 'laptop',
  created_at: SAMPLE_AT,
};

type Samples = {
  readonly [Type in EventType]: z.output<(typeof EVENT_DEFINITIONS)[Type]['recordSchemas'][0]>;
};

export const EVENT_SAMPLES: Samples = {
  'trade.created': placedTrade,
  'trade.partially_filled': partlyFilled,
  'trade.filled': filled,
  'trade.cancelled': {
    ...partlyFilled,
    sub_status: undefined,
    status: 'CANCELLED',
    cancel_reason: 'USER',
    version: 5,
    cancelled_at: SAMPLE_AT,
  },
  'trade.failed': {
    ...submittedTrade,
    exchange_order_id: undefined,
    status: 'FAILED',
    failure: {
      code: 'INSUFFICIENT_BALANCE',
      message: 'The exchange has less free balance than the order needs.',
    },
    version: 2,
  },
  'trade.closed': { ...filled, realized_pnl: '312.9', version: 5, closed_at: SAMPLE_AT },
  'copier.started': copier,
  'copier.stopped': {
    ...copier,
    status: 'PAUSED',
    status_reason: 'USER',
    stopped_at: SAMPLE_AT,
    open_lots: [{ symbol: 'BTC/USDT', side: 'BUY', amount: '0.125', average_price: '60010.2' }],
  },
  'copier.trade_skipped': decision,
  'copier.exit_delayed': delayedExit,
  'exchange.synced': account,
  'exchange.sync_failed': { ...account, last_sync_at: EARLIER },
  'reward.granted': reward,
  'reward.claimed': { ...reward, status: 'CLAIMED', claimed_at: SAMPLE_AT },
  'withdrawal.created': withdrawal,
  'withdrawal.completed': {
    ...withdrawal,
    status: 'COMPLETED',
    tx_hash: '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b',
    confirmations: 12,
    processed_at: EARLIER,
    completed_at: SAMPLE_AT,
  },
  'withdrawal.cancelled': { ...withdrawal, status: 'CANCELLED', cancelled_at: SAMPLE_AT },
  'withdrawal.failed': {
    ...withdrawal,
    status: 'FAILED',
    failure: { code: 'NETWORK_REJECTED', message: 'The network rejected the transaction.' },
    processed_at: SAMPLE_AT,
  },
  'webhook.test': webhook,
  'webhook.deactivated': {
    ...webhook,
    is_active: false,
    consecutive_failures: 12,
    deactivated_at: SAMPLE_AT,
    deactivation_reason: 'consecutive_failures',
    updated_at: SAMPLE_AT,
  },
  'copier.drift': {
    ...copier,
    drift: [
      {
        symbol: 'BTC/USDT',
        source_trade_id: exampleId('trd'),
        held_amount: '0.125',
        excess_amount: '0.125',
      },
    ],
  },
  'exchange.credentials_rejected': { ...account, is_active: false, inactive_reason: 'CREDENTIALS' },
  'exchange.permissions_changed': { ...account, can_withdraw: true },
  'funding.paid': funding,
  'position.opened': { ...position, realized_pnl: '-7.50005', funding_paid: '0' },
  'position.changed': { ...position, amount: '0.1', realized_pnl: '10.3' },
  'position.closed': { ...closedPosition, realized_pnl: '312.9' },
  'position.margin_call': {
    ...position,
    mark_price: '54900',
    margin_ratio: '1.24',
    unrealized_pnl: '-1275.11',
  },
  'position.liquidated': { ...closedPosition, mark_price: '54300', realized_pnl: '-1450.2' },
  'key.created': apiKey,
  'key.revoked': { ...apiKey, created_at: LONG_BEFORE, last_used_at: EARLIER, revoked_at: SAMPLE_AT },
  'public_key.linked': publicKey,
  'strategy.multiplier_kept': strategy,
  'copier.profit_share_raised': {
    ...copier,
    profit_share: { rate: '0.1', period: 'MONTH', accepted_at: LONG_BEFORE },
    profit_share_offer: { rate: '0.2', period: 'MONTH' },
  },
  'reward.claimable': reward,
  'trade_pair.deactivated': deactivatedPair,
};
