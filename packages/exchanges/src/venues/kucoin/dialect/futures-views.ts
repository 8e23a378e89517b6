/** Renders the records of the scripted exchange as KuCoin's futures API does. */
import {
  type Account,
  type Cause,
  type Exact,
  exact,
  type Fill,
  type Funding,
  type Order,
  type Position,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { leverageOf, unrealizedOf } from '../../../../conformance/scripted/positions.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { walletOf } from '../../../../conformance/scripted/wallets.js';
import { isOpenOrder, orderIdOf, tradeNumberOf, userIdOf } from './spot-views.js';

/** The exchange calls Bitcoin XBT in futures. */
export const currencyOf = ({ base }: ScriptedMarket): string => (base === 'BTC' ? 'XBT' : base);
export const idOf = (market: ScriptedMarket): string => `${currencyOf(market)}${market.quote}M`;
/** Returns the number of contracts. */
export const contractsOf = (amount: Exact, { contractSize }: ScriptedMarket): number =>
  amount.div(contractSize).toNumber();

export function orderView(order: Order) {
  const { market, side, type, timeInForce, amount, filled, cost, price, createdAt, updatedAt } = order;
  return {
    id: orderIdOf(order),
    symbol: idOf(market),
    type: type === 'LIMIT' ? 'limit' : 'market',
    side: side === 'BUY' ? 'buy' : 'sell',
    price: price?.toString() ?? '',
    size: contractsOf(amount, market),
    value: '0',
    dealValue: cost.toString(),
    dealSize: contractsOf(filled, market),
    stp: '',
    stop: '',
    stopPriceType: '',
    stopTriggered: false,
    stopPrice: null,
    timeInForce: timeInForce === 'POST_ONLY' ? 'GTC' : timeInForce,
    postOnly: timeInForce === 'POST_ONLY',
    hidden: false,
    iceberg: false,
    leverage: leverageOf(order.account, market).leverage.toString(),
    forceHold: false,
    closeOrder: false,
    visibleSize: null,
    clientOid: order.clientOrderId,
    remark: null,
    tags: null,
    isActive: isOpenOrder(order),
    cancelExist: !isOpenOrder(order) && order.status !== 'FILLED',
    createdAt,
    updatedAt,
    endAt: isOpenOrder(order) ? null : updatedAt,
    orderTime: createdAt * 1_000_000,
    settleCurrency: market.quote,
    status: isOpenOrder(order) ? 'open' : 'done',
    filledValue: cost.toString(),
    filledSize: contractsOf(filled, market),
    reduceOnly: order.reduceOnly === true,
  };
}

const TRADE_TYPES: Readonly<Record<Cause, string>> = {
  LIQUIDATION: 'liquid',
  ADL: 'adl',
  SETTLEMENT: 'settlement',
};

export function fillView(fill: Fill) {
  const { order, price, amount, fee, isMaker, at } = fill;
  const { market } = order;
  return {
    symbol: idOf(market),
    tradeId: String(tradeNumberOf(fill)),
    orderId: orderIdOf(order),
    side: order.side === 'BUY' ? 'buy' : 'sell',
    liquidity: isMaker ? 'maker' : 'taker',
    forceTaker: !isMaker,
    price: price.toString(),
    size: contractsOf(amount, market),
    value: price.times(amount).toString(),
    feeRate: isMaker ? market.makerFee : market.takerFee,
    fixFee: '0',
    feeCurrency: market.quote,
    stop: '',
    fee: fee.amount.toString(),
    orderType: order.type === 'LIMIT' ? 'limit' : 'market',
    tradeType: order.cause === undefined ? 'trade' : TRADE_TYPES[order.cause],
    createdAt: at,
    settleCurrency: market.quote,
    openFeePay: '0',
    closeFeePay: '0',
    tradeTime: at * 1_000_000,
  };
}

export function orderMessage(order: Order, fill: Fill | undefined) {
  const isOpen = isOpenOrder(order);
  const ended = order.status === 'FILLED' ? 'filled' : 'canceled';
  const contracts = (amount: Exact) => String(contractsOf(amount, order.market));
  const missing = order.amount.minus(order.filled);
  return {
    orderId: orderIdOf(order),
    symbol: idOf(order.market),
    type: fill === undefined ? (isOpen ? 'open' : ended) : 'match',
    feeType: fill?.isMaker === true ? 'makerFee' : 'takerFee',
    status: isOpen ? 'open' : 'done',
    matchSize: fill === undefined ? '' : contracts(fill.amount),
    matchPrice: fill?.price.toString() ?? '',
    orderType: order.type === 'LIMIT' ? 'limit' : 'market',
    side: order.side === 'BUY' ? 'buy' : 'sell',
    price: order.price?.toString() ?? '',
    size: contracts(order.amount),
    remainSize: contracts(isOpen ? missing : exact(0)),
    filledSize: contracts(order.filled),
    canceledSize: contracts(isOpen ? exact(0) : missing),
    tradeId: fill === undefined ? '' : String(tradeNumberOf(fill)),
    clientOid: order.clientOrderId,
    orderTime: order.createdAt * 1_000_000,
    oldSize: '',
    liquidity: fill?.isMaker === true ? 'maker' : 'taker',
    ts: Date.now() * 1_000_000,
  };
}

/** The fields that the list and the stream of positions have in common. */
function positionFields(exchange: ScriptedExchange, account: Account, position: Position) {
  const { market, size } = position;
  const mark = exchange.markPriceOf(market);
  const { leverage, marginMode } = leverageOf(account, market);
  const notional = size.abs().times(mark);
  const number = (value: Exact) => value.toDecimalPlaces(10).toNumber();
  return {
    symbol: idOf(market),
    autoDeposit: false,
    maintMarginReq: Number(market.maintenanceRate),
    riskLimit: 2_000_000,
    realLeverage: number(leverage),
    leverage: number(leverage),
    marginMode,
    positionSide: account.isHedged ? (size.isNegative() ? 'SHORT' : 'LONG') : 'BOTH',
    crossMode: marginMode === 'CROSS',
    delevPercentage: 0.35,
    openingTimestamp: position.openedAt,
    currentTimestamp: exchange.now(),
    currentQty: contractsOf(size, market),
    currentCost: number(notional),
    currentComm: 0,
    unrealisedCost: number(notional),
    realisedGrossCost: 0,
    realisedCost: 0,
    isOpen: !size.isZero(),
    markPrice: number(mark),
    markValue: number(notional),
    posCost: number(notional),
    posCross: 0,
    posInit: number(notional.div(leverage)),
    posComm: 0,
    posLoss: 0,
    posMargin: number(notional.div(leverage)),
    posMaint: number(notional.times(market.maintenanceRate)),
    maintMargin: number(notional.div(leverage)),
    realisedGrossPnl: 0,
    realisedPnl: 0,
    unrealisedPnl: number(unrealizedOf(position, mark)),
    unrealisedPnlPcnt: 0,
    unrealisedRoePcnt: 0,
    avgEntryPrice: number(position.entryPrice),
    liquidationPrice: 0,
    bankruptPrice: 0,
    settleCurrency: market.quote,
  };
}

export const listedPosition = (exchange: ScriptedExchange, account: Account, position: Position) => ({
  ...positionFields(exchange, account, position),
  id: '5e81a7827911f40008e80715',
  isInverse: false,
  userId: userIdOf(account),
  maintainMargin: Number(position.market.maintenanceRate),
});

export const positionMessage = (exchange: ScriptedExchange, account: Account, position: Position) => ({
  ...positionFields(exchange, account, position),
  changeReason: 'positionChange',
});

/** The exchange reports a new mark price without the symbol and the size of the position. */
export function markPriceMessage(exchange: ScriptedExchange, account: Account, position: Position) {
  const fields = positionFields(exchange, account, position);
  return {
    markPrice: fields.markPrice,
    markValue: fields.markValue,
    maintMargin: fields.maintMargin,
    realLeverage: fields.realLeverage,
    unrealisedPnl: fields.unrealisedPnl,
    unrealisedRoePcnt: fields.unrealisedRoePcnt,
    unrealisedPnlPcnt: fields.unrealisedPnlPcnt,
    delevPercentage: fields.delevPercentage,
    currentTimestamp: fields.currentTimestamp,
    settleCurrency: fields.settleCurrency,
    changeReason: 'markPriceChange',
  };
}

export function overview(exchange: ScriptedExchange, account: Account) {
  const margin = exchange.marginOf(account, 'USDT');
  const number = (value: Exact) => value.toDecimalPlaces(10).toNumber();
  return {
    accountEquity: number(margin.equity),
    unrealisedPNL: number(margin.unrealized),
    marginBalance: number(margin.wallet),
    positionMargin: number(margin.positionMargin),
    orderMargin: number(margin.orderMargin),
    frozenFunds: 0,
    availableBalance: number(margin.available),
    currency: 'USDT',
  };
}

export function walletMessage(account: Account) {
  const { free, locked } = walletOf(account, 'USDT');
  const balance = free.plus(locked).toString();
  return {
    currency: 'USDT',
    walletBalance: balance,
    availableBalance: balance,
    holdBalance: '0',
    isolatedOrderMargin: '0',
    isolatedPosMargin: '0',
    isolatedUnPnl: '0',
    isolatedFundingFeeMargin: '0',
    crossOrderMargin: '0',
    crossPosMargin: '0',
    crossUnPnl: '0',
    equity: balance,
    totalCrossMargin: balance,
    version: '9',
    timestamp: String(Date.now()),
  };
}

export const fundingView = ({ number, market, amount, rate, markPrice, size, at }: Funding) => ({
  id: 36_275_152_660_000 + number,
  symbol: idOf(market),
  timePoint: at,
  fundingRate: rate.toNumber(),
  markPrice: markPrice.toNumber(),
  positionQty: contractsOf(size, market),
  positionCost: size.times(markPrice).toNumber(),
  funding: amount.toNumber(),
  settleCurrency: market.quote,
});
