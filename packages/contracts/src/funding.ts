import { z } from 'zod';
import { decimal } from './decimal.js';
import { idOf } from './ids.js';
import { instant } from './operation.js';

/** A funding payment of a position in a perpetual. */
export const fundingPayment = z
  .object({
    id: idOf('fnd'),
    exchange_account_id: idOf('exa'),
    trade_pair_id: idOf('tpr').optional().describe('Absent if the product does not offer the market.'),
    symbol: z.string(),
    amount: decimal.describe('Positive if the account received it, negative if the account paid it.'),
    currency: z.string().describe('Settlement currency of the perpetual.'),
    paid_at: instant.describe('When the exchange paid or charged it.'),
    created_at: instant,
  })
  .meta({ id: 'FundingPayment' });
export type FundingPayment = z.output<typeof fundingPayment>;
