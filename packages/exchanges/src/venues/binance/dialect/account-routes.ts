/** Calls about the user, who owns all accounts: https://developers.binance.com/docs/wallet */
import { z } from 'zod';
import { type Route, route } from '../../../../conformance/scripted/dialect.js';
import { NOTHING } from './common.js';
import { spotAccount } from './spot-views.js';

const ALL = ['spot', 'margin', 'perpetual'] as const;

export const accountRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/sapi/v1/account/apiRestrictions',
    capability: 'credentials',
    tradingTypes: ALL,
    isSigned: true,
    source: {
      recordings: ['Spot/Account/GetAPIKeyPermissions'],
      page: 'https://developers.binance.com/docs/wallet/account/api-key-permission',
    },
    params: NOTHING,
    answer: ({ account: { canTrade, canWithdraw, kind } }) => ({
      ipRestrict: false,
      createTime: 1_698_645_219_000,
      enableInternalTransfer: false,
      enableFutures: canTrade,
      enablePortfolioMarginTrading: kind === 'PORTFOLIO_MARGIN',
      enableVanillaOptions: false,
      permitsUniversalTransfer: false,
      enableReading: true,
      enableSpotAndMarginTrading: canTrade,
      enableWithdrawals: canWithdraw,
      enableMargin: canTrade,
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v3/account',
    capability: 'balances',
    tradingTypes: ALL,
    isSigned: true,
    source: {
      recordings: ['Spot/Account/GetAccountInfo'],
      page: 'https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints',
    },
    params: z.strictObject({ omitZeroBalances: z.enum(['true', 'false']).optional() }),
    answer: ({ exchange, account }) => spotAccount(account, exchange.now()),
  }),
];
