import { formatUnits } from '../../../engine/decimal.js';
import {
  type ContractSpec,
  contractOf,
  markText,
  SETTLEMENT_ASSET,
} from '../../../engine/futures/contracts.js';
import type { AccountEvent, FuturesEvent, PositionSnapshot } from '../../../engine/futures/futures-events.js';
import {
  type AlgoOrder,
  type FuturesReport,
  isOpenOrder,
  openLotsOf,
} from '../../../engine/futures/futures-order.js';
import type { FuturesState } from '../../../engine/futures/futures-state.js';
import { quoteUnits } from '../../../engine/symbols.js';
import { SELF_TRADE_PREVENTION } from '../../order-params.js';
import { positionSideOf } from '../futures-account-views.js';
import { POSITION_SIDE } from '../futures-order-views.js';
import { averageText, lotsText, priceText, usdtText } from '../futures-text.js';

/** Returns an event in the venue's format. `at` is the time of sending in Unix milliseconds. */
export function futuresUserEvent(state: FuturesState, event: FuturesEvent, at: number): object {
  switch (event.kind) {
    case 'order':
      return orderEvent(event.report, at);
    case 'algo':
      return algoEvent(state, event.order, at);
    case 'account':
      return accountEvent(event, at);
    case 'leverage':
      return { e: 'ACCOUNT_CONFIG_UPDATE', E: at, T: at, ac: { s: event.symbol, l: event.leverage } };
    case 'margin-call':
      return {
        e: 'MARGIN_CALL',
        E: at,
        cw: usdtText(event.cross),
        p: event.positions.map((position) => marginCallRow(position, event.isHedged)),
      };
  }
}

function orderEvent({ execution, order, fill }: FuturesReport, at: number): object {
  const spec = contractOf(order.symbol);
  const type = order.forced === 'LIQUIDATION' ? 'LIQUIDATION' : order.type;
  const open = isOpenOrder(order) ? quoteUnits(spec, order.priceTicks, openLotsOf(order)) : 0n;
  return {
    e: 'ORDER_TRADE_UPDATE',
    E: at,
    T: order.updatedAt,
    o: {
      s: order.symbol,
      c: order.clientOrderId,
      S: order.side,
      o: type,
      f: order.timeInForce,
      q: lotsText(spec, order.lots),
      p: priceText(spec, order.priceTicks),
      ap: averageText(spec, order.executedQuote, order.executedLots),
      sp: priceText(spec, 0),
      x: execution,
      X: order.status,
      i: order.id,
      l: lotsText(spec, fill?.lots ?? 0),
      z: lotsText(spec, order.executedLots),
      L: priceText(spec, fill?.priceTicks ?? 0),
      N: spec.quote,
      n: usdtText(fill?.fee ?? 0n),
      T: order.updatedAt,
      t: fill?.id ?? 0,
      b: usdtText(order.side === 'BUY' ? open : 0n),
      a: usdtText(order.side === 'SELL' ? open : 0n),
      m: fill?.isMaker ?? false,
      R: order.isReduceOnly,
      wt: 'CONTRACT_PRICE',
      ot: type,
      ps: POSITION_SIDE,
      cp: order.isClosePosition,
      rp: usdtText(fill?.realized ?? 0n),
      pP: false,
      si: 0,
      ss: 0,
      V: SELF_TRADE_PREVENTION,
      pm: 'NONE',
      gtd: 0,
    },
  };
}

function algoEvent(state: FuturesState, algo: AlgoOrder, at: number): object {
  const spec = contractOf(algo.symbol);
  const placed = algo.orderId === undefined ? undefined : state.order(algo.orderId);
  return {
    e: 'ALGO_UPDATE',
    E: at,
    T: algo.updatedAt,
    o: {
      caid: algo.clientAlgoId,
      aid: algo.id,
      at: 'CONDITIONAL',
      o: algo.type,
      s: algo.symbol,
      S: algo.side,
      ps: POSITION_SIDE,
      f: algo.timeInForce,
      q: lotsText(spec, algo.lots),
      X: algo.status,
      ai: placed === undefined ? '' : String(placed.id),
      ap: averageText(spec, placed?.executedQuote ?? 0n, placed?.executedLots ?? 0),
      aq: lotsText(spec, placed?.executedLots ?? 0),
      act: placed?.type ?? '0',
      tp: priceText(spec, algo.trailing === undefined ? algo.triggerTicks : 0),
      p: priceText(spec, algo.priceTicks),
      V: SELF_TRADE_PREVENTION,
      wt: algo.workingType,
      pm: 'NONE',
      cp: algo.isClosePosition,
      pP: false,
      R: algo.isReduceOnly,
      tt: algo.triggeredAt,
      gtd: 0,
      ...trailingFields(spec, algo),
      ...(algo.failure === undefined ? {} : { rm: algo.failure }),
    },
  };
}

function trailingFields(spec: ContractSpec, { trailing, triggerTicks }: AlgoOrder): object {
  if (trailing === undefined) return {};
  return { AP: priceText(spec, triggerTicks), cr: formatUnits(BigInt(trailing.bips), 2) };
}

function accountEvent(event: AccountEvent, at: number): object {
  return {
    e: 'ACCOUNT_UPDATE',
    E: at,
    T: at,
    a: {
      m: event.reason,
      B: [
        {
          a: SETTLEMENT_ASSET,
          wb: usdtText(event.wallet),
          cw: usdtText(event.cross),
          bc: usdtText(event.change),
        },
      ],
      P: event.positions.map((position) => positionRow(position, event.isHedged)),
    },
  };
}

function positionRow(position: PositionSnapshot, isHedged: boolean): object {
  const spec = contractOf(position.symbol);
  const { lots, cost, expenses, isIsolated } = position;
  return {
    s: position.symbol,
    pa: lotsText(spec, lots),
    ep: averageText(spec, cost, lots, 8),
    bep: averageText(spec, cost + expenses, lots, 8),
    cr: usdtText(position.realized),
    up: usdtText(position.unrealized),
    mt: isIsolated ? 'isolated' : 'cross',
    iw: usdtText(position.isolated),
    ps: positionSideOf({ isHedged }, lots),
    ma: spec.quote,
  };
}

function marginCallRow(position: PositionSnapshot, isHedged: boolean): object {
  const spec = contractOf(position.symbol);
  return {
    s: position.symbol,
    ps: positionSideOf({ isHedged }, position.lots),
    pa: lotsText(spec, position.lots),
    mt: position.isIsolated ? 'ISOLATED' : 'CROSSED',
    iw: usdtText(position.isolated),
    mp: markText(spec, position.mark),
    up: usdtText(position.unrealized),
    mm: usdtText(position.maintenance),
  };
}
