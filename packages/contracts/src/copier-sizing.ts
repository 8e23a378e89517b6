import { z } from 'zod';
import { decimal, decimalInput } from './decimal.js';
import type { DetailCode } from './detail-codes.js';

export const SIZING_MODES = ['FIXED_AMOUNT', 'FIXED_QUOTE', 'MULTIPLIER', 'EQUITY_RATIO'] as const;
export type SizingMode = (typeof SIZING_MODES)[number];

const SIZING_DESCRIPTION =
  'FIXED_AMOUNT: `value` in base currency. FIXED_QUOTE: `value` in quote currency for each lot of the strategy. ' +
  "MULTIPLIER: `value` × the strategy's amount; for another user's strategy only if it has `allow_multiplier`. EQUITY_RATIO: `value` × the strategy's amount × your equity " +
  "(or `capital`) ÷ the strategy's equity.";

export const copierSizing = z
  .object({ mode: z.enum(SIZING_MODES), value: decimal, capital: decimal.optional() })
  .describe(SIZING_DESCRIPTION);
export type CopierSizing = z.output<typeof copierSizing>;

/** The sizing in a request. */
export const sizingInput = z
  .strictObject({
    mode: z.enum(SIZING_MODES),
    value: decimalInput(),
    capital: decimalInput()
      .optional()
      .describe('Only for EQUITY_RATIO: the amount to use as your equity, in quote currency.'),
  })
  .superRefine(({ mode, capital }, context) => {
    if (capital === undefined || mode === 'EQUITY_RATIO') return;
    const message = `capital is only allowed for EQUITY_RATIO; got ${mode}. Omit capital.`;
    context.addIssue({
      code: 'custom',
      path: ['capital'],
      message,
      params: { code: 'not_allowed' satisfies DetailCode },
    });
  })
  .describe(SIZING_DESCRIPTION)
  .meta({ id: 'SizingGiven' });
