/** Renders the records of the scripted exchange as OKX does. */
import {
  type Account,
  type Exact,
  exact,
  type Fill,
  type Order,
  type Position,
  Refusal,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { leverageOf, unrealizedOf } from '../../../../conformance/scripted/positions.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

export const idOf = ({ base, quote, kind }: ScriptedMarket): string =>
  kind === 'SPOT' ? `${base}-${quote}` : `${base}-${quote}-SWAP`;
export const productOf = ({ kind }: ScriptedMarket): string => (kind === 'SPOT' ? 'SPOT' : 'SWAP');
export const orderIdOf = ({ number }: Order): string => String(680_800_019_749_904_384n + BigInt(number));
export const billIdOf = (number: number): string => String(623_950_854_533_513_219n + BigInt(number));
const text = (value: Exact): string => value.toString();

/** The exchange counts perpetuals in contracts. */
export const sizeOf = ({ contractSize }: ScriptedMarket, amount: Exact): string =>
  amount.div(contractSize).toString();
export const amountOf = ({ contractSize }: ScriptedMarket, size: string): Exact =>
  exact(size).times(contractSize);

export function marketOf(exchange: ScriptedExchange, instId: string | undefined): ScriptedMarket {
  const market = exchange.markets.find((each) => idOf(each) === instId);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

/** The mode of an account: 1 spot, 2 futures, 3 multi-currency margin, 4 portfolio margin. */
export function modeOf({ kind, apiKey, number }: Account): '1' | '2' | '3' | '4' {
  if (kind === 'PORTFOLIO_MARGIN') return '4';
  const [, type] = apiKey.split('-');
  if (type === 'margin') return kind === 'UNKNOWN' ? '2' : '3';
  if (type === 'spot') return kind === 'UNKNOWN' ? '3' : number % 2 === 0 ? '2' : '1';
  return kind === 'UNKNOWN' ? '1' : number % 2 === 0 ? '2' : '3';
}

const STATES = { WAITING: 'live', FILLED: 'filled', CANCELLED: 'canceled', EXPIRED: 'canceled' } as const;
const stateOf = ({ status, filled }: Order): string =>
  status === 'OPEN' ? (filled.isZero() ? 'live' : 'partially_filled') : STATES[status];

const ORDER_TYPES = { GTC: 'limit', IOC: 'ioc', FOK: 'fok', POST_ONLY: 'post_only' } as const;
const CATEGORIES = { LIQUIDATION: 'partial_liquidation', ADL: 'adl', SETTLEMENT: 'delivery' } as const;

/** Why the exchange cancelled an order: `1` by the user, `31` because a post-only order would have taken liquidity. */
function cancelSourceOf({ status, timeInForce }: Order): string {
  if (status === 'CANCELLED') return '1';
  if (status !== 'EXPIRED') return '';
  return { GTC: '0', IOC: '14', FOK: '15', POST_ONLY: '31' }[timeInForce];
}

/** Fees that the account paid are negative. */
const feesOf = (fills: readonly Fill[]): string =>
  text(fills.reduce((sum, { fee }) => sum.minus(fee.amount), exact(0)));

/** The fields that the lists and the stream of orders have in common. */
function orderFields(order: Order, fills: readonly Fill[]) {
  const { market, side, type, timeInForce, amount, filled, cost, price } = order;
  const last = fills.at(-1);
  const isSpotMarket = market.kind === 'SPOT' && type === 'MARKET';
  const { margin } = order;
  return {
    accFillSz: sizeOf(market, filled),
    algoClOrdId: '',
    algoId: '',
    attachAlgoClOrdId: '',
    attachAlgoOrds: [],
    avgPx: filled.isZero() ? '' : text(cost.div(filled).toDecimalPlaces(8)),
    cTime: String(order.createdAt),
    category: order.cause === undefined ? 'normal' : CATEGORIES[order.cause],
    ccy: '',
    clOrdId: order.clientOrderId,
    fee: feesOf(fills),
    feeCcy: last?.fee.currency ?? '',
    fillPx: last === undefined ? '' : text(last.price),
    fillSz: last === undefined ? '0' : sizeOf(market, last.amount),
    fillTime: last === undefined ? '' : String(last.at),
    instId: idOf(market),
    instType: productOf(market),
    isTpLimit: 'false',
    lever: '',
    ordId: orderIdOf(order),
    ordType: type === 'MARKET' ? 'market' : ORDER_TYPES[timeInForce],
    pnl: '0',
    posSide: market.kind === 'SPOT' ? '' : 'net',
    px: price === undefined ? '' : text(price),
    pxType: '',
    pxUsd: '',
    pxVol: '',
    quickMgnType: '',
    rebate: '0',
    rebateCcy: market.quote,
    reduceOnly: String(order.reduceOnly === true),
    side: side === 'BUY' ? 'buy' : 'sell',
    slOrdPx: '',
    slTriggerPx: '',
    slTriggerPxType: '',
    source: '',
    state: stateOf(order),
    stpId: '',
    stpMode: '',
    sz: sizeOf(market, amount),
    tag: '',
    tdMode: market.kind === 'SPOT' && margin?.borrows !== true ? 'cash' : 'cross',
    tgtCcy: isSpotMarket ? 'base_ccy' : '',
    tpOrdPx: '',
    tpTriggerPx: '',
    tpTriggerPxType: '',
    tradeId: last === undefined ? '' : String(last.number),
    uTime: String(order.updatedAt),
  };
}

export const pendingOrder = orderFields;
export const foundOrder = (order: Order, fills: readonly Fill[]) => ({
  ...orderFields(order, fills),
  cancelSource: cancelSourceOf(order),
  cancelSourceReason: '',
  linkedAlgoOrd: { algoId: '' },
});
/** @param fill the fill that the message reports */
export const streamedOrder = (order: Order, fill: Fill | undefined) => ({
  ...orderFields(order, fill === undefined ? [] : [fill]),
  amendResult: '',
  amendSource: '',
  cancelSource: cancelSourceOf(order),
  code: '0',
  execType: fill === undefined ? '' : execTypeOf(fill),
  fillFee: fill === undefined ? '0' : feesOf([fill]),
  fillFeeCcy: fill?.fee.currency ?? '',
  fillNotionalUsd: '',
  fillPnl: '0',
  fillPxVol: '',
  fillPxUsd: '',
  fillMarkVol: '',
  fillFwdPx: '',
  fillMarkPx: '',
  lastPx: '',
  msg: '',
  notionalUsd: '',
  reqId: '',
});

/** Orders of the exchange itself have no type of execution. */
const execTypeOf = ({ order, isMaker }: Fill): string =>
  order.cause === undefined ? (isMaker ? 'M' : 'T') : '';

const SUB_TYPES = { LIQUIDATION: [102, 103], ADL: [127, 128], SETTLEMENT: [113, 112] } as const;

export function listedFill(fill: Fill) {
  const { order, price, amount, fee, number } = fill;
  const { market, side, cause } = order;
  const types = cause === undefined ? [1, 2] : SUB_TYPES[cause];
  return {
    side: side === 'BUY' ? 'buy' : 'sell',
    fillSz: sizeOf(market, amount),
    fillPx: text(price),
    fillPxVol: '',
    fillFwdPx: '',
    fee: feesOf([fill]),
    fillPnl: text(fill.realized),
    ordId: orderIdOf(order),
    feeRate: '-0.001',
    instType: productOf(market),
    fillPxUsd: '',
    instId: idOf(market),
    clOrdId: order.clientOrderId,
    posSide: 'net',
    billId: billIdOf(number),
    subType: String(types[side === 'BUY' ? 0 : 1]),
    fillMarkVol: '',
    tag: '',
    fillTime: String(fill.at),
    execType: execTypeOf(fill),
    fillIdxPx: '',
    tradeId: String(number),
    fillMarkPx: '',
    feeCcy: fee.currency,
    ts: String(fill.at + 1),
  };
}

/** The fields that the list and the stream of positions have in common. */
export function positionView(exchange: ScriptedExchange, account: Account, position: Position) {
  const { market, size } = position;
  const mark = exchange.markPriceOf(market);
  const { leverage } = leverageOf(account, market);
  const notional = size.abs().times(mark);
  const upl = text(unrealizedOf(position, mark));
  const hedgeSide = size.isNegative() ? 'short' : 'long';
  return {
    adl: '1',
    availPos: '',
    avgPx: size.isZero() ? '' : text(position.entryPrice.toDecimalPlaces(8)),
    cTime: String(position.openedAt),
    ccy: market.quote,
    deltaBS: '',
    deltaPA: '',
    gammaBS: '',
    gammaPA: '',
    imr: text(notional.div(leverage).toDecimalPlaces(8)),
    instId: idOf(market),
    instType: productOf(market),
    interest: '',
    idxPx: text(mark),
    last: text(mark),
    lever: text(leverage),
    liab: '',
    liabCcy: '',
    liqPx: '',
    markPx: text(mark),
    margin: '',
    mgnMode: 'cross',
    mgnRatio: '',
    mmr: text(notional.times(market.maintenanceRate)),
    notionalUsd: text(notional),
    optVal: '',
    pTime: String(exchange.now()),
    pendingCloseOrdLiabVal: '',
    // One-way positions have a sign; those of the hedge mode have a side.
    pos: sizeOf(market, account.isHedged ? size.abs() : size),
    baseBorrowed: '',
    baseInterest: '',
    quoteBorrowed: '',
    quoteInterest: '',
    posCcy: '',
    posId: String(307_173_036_051_017_730n + BigInt(account.number)),
    posSide: account.isHedged ? hedgeSide : 'net',
    spotInUseAmt: '',
    spotInUseCcy: '',
    clSpotInUseAmt: '',
    maxSpotInUseAmt: '',
    bizRefId: '',
    bizRefType: '',
    thetaBS: '',
    thetaPA: '',
    tradeId: '',
    uTime: String(position.updatedAt),
    upl,
    uplLastPx: upl,
    uplRatio: '',
    uplRatioLastPx: '',
    vegaBS: '',
    vegaPA: '',
    realizedPnl: '0',
    pnl: '0',
    fee: '0',
    fundingFee: '0',
    liqPenalty: '0',
    closeOrderAlgo: [],
  };
}

/** The account: a wallet for each currency. Only some modes have a margin of all currencies in USD. */
export function walletView(exchange: ScriptedExchange, account: Account) {
  const margin = exchange.marginOf(account, 'USDT');
  const used = margin.positionMargin.plus(margin.orderMargin).toDecimalPlaces(8);
  const isMultiCurrency = modeOf(account) === '3';
  const ofAccount = (value: Exact) => (isMultiCurrency ? text(value) : '');
  const ofCurrency = (value: Exact) => (isMultiCurrency ? '' : text(value));
  return {
    adjEq: ofAccount(margin.equity),
    borrowFroz: ofAccount(exact(0)),
    details: [...account.wallets].map(([ccy, { free, locked, borrowed, interest }]) => {
      const isSettled = ccy === 'USDT';
      const cash = free.plus(locked).minus(borrowed);
      return {
        availBal: text(free),
        availEq: isSettled ? text(margin.available.toDecimalPlaces(8)) : text(free),
        borrowFroz: ofAccount(exact(0)),
        cashBal: text(cash),
        ccy,
        crossLiab: ofAccount(borrowed),
        disEq: text(cash),
        eq: text(isSettled ? cash.plus(margin.unrealized) : cash),
        eqUsd: text(cash),
        fixedBal: '0',
        frozenBal: text(locked),
        imr: isSettled ? ofCurrency(used) : '',
        interest: ofAccount(interest),
        isoEq: '0',
        isoLiab: '',
        isoUpl: '0',
        liab: ofAccount(borrowed),
        maxLoan: '',
        mgnRatio: '',
        mmr: isSettled ? ofCurrency(margin.maintenance) : '',
        notionalLever: '',
        ordFrozen: text(locked),
        rewardBal: '0',
        spotInUseAmt: '',
        clSpotInUseAmt: '',
        maxSpotInUseAmt: '',
        spotIsoBal: '0',
        stgyEq: '0',
        twap: '0',
        uTime: String(exchange.now()),
        upl: isSettled ? text(margin.unrealized) : '0',
        uplLiab: '',
      };
    }),
    imr: ofAccount(used),
    isoEq: '0',
    mgnRatio: '',
    mmr: ofAccount(margin.maintenance),
    notionalUsd: '',
    ordFroz: '',
    totalEq: text(margin.equity),
    uTime: String(exchange.now()),
    upl: text(margin.unrealized),
  };
}
