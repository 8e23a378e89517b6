import { z } from 'zod';
import { decimal, decimalInput } from './decimal.js';
import type { DetailCode } from './detail-codes.js';
import { TRADING_TYPES } from './exchange-accounts.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';
import { TRADE_SIDES, tradeDetail } from './trades.js';

export const LOT_STATUSES = ['OPEN', 'CLOSED'] as const;
export type LotStatus = (typeof LOT_STATUSES)[number];

/** An amount that one fill opened, with its cost and its result. */
export const lot = z
  .object({
    id: idOf('lot'),
    exchange_account_id: idOf('exa'),
    trade_pair_id: idOf('tpr'),
    symbol: z.string(),
    trading_type: z.enum(TRADING_TYPES),
    trade_id: idOf('trd').describe('The trade whose fill opened the lot.'),
    strategy_id: idOf('str')
      .optional()
      .describe('The strategy of the trade. For a copy: the strategy that it copies.'),
    copier_id: idOf('cpr').optional().describe('For a copy: the copier that placed it.'),
    source_trade_id: idOf('trd')
      .optional()
      .describe("For a copy: the strategy's trade that opened the copied lot."),
    side: z.enum(TRADE_SIDES).describe('BUY: bought, and sold again. SELL: sold short, and bought back.'),
    status: z.enum(LOT_STATUSES),
    amount: decimal.describe('Opened amount in base currency, after a fee in base currency.'),
    remaining_amount: decimal.describe(
      'Part of `amount` that is still open. A copy sells lots with its own `source_trade_id` first, then others of its copier; any other sale closes lots of no copier first, then those of copiers. In each case the oldest is first.',
    ),
    entry_price: decimal.describe('Price of the fill that opened the lot, in quote currency.'),
    cost: decimal.describe(
      'Cost of `amount` after fees, in quote currency. For a short lot: the proceeds after fees.',
    ),
    remaining_cost: decimal.describe('Part of `cost` that belongs to `remaining_amount`.'),
    fees: decimal.describe(
      'Fees of the fills that opened and closed the lot, as far as they belong to it, valued in quote currency at the time of their fills. A remainder below the amount step, which is closed without proceeds, counts as a fee.',
    ),
    fees_incomplete: z
      .boolean()
      .describe(
        'True while a fee in a third asset has no known price. `cost`, `fees` and the results exclude this fee until then.',
      ),
    realized_pnl: decimal.describe('Result of the closed part after fees, in quote currency.'),
    unrealized_pnl: decimal
      .nullable()
      .describe(
        'Result of the open part at the last known price, after the fees paid, in quote currency. 0 for a closed lot. Null without a price.',
      ),
    funding: decimal.describe(
      'Funding payments and loan interest of the lot so far, in quote currency: positive if received. Each payment is divided by amount among the lots that were open at its time. `realized_pnl` and `unrealized_pnl` exclude it.',
    ),
    is_detached: z
      .boolean()
      .describe(
        'True if something other than its copier reduced a copy. Later exits of the strategy apply to what is left.',
      ),
    opened_at: instant.describe('Execution time of the fill that opened the lot.'),
    closed_at: instant.optional(),
    created_at: instant.describe('Equals `opened_at`.'),
  })
  .meta({ id: 'Lot' });
export type Lot = z.output<typeof lot>;

export const lotClose = z
  .strictObject({
    fraction: decimalInput()
      .refine((fraction) => !isAboveOne(fraction), {
        error: 'Must be at most 1.',
        params: { code: 'too_large' satisfies DetailCode },
      })
      .default('1')
      .describe(
        'Fraction of the remaining amount to close, above 0 and at most 1. The amount is rounded down to the amount step.',
      ),
  })
  .meta({ id: 'LotClose' });
export type LotClose = z.output<typeof lotClose>;

/** Whether a canonical decimal is greater than 1. */
function isAboveOne(value: string): boolean {
  const [whole = '0', fraction] = value.split('.');
  return BigInt(whole) > 1n || (whole === '1' && fraction !== undefined);
}

const pathParams = z.object({ id: idInput('lot') });

export const lotOperations = {
  list: defineOperation({
    id: 'lots.list',
    method: 'GET',
    path: '/v1/lots',
    summary: 'Lists your lots: what your trades and copies opened, with cost and result.',
    access: 'READ',
    query: z.strictObject({
      exchange_account_id: idInput('exa').optional(),
      trade_pair_id: idInput('tpr').optional(),
      copier_id: idInput('cpr').optional(),
      status: z.enum(LOT_STATUSES).optional(),
    }),
    list: { sorts: ['created_at'], limitDefault: 20 },
    response: lot,
    status: 200,
    errors: ['not_found'],
  }),
  get: defineOperation({
    id: 'lots.get',
    method: 'GET',
    path: '/v1/lots/:id',
    summary: 'Returns a lot.',
    access: 'READ',
    params: pathParams,
    response: lot,
    status: 200,
    errors: ['not_found'],
  }),
  close: defineOperation({
    id: 'lots.close',
    method: 'POST',
    path: '/v1/lots/:id/close',
    summary:
      'Closes a lot, or a fraction of it, with a market order. The order closes no other lot: if the lot is smaller when the order is sent, the excess is cancelled with the reason RISK. A copy is then detached from its copier.',
    access: 'TRADE',
    bucket: 'trade_writes',
    params: pathParams,
    body: lotClose,
    bodyOptional: true,
    response: tradeDetail,
    status: 201,
    errors: [
      'not_found',
      'exchange_rule_violated',
      'insufficient_balance',
      'invalid_state',
      'exchange_unavailable',
    ],
  }),
} as const;
