import { z } from 'zod';
import { decimal, decimalInput } from './decimal.js';
import { decimalUpTo } from './decimal-bounds.js';
import { text } from './operation.js';
import { UPDATE } from './optional-fields.js';
import { TRADE_SIDES } from './trades.js';

/** Default maximum age of an entry signal, in milliseconds; older entries are not copied. */
export const SIGNAL_AGE_DEFAULT_MS = 60_000;

const LIMIT_DESCRIPTIONS = {
  max_trade_quote: 'Maximum cost of one entry, in quote currency. A larger entry is reduced to this cost.',
  max_open_quote: 'Maximum open exposure, in quote currency. An entry that would exceed it is reduced.',
  max_open_trades: 'Maximum number of open lots.',
  max_daily_loss_quote: 'Loss since 00:00 UTC, in quote currency, that triggers the action of `on_breach`.',
  max_drawdown_percent:
    'Fall of the result from its peak, in percent of the equity at that peak, or of `sizing.capital` if that is less, that triggers the action of `on_breach`.',
  max_slippage_bps:
    "Maximum slippage of an entry against the strategy's price, in basis points (hundredths of a percent).",
  max_signal_age_ms:
    'Maximum age of an entry signal, in milliseconds. Older entries are not copied; exits are always copied.',
  max_leverage:
    'Perpetuals only: maximum of the notionals of all positions of the account ÷ its equity after an entry. A larger entry is reduced.',
  min_margin_ratio:
    'Perpetuals only: minimum of the margin ÷ the maintenance margin. Below it, entries are not copied. Default: 1.5.',
  allowed_pairs: 'Symbols (`BASE/QUOTE`) of the pairs to copy. Other pairs are not copied.',
  blocked_pairs: 'Symbols (`BASE/QUOTE`) of pairs that are never copied.',
  allowed_sides: 'Sides on which entries are copied. Entries on other sides are not copied.',
};

/** Limits of a copier. They never prevent an exit. */
export const copierLimits = z
  .object({
    max_trade_quote: decimal.optional().describe(LIMIT_DESCRIPTIONS.max_trade_quote),
    max_open_quote: decimal.optional().describe(LIMIT_DESCRIPTIONS.max_open_quote),
    max_open_trades: z.number().int().positive().optional().describe(LIMIT_DESCRIPTIONS.max_open_trades),
    max_daily_loss_quote: decimal.optional().describe(LIMIT_DESCRIPTIONS.max_daily_loss_quote),
    max_drawdown_percent: decimal.optional().describe(LIMIT_DESCRIPTIONS.max_drawdown_percent),
    max_slippage_bps: z.number().int().nonnegative().optional().describe(LIMIT_DESCRIPTIONS.max_slippage_bps),
    max_signal_age_ms: z.number().int().positive().describe(LIMIT_DESCRIPTIONS.max_signal_age_ms),
    max_leverage: decimal.optional().describe(LIMIT_DESCRIPTIONS.max_leverage),
    min_margin_ratio: decimal.optional().describe(LIMIT_DESCRIPTIONS.min_margin_ratio),
    allowed_pairs: z.array(z.string()).optional().describe(LIMIT_DESCRIPTIONS.allowed_pairs),
    blocked_pairs: z.array(z.string()).optional().describe(LIMIT_DESCRIPTIONS.blocked_pairs),
    allowed_sides: z.array(z.enum(TRADE_SIDES)).optional().describe(LIMIT_DESCRIPTIONS.allowed_sides),
  })
  .meta({ id: 'CopierLimits' });
export type CopierLimits = z.output<typeof copierLimits>;

/** The symbol of a trade pair in a request. */
export const symbolInput = text({ max: 100 }).regex(/^[^\s/:]+\/[^\s/:]+(:[^\s/:]+)?$/, {
  error: 'Expected the symbol of a trade pair, like BTC/USDT.',
});
const symbols = z.array(symbolInput).min(1).max(200);

const limitFields = {
  max_trade_quote: decimalInput().describe(LIMIT_DESCRIPTIONS.max_trade_quote),
  max_open_quote: decimalInput().describe(LIMIT_DESCRIPTIONS.max_open_quote),
  max_open_trades: z.number().int().min(1).max(100_000).describe(LIMIT_DESCRIPTIONS.max_open_trades),
  max_daily_loss_quote: decimalInput().describe(LIMIT_DESCRIPTIONS.max_daily_loss_quote),
  max_drawdown_percent: decimalUpTo('100').describe(LIMIT_DESCRIPTIONS.max_drawdown_percent),
  max_slippage_bps: z.number().int().min(0).max(10_000).describe(LIMIT_DESCRIPTIONS.max_slippage_bps),
  max_leverage: decimalInput().describe(LIMIT_DESCRIPTIONS.max_leverage),
  min_margin_ratio: decimalInput().describe(LIMIT_DESCRIPTIONS.min_margin_ratio),
  allowed_pairs: symbols.describe(LIMIT_DESCRIPTIONS.allowed_pairs),
  blocked_pairs: symbols.describe(LIMIT_DESCRIPTIONS.blocked_pairs),
  allowed_sides: z
    .array(z.enum(TRADE_SIDES))
    .min(1)
    .max(TRADE_SIDES.length)
    .describe(LIMIT_DESCRIPTIONS.allowed_sides),
};
const signalAge = z.number().int().min(1).max(86_400_000).describe(LIMIT_DESCRIPTIONS.max_signal_age_ms);

/** The limits in a request that creates a copier. */
export const copierLimitsCreate = z
  .strictObject(limitFields)
  .partial()
  .extend({ max_signal_age_ms: signalAge.default(SIGNAL_AGE_DEFAULT_MS) })
  .meta({ id: 'CopierLimitsCreate' });

/** The limits in an update of a copier. `null` removes a limit; only `max_signal_age_ms` cannot be removed. */
export const copierLimitsUpdate = z
  .strictObject({
    max_trade_quote: limitFields.max_trade_quote.nullable(),
    max_open_quote: limitFields.max_open_quote.nullable(),
    max_open_trades: limitFields.max_open_trades.nullable(),
    max_daily_loss_quote: limitFields.max_daily_loss_quote.nullable(),
    max_drawdown_percent: limitFields.max_drawdown_percent.nullable(),
    max_slippage_bps: limitFields.max_slippage_bps.nullable(),
    max_signal_age_ms: signalAge,
    max_leverage: limitFields.max_leverage.nullable(),
    min_margin_ratio: limitFields.min_margin_ratio.nullable(),
    allowed_pairs: limitFields.allowed_pairs.nullable(),
    blocked_pairs: limitFields.blocked_pairs.nullable(),
    allowed_sides: limitFields.allowed_sides.nullable(),
  })
  .partial()
  .meta({ id: 'CopierLimitsUpdate', ...UPDATE });

const { allowed_pairs: _allowed, blocked_pairs: _blocked, ...ofOnePair } = limitFields;

/** The limits of an override in a request. An override is for one pair, so it has no lists of pairs. */
export const overrideLimitsInput = z
  .strictObject({ ...ofOnePair, max_signal_age_ms: signalAge })
  .partial()
  .meta({ id: 'OverrideLimitsGiven' });

/** The limits of an override. */
export const overrideLimits = copierLimits
  .omit({ allowed_pairs: true, blocked_pairs: true })
  .partial()
  .meta({ id: 'OverrideLimits' });
