import { encodeId } from '@trading-automation/contracts';
import { slippageOf, storedCopyOf } from './copies.mjs';
import { costOf, feesOf, filledAmount } from './orders.mjs';
import { heldAmount } from './rounds.mjs';
import { decimalOf, instantOf, sumOf, valueAt } from './units.mjs';

/**
 * The ids of the records that the API made, by their keys in the cast.
 *
 * @typedef {{
 *   users: ReadonlyMap<string, string>, accounts: ReadonlyMap<string, string>, pairs: ReadonlyMap<string, string>,
 *   strategies: ReadonlyMap<string, string>, copiers: ReadonlyMap<string, string>,
 * }} Ids
 *
 * @typedef {Record<string, unknown>} Row
 * @typedef {{ trades: Row[], fills: Row[], lots: Row[], lot_closures: Row[] }} TradeRows
 *
 * @typedef {{
 *   random: import('./random.mjs').Random, ids: Ids, ownerOf: (account: string) => string,
 *   decisionOf: (order: import('./orders.mjs').Order) => import('./copies.mjs').Decision | undefined,
 * }} RowContext
 */

/** The exchange numbers its orders from 1, so these numbers are never those of its own orders. */
const FIRST_ORDER_NUMBER = 7_000_000_000;
/** The decimals of a value that is divided between the closures of a lot. */
const VALUE_SCALE = 10n ** 10n;
const VALUE_DECIMALS = 18;

/** @param {ReadonlyMap<string, string>} map @param {string} key */
export function idOf(map, key) {
  const id = map.get(key);
  if (id === undefined) throw new RangeError(`${key} has no id`);
  return id;
}

/** Writes the rows of trades as the trading worker writes them. @param {RowContext} context */
export function createTradeRows(context) {
  /** @type {TradeRows} */
  const rows = { trades: [], fills: [], lots: [], lot_closures: [] };
  let number = FIRST_ORDER_NUMBER;

  return {
    rows,
    /** @param {import('./simulation.mjs').Position} position */
    addPosition(position) {
      const { round } = position;
      const lots = openLots(context, position);
      const closures = round.exits.flatMap((exit) => closeLots(context, position, lots, exit));
      const isClosed = heldAmount(round) === 0n;
      const pnl = sumOf(closures.map((closure) => closure.pnl));
      const closed = isClosed
        ? {
            closed_at: instantOf(round.exits.at(-1)?.endedAt ?? 0),
            realized_pnl: scaled(pnl),
            is_closing_told: true,
          }
        : {};
      rows.trades.push({ ...tradeRow(context, position, round.pair, round.entry, number++), ...closed });
      for (const exit of round.exits)
        rows.trades.push(tradeRow(context, position, round.pair, exit, number++));
      for (const order of [round.entry, ...round.exits])
        rows.fills.push(
          ...order.fills.map((fill, place) =>
            fillRow(context, position, round.pair, order, fill, `${number}${place}`),
          ),
        );
      rows.lots.push(...lots.map((lot) => lotRow(lot, closures)));
      rows.lot_closures.push(...closures.map(({ row }) => row));
    },
    /** @param {import('./simulation.mjs').UnfilledOrder} unfilled */
    addUnfilled(unfilled) {
      rows.trades.push(tradeRow(context, unfilled, unfilled.pair, unfilled.order, number++));
    },
  };
}

/**
 * @param {RowContext} context
 * @param {import('./simulation.mjs').Owner} owner
 * @param {import('./market.mjs').Pair} pair
 * @param {import('./orders.mjs').Order} order
 * @param {number} number
 * @returns {Row}
 */
function tradeRow(context, owner, pair, order, number) {
  const { random, ids } = context;
  const decision = context.decisionOf(order);
  const filled = filledAmount(order);
  const isAcknowledged = order.failure === undefined;
  const isBuy = order.side === 'BUY';
  const sentAt = order.at + random.between(12, 45);
  const reserved = order.price === null ? costOf(order) : valueAt(order.price, order.amount);
  return {
    id: order.id,
    user_id: idOf(ids.users, context.ownerOf(owner.account)),
    exchange_account_id: idOf(ids.accounts, owner.account),
    trade_pair_id: idOf(ids.pairs, pair.symbol),
    symbol: pair.symbol,
    trading_type: 'spot',
    ...ownerColumns(context, owner, decision),
    client_order_id: encodeId('trd', order.id),
    venue_client_order_id: `ta${random.hex(34)}`,
    exchange_order_id: isAcknowledged ? String(number) : null,
    type: order.type,
    side: order.side,
    intent: order.intent,
    is_exit: !isBuy,
    reduce_only: owner.copier !== undefined && !isBuy,
    time_in_force: order.timeInForce,
    price: order.price === null ? null : decimalOf(order.price),
    amount: decimalOf(order.amount),
    requested_amount: decimalOf(order.amount),
    filled_amount: decimalOf(filled),
    cost: decimalOf(costOf(order)),
    fees: filled === 0n ? [] : [{ amount: decimalOf(feesOf(order)), currency: 'USDT' }],
    reserved_asset: isBuy ? 'USDT' : pair.base,
    reserved_amount: decimalOf(isBuy ? reserved : order.amount),
    status: order.status,
    cancel_reason: order.cancelReason ?? null,
    failure_code: order.failure?.code ?? null,
    failure_message: order.failure?.message ?? null,
    version: 3,
    is_closing_told: false,
    look_at: instantOf(order.endedAt),
    submitted_at: instantOf(sentAt),
    acknowledged_at: isAcknowledged ? instantOf(sentAt + 20) : null,
    venue_accepted_at: isAcknowledged ? instantOf(sentAt + 8) : null,
    filled_at: order.status === 'FILLED' ? instantOf(order.endedAt) : null,
    cancelled_at: order.status === 'CANCELLED' ? instantOf(order.endedAt) : null,
    created_at: instantOf(order.at),
    updated_at: instantOf(order.endedAt),
  };
}

/**
 * @param {RowContext} context
 * @param {import('./simulation.mjs').Owner} owner
 * @param {import('./copies.mjs').Decision | undefined} decision
 * @returns {Row}
 */
function ownerColumns({ ids }, { strategy, copier }, decision) {
  if (decision === undefined || copier === undefined)
    return strategy === undefined
      ? { origin: 'API' }
      : { origin: 'STRATEGY', strategy_id: idOf(ids.strategies, strategy) };
  const { signal } = decision;
  return {
    origin: 'COPIER',
    copier_id: idOf(ids.copiers, copier),
    copied_strategy_id: idOf(ids.strategies, signal.strategy),
    source_trade_id: signal.round.entry.id,
    source_fill_id: signal.fill.id,
    copy: storedCopyOf(decision),
    copies_own_strategy: false,
  };
}

/**
 * @param {RowContext} context
 * @param {import('./simulation.mjs').Owner} owner
 * @param {import('./market.mjs').Pair} pair
 * @param {import('./orders.mjs').Order} order
 * @param {import('./orders.mjs').Fill} fill
 * @param {string} exchangeFillId
 * @returns {Row}
 */
const fillRow = ({ ids }, { account }, pair, order, fill, exchangeFillId) => ({
  id: fill.id,
  trade_id: order.id,
  exchange_account_id: idOf(ids.accounts, account),
  symbol: pair.symbol,
  exchange_fill_id: exchangeFillId,
  price: decimalOf(fill.price),
  amount: decimalOf(fill.amount),
  fee_amount: decimalOf(fill.fee),
  fee_currency: 'USDT',
  liquidity: fill.liquidity,
  executed_at: instantOf(fill.at),
  created_at: instantOf(fill.at + 5),
  updated_at: instantOf(fill.at + 5),
});

/**
 * A lot while the exits of its position are booked. Values have 18 decimals.
 *
 * @typedef {{ id: string, row: Row, opened: bigint, open: bigint, openedValue: bigint, openValue: bigint }} Lot
 *
 * @param {RowContext} context
 * @param {import('./simulation.mjs').Position} position
 * @returns {Lot[]}
 */
function openLots({ ids, ownerOf }, { account, round, strategy, copier, copied }) {
  const followed = strategy ?? copied?.signal.strategy;
  return round.entry.fills.map((fill) => {
    const value = (valueAt(fill.price, fill.amount) + fill.fee) * VALUE_SCALE;
    const row = {
      id: fill.id,
      user_id: idOf(ids.users, ownerOf(account)),
      exchange_account_id: idOf(ids.accounts, account),
      trade_pair_id: idOf(ids.pairs, round.pair.symbol),
      symbol: round.pair.symbol,
      strategy_id: followed === undefined ? null : idOf(ids.strategies, followed),
      copier_id: copier === undefined ? null : idOf(ids.copiers, copier),
      source_trade_id: copied?.signal.round.entry.id ?? null,
      trade_id: round.entry.id,
      side: 'BUY',
      opened_at: instantOf(fill.at),
    };
    return { id: fill.id, row, opened: fill.amount, open: fill.amount, openedValue: value, openValue: value };
  });
}

/**
 * Books an exit: the oldest lot first. Each closure has its share of the proceeds and of the cost.
 *
 * @param {RowContext} context
 * @param {import('./simulation.mjs').Position} position
 * @param {readonly Lot[]} lots
 * @param {import('./orders.mjs').Order} exit
 */
function closeLots({ ids }, { account, round }, lots, exit) {
  return exit.fills.flatMap((fill) => {
    const rest = { amount: fill.amount, value: (valueAt(fill.price, fill.amount) - fill.fee) * VALUE_SCALE };
    const closures = [];
    for (const lot of lots) {
      const amount = lesserOf(lot.open, rest.amount);
      if (amount === 0n) continue;
      const proceeds = amount === rest.amount ? rest.value : (rest.value * amount) / rest.amount;
      const cost = amount === lot.open ? lot.openValue : (lot.openValue * amount) / lot.open;
      rest.amount -= amount;
      rest.value -= proceeds;
      lot.open -= amount;
      lot.openValue -= cost;
      const pnl = proceeds - cost;
      const row = {
        fill_id: fill.id,
        lot_id: lot.id,
        exchange_account_id: idOf(ids.accounts, account),
        trade_pair_id: idOf(ids.pairs, round.pair.symbol),
        trade_id: exit.id,
        amount: decimalOf(amount),
        entry_value: scaled(cost),
        pnl: scaled(pnl),
        detaches: false,
        closed_at: instantOf(fill.at),
      };
      closures.push({ lot, pnl, at: fill.at, row });
    }
    return closures;
  });
}

/**
 * @param {Lot} lot
 * @param {readonly { lot: Lot, pnl: bigint, at: number }[]} closures
 * @returns {Row}
 */
function lotRow(lot, closures) {
  const own = closures.filter((closure) => closure.lot === lot);
  return {
    ...lot.row,
    opened_amount: decimalOf(lot.opened),
    open_amount: decimalOf(lot.open),
    opened_value: scaled(lot.openedValue),
    open_value: scaled(lot.openValue),
    pnl: scaled(sumOf(own.map(({ pnl }) => pnl))),
    is_detached: false,
    closed_at: lot.open === 0n ? instantOf(own.at(-1)?.at ?? 0) : null,
  };
}

/** Returns the smaller value; `Math.min` does not accept bigints. @param {bigint} a @param {bigint} b */
function lesserOf(a, b) {
  if (a < b) return a;
  return b;
}

/** @param {bigint} value */
const scaled = (value) => decimalOf(value, VALUE_DECIMALS);

/** Returns the columns of a decision that depend on its order. @param {import('./copies.mjs').Decision} decision */
export function resultColumns(decision) {
  const { order } = decision;
  if (order === null) return { sent_amount: '0', filled_amount: '0', filled_cost: '0', attempt: 0 };
  return {
    sent_amount: decimalOf(order.amount),
    filled_amount: decimalOf(filledAmount(order)),
    filled_cost: decimalOf(costOf(order)),
    slippage_bps: slippageOf(decision),
    trade_id: order.id,
    attempt: 1,
  };
}
