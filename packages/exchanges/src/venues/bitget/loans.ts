/** Loans of Bitget's unified account: https://www.bitget.com/api-doc/uta/account/Get-Financial-Records */
import { z } from 'zod';
import type { LoanCalls } from '../../ccxt/declaration.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { InterestCharge } from '../../port.js';
import { fetchAssets } from './account.js';
import { fetchListSince } from './calls.js';

const charge = z.object({
  id: z.string().min(1),
  coin: z.string().min(1),
  amount: exactDecimal,
  ts: z.coerce.number(),
});

/** The documentation does not name the category of interest. */
const INTEREST_CATEGORIES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'USDC-FUTURES', 'OTHER'] as const;

/** The exchange lends what a balance lacks, and everything that the account receives reduces the loan. */
export const bitgetLoans: LoanCalls = {
  fetchLoans: async ({ ccxt }) => {
    const { data } = await fetchAssets(ccxt);
    const owed = data.assets.filter(({ debt }) => debt !== '0');
    // Interest becomes a part of the loan when it is charged.
    return Object.fromEntries(
      owed.map(({ coin, debt }) => [ccxt.safeCurrencyCode(coin), { borrowed: debt, interest: '0' }]),
    );
  },
  fetchInterest: async ({ ccxt }, since) => {
    const lists = INTEREST_CATEGORIES.map((category) => {
      const params = { category, type: 'INTEREST_SETTLEMENT_OUT' };
      return fetchListSince(ccxt, 'privateUtaGetV3AccountFinancialRecords', params, since);
    });
    const charges = new Map<string, InterestCharge>();
    for (const record of (await Promise.all(lists)).flat()) {
      const { id, coin, amount, ts } = parseResponse(charge, record);
      const asset = ccxt.safeCurrencyCode(coin);
      // The sign of the amount is not documented.
      charges.set(id, { id, asset, amount: amount.replace('-', ''), chargedAt: new Date(ts) });
    }
    return [...charges.values()].sort((a, b) => a.chargedAt.getTime() - b.chargedAt.getTime());
  },
};
