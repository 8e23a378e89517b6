import { z } from 'zod';
import { decimal } from './decimal.js';
import { TRADING_TYPES } from './exchange-accounts.js';
import { idGiven, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';
import { TIMES_IN_FORCE, TRADE_TYPES } from './trades.js';

export const tradePair = z
  .object({
    id: idOf('tpr'),
    exchange: z.string().describe('Id of the exchange.'),
    symbol: z
      .string()
      .describe('`BASE/QUOTE`; of what settles in a currency of its own `BASE/QUOTE:SETTLE`.'),
    exchange_symbol: z.string().describe("The exchange's own name of it."),
    base: z.string(),
    quote: z.string(),
    settle: z.string().optional().describe('What profits are paid in, where base and quote do not say it.'),
    trading_type: z.enum(TRADING_TYPES),
    price_tick: decimal.describe('Prices are multiples of this, in quote currency.'),
    amount_step: decimal.describe('Amounts are multiples of this, in base currency.'),
    min_amount: decimal,
    max_amount: decimal.optional(),
    min_notional: decimal.describe('Least price × amount, in quote currency.'),
    max_notional: decimal.optional(),
    market_amount_step: decimal
      .optional()
      .describe('Of market orders, where it is another than `amount_step`.'),
    market_max_amount: decimal
      .optional()
      .describe('Of market orders, where it is another than `max_amount`.'),
    contract_size: decimal.optional().describe('Base currency in one contract.'),
    maker_fee: decimal
      .optional()
      .describe(
        "The exchange's general rate, as a fraction of the amount received; an account may have a better one.",
      ),
    taker_fee: decimal.optional(),
    order_types: z.array(z.enum(TRADE_TYPES)),
    time_in_forces: z.array(z.enum(TIMES_IN_FORCE)),
    is_active: z.boolean(),
    rules_updated_at: instant,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'TradePair' });
export type TradePair = z.output<typeof tradePair>;

export const tradePairOperations = {
  list: defineOperation({
    id: 'tradePairs.list',
    method: 'GET',
    path: '/v1/trade-pairs',
    summary: 'The pairs that can be traded, with the rules of their exchange.',
    access: 'READ',
    query: z.strictObject({
      exchange: z.string().min(1).max(64).optional().describe('Id or name of an exchange.'),
    }),
    list: { sorts: ['created_at', 'symbol', 'exchange'], limitDefault: 20 },
    response: tradePair,
    status: 200,
    errors: [],
  }),
  get: defineOperation({
    id: 'tradePairs.get',
    method: 'GET',
    path: '/v1/trade-pairs/:id',
    summary: 'One trade pair.',
    access: 'READ',
    params: z.object({ id: idGiven('tpr') }),
    response: tradePair,
    status: 200,
    errors: ['not_found'],
  }),
} as const;
