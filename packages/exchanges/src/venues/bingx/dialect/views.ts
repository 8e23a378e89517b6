/** The records of BingX: https://bingx-api.github.io/docs-v3/#/en/Spot */
import type {
  Account,
  BookChange,
  Exact,
  Fill,
  Order,
  ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { exact } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

const FIRST_ORDER_ID = 1_735_964_079_000;
const FIRST_TRADE_ID = 36_767_000;
const FIRST_USER_ID = 16_844_000;

export const docs = (page: string): string => `https://bingx-api.github.io/docs-v3/#/en/${page}`;
/** The pages about errors, streams and permissions in the exchange's own repository. */
export const reference = (page: string): string =>
  `https://github.com/BingX-API/api-ai-skills/blob/main/skills/${page}.md`;

export const idOf = ({ base, quote }: ScriptedMarket): string => `${base}-${quote}`;
export const orderIdOf = ({ number }: Order): number => FIRST_ORDER_ID + number;
export const userIdOf = ({ number }: Account): number => FIRST_USER_ID + number;
const tradeIdOf = ({ number }: Fill): number => FIRST_TRADE_ID + number;

function statusOf({ status, filled }: Order): string {
  if (status === 'FILLED') return 'FILLED';
  if (status !== 'OPEN') return 'CANCELED';
  return filled.isZero() ? 'PENDING' : 'PARTIALLY_FILLED';
}

const priceOf = ({ price }: Order): Exact => price ?? exact(0);

const terms = (order: Order) => ({
  symbol: idOf(order.market),
  orderId: orderIdOf(order),
  price: priceOf(order).toString(),
  origQty: order.amount.toString(),
  executedQty: order.filled.toString(),
  cummulativeQuoteQty: order.cost.toString(),
  status: statusOf(order),
  type: order.type,
  side: order.side,
  clientOrderID: order.clientOrderId,
});

/** The exchange answers before it has matched the order. */
export const placedView = (order: Order) => ({
  ...terms(order),
  executedQty: '0',
  cummulativeQuoteQty: '0',
  status: 'PENDING',
  transactTime: order.createdAt,
});

export const cancelledView = (order: Order) => ({ ...terms(order), stopPrice: priceOf(order).toString() });

const found = (order: Order) => ({
  ...terms(order),
  StopPrice: '0',
  time: order.createdAt,
  updateTime: order.updatedAt,
  origQuoteOrderQty: '0',
});

export function orderView(exchange: ScriptedExchange, order: Order) {
  const fees = exchange.fills.filter((fill) => fill.order === order).map(({ fee }) => fee.amount);
  const fee = fees.reduce((sum, each) => sum.plus(each), exact(0)).negated();
  const { base, quote } = order.market;
  return { ...found(order), fee: fee.toString(), feeAsset: order.side === 'BUY' ? base : quote };
}

/** Lists write the fee as a number. */
export const listedOrderView = (order: Order) => ({ ...found(order), fee: 0 });

export const fillView = (fill: Fill) => ({
  symbol: idOf(fill.order.market),
  id: tradeIdOf(fill),
  orderId: orderIdOf(fill.order),
  price: fill.price.toString(),
  qty: fill.amount.toString(),
  quoteQty: fill.amount.times(fill.price).toString(),
  commission: fill.fee.amount.negated().toNumber(),
  commissionAsset: fill.fee.currency,
  time: fill.at,
  isBuyer: fill.order.side === 'BUY',
  isMaker: fill.isMaker,
});

export const balanceViews = (account: Account) =>
  [...account.wallets].map(([asset, { free, locked }]) => ({
    asset,
    free: free.toString(),
    locked: locked.toString(),
  }));

export const levels = (changed: BookChange['bids']) =>
  changed.map(([price, amount]) => [price.toString(), amount.toString()]);

const executionOf = (order: Order, fill: Fill | undefined): string => {
  if (fill !== undefined) return 'TRADE';
  return order.status === 'OPEN' ? 'NEW' : 'CANCELED';
};

/** Streams write amounts as numbers. */
export const executionView = (order: Order, fill: Fill | undefined) => ({
  e: 'executionReport',
  E: order.updatedAt,
  s: idOf(order.market),
  S: order.side,
  o: order.type,
  q: order.amount.toNumber(),
  p: priceOf(order).toNumber(),
  x: executionOf(order, fill),
  X: statusOf(order),
  i: orderIdOf(order),
  l: fill?.amount.toNumber() ?? 0,
  z: order.filled.toNumber(),
  L: fill?.price.toNumber() ?? 0,
  n: fill?.fee.amount.negated().toNumber() ?? 0,
  C: order.clientOrderId,
  N: fill?.fee.currency ?? '',
  T: fill?.at ?? 0,
  t: fill === undefined ? 0 : tradeIdOf(fill),
  O: order.createdAt,
  Z: order.cost.toNumber(),
  Y: fill?.amount.times(fill.price).toNumber() ?? 0,
  Q: 0,
  m: fill?.isMaker ?? false,
});

export function balanceChangeView(account: Account, assets: readonly string[]) {
  const at = Date.now();
  const changed = [...account.wallets].filter(([asset]) => assets.includes(asset));
  return {
    e: 'ACCOUNT_UPDATE',
    E: at,
    T: at,
    a: {
      m: 'ORDER',
      B: changed.map(([asset, { free, locked }]) => {
        const total = free.plus(locked).toString();
        return { a: asset, bc: '0', cw: total, wb: total, lk: locked.toString() };
      }),
    },
  };
}
