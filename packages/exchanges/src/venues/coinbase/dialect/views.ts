/** Renders the records of the scripted exchange as Coinbase does. */
import {
  type Account,
  type Exact,
  exact,
  type Fill,
  type Order,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

export const productIdOf = ({ base, quote }: ScriptedMarket): string => `${base}-${quote}`;
const uuid = (prefix: string, number: number): string =>
  `${prefix}-1111-4222-8333-${String(number).padStart(12, '0')}`;
export const orderIdOf = ({ number }: Order): string => uuid('a1b2c3d4', number);
export const portfolioOf = ({ number }: Account): string => uuid('b87a2d3f', number);
const iso = (ms: number): string => new Date(ms).toISOString();
const text = (value: Exact): string => value.toString();

export function productView(exchange: ScriptedExchange, market: ScriptedMarket) {
  const { lastPrice, trades } = exchange.bookOf(market);
  const sum = (values: readonly Exact[]) => text(values.reduce((total, each) => total.plus(each), exact(0)));
  const id = productIdOf(market);
  return {
    product_id: id,
    price: lastPrice?.toString() ?? '',
    price_percentage_change_24h: '0',
    volume_24h: sum(trades.map(({ amount }) => amount)),
    volume_percentage_change_24h: '0',
    base_increment: market.step,
    quote_increment: market.tick,
    quote_min_size: market.minNotional,
    quote_max_size: '150000000',
    base_min_size: market.minAmount,
    base_max_size: market.maxAmount,
    base_name: market.base,
    quote_name: market.quote,
    watched: false,
    is_disabled: false,
    new: false,
    status: 'online',
    cancel_only: false,
    limit_only: false,
    post_only: false,
    trading_disabled: false,
    auction_mode: false,
    product_type: 'SPOT',
    quote_currency_id: market.quote,
    base_currency_id: market.base,
    fcm_trading_session_details: null,
    mid_market_price: '',
    alias: '',
    alias_to: [],
    base_display_symbol: market.base,
    quote_display_symbol: market.quote,
    view_only: false,
    price_increment: market.tick,
    display_name: id,
    product_venue: 'CBE',
    approximate_quote_24h_volume: sum(trades.map(({ amount, price }) => amount.times(price))),
  };
}

/** The member of the configuration that names the type and the time in force of an order. */
export function configurationOf({ type, timeInForce, amount, price }: Order): object {
  const base_size = text(amount);
  if (type === 'MARKET' || price === undefined) return { market_market_ioc: { base_size } };
  const terms = { base_size, limit_price: text(price) };
  if (timeInForce === 'IOC') return { sor_limit_ioc: terms };
  if (timeInForce === 'FOK') return { limit_limit_fok: terms };
  return { limit_limit_gtc: { ...terms, post_only: timeInForce === 'POST_ONLY' } };
}

const STATUSES = {
  WAITING: 'OPEN',
  OPEN: 'OPEN',
  FILLED: 'FILLED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'CANCELLED',
} as const;
const TIMES_IN_FORCE = {
  GTC: 'GOOD_UNTIL_CANCELLED',
  POST_ONLY: 'GOOD_UNTIL_CANCELLED',
  IOC: 'IMMEDIATE_OR_CANCEL',
  FOK: 'FILL_OR_KILL',
} as const;

const averageOf = ({ cost, filled }: Order): string =>
  filled.isZero() ? '0' : text(cost.div(filled).toDecimalPlaces(8));

export function orderView(exchange: ScriptedExchange, order: Order) {
  const fills = exchange.fills.filter((fill) => fill.order === order);
  const fees = fills.reduce((sum, { fee }) => sum.plus(fee.amount), exact(0));
  return {
    order_id: orderIdOf(order),
    product_id: productIdOf(order.market),
    user_id: uuid('22222222', order.account.number),
    order_configuration: configurationOf(order),
    side: order.side,
    client_order_id: order.clientOrderId,
    status: STATUSES[order.status],
    time_in_force: TIMES_IN_FORCE[order.timeInForce],
    created_time: iso(order.createdAt),
    completion_percentage: text(order.filled.div(order.amount).times(100).toDecimalPlaces(2)),
    filled_size: text(order.filled),
    average_filled_price: averageOf(order),
    number_of_fills: String(fills.length),
    filled_value: text(order.cost),
    pending_cancel: false,
    size_in_quote: false,
    total_fees: text(fees),
    size_inclusive_of_fees: false,
    total_value_after_fees: text(order.cost.plus(fees)),
    trigger_status: 'INVALID_ORDER_TYPE',
    order_type: order.type,
    reject_reason: 'REJECT_REASON_UNSPECIFIED',
    settled: order.status === 'FILLED',
    product_type: 'SPOT',
    reject_message: '',
    cancel_message: '',
    order_placement_source: 'RETAIL_ADVANCED',
    outstanding_hold_amount: text(order.locked),
    is_liquidation: false,
    last_fill_time: fills.length === 0 ? null : iso(fills.at(-1)!.at),
    edit_history: [],
    leverage: '',
    margin_type: '',
    retail_portfolio_id: portfolioOf(order.account),
  };
}

export const streamedOrderView = (order: Order) => ({
  avg_price: averageOf(order),
  cancel_reason: '',
  client_order_id: order.clientOrderId,
  completion_percentage: text(order.filled.div(order.amount).times(100).toDecimalPlaces(2)),
  contract_expiry_type: 'UNKNOWN_CONTRACT_EXPIRY_TYPE',
  cumulative_quantity: text(order.filled),
  filled_value: text(order.cost),
  leaves_quantity: text(order.amount.minus(order.filled)),
  limit_price: order.price?.toString() ?? '',
  number_of_fills: '0',
  order_id: orderIdOf(order),
  order_side: order.side,
  order_type: order.type === 'LIMIT' ? 'Limit' : 'Market',
  outstanding_hold_amount: text(order.locked),
  post_only: String(order.timeInForce === 'POST_ONLY'),
  product_id: productIdOf(order.market),
  product_type: 'SPOT',
  reject_reason: '',
  retail_portfolio_id: portfolioOf(order.account),
  risk_managed_by: 'UNKNOWN_RISK_MANAGEMENT_TYPE',
  status: STATUSES[order.status],
  stop_price: '',
  time_in_force: TIMES_IN_FORCE[order.timeInForce],
  total_fees: '0',
  total_value_after_fees: '0',
  trigger_status: 'INVALID_ORDER_TYPE',
  creation_time: iso(order.createdAt),
  end_time: '0001-01-01T00:00:00Z',
  start_time: '0001-01-01T00:00:00Z',
});

export const fillView = (fill: Fill) => ({
  entry_id: uuid('22222222', fill.number),
  trade_id: uuid('11111111', fill.number),
  order_id: orderIdOf(fill.order),
  trade_time: iso(fill.at),
  trade_type: 'FILL',
  price: text(fill.price),
  size: text(fill.amount),
  commission: text(fill.fee.amount),
  product_id: productIdOf(fill.order.market),
  sequence_timestamp: iso(fill.at),
  liquidity_indicator: fill.isMaker ? 'MAKER' : 'TAKER',
  size_in_quote: false,
  user_id: uuid('22222222', fill.order.account.number),
  side: fill.order.side,
  retail_portfolio_id: portfolioOf(fill.order.account),
});

export const accountViews = (account: Account) =>
  [...account.wallets].map(([currency, { free, locked }], i) => ({
    uuid: uuid('8bfc20d7', account.number * 100 + i),
    name: `${currency} Wallet`,
    currency,
    available_balance: { value: text(free), currency },
    default: false,
    active: true,
    created_at: '2021-05-31T09:59:59Z',
    updated_at: '2021-05-31T09:59:59Z',
    deleted_at: null,
    type: 'ACCOUNT_TYPE_CRYPTO',
    ready: true,
    hold: { value: text(locked), currency },
    retail_portfolio_id: portfolioOf(account),
  }));
