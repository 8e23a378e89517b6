/** Gate's calls of futures that are settled in USDT: https://www.gate.com/docs/developers/apiv4/en/#futures */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { type Account, exact, type Order, Refusal } from '../../../../conformance/scripted/model.js';
import { positionOf } from '../../../../conformance/scripted/positions.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import {
  calledOrder,
  calledPosition,
  futuresAccount,
  hasDecimalContracts,
  listedFill,
  orderNumberOf,
} from './futures-views.js';
import { byOffset, isWithin, marketOf, orderText, pageOf, range } from './params.js';
import { signedCall } from './signed-call.js';
import { idOf } from './spot-views.js';

const PERPETUAL = ['perpetual'] as const;
const trading = 'PerpetualFutures/Trading';
const futuresAccounts = 'PerpetualFutures/Account';
const contract = z.string();
const root = 'futures/usdt';
/** How long an order without fills is found by its `text` after its end. */
const TEXT_MS = 60_000;

const newOrder = z.strictObject({
  contract,
  /** The number of contracts; negative for a sale. Only a string may have a fraction. */
  size: z.union([z.number().int(), z.string().regex(/^-?\d+(\.\d+)?$/)]),
  price: z.string(),
  tif: z.enum(['gtc', 'ioc', 'fok', 'poc']),
  text: orderText,
  reduce_only: z.boolean(),
});

const TIMES_IN_FORCE = { gtc: 'GTC', ioc: 'IOC', fok: 'FOK', poc: 'POST_ONLY' } as const;

function placeOrder(exchange: ScriptedExchange, owner: Account, params: z.output<typeof newOrder>): Order {
  const market = marketOf(exchange, params.contract);
  // A price of zero means a market order, which cannot rest.
  const isMarket = exact(params.price).isZero();
  const size = exact(params.size);
  if (!size.isInteger() && !hasDecimalContracts(market)) throw new Refusal('BAD_PARAMETER');
  if (isMarket && params.tif !== 'ioc' && params.tif !== 'fok') throw new Refusal('BAD_PARAMETER');
  return exchange.place(owner, {
    market,
    clientOrderId: params.text,
    side: size.isPositive() ? 'BUY' : 'SELL',
    type: isMarket ? 'MARKET' : 'LIMIT',
    timeInForce: TIMES_IN_FORCE[params.tif],
    amount: size.abs().times(market.contractSize),
    price: isMarket ? undefined : exact(params.price),
    reduceOnly: params.reduce_only,
  });
}

function orderOf(exchange: ScriptedExchange, owner: Account, id: string): Order {
  const isFoundByText = (order: Order) =>
    isOpen(order) || !order.filled.isZero() || exchange.now() - order.updatedAt < TEXT_MS;
  const order = exchange.orders.findLast(
    (each) =>
      each.account === owner &&
      (String(orderNumberOf(each)) === id || (each.clientOrderId === id && isFoundByText(each))),
  );
  if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
  return order;
}

function fillsOf(exchange: ScriptedExchange, owner: Account, name: string) {
  const market = marketOf(exchange, name);
  return exchange.fills.filter(({ order }) => order.account === owner && order.market === market);
}

/** An open order has no end. Sizes were recorded without the header that makes them strings. */
const ORDER_FIELDS = ['finish_time', 'finish_as', 'size', 'left', 'iceberg'];
const POSITION_FIELDS = ['leverage', 'close_order', 'size'];
const FILL_FIELDS = ['size'];

export const futuresRoutes: readonly Route[] = [
  signedCall(
    {
      method: 'POST',
      path: `${root}/orders`,
      capability: 'place',
      recordings: ['PerpetualFutures/Trading/PlaceOrder'],
      documented: ORDER_FIELDS,
      page: 'place-futures-order',
      tradingTypes: PERPETUAL,
    },
    {
      params: newOrder,
      answer: ({ exchange, account, params }) => calledOrder(placeOrder(exchange, account, params)),
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: `${root}/orders/:id`,
      capability: 'find',
      recordings: ['PerpetualFutures/Trading/GetOrder'],
      documented: ORDER_FIELDS,
      page: 'query-single-order-details-2',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, account, path: { id = '' } }) => calledOrder(orderOf(exchange, account, id)),
    },
  ),
  signedCall(
    {
      method: 'DELETE',
      path: `${root}/orders/:id`,
      capability: 'cancel',
      recordings: ['PerpetualFutures/Trading/CancelOrder'],
      documented: ORDER_FIELDS,
      page: 'cancel-single-order-2',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, account, path: { id = '' } }) => {
        const order = orderOf(exchange, account, id);
        exchange.cancel(order);
        return calledOrder(order);
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: `${root}/orders`,
      capability: 'open orders',
      recordings: ['PerpetualFutures/Trading/GetOrders'],
      documented: ORDER_FIELDS,
      page: 'query-futures-order-list',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ contract: contract.optional(), status: z.literal('open'), ...byOffset }),
      answer: ({ exchange, account, params }) => {
        const orders = exchange
          .openOrdersOf(account)
          .filter(({ market }) => params.contract === undefined || idOf(market) === params.contract);
        return pageOf(orders, params).map(calledOrder);
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: `${root}/orders_timerange`,
      capability: 'find',
      recordings: [`${trading}/GetOrdersByTime`],
      documented: ORDER_FIELDS,
      page: 'query-futures-order-list-by-time-range',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ contract, ...range, ...byOffset }),
      answer: ({ exchange, account, params }) => {
        const orders = exchange.orders.filter(
          (order) =>
            order.account === account &&
            idOf(order.market) === params.contract &&
            isWithin(order.createdAt, params),
        );
        return pageOf(orders, params).map(calledOrder);
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: `${root}/my_trades`,
      capability: 'fills',
      recordings: ['PerpetualFutures/Trading/GetUserTrades'],
      documented: FILL_FIELDS,
      page: 'query-personal-trading-records-2',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ contract, order: z.string(), ...byOffset }),
      answer: ({ exchange, account, params }) => {
        const fills = fillsOf(exchange, account, params.contract).filter(
          ({ order }) => String(orderNumberOf(order)) === params.order,
        );
        return pageOf(fills, params).map(listedFill);
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: `${root}/my_trades_timerange`,
      capability: 'fills',
      recordings: [`${trading}/GetUserTradesByTimestamp`],
      documented: FILL_FIELDS,
      page: 'query-personal-trading-records-by-time-range',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ contract, ...range, ...byOffset }),
      answer: ({ exchange, account, params }) => {
        const fills = fillsOf(exchange, account, params.contract).filter(({ at }) => isWithin(at, params));
        return pageOf(fills, params).map(listedFill);
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: `${root}/accounts`,
      capability: 'balances',
      recordings: [`${futuresAccounts}/GetAccount`],
      documented: ['position_mode'],
      page: 'get-futures-account',
      tradingTypes: PERPETUAL,
    },
    { params: z.strictObject({}), answer: ({ exchange, account }) => futuresAccount(exchange, account) },
  ),
  signedCall(
    {
      method: 'GET',
      path: `${root}/positions`,
      capability: 'positions',
      recordings: [`${trading}/GetPositions`],
      documented: POSITION_FIELDS,
      page: 'get-user-position-list',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ holding: z.literal('true'), ...byOffset }),
      answer: ({ exchange, account, params }) => {
        const held = [...account.positions.values()].filter(({ size }) => !size.isZero());
        return pageOf(held, params).map((position) => calledPosition(exchange, account, position));
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: `${root}/positions/:contract`,
      capability: 'leverage',
      recordings: [`${trading}/UpdatePositionLeverage`],
      documented: POSITION_FIELDS,
      page: 'get-single-position-information',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, account, path }) =>
        calledPosition(exchange, account, positionOf(account, marketOf(exchange, path.contract))),
    },
  ),
  signedCall(
    {
      method: 'POST',
      path: `${root}/positions/:contract/leverage`,
      capability: 'leverage',
      recordings: [`${trading}/UpdatePositionLeverage`],
      documented: POSITION_FIELDS,
      page: 'update-position-leverage',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ leverage: z.string(), cross_leverage_limit: z.string().optional() }),
      answer: ({ exchange, account, params, path }) => {
        const market = marketOf(exchange, path.contract);
        if (account.isHedged) throw new Refusal('POSITION_MODE');
        // A leverage of zero selects cross margin.
        const isCross = exact(params.leverage).isZero();
        exchange.setMarginMode(account, market, isCross ? 'CROSS' : 'ISOLATED');
        exchange.setLeverage(
          account,
          market,
          isCross ? (params.cross_leverage_limit ?? '0') : params.leverage,
        );
        return calledPosition(exchange, account, positionOf(account, market));
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: `${root}/account_book`,
      capability: 'funding',
      recordings: [`${futuresAccounts}/GetLedger`],
      documented: ['id'],
      page: 'query-futures-account-change-history',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ type: z.literal('fund'), ...range, ...byOffset }),
      answer: ({ exchange, account, params }) => {
        const paid = exchange.fundings.filter(
          (funding) => funding.account === account && isWithin(funding.at, params),
        );
        return pageOf(paid, params).map(({ number, market, amount, at }) => ({
          id: String(number),
          time: at / 1_000,
          change: amount.toString(),
          balance: '0',
          text: `${idOf(market)}:${number}`,
          type: 'fund',
          contract: idOf(market),
          trade_id: String(number),
        }));
      },
    },
  ),
];
