import { z } from 'zod';
import { decimal, decimalInput } from './decimal.js';
import type { DetailCode } from './detail-codes.js';
import { TRADING_TYPES } from './exchange-accounts.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';

export const TRADE_TYPES = ['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET'] as const;
export type TradeType = (typeof TRADE_TYPES)[number];
export const TRADE_SIDES = ['BUY', 'SELL'] as const;
export type TradeSide = (typeof TRADE_SIDES)[number];
export const TIMES_IN_FORCE = ['GTC', 'IOC', 'FOK', 'POST_ONLY'] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];
export const TRADE_STATUSES = ['PENDING', 'FILLED', 'PARTIALLY_FILLED', 'CANCELLED', 'FAILED'] as const;
export type TradeStatus = (typeof TRADE_STATUSES)[number];
export const TRADE_SUB_STATUSES = ['SUBMITTING', 'ACCEPTED', 'PENDING_CANCEL', 'UNKNOWN'] as const;
export type TradeSubStatus = (typeof TRADE_SUB_STATUSES)[number];
/**
 * What placed an order. The exchange itself placed LIQUIDATION, ADL (auto-deleveraging) and SETTLEMENT (the market was
 * delisted).
 */
export const TRADE_ORIGINS = [
  'API',
  'COPIER',
  'STRATEGY',
  'EXTERNAL',
  'RECONCILIATION',
  'LIQUIDATION',
  'ADL',
  'SETTLEMENT',
] as const;
export type TradeOrigin = (typeof TRADE_ORIGINS)[number];
export const POSITION_SIDES = ['LONG', 'SHORT'] as const;
export type PositionSide = (typeof POSITION_SIDES)[number];
/** Effect of an order on the exposure. On spot, a buy opens or increases it and a sell reduces or closes it. */
export const TRADE_INTENTS = ['OPEN', 'INCREASE', 'REDUCE', 'CLOSE'] as const;
export type TradeIntent = (typeof TRADE_INTENTS)[number];
export const CANCEL_REASONS = [
  'USER',
  'EXCHANGE',
  'EXPIRED',
  'IOC_REMAINDER',
  'RISK',
  'FOK_UNFILLED',
] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

const money = z.object({ amount: decimal, currency: z.string() });

export const fill = z
  .object({
    id: idOf('fil'),
    exchange_fill_id: z.string(),
    price: decimal,
    amount: decimal,
    fee: money,
    fee_value: decimal
      .nullable()
      .describe(
        'Value of the fee in quote currency at the time of the fill. A fee in a third asset is converted by the last prices of the exchange, or by its candles of that minute. Null until a price is known; results do not contain the fee until then.',
      ),
    liquidity: z.enum(['MAKER', 'TAKER']),
    executed_at: instant,
  })
  .meta({ id: 'Fill' });
export type Fill = z.output<typeof fill>;

/** Origin of a copy, and how closely it matches the copied trade. */
export const tradeCopy = z
  .object({
    signal_at: instant.describe('Time at which the copied fill was executed.'),
    received_at: instant.describe('Time at which the copied fill was received.'),
    submitted_at: instant.optional().describe('Time at which the copy was sent. Absent until then.'),
    latency_ms: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('Time from received_at to submitted_at, in milliseconds. Absent until the copy is sent.'),
    reference_price: decimal.describe(
      'Average price of the copied fills, in quote currency, rounded to the price tick.',
    ),
    slippage_bps: decimal
      .optional()
      .describe(
        'How much worse the fill price is than reference_price, in basis points. Negative if it is better. Absent without a fill.',
      ),
    ratio: decimal.describe(
      'Amount of the copy per unit of the copied trade. It is fixed for the lot. It has two significant digits if another user owns the strategy.',
    ),
  })
  .meta({ id: 'TradeCopy' });
export type TradeCopy = z.output<typeof tradeCopy>;

/** One order with its fills. */
export const trade = z
  .object({
    id: idOf('trd'),
    exchange_account_id: idOf('exa'),
    trade_pair_id: idOf('tpr'),
    symbol: z.string(),
    trading_type: z.enum(TRADING_TYPES),
    strategy_id: idOf('str').optional(),
    copier_id: idOf('cpr').optional(),
    closes_lot_id: idOf('lot')
      .optional()
      .describe('The lot that the order closes, if it closes one lot only.'),
    source_trade_id: idOf('trd').optional(),
    source_fill_id: idOf('fil').optional().describe('For a copy: the copied fill.'),
    client_order_id: z.string(),
    exchange_order_id: z.string().optional(),
    origin: z
      .enum(TRADE_ORIGINS)
      .describe(
        'What placed the order. EXTERNAL: it was placed outside the product. RECONCILIATION: a correction that was never sent. LIQUIDATION, ADL and SETTLEMENT: the exchange reduced or closed a position.',
      ),
    type: z.enum(TRADE_TYPES),
    side: z.enum(TRADE_SIDES),
    intent: z.enum(TRADE_INTENTS),
    position_side: z
      .enum(POSITION_SIDES)
      .optional()
      .describe(
        'Perpetuals only: the side of the position that the order opens, increases, reduces or closes. An order that closes a position and opens one on the other side has the side of the closed one.',
      ),
    reduce_only: z
      .boolean()
      .describe(
        'Perpetuals only: whether the exchange may fill the order only as far as it reduces a position.',
      ),
    auto_borrow: z
      .boolean()
      .describe('Margin only: whether the exchange may lend what the account lacks for the order.'),
    time_in_force: z.enum(TIMES_IN_FORCE),
    price: decimal.optional(),
    stop_price: decimal.optional(),
    amount: decimal,
    requested_amount: decimal.describe("Requested amount, before rounding to the exchange's amount step."),
    filled_amount: decimal,
    remaining_amount: decimal,
    average_price: decimal.optional(),
    cost: decimal.describe('Sum of price × amount over the fills, in quote currency.'),
    fee: money.describe('Fee in the currency of most fees. fees_by_currency lists all of them.'),
    fees_by_currency: z.array(money),
    realized_pnl: decimal.optional(),
    status: z.enum(TRADE_STATUSES),
    sub_status: z.enum(TRADE_SUB_STATUSES).optional(),
    failure: z.object({ code: z.string(), message: z.string() }).optional(),
    cancel_reason: z
      .enum(CANCEL_REASONS)
      .optional()
      .describe(
        'Why the rest of the order was cancelled. RISK: the order closes a lot, and other trades reduced the lot before the order was sent.',
      ),
    copy: tradeCopy.optional(),
    reconciled_at: instant
      .optional()
      .describe('Time at which a reconciliation with the exchange last corrected or created this trade.'),
    version: z
      .number()
      .int()
      .positive()
      .describe('Increases with every change. A higher version is the newer state.'),
    submitted_at: instant.optional(),
    filled_at: instant.optional(),
    cancelled_at: instant.optional(),
    closed_at: instant.optional(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Trade' });
export type Trade = z.output<typeof trade>;

export const tradeDetail = trade.extend({ fills: z.array(fill) }).meta({ id: 'TradeDetail' });
export type TradeDetail = z.output<typeof tradeDetail>;

const LIMIT_TYPES: readonly TradeType[] = ['LIMIT', 'STOP_LIMIT'];
const STOP_TYPES: readonly TradeType[] = ['STOP_LIMIT', 'STOP_MARKET'];

/** Adds an issue if a price is missing for a type that requires it, or present for another type. */
function requirePrice(
  context: z.RefinementCtx,
  field: 'price' | 'stop_price',
  price: string | undefined,
  type: TradeType,
  pricedTypes: readonly TradeType[],
): void {
  const isNeeded = pricedTypes.includes(type);
  if (isNeeded === (price !== undefined)) return;
  context.addIssue({
    code: 'custom',
    path: [field],
    message: isNeeded ? `${field} is required for ${type}.` : `${field} is not allowed for ${type}. Omit it.`,
    params: { code: (isNeeded ? 'required' : 'not_allowed') satisfies DetailCode },
  });
}

/** Valid values by order type: a market order never rests in the book, and a stop order does not rest before it triggers. */
const TIMES_IN_FORCE_BY_TYPE: Record<TradeType, readonly TimeInForce[]> = {
  LIMIT: TIMES_IN_FORCE,
  MARKET: ['GTC', 'IOC'],
  STOP_LIMIT: ['GTC', 'IOC', 'FOK'],
  STOP_MARKET: ['GTC', 'IOC'],
};

function requireTimeInForce(context: z.RefinementCtx, type: TradeType, timeInForce: TimeInForce): void {
  const allowed = TIMES_IN_FORCE_BY_TYPE[type];
  if (allowed.includes(timeInForce)) return;
  context.addIssue({
    code: 'custom',
    path: ['time_in_force'],
    message: `time_in_force must be one of ${allowed.join(', ')} for ${type}; got ${timeInForce}.`,
    params: { code: 'not_allowed' satisfies DetailCode },
  });
}

export const tradeCreate = z
  .strictObject({
    exchange_account_id: idInput('exa'),
    trade_pair_id: idInput('tpr'),
    type: z.enum(TRADE_TYPES),
    side: z.enum(TRADE_SIDES),
    price: decimalInput().optional().describe('Limit price, in quote currency.'),
    amount: decimalInput().describe('Amount in base currency.'),
    strategy_id: idInput('str').optional(),
    stop_price: decimalInput().optional().describe('Price that triggers a stop order, in quote currency.'),
    time_in_force: z.enum(TIMES_IN_FORCE).default('GTC'),
    reduce_only: z
      .boolean()
      .default(false)
      .describe('Perpetuals only: whether the order may only reduce a position.'),
    auto_borrow: z
      .boolean()
      .default(false)
      .describe(
        'Margin only: whether the exchange lends what the account lacks for the order. The order that closes the lot repays the loan.',
      ),
    client_order_id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,36}$/, { error: 'Expected 1 to 36 characters of A-Z, a-z, 0-9, _ and -.' })
      .optional()
      .describe('Your own id for the order, unique per exchange account.'),
  })
  .superRefine((value, context) => {
    requirePrice(context, 'price', value.price, value.type, LIMIT_TYPES);
    requirePrice(context, 'stop_price', value.stop_price, value.type, STOP_TYPES);
    requireTimeInForce(context, value.type, value.time_in_force);
  })
  .meta({ id: 'TradeCreate' });
export type TradeCreate = z.output<typeof tradeCreate>;

const pathParams = z.object({ id: idInput('trd') });

export const tradeOperations = {
  list: defineOperation({
    id: 'trades.list',
    method: 'GET',
    path: '/v1/trades',
    summary: 'Lists your trades.',
    access: 'READ',
    query: z.strictObject({
      strategy_id: idInput('str').optional(),
      exchange_account_id: idInput('exa').optional(),
      status: z.enum(TRADE_STATUSES).optional(),
      side: z.enum(TRADE_SIDES).optional(),
    }),
    list: { sorts: ['created_at', 'updated_at'], limitDefault: 50 },
    response: trade,
    status: 200,
    errors: ['not_found'],
  }),
  get: defineOperation({
    id: 'trades.get',
    method: 'GET',
    path: '/v1/trades/:id',
    summary: 'Returns a trade with its fills.',
    access: 'READ',
    params: pathParams,
    response: tradeDetail,
    status: 200,
    errors: ['not_found'],
  }),
  create: defineOperation({
    id: 'trades.create',
    method: 'POST',
    path: '/v1/trades',
    summary: 'Places an order. Responds as soon as the order is stored, before it is sent to the exchange.',
    access: 'TRADE',
    bucket: 'trade_writes',
    body: tradeCreate,
    response: tradeDetail,
    status: 201,
    errors: [
      'not_found',
      'exchange_rule_violated',
      'insufficient_balance',
      'already_exists',
      'invalid_state',
      'exchange_unavailable',
    ],
  }),
  cancel: defineOperation({
    id: 'trades.cancel',
    method: 'POST',
    path: '/v1/trades/:id/cancel',
    summary: 'Cancels the unfilled part of a trade and returns the trade.',
    access: 'TRADE',
    isRemote: true,
    bucket: 'trade_writes',
    params: pathParams,
    response: tradeDetail,
    status: 200,
    errors: ['not_found', 'invalid_state', 'exchange_unavailable', 'service_unavailable'],
  }),
} as const;
