import { z } from 'zod';
import { decimal } from './decimal.js';
import { TRADING_TYPES } from './exchange-accounts.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';
import { TIMES_IN_FORCE, TRADE_TYPES } from './trades.js';

/**
 * Why a pair cannot be traded: the exchange paused it, no longer lists it, or lists another pair under its symbol, for
 * example with another contract size.
 */
export const PAIR_INACTIVE_REASONS = ['PAUSED', 'DELISTED', 'REPLACED'] as const;
export type PairInactiveReason = (typeof PAIR_INACTIVE_REASONS)[number];

export const tradePair = z
  .object({
    id: idOf('tpr'),
    exchange: z.string().describe('Id of the exchange.'),
    symbol: z
      .string()
      .describe('`BASE/QUOTE`, or `BASE/QUOTE:SETTLE` for a pair with a settlement currency.'),
    exchange_symbol: z.string().describe('Symbol of the pair at the exchange.'),
    base: z.string(),
    quote: z.string(),
    settle: z
      .string()
      .optional()
      .describe('Settlement currency, in which profits are paid. Absent if the pair has none.'),
    trading_type: z.enum(TRADING_TYPES),
    price_tick: decimal.describe('Price increment in quote currency. Prices must be multiples of it.'),
    amount_step: decimal.describe('Amount increment in base currency. Amounts must be multiples of it.'),
    min_amount: decimal,
    max_amount: decimal.optional(),
    min_notional: decimal.describe('Minimum price × amount, in quote currency.'),
    max_notional: decimal.optional(),
    market_amount_step: decimal
      .optional()
      .describe('Amount increment of market orders. Absent if it equals `amount_step`.'),
    market_max_amount: decimal
      .optional()
      .describe('Maximum amount of market orders. Absent if it equals `max_amount`.'),
    contract_size: decimal.optional().describe('Amount of base currency in one contract.'),
    maker_fee: decimal
      .optional()
      .describe(
        "The exchange's standard fee rate, as a fraction of the amount received. Accounts may have a lower rate.",
      ),
    taker_fee: decimal.optional(),
    order_types: z.array(z.enum(TRADE_TYPES)),
    time_in_forces: z.array(z.enum(TIMES_IN_FORCE)),
    is_active: z
      .boolean()
      .describe('Whether the exchange trades the pair. Orders on other pairs are refused.'),
    inactive_reason: z
      .enum(PAIR_INACTIVE_REASONS)
      .optional()
      .describe(
        'Why the pair is inactive. PAUSED: the exchange paused it. DELISTED: the exchange no longer lists it. REPLACED: the exchange lists another pair under its symbol, for example with another contract size; this pair stays inactive and keeps its lots. Absent for an active pair.',
      ),
    replaced_by: idOf('tpr').optional().describe('The pair that has the symbol now. Only for REPLACED.'),
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
    summary: 'Lists the tradable pairs with the trading rules of their exchange.',
    access: 'READ',
    query: z.strictObject({
      exchange: z.string().min(1).max(64).optional().describe('Id or name of an exchange.'),
      trading_type: z.enum(TRADING_TYPES).optional().describe('Trading type of the pairs.'),
      symbol: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe('The whole symbol, for example `BTC/USDT`. Upper and lower case are equal.'),
      search: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe(
          'What the symbol begins with. Upper and lower case are equal, and separators do not count: `btcus` finds BTC/USDT and BTC/USDC:USDC.',
        ),
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
    summary: 'Returns a trade pair.',
    access: 'READ',
    params: z.object({ id: idInput('tpr') }),
    response: tradePair,
    status: 200,
    errors: ['not_found'],
  }),
} as const;
