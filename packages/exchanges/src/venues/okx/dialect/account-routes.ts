/** OKX's calls for the account: https://www.okx.com/docs-v5/en/#trading-account-rest-api */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { leverageOf } from '../../../../conformance/scripted/positions.js';
import { integer, PERPETUAL, page, pageOf, signedCall } from './signed-call.js';
import { billIdOf, idOf, marketOf, modeOf, positionView, sizeOf, walletView } from './views.js';

const account = 'UnifiedApi/Account';

const billList = (path: string, recording: string, section: string): Route =>
  signedCall(
    {
      method: 'GET',
      path,
      capability: 'funding',
      recording: `${account}/${recording}`,
      section,
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({
        instType: z.literal('SWAP'),
        type: z.literal('8'),
        begin: integer,
        ...page,
      }),
      answer: ({ exchange, account: each, params }) => {
        const paid = exchange.fundings.filter(
          (funding) => funding.account === each && funding.at >= params.begin,
        );
        const records = pageOf([...paid].reverse(), ({ number }) => billIdOf(number), params);
        return records.map(({ number, market, amount, markPrice, size, at }) => ({
          bal: '0',
          balChg: amount.toString(),
          billId: billIdOf(number),
          ccy: market.quote,
          clOrdId: '',
          execType: '',
          fee: '0',
          fillFwdPx: '',
          fillIdxPx: '',
          fillMarkPx: '',
          fillMarkVol: '',
          fillPxUsd: '',
          fillPxVol: '',
          fillTime: '',
          from: '',
          instId: idOf(market),
          instType: 'SWAP',
          interest: '0',
          mgnMode: 'cross',
          notes: '',
          ordId: '',
          pnl: amount.toString(),
          posBal: '0',
          posBalChg: '0',
          px: markPrice.toString(),
          subType: amount.isNegative() ? '173' : '174',
          sz: sizeOf(market, size.abs()),
          tag: '',
          to: '',
          tradeId: '',
          ts: String(at),
          type: '8',
        }));
      },
    },
  );

export const accountRoutes: readonly Route[] = [
  signedCall(
    {
      method: 'GET',
      path: 'account/config',
      capability: 'credentials',
      recording: `${account}/GetAccountConfiguration`,
      section: 'trading-account-rest-api-get-account-configuration',
    },
    {
      params: z.strictObject({}),
      answer: ({ account: each }) => [
        {
          acctLv: modeOf(each),
          acctStpMode: 'cancel_maker',
          autoLoan: modeOf(each) === '3',
          ctIsoMode: 'automatic',
          greeksType: 'PA',
          level: 'Lv1',
          levelTmp: '',
          mgnIsoMode: 'automatic',
          posMode: each.isHedged ? 'long_short_mode' : 'net_mode',
          spotOffsetType: '',
          uid: String(44_705_892_343_619_584n + BigInt(each.number)),
          label: 'key',
          roleType: '0',
          traderInsts: [],
          spotRoleType: '0',
          spotTraderInsts: [],
          opAuth: '0',
          kycLv: '3',
          ip: '',
          perm: ['read_only', each.canWithdraw ? 'withdraw' : '', each.canTrade ? 'trade' : '']
            .filter((permission) => permission !== '')
            .join(','),
          mainUid: '444810535339712570',
        },
      ],
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/balance',
      capability: 'balances',
      recording: `${account}/GetAccountBalance`,
      section: 'trading-account-rest-api-get-balance',
    },
    {
      params: z.strictObject({ ccy: z.string().optional() }),
      answer: ({ exchange, account: each, params }) => {
        const { details, ...rest } = walletView(exchange, each);
        return [{ ...rest, details: details.filter(({ ccy }) => ccy === (params.ccy ?? ccy)) }];
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/positions',
      capability: 'positions',
      recording: `${account}/GetAccountPositions`,
      section: 'trading-account-rest-api-get-positions',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, account: each }) =>
        [...each.positions.values()]
          .filter(({ size }) => !size.isZero())
          .map((position) => ({ ...positionView(exchange, each, position), usdPx: '', bePx: '' })),
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/leverage-info',
      capability: 'leverage',
      recording: `${account}/GetAccountLeverage`,
      section: 'trading-account-rest-api-get-leverage',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ instId: z.string(), mgnMode: z.literal('cross') }),
      answer: ({ exchange, account: each, params }) => {
        const { leverage } = leverageOf(each, marketOf(exchange, params.instId));
        return [{ instId: params.instId, mgnMode: 'cross', posSide: 'net', lever: leverage.toString() }];
      },
    },
  ),
  signedCall(
    {
      method: 'POST',
      path: 'account/set-leverage',
      capability: 'leverage',
      recording: `${account}/SetAccountLeverage`,
      section: 'trading-account-rest-api-set-leverage',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ instId: z.string(), mgnMode: z.literal('cross'), lever: z.string() }),
      answer: ({ exchange, account: each, params }) => {
        exchange.setLeverage(each, marketOf(exchange, params.instId), params.lever);
        return [{ lever: params.lever, mgnMode: 'cross', instId: params.instId, posSide: '' }];
      },
    },
  ),
  billList('account/bills', 'GetBillHistory', 'trading-account-rest-api-get-bills-details-last-7-days'),
  billList(
    'account/bills-archive',
    'GetBillArchive',
    'trading-account-rest-api-get-bills-details-last-3-months',
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/interest-accrued',
      capability: 'loans',
      recording: `${account}/GetInterestAccrued`,
      section: 'trading-account-rest-api-get-interest-accrued-data',
      tradingTypes: ['margin'],
    },
    {
      params: z.strictObject({ type: z.literal('2'), after: integer.optional(), limit: integer.max(100) }),
      answer: ({ exchange, account: each, params }) =>
        exchange.interests
          .filter((charge) => charge.account === each && charge.at < (params.after ?? charge.at + 1))
          .map(({ asset, amount, rate, principal, at }) => ({
            ccy: asset,
            instId: '',
            interest: amount.toString(),
            interestRate: rate.toString(),
            liab: principal.toString(),
            mgnMode: '',
            ts: String(at),
            type: '2',
          }))
          .reverse()
          .slice(0, params.limit),
    },
  ),
];
