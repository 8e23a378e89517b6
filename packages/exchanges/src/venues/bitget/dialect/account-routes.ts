/** Bitget's calls for the account: https://www.bitget.com/api-doc/uta/account/Get-Account */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { leverageOf } from '../../../../conformance/scripted/positions.js';
import { category, docs, isRange, isWithin, page, pageOf, range, signedCall } from './call.js';
import {
  categoryOf,
  coinFields,
  debtOf,
  idOf,
  listedPosition,
  marginFields,
  marketOf,
  recordIdOf,
} from './views.js';

const PERPETUAL = ['perpetual'] as const;
const FUNDING_TYPES = ['CONTRACT_MAIN_SETTLE_FEE_USER_IN', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT'] as const;

export const accountRoutes: readonly Route[] = [
  signedCall(
    {
      method: 'GET',
      path: 'v3/account/info',
      capability: 'credentials',
      source: { recordings: ['Unified/Account/GetAccountInfo'], page: docs('account/Get-Account-Info') },
    },
    {
      params: z.strictObject({}),
      answer: ({ account: { number, canTrade, canWithdraw } }) => ({
        userId: String(123_456_789 + number),
        inviterId: '987654321',
        parentId: '',
        channelCode: '6258',
        channel: 'official',
        ips: '',
        permType: canTrade ? 'read-and-write' : 'read_only',
        permissions: ['uta_mgt', 'uta_trade', ...(canWithdraw ? ['withdraw'] : [])],
        regisTime: '1704067200000',
      }),
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'v3/account/settings',
      capability: 'credentials',
      source: { recordings: ['Unified/Account/GetAccountConfig'], page: docs('account/Get-Account-Setting') },
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, account: each }) => ({
        uid: String(123_456_789 + each.number),
        accountMode: each.kind === 'UNKNOWN' ? 'upgrading' : 'unified',
        assetMode: 'multi_assets',
        accountLevel: 'advanced',
        holdMode: each.isHedged ? 'hedge_mode' : 'one_way_mode',
        stpMode: 'none',
        symbolConfigList: exchange.markets.map((market) => ({
          category: categoryOf(market),
          symbol: idOf(market),
          marginMode: 'crossed',
          leverage: leverageOf(each, market).leverage.toString(),
        })),
        coinConfigList: [{ coin: 'USDT', leverage: '6' }],
      }),
    },
  ),
  signedCall(
    {
      method: 'POST',
      path: 'v3/account/set-leverage',
      tradingTypes: PERPETUAL,
      capability: 'leverage',
      source: { recordings: ['Unified/Account/SetLeverage'], page: docs('account/Change-Leverage') },
    },
    {
      params: z.strictObject({ category, symbol: z.string(), leverage: z.string() }),
      answer: ({ exchange, account: each, params }) => {
        exchange.setLeverage(each, marketOf(exchange, params.category, params.symbol), params.leverage);
        return 'success';
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'v3/account/assets',
      capability: 'balances',
      source: { recordings: ['Unified/Account/GetBalances'], page: docs('account/Get-Account') },
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, account: each }) => {
        const margin = exchange.marginOf(each, 'USDT');
        return {
          ...marginFields(exchange, each),
          accountEquity: margin.equity.toString(),
          usdtEquity: margin.equity.toString(),
          btcEquity: '0',
          unrealisedPnl: margin.unrealized.toString(),
          usdtUnrealisedPnl: margin.unrealized.toString(),
          btcUnrealizedPnl: '0',
          assets: coinFields(each).map((coin) => {
            const wallet = each.wallets.get(coin.coin);
            return { ...coin, debt: wallet === undefined ? '0' : debtOf(wallet).toString() };
          }),
        };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'v3/account/financial-records',
      tradingTypes: PERPETUAL,
      capability: 'funding',
      source: {
        recordings: ['Unified/Account/GetFinancialRecords'],
        page: docs('account/Get-Financial-Records'),
      },
    },
    {
      params: z.strictObject({ category, type: z.enum(FUNDING_TYPES), ...range, ...page }).refine(isRange),
      answer: ({ exchange, account: each, params }) => {
        const isOut = params.type === 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT';
        const paid = exchange.fundings.filter(
          (funding) =>
            funding.account === each &&
            categoryOf(funding.market) === params.category &&
            funding.amount.isNegative() === isOut &&
            isWithin(funding.at, params),
        );
        const { items, cursor } = pageOf([...paid].reverse(), ({ number }) => recordIdOf(number), params);
        const list = items.map(({ number, market, amount, at }) => ({
          category: params.category,
          id: recordIdOf(number),
          symbol: idOf(market),
          coin: market.quote,
          type: params.type,
          amount: amount.toString(),
          fee: '0',
          balance: '0',
          ts: String(at),
        }));
        return { list, cursor };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'v3/account/financial-records',
      tradingTypes: ['margin'],
      capability: 'loans',
      source: {
        recordings: ['Unified/Account/GetFinancialRecords'],
        page: docs('account/Get-Financial-Records'),
      },
    },
    {
      params: z
        .strictObject({
          category: z.union([category, z.literal('OTHER')]),
          type: z.literal('INTEREST_SETTLEMENT_OUT'),
          ...range,
          ...page,
        })
        .refine(isRange),
      answer: ({ exchange, account: each, params }) => {
        const charges = exchange.interests.filter(
          (charge) => charge.account === each && params.category === 'MARGIN' && isWithin(charge.at, params),
        );
        const { items, cursor } = pageOf([...charges].reverse(), ({ number }) => recordIdOf(number), params);
        const list = items.map(({ number, asset, amount, at }) => ({
          category: 'Margin',
          id: recordIdOf(number),
          symbol: '',
          coin: asset,
          type: params.type,
          amount: amount.negated().toString(),
          fee: '0',
          balance: '0',
          ts: String(at),
        }));
        return { list, cursor };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'v3/position/current-position',
      tradingTypes: PERPETUAL,
      capability: 'positions',
      source: { recordings: ['Unified/Trading/GetPositions'], page: docs('trade/Get-Position') },
    },
    {
      params: z.strictObject({ category, symbol: z.string().optional() }),
      answer: ({ exchange, account: each, params }) => ({
        list: [...each.positions.values()]
          .filter(({ size, market }) => !size.isZero() && categoryOf(market) === params.category)
          .map((position) => listedPosition(exchange, each, position)),
      }),
    },
  ),
];
