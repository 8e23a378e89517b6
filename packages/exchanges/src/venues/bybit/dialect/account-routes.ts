/** Bybit's account, wallet and positions: https://bybit-exchange.github.io/docs/v5/account/wallet-balance */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { positionOf } from '../../../../conformance/scripted/positions.js';
import { marketOf, PERPETUAL, page, signedCall, symbol } from './calls.js';
import { listedPosition, walletView } from './views.js';

const account = 'V5Api/Account';
const trading = 'V5Api/Trading';

export const accountRoutes: readonly Route[] = [
  signedCall(
    {
      method: 'GET',
      path: 'user/query-api',
      capability: 'credentials',
      recording: `${account}/GetApiKeyInfo`,
    },
    {
      params: z.strictObject({}),
      answer: ({ account: { apiKey, canTrade, canWithdraw, kind, number } }) => ({
        id: '13770661',
        note: 'readwrite api key',
        apiKey,
        readOnly: canTrade ? 0 : 1,
        secret: '',
        permissions: {
          ContractTrade: ['Order', 'Position'],
          Spot: ['SpotTrade'],
          Wallet: canWithdraw ? ['AccountTransfer', 'Withdraw'] : ['AccountTransfer'],
          Options: [],
          Derivatives: [],
          CopyTrading: [],
          BlockTrade: [],
          Exchange: [],
          NFT: [],
          Affiliate: [],
        },
        ips: ['*'],
        type: 1,
        deadlineDay: 66,
        expiredAt: '2033-12-22T07:20:25Z',
        createdAt: '2022-10-16T02:24:40Z',
        unified: 0,
        uta: kind === 'UNKNOWN' ? 0 : 1,
        userID: 24_617_700 + number,
        inviterID: 0,
        vipLevel: 'No VIP',
        mktMakerLevel: '0',
        affiliateID: 0,
        rsaPublicKey: '',
        isMaster: true,
        parentUid: '0',
        kycLevel: 'LEVEL_DEFAULT',
        kycRegion: '',
      }),
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/info',
      capability: 'credentials',
      recording: `${account}/GetMarginAccountInfo`,
      documented: ['retExtInfo', 'time'],
    },
    {
      params: z.strictObject({}),
      answer: ({ account: { kind } }) => ({
        marginMode: kind === 'PORTFOLIO_MARGIN' ? 'PORTFOLIO_MARGIN' : 'REGULAR_MARGIN',
        updatedTime: '1697078946000',
        unifiedMarginStatus: 6,
        dcpStatus: 'OFF',
        timeWindow: 10,
        smpGroup: 0,
        isMasterTrader: false,
        spotHedgingStatus: 'OFF',
      }),
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/wallet-balance',
      capability: 'balances',
      recording: `${account}/GetBalances`,
    },
    {
      params: z.strictObject({ accountType: z.literal('UNIFIED') }),
      answer: ({ exchange, account: each }) => ({ list: [walletView(exchange, each)] }),
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'position/list',
      capability: 'positions',
      recording: `${trading}/GetPositions`,
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({
        category: z.literal('linear'),
        symbol: symbol.optional(),
        settleCoin: z.string().optional(),
        ...page,
      }),
      answer: ({ exchange, account: each, params }) => {
        const positions =
          params.symbol === undefined
            ? [...each.positions.values()].filter(
                ({ size, market }) => !size.isZero() && market.quote === params.settleCoin,
              )
            : [positionOf(each, marketOf(exchange, params.symbol))];
        const list = positions.map((position) => listedPosition(exchange, each, position));
        return { list, nextPageCursor: '', category: params.category };
      },
    },
  ),
  signedCall(
    {
      method: 'POST',
      path: 'position/set-leverage',
      capability: 'leverage',
      recording: `${account}/SetLeverage`,
      tradingTypes: PERPETUAL,
    },
    {
      params: z
        .strictObject({
          category: z.literal('linear'),
          symbol,
          buyLeverage: z.string(),
          sellLeverage: z.string(),
        })
        .refine(({ buyLeverage, sellLeverage }) => buyLeverage === sellLeverage),
      answer: ({ exchange, account: each, params }) => {
        exchange.setLeverage(each, marketOf(exchange, params.symbol), params.buyLeverage);
        return {};
      },
    },
  ),
];
