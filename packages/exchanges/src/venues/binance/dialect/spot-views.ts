/** Renders the records of the scripted exchange as Binance's spot and margin do. */
import { type Account, exact, type Fill, type Order } from '../../../../conformance/scripted/model.js';
import { idOf, orderIdOf } from './common.js';

const fillIdOf = ({ number }: Fill): number => 28_400 + number;

const STATUSES = { FILLED: 'FILLED', CANCELLED: 'CANCELED', EXPIRED: 'EXPIRED', WAITING: 'NEW' } as const;
const statusOf = ({ status, filled }: Order): string =>
  status === 'OPEN' ? (filled.isZero() ? 'NEW' : 'PARTIALLY_FILLED') : STATUSES[status];

function typeOf({ type, timeInForce, stopPrice }: Order): string {
  if (stopPrice !== undefined) return type === 'LIMIT' ? 'STOP_LOSS_LIMIT' : 'STOP_LOSS';
  return timeInForce === 'POST_ONLY' ? 'LIMIT_MAKER' : type;
}

const timeInForceOf = ({ timeInForce }: Order): string => (timeInForce === 'POST_ONLY' ? 'GTC' : timeInForce);

/** The fields of every answer about an order. */
const commonFields = (order: Order) => ({
  symbol: idOf(order.market),
  clientOrderId: order.clientOrderId,
  price: (order.price ?? exact(0)).toString(),
  origQty: order.amount.toString(),
  executedQty: order.filled.toString(),
  cummulativeQuoteQty: order.cost.toString(),
  status: statusOf(order),
  timeInForce: timeInForceOf(order),
  type: typeOf(order),
  side: order.side,
});

const listedFields = (order: Order) => ({
  ...commonFields(order),
  orderId: orderIdOf(order),
  stopPrice: (order.stopPrice ?? exact(0)).toString(),
  icebergQty: '0',
  time: order.createdAt,
  updateTime: order.updatedAt,
  isWorking: order.status !== 'WAITING',
  selfTradePreventionMode: 'NONE',
});

export const spotOrder = (order: Order) => ({
  ...listedFields(order),
  orderListId: -1,
  workingTime: order.status === 'WAITING' ? -1 : order.createdAt,
  origQuoteOrderQty: '0',
});
export const marginOrder = (order: Order) => ({ ...listedFields(order), isIsolated: false });

/** The result of a new order, without its fills. */
export const placedSpotOrder = (order: Order) => ({
  ...commonFields(order),
  orderId: orderIdOf(order),
  orderListId: -1,
  transactTime: order.updatedAt,
  workingTime: order.status === 'WAITING' ? -1 : order.createdAt,
  selfTradePreventionMode: 'NONE',
  ...(order.stopPrice === undefined ? {} : { stopPrice: order.stopPrice.toString() }),
});
export const placedMarginOrder = (order: Order) => ({
  ...commonFields(order),
  orderId: orderIdOf(order),
  transactTime: order.updatedAt,
  isIsolated: false,
  selfTradePreventionMode: 'NONE',
});

const CANCELLATION_ID = 'cancelMyOrder1';

/** A cancellation has a client order id of its own. */
export const cancelledSpotOrder = (order: Order) => ({
  ...commonFields(order),
  origClientOrderId: order.clientOrderId,
  clientOrderId: CANCELLATION_ID,
  orderId: orderIdOf(order),
  orderListId: -1,
  transactTime: order.updatedAt,
  selfTradePreventionMode: 'NONE',
});
export const cancelledMarginOrder = (order: Order) => ({
  ...commonFields(order),
  origClientOrderId: order.clientOrderId,
  clientOrderId: CANCELLATION_ID,
  orderId: String(orderIdOf(order)),
  isIsolated: false,
});

const fillFields = ({ order, price, amount, fee, isMaker, at, ...fill }: Fill) => ({
  symbol: idOf(order.market),
  id: fillIdOf({ order, price, amount, fee, isMaker, at, ...fill }),
  orderId: orderIdOf(order),
  price: price.toString(),
  qty: amount.toString(),
  commission: fee.amount.toString(),
  commissionAsset: fee.currency,
  time: at,
  isBuyer: order.side === 'BUY',
  isMaker,
  isBestMatch: true,
});
export const spotFill = (fill: Fill) => ({
  ...fillFields(fill),
  orderListId: -1,
  quoteQty: fill.amount.times(fill.price).toString(),
});
export const marginFill = (fill: Fill) => ({ ...fillFields(fill), isIsolated: false });

const executionOf = ({ status }: Order, fill: Fill | undefined): string => {
  if (fill !== undefined) return 'TRADE';
  return status === 'CANCELLED' ? 'CANCELED' : status === 'EXPIRED' ? 'EXPIRED' : 'NEW';
};

export function executionReport(order: Order, fill: Fill | undefined) {
  const isCancelled = order.status === 'CANCELLED';
  return {
    e: 'executionReport',
    E: order.updatedAt,
    s: idOf(order.market),
    c: isCancelled ? CANCELLATION_ID : order.clientOrderId,
    S: order.side,
    o: typeOf(order),
    f: timeInForceOf(order),
    q: order.amount.toString(),
    p: (order.price ?? exact(0)).toString(),
    P: (order.stopPrice ?? exact(0)).toString(),
    F: '0',
    g: -1,
    C: isCancelled ? order.clientOrderId : '',
    x: executionOf(order, fill),
    X: statusOf(order),
    r: 'NONE',
    i: orderIdOf(order),
    l: fill?.amount.toString() ?? '0',
    z: order.filled.toString(),
    L: fill?.price.toString() ?? '0',
    n: fill?.fee.amount.toString() ?? '0',
    N: fill?.fee.currency ?? null,
    T: fill?.at ?? order.updatedAt,
    t: fill === undefined ? -1 : fillIdOf(fill),
    I: 8_641_984,
    w: order.status === 'OPEN',
    m: fill?.isMaker === true,
    M: false,
    O: order.createdAt,
    Z: order.cost.toString(),
    Y: fill === undefined ? '0' : fill.amount.times(fill.price).toString(),
    Q: '0',
    W: order.createdAt,
    V: 'NONE',
  };
}

const amountsOf = ({ wallets }: Account, asset: string) => wallets.get(asset);

export const accountPosition = (account: Account, assets: readonly string[], at: number) => ({
  e: 'outboundAccountPosition',
  E: at,
  u: at,
  B: assets.map((asset) => ({
    a: asset,
    f: amountsOf(account, asset)?.free.toString() ?? '0',
    l: amountsOf(account, asset)?.locked.toString() ?? '0',
  })),
});

export function spotAccount({ wallets, number, canTrade }: Account, updateTime: number) {
  return {
    makerCommission: 10,
    takerCommission: 10,
    buyerCommission: 0,
    sellerCommission: 0,
    commissionRates: { maker: '0.00100000', taker: '0.00100000', buyer: '0.00000000', seller: '0.00000000' },
    canTrade,
    canWithdraw: true,
    canDeposit: true,
    brokered: false,
    requireSelfTradePrevention: false,
    preventSor: false,
    updateTime,
    accountType: 'SPOT',
    balances: [...wallets].map(([asset, { free, locked }]) => ({
      asset,
      free: free.toString(),
      locked: locked.toString(),
    })),
    permissions: ['SPOT'],
    uid: 354_937_868 + number,
  };
}

export const marginAccount = ({ wallets, canTrade }: Account) => ({
  borrowEnabled: true,
  marginLevel: '999.00000000',
  collateralMarginLevel: '999.00000000',
  totalAssetOfBtc: '0',
  totalLiabilityOfBtc: '0',
  totalNetAssetOfBtc: '0',
  totalCollateralValueInUSDT: '0',
  tradeEnabled: canTrade,
  transferEnabled: true,
  accountType: 'Margin_1',
  userAssets: [...wallets].map(([asset, { free, locked, borrowed, interest }]) => ({
    asset,
    borrowed: borrowed.toString(),
    free: free.toString(),
    interest: interest.toString(),
    locked: locked.toString(),
    netAsset: free.plus(locked).minus(borrowed).minus(interest).toString(),
  })),
});
