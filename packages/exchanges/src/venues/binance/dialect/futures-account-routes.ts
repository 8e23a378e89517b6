/** Positions and accounts of USD-M futures: https://developers.binance.com/docs/derivatives/usds-margined-futures/account */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { positionOf } from '../../../../conformance/scripted/positions.js';
import { signedFutures } from './calls.js';
import { idOf, integer, isWithin, marketOf, NOTHING, range, symbol } from './common.js';
import { ASSETS, accountView, listedBalance, listedPosition, symbolConfiguration } from './futures-views.js';
import { openOrders } from './orders.js';

const account = 'UsdFutures/Account';
const trading = 'UsdFutures/Trading';

export const listenKeyOf = (number: number): string => `pqia91ma19a5s61cv6a81va65sdf19v8a65a1-${number}`;

const SINCE_VERSION_3 = [
  'leverage',
  'maxNotionalValue',
  'marginType',
  'isAutoAddMargin',
  'marginAsset',
  'initialMargin',
  'maintMargin',
  'positionInitialMargin',
  'openOrderInitialMargin',
  'adl',
  'bidNotional',
  'askNotional',
];

const positionRoutes: readonly Route[] = [
  signedFutures(
    {
      method: 'GET',
      path: 'v3/positionRisk',
      capability: 'positions',
      recording: `${trading}/GetPositions`,
      // The recording has the fields of version 2.
      documented: SINCE_VERSION_3,
    },
    NOTHING,
    ({ exchange, account: owner }) =>
      exchange.markets
        .map((market) => positionOf(owner, market))
        // A market with an open order alone is listed with a position of zero.
        .filter(({ size, market }) => !size.isZero() || openOrders(exchange, owner, idOf(market)).length > 0)
        .map((position) => listedPosition(exchange, owner, position)),
  ),
  signedFutures(
    {
      method: 'GET',
      path: 'v1/symbolConfig',
      capability: 'leverage',
      recording: `${account}/GetSymbolConfiguration`,
    },
    z.strictObject({ symbol: symbol.optional() }),
    ({ exchange, account: owner, params }) => {
      const markets = params.symbol === undefined ? exchange.markets : [marketOf(exchange, params.symbol)];
      return markets.map((market) => symbolConfiguration(owner, market));
    },
  ),
  signedFutures(
    {
      method: 'GET',
      path: 'v1/leverageBracket',
      capability: 'leverage',
      recording: `${account}/GetBrackets`,
    },
    z.strictObject({ symbol }),
    ({ exchange, params }) => {
      const market = marketOf(exchange, params.symbol);
      const first = { bracket: 1, notionalCap: 50_000, notionalFloor: 0, maintMarginRatio: 0.004, cum: 0 };
      const brackets = [{ ...first, initialLeverage: Number(market.maxLeverage) }];
      return [{ symbol: idOf(market), notionalCoef: 1.5, brackets }];
    },
  ),
  signedFutures(
    {
      method: 'POST',
      path: 'v1/leverage',
      capability: 'leverage',
      recording: `${account}/ChangeInitialLeverage`,
    },
    z.strictObject({ symbol, leverage: integer }),
    ({ exchange, account: owner, params: { symbol: name, leverage } }) => {
      exchange.setLeverage(owner, marketOf(exchange, name), String(leverage));
      return { leverage, maxNotionalValue: '1000000', symbol: name };
    },
  ),
  signedFutures(
    {
      method: 'POST',
      path: 'v1/marginType',
      capability: 'leverage',
      recording: `${account}/ChangeMarginType`,
    },
    z.strictObject({ symbol, marginType: z.enum(['ISOLATED', 'CROSSED']) }),
    ({ exchange, account: owner, params: { symbol: name, marginType } }) => {
      const marginMode = marginType === 'ISOLATED' ? 'ISOLATED' : 'CROSS';
      exchange.setMarginMode(owner, marketOf(exchange, name), marginMode);
      return { code: 200, msg: 'success' };
    },
  ),
  signedFutures(
    { method: 'GET', path: 'v1/income', capability: 'funding', recording: `${account}/GetIncomeHistory` },
    z.strictObject({
      incomeType: z.literal('FUNDING_FEE'),
      ...range,
      limit: integer.max(1_000),
      page: integer.min(1),
    }),
    ({ exchange, account: owner, params: { limit, page, ...times } }) =>
      exchange.fundings
        .filter((funding) => funding.account === owner && isWithin(funding.at, times))
        .slice((page - 1) * limit, page * limit)
        .map(({ number, market, amount, at }) => ({
          symbol: idOf(market),
          incomeType: 'FUNDING_FEE',
          income: amount.toString(),
          asset: market.quote,
          info: 'FUNDING_FEE',
          time: at,
          tranId: String(9_689_322_392 + number),
          tradeId: '',
        })),
  ),
];

const accountRoutes: readonly Route[] = [
  signedFutures(
    {
      method: 'GET',
      path: 'v1/accountConfig',
      capability: 'credentials',
      recording: `${account}/GetAccountConfiguration`,
    },
    NOTHING,
    ({ account: { isHedged } }) => ({
      feeTier: 0,
      canTrade: true,
      canDeposit: true,
      canWithdraw: true,
      dualSidePosition: isHedged,
      updateTime: 0,
      multiAssetsMargin: false,
      tradeGroupId: -1,
    }),
  ),
  signedFutures(
    { method: 'GET', path: 'v3/balance', capability: 'balances', recording: `${account}/GetBalances` },
    NOTHING,
    ({ account: owner }) => ASSETS.map((asset) => listedBalance(owner, asset)),
  ),
  signedFutures(
    { method: 'GET', path: 'v3/account', capability: 'positions', recording: `${account}/GetAccountInfoV3` },
    NOTHING,
    ({ exchange, account: owner }) => accountView(exchange, owner),
  ),
  signedFutures(
    {
      method: 'GET',
      path: 'v1/rateLimit/order',
      capability: 'stream login',
      recording: `${account}/GetOrderRateLimit`,
    },
    NOTHING,
    () => [{ rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 300 }],
  ),
  signedFutures(
    {
      method: 'POST',
      path: 'v1/listenKey',
      capability: 'stream login',
      recording: `${account}/StartUserStream`,
    },
    NOTHING,
    ({ account: { number } }) => ({ listenKey: listenKeyOf(number) }),
  ),
  // The recording is empty, although the documentation shows the key.
  signedFutures(
    { method: 'PUT', path: 'v1/listenKey', capability: 'stream login' },
    NOTHING,
    ({ account: owner }) => ({
      listenKey: listenKeyOf(owner.number),
    }),
  ),
];

export const futuresAccountRoutes: readonly Route[] = [...positionRoutes, ...accountRoutes];
