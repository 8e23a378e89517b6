/** Renders the records of the scripted exchange as Bybit does. */
import {
  type Account,
  type Exact,
  exact,
  type Fill,
  type Order,
  type Position,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { leverageOf, unrealizedOf } from '../../../../conformance/scripted/positions.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

export const idOf = ({ base, quote }: ScriptedMarket): string => `${base}${quote}`;
export const categoryOf = ({ kind }: ScriptedMarket): string => (kind === 'SPOT' ? 'spot' : 'linear');
export const orderIdOf = ({ number, market }: Order): string =>
  market.kind === 'SPOT'
    ? String(1_321_003_749_386_327_000n + BigInt(number))
    : `fd4300ae-7847-404e-b947-${String(number).padStart(12, '0')}`;
const fillIdOf = ({ number, order }: Fill): string =>
  order.market.kind === 'SPOT'
    ? String(2_100_000_000_000_000_000n + BigInt(number))
    : `e0cbe81d-0f18-5866-9415-${String(number).padStart(12, '0')}`;

const TIMES_IN_FORCE = { GTC: 'GTC', IOC: 'IOC', FOK: 'FOK', POST_ONLY: 'PostOnly' } as const;

function statusOf({ status, filled }: Order): string {
  switch (status) {
    case 'WAITING':
      return 'Untriggered';
    case 'OPEN':
      return filled.isZero() ? 'New' : 'PartiallyFilled';
    case 'FILLED':
      return 'Filled';
    default:
      return 'Cancelled';
  }
}

const CREATE_TYPES = {
  LIQUIDATION: 'CreateByLiq',
  ADL: 'CreateByAdl_PassThrough',
  SETTLEMENT: 'CreateBySettle',
} as const;

/** The fields that the lists and the stream of orders have in common. */
function orderFields(order: Order) {
  const { market, side, type, timeInForce, amount, filled, cost, price, stopPrice, createdAt } = order;
  const remaining = order.status === 'OPEN' || order.status === 'WAITING' ? amount.minus(filled) : exact(0);
  return {
    symbol: idOf(market),
    orderId: orderIdOf(order),
    side: side === 'BUY' ? 'Buy' : 'Sell',
    orderType: type === 'LIMIT' ? 'Limit' : 'Market',
    cancelType: order.status === 'CANCELLED' ? 'CancelByUser' : 'UNKNOWN',
    price: (price ?? exact(0)).toString(),
    qty: amount.toString(),
    orderIv: '',
    timeInForce: type === 'MARKET' ? 'IOC' : TIMES_IN_FORCE[timeInForce],
    orderStatus: statusOf(order),
    orderLinkId: order.clientOrderId,
    lastPriceOnCreated: '',
    reduceOnly: order.reduceOnly === true,
    leavesQty: remaining.toString(),
    leavesValue: remaining.times(price ?? 0).toString(),
    cumExecQty: filled.toString(),
    cumExecValue: cost.toString(),
    avgPrice: filled.isZero() ? '0' : cost.div(filled).toDecimalPlaces(8).toString(),
    blockTradeId: '',
    positionIdx: 0,
    cumExecFee: '0',
    createdTime: String(createdAt),
    updatedTime: String(order.updatedAt),
    rejectReason:
      timeInForce === 'POST_ONLY' && order.status === 'EXPIRED'
        ? 'EC_PostOnlyWillTakeLiquidity'
        : 'EC_NoError',
    stopOrderType: stopPrice === undefined ? '' : 'Stop',
    tpslMode: '',
    triggerPrice: stopPrice?.toString() ?? '',
    takeProfit: '',
    stopLoss: '',
    tpTriggerBy: '',
    slTriggerBy: '',
    tpLimitPrice: '',
    slLimitPrice: '',
    triggerDirection: stopPrice === undefined ? 0 : side === 'BUY' ? 1 : 2,
    triggerBy: '',
    closeOnTrigger: false,
    placeType: '',
    smpType: 'None',
    smpGroup: 0,
    smpOrderId: '',
    ...(order.cause === undefined ? {} : { createType: CREATE_TYPES[order.cause] }),
  };
}

export const listedOrder = (order: Order) => ({ ...orderFields(order), isLeverage: '' });
export const streamedOrder = (order: Order) => ({
  ...orderFields(order),
  category: categoryOf(order.market),
  feeCurrency: '',
});

const EXEC_TYPES = { LIQUIDATION: 'BustTrade', ADL: 'AdlTrade', SETTLEMENT: 'Settle' } as const;

function fillFields(fill: Fill) {
  const { order, price, amount, fee, isMaker } = fill;
  return {
    symbol: idOf(order.market),
    orderType: order.type === 'LIMIT' ? 'Limit' : 'Market',
    underlyingPrice: '',
    orderLinkId: order.clientOrderId,
    side: order.side === 'BUY' ? 'Buy' : 'Sell',
    indexPrice: '',
    orderId: orderIdOf(order),
    stopOrderType: 'UNKNOWN',
    leavesQty: order.amount.minus(order.filled).toString(),
    execTime: String(fill.at),
    isMaker,
    execFee: fee.amount.toString(),
    feeRate: isMaker ? order.market.makerFee : order.market.takerFee,
    execId: fillIdOf(fill),
    tradeIv: '',
    blockTradeId: '',
    markPrice: price.toString(),
    execPrice: price.toString(),
    markIv: '',
    orderQty: order.amount.toString(),
    orderPrice: (order.price ?? exact(0)).toString(),
    execValue: price.times(amount).toString(),
    execType: order.cause === undefined ? 'Trade' : EXEC_TYPES[order.cause],
    execQty: amount.toString(),
    closedSize: '',
    seq: fill.number,
  };
}

export const listedFill = (fill: Fill) => ({
  ...fillFields(fill),
  feeCurrency: fill.order.market.kind === 'SPOT' ? fill.fee.currency : '',
});
export const streamedFill = (fill: Fill) => ({
  ...fillFields(fill),
  category: categoryOf(fill.order.market),
  isLeverage: '0',
  // The stream of spot names the currency; that of contracts omits the field.
  ...(fill.order.market.kind === 'SPOT' ? { feeCurrency: fill.fee.currency } : {}),
});

/** The fields that the list and the stream of positions have in common. */
function positionFields(exchange: ScriptedExchange, account: Account, position: Position) {
  const { market, size } = position;
  const mark = exchange.markPriceOf(market);
  const { leverage } = leverageOf(account, market);
  const notional = size.abs().times(mark);
  return {
    positionIdx: account.isHedged ? (size.isNegative() ? 2 : 1) : 0,
    riskId: 1,
    riskLimitValue: '2000000',
    symbol: idOf(market),
    side: size.isZero() ? '' : size.isNegative() ? 'Sell' : 'Buy',
    size: size.abs().toString(),
    positionValue: notional.toString(),
    // A unified account has its margin mode in its settings alone: https://bybit-exchange.github.io/docs/v5/position
    tradeMode: 0,
    positionStatus: 'Normal',
    autoAddMargin: 0,
    adlRankIndicator: 0,
    leverage: leverage.toString(),
    positionBalance: '0',
    markPrice: mark.toString(),
    liqPrice: '',
    bustPrice: '',
    positionMM: notional.times(market.maintenanceRate).toString(),
    positionIM: notional.div(leverage).toDecimalPlaces(8).toString(),
    tpslMode: 'Full',
    takeProfit: '0',
    stopLoss: '0',
    trailingStop: '0',
    unrealisedPnl: unrealizedOf(position, mark).toString(),
    curRealisedPnl: '0',
    cumRealisedPnl: '0',
    seq: position.updatedAt,
    isReduceOnly: false,
    leverageSysUpdatedTime: '',
    sessionAvgPrice: '',
    createdTime: String(position.openedAt),
    updatedTime: String(position.updatedAt),
  };
}

const entryOf = ({ entryPrice }: Position) => entryPrice.toDecimalPlaces(8).toString();

export const listedPosition = (exchange: ScriptedExchange, account: Account, position: Position) => ({
  ...positionFields(exchange, account, position),
  avgPrice: entryOf(position),
  mmrSysUpdateTime: '',
});
export const streamedPosition = (exchange: ScriptedExchange, account: Account, position: Position) => ({
  ...positionFields(exchange, account, position),
  entryPrice: entryOf(position),
  category: 'linear',
  mmrSysUpdatedTime: '',
});

/** The unified account: one wallet for each coin, and its margin in USD. */
export function walletView(exchange: ScriptedExchange, account: Account) {
  const margin = exchange.marginOf(account, 'USDT');
  const text = (value: Exact) => value.toString();
  return {
    totalEquity: text(margin.equity),
    accountIMRate: '0',
    totalMarginBalance: text(margin.equity),
    totalInitialMargin: text(margin.positionMargin.plus(margin.orderMargin).toDecimalPlaces(8)),
    accountType: 'UNIFIED',
    totalAvailableBalance: text(margin.available.toDecimalPlaces(8)),
    accountMMRate: '0',
    totalPerpUPL: text(margin.unrealized),
    totalWalletBalance: text(margin.wallet),
    accountLTV: '0',
    totalMaintenanceMargin: text(margin.maintenance),
    coin: [...account.wallets].map(([coin, { free, locked, borrowed, interest }]) => ({
      availableToBorrow: '3',
      bonus: '0',
      accruedInterest: text(interest),
      availableToWithdraw: text(free),
      totalOrderIM: text(coin === 'USDT' ? margin.orderMargin.toDecimalPlaces(8) : exact(0)),
      equity: text(free.plus(locked).minus(borrowed)),
      totalPositionMM: '0',
      usdValue: '0',
      spotHedgingQty: '0',
      unrealisedPnl: '0',
      collateralSwitch: true,
      borrowAmount: text(borrowed),
      totalPositionIM: text(coin === 'USDT' ? margin.positionMargin.toDecimalPlaces(8) : exact(0)),
      walletBalance: text(free.plus(locked)),
      cumRealisedPnl: '0',
      locked: text(locked),
      marginCollateral: true,
      coin,
    })),
  };
}
