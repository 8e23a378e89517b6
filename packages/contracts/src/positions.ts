import { z } from 'zod';
import { decimal, decimalInput } from './decimal.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';
import { POSITION_SIDES } from './trades.js';

export const MARGIN_MODES = ['CROSS', 'ISOLATED'] as const;
export type MarginMode = (typeof MARGIN_MODES)[number];

const leverage = decimal.describe('Notional of a position ÷ its initial margin.');
const maxLeverage = decimal.describe('The highest leverage that the exchange allows for a small position.');

/** A position in a perpetual, as the exchange last reported it. */
export const position = z
  .object({
    id: idOf('pos').describe('An account has one position of each market, for ever.'),
    exchange_account_id: idOf('exa'),
    trade_pair_id: idOf('tpr').optional().describe('Omitted if the product does not offer the market.'),
    symbol: z.string(),
    side: z
      .enum(POSITION_SIDES)
      .describe('LONG: the account gains when the price rises. Of a closed position, its last side.'),
    amount: decimal.describe('Size in base currency. 0: the position is closed.'),
    entry_price: decimal
      .nullable()
      .describe(
        "The exchange's average entry price. Of a closed position, the last one. Null if the exchange did not report it.",
      ),
    mark_price: decimal
      .nullable()
      .describe(
        'The price at which the exchange values the position. Null if it was not read yet. Read every 30 s while the position is open.',
      ),
    liquidation_price: decimal
      .optional()
      .describe('Omitted without a position, or if no price within reach liquidates it.'),
    leverage: leverage.nullable().describe('The leverage of the account for the market. Null if unknown.'),
    max_leverage: maxLeverage.nullable(),
    margin_mode: z
      .enum(MARGIN_MODES)
      .describe(
        'CROSS: all positions share the margin of the account. ISOLATED: it has a margin of its own.',
      ),
    margin_ratio: decimal
      .optional()
      .describe(
        'Margin balance ÷ maintenance margin: of the account in CROSS, of the position in ISOLATED. At 1, the exchange liquidates. Omitted without a position, or if it was not read yet.',
      ),
    unrealized_pnl: decimal
      .nullable()
      .describe('Open result at the mark price, in the settlement currency. Null if it was not read yet.'),
    realized_pnl: decimal.describe(
      'Result of the closed part since the position was last flat, in the settlement currency, net of fees and without funding. Of a closed position, the result from its opening to its close.',
    ),
    funding_paid: decimal.describe(
      'Funding since the position was last flat, in the settlement currency. Positive: the account paid.',
    ),
    is_supported: z
      .boolean()
      .describe(
        'False for a position that the product lists and never changes: of a hedge mode, or of an inverse or dated contract.',
      ),
    updated_at: instant,
  })
  .meta({ id: 'Position' });
export type Position = z.output<typeof position>;

export const leverageUpdate = z
  .strictObject({
    trade_pair_id: idInput('tpr').describe('A perpetual of the exchange of the account.'),
    leverage: decimalInput().describe('The new leverage, above 0.'),
    margin_mode: z.enum(MARGIN_MODES).optional().describe('Default: the margin mode does not change.'),
  })
  .meta({ id: 'LeverageUpdate' });
export type LeverageUpdate = z.output<typeof leverageUpdate>;

export const leverageSettings = z
  .object({
    exchange_account_id: idOf('exa'),
    trade_pair_id: idOf('tpr'),
    symbol: z.string(),
    leverage,
    margin_mode: z.enum(MARGIN_MODES),
    max_leverage: maxLeverage.optional(),
  })
  .meta({ id: 'LeverageSettings' });
export type LeverageSettings = z.output<typeof leverageSettings>;

export const positionOperations = {
  list: defineOperation({
    id: 'positions.list',
    method: 'GET',
    path: '/v1/positions',
    summary: 'Lists your open positions in perpetuals.',
    access: 'READ',
    query: z.strictObject({
      exchange_account_id: idInput('exa').optional(),
      trade_pair_id: idInput('tpr').optional(),
    }),
    list: { sorts: ['created_at'], limitDefault: 20 },
    response: position,
    status: 200,
    errors: ['not_found'],
  }),
  setLeverage: defineOperation({
    id: 'positions.setLeverage',
    method: 'PUT',
    path: '/v1/exchanges/:id/leverage',
    summary: 'Sets the leverage, and on request the margin mode, of an account for a perpetual.',
    access: 'TRADE',
    bucket: 'trade_writes',
    isRemote: true,
    params: z.object({ id: idInput('exa') }),
    body: leverageUpdate,
    response: leverageSettings,
    status: 200,
    errors: [
      'not_found',
      'exchange_rule_violated',
      'invalid_state',
      'exchange_credentials_rejected',
      'exchange_unavailable',
      'service_unavailable',
    ],
  }),
} as const;
