/** Bybit's lists of funding payments and interest: https://bybit-exchange.github.io/docs/v5/account/transaction-log */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { checkRange, isWithin, PERPETUAL, page, pageOf, range, signedCall } from './calls.js';
import { idOf } from './views.js';

const account = 'V5Api/Account';

export const historyRoutes: readonly Route[] = [
  signedCall(
    {
      method: 'GET',
      path: 'account/transaction-log',
      capability: 'funding',
      recording: `${account}/GetTransactionHistory`,
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({
        accountType: z.literal('UNIFIED'),
        category: z.literal('linear'),
        type: z.literal('SETTLEMENT'),
        ...range,
        ...page,
      }),
      answer: ({ exchange, account: each, params }) => {
        checkRange(params);
        const paid = exchange.fundings.filter(
          (funding) => funding.account === each && isWithin(funding.at, params),
        );
        const { nextPageCursor, items } = pageOf([...paid].reverse(), params);
        const list = items.map(({ number, market, amount, rate, markPrice, size, at }) => ({
          id: `592324_${idOf(market)}_${number}`,
          symbol: idOf(market),
          side: size.isNegative() ? 'Sell' : 'Buy',
          funding: amount.toString(),
          orderLinkId: '',
          orderId: `${at}-8-592324-1-2`,
          fee: '0.00000000',
          change: amount.toString(),
          cashFlow: '0',
          transactionTime: String(at),
          type: 'SETTLEMENT',
          feeRate: rate.toString(),
          bonusChange: '',
          size: size.abs().toString(),
          qty: size.abs().toString(),
          cashBalance: '0',
          currency: market.quote,
          category: 'linear',
          tradePrice: markPrice.toString(),
          tradeId: String(number),
        }));
        return { nextPageCursor, list };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/borrow-history',
      capability: 'loans',
      recording: `${account}/GetBorrowHistory`,
      tradingTypes: ['margin'],
    },
    {
      params: z.strictObject({ ...range, ...page }),
      answer: ({ exchange, account: each, params }) => {
        const charges = exchange.interests.filter(
          (charge) => charge.account === each && isWithin(charge.at, params),
        );
        const { nextPageCursor, items } = pageOf([...charges].reverse(), params);
        const list = items.map(({ asset, amount, rate, principal, at }) => ({
          borrowAmount: principal.toString(),
          costExemption: '0',
          freeBorrowedAmount: '0',
          createdTime: at,
          InterestBearingBorrowSize: principal.toString(),
          currency: asset,
          unrealisedLoss: '0',
          hourlyBorrowRate: rate.toString(),
          borrowCost: amount.toString(),
        }));
        return { nextPageCursor, list };
      },
    },
  ),
];
