import { formatUnits } from '../../engine/decimal.js';
import type { Report } from '../../engine/order.js';
import { isListOpen, type OrderList } from '../../engine/order-list.js';
import type { State } from '../../engine/state.js';
import { findMarket, lotsText, priceText } from '../../engine/symbols.js';
import { SELF_TRADE_PREVENTION } from '../order-params.js';

/**
 * Returns Binance's `executionReport` event for one report of an order. In this file, `at` is the time of sending in
 * Unix milliseconds.
 */
export function executionReport({ execution, order, fill, cancelId }: Report, at: number): object {
  const spec = findMarket(order.symbol);
  if (spec === undefined) throw new Error(`Market ${order.symbol} does not exist.`);
  return {
    e: 'executionReport',
    E: at,
    s: order.symbol,
    c: cancelId ?? order.clientOrderId,
    S: order.side,
    o: order.type,
    f: order.timeInForce,
    q: lotsText(spec, order.lots),
    p: priceText(spec, order.priceTicks),
    P: priceText(spec, order.stopTicks),
    F: formatUnits(0n),
    g: order.listId ?? -1,
    C: cancelId === undefined ? '' : order.clientOrderId,
    x: execution,
    X: order.status,
    r: 'NONE',
    i: order.id,
    l: lotsText(spec, fill?.lots ?? 0),
    z: lotsText(spec, order.executedLots),
    L: priceText(spec, fill?.priceTicks ?? 0),
    n: formatUnits(fill?.fee ?? 0n),
    N: fill?.feeAsset ?? null,
    T: order.updatedAt,
    t: fill?.id ?? -1,
    I: order.id,
    w: order.isWorking && (order.status === 'NEW' || order.status === 'PARTIALLY_FILLED'),
    m: fill?.isMaker ?? false,
    M: false,
    O: order.createdAt,
    Z: formatUnits(order.executedQuote),
    Y: formatUnits(fill?.quote ?? 0n),
    Q: formatUnits(order.quoteOrderQty),
    ...(order.isWorking ? { W: order.createdAt } : {}),
    ...(order.trailing === undefined ? {} : { d: order.trailing.bips, D: order.trailing.since ?? -1 }),
    V: SELF_TRADE_PREVENTION,
  };
}

/** Returns Binance's `listStatus` event with the current state of an order list. */
export function listStatus(state: State, list: OrderList, at: number): object {
  const legs = state.legsOf(list);
  const isOpen = isListOpen(legs);
  return {
    e: 'listStatus',
    E: at,
    s: list.symbol,
    g: list.id,
    c: 'OCO',
    l: isOpen ? 'EXEC_STARTED' : 'ALL_DONE',
    L: isOpen ? 'EXECUTING' : 'ALL_DONE',
    r: 'NONE',
    C: list.clientListId,
    T: at,
    O: legs.map(({ symbol, id, clientOrderId }) => ({ s: symbol, i: id, c: clientOrderId })),
  };
}

/** Returns Binance's `outboundAccountPosition` event with the current values of the changed balances. */
export function accountPosition(
  state: State,
  accountId: string,
  assets: readonly string[],
  at: number,
): object {
  return {
    e: 'outboundAccountPosition',
    E: at,
    u: at,
    B: assets.map((asset) => {
      const { free, locked } = state.ledger.balance(accountId, asset);
      return { a: asset, f: formatUnits(free), l: formatUnits(locked) };
    }),
  };
}
