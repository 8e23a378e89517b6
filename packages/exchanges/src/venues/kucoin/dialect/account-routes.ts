import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import type { Account } from '../../../../conformance/scripted/model.js';
import { call, docs } from './params.js';
import { userIdOf } from './spot-views.js';

/** The calls about a key and its account. */
export const accountRoutes: readonly Route[] = [
  call(
    {
      method: 'GET',
      path: 'v1/user/api-key',
      capability: 'credentials',
      tradingTypes: ['spot', 'margin', 'perpetual'],
      source: { page: docs('account-info/account-funding/get-apikey-info') },
    },
    {
      params: z.strictObject({}),
      answer: ({ account }) => ({
        remark: 'trading',
        apiKey: account.apiKey,
        apiVersion: 3,
        permission: permissionsOf(account),
        ipWhitelist: '127.0.0.1',
        createdAt: 1_770_014_893_000,
        uid: userIdOf(account),
        isMaster: true,
      }),
    },
  ),
  call(
    {
      method: 'GET',
      path: 'ua/v1/account/mode',
      capability: 'credentials',
      tradingTypes: ['spot', 'margin', 'perpetual'],
      source: { recordings: ['Unified/Account/GetAccountMode'] },
    },
    {
      params: z.strictObject({}),
      answer: ({ account: { kind } }) => ({
        selfAccountMode: kind === 'UNKNOWN' ? 'UNIFIED' : 'CLASSIC',
        unifiedSubAccount: [],
        classicSubAccount: [],
      }),
    },
  ),
];

function permissionsOf({ canTrade, canWithdraw }: Account): string {
  return `General${canTrade ? ',Spot,Margin,Futures' : ''}${canWithdraw ? ',Transfer' : ''}`;
}
