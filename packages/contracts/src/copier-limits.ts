import { z } from 'zod';
import { decimal, decimalGiven } from './decimal.js';
import { decimalUpTo } from './decimal-bounds.js';
import { text } from './operation.js';
import { TRADE_SIDES } from './trades.js';

/** Age over which an entry is not copied any more, unless the copier says otherwise. */
export const SIGNAL_AGE_DEFAULT_MS = 60_000;

const LIMIT_WORDS = {
  max_trade_quote: 'Most that one entry may cost, in quote currency; larger ones are cut to it.',
  max_open_quote: 'Most that may be open at once, in quote currency; entries are cut to what is left.',
  max_open_trades: 'Most lots that may be open at once.',
  max_daily_loss_quote: 'Loss since 00:00 UTC, in quote currency, at which `on_breach` takes hold.',
  max_drawdown_percent: 'Fall from the high-water mark, in percent, at which `on_breach` takes hold.',
  max_slippage_bps: "Most that an entry may be worse than the strategy's price, in hundredths of a percent.",
  max_signal_age_ms: 'Entries older than this are not copied any more; exits always are.',
  max_leverage: 'Most leverage of an entry, on perpetuals.',
  allowed_pairs: 'Symbols (`BASE/QUOTE`) of the only pairs that are copied.',
  blocked_pairs: 'Symbols (`BASE/QUOTE`) of pairs that are never copied.',
  allowed_sides: 'The only sides on which entries are copied.',
};

/** Bounds of entries; exits are never held back by them. */
export const copierLimits = z
  .object({
    max_trade_quote: decimal.optional().describe(LIMIT_WORDS.max_trade_quote),
    max_open_quote: decimal.optional().describe(LIMIT_WORDS.max_open_quote),
    max_open_trades: z.number().int().positive().optional().describe(LIMIT_WORDS.max_open_trades),
    max_daily_loss_quote: decimal.optional().describe(LIMIT_WORDS.max_daily_loss_quote),
    max_drawdown_percent: decimal.optional().describe(LIMIT_WORDS.max_drawdown_percent),
    max_slippage_bps: z.number().int().nonnegative().optional().describe(LIMIT_WORDS.max_slippage_bps),
    max_signal_age_ms: z.number().int().positive().describe(LIMIT_WORDS.max_signal_age_ms),
    max_leverage: decimal.optional().describe(LIMIT_WORDS.max_leverage),
    allowed_pairs: z.array(z.string()).optional().describe(LIMIT_WORDS.allowed_pairs),
    blocked_pairs: z.array(z.string()).optional().describe(LIMIT_WORDS.blocked_pairs),
    allowed_sides: z.array(z.enum(TRADE_SIDES)).optional().describe(LIMIT_WORDS.allowed_sides),
  })
  .meta({ id: 'CopierLimits' });
export type CopierLimits = z.output<typeof copierLimits>;

const symbol = text({ max: 100 }).regex(/^[^\s/:]+\/[^\s/:]+(:[^\s/:]+)?$/, {
  error: 'Expected the symbol of a trade pair, like BTC/USDT.',
});
const symbols = z.array(symbol).min(1).max(200);

const limitsGiven = {
  max_trade_quote: decimalGiven().describe(LIMIT_WORDS.max_trade_quote),
  max_open_quote: decimalGiven().describe(LIMIT_WORDS.max_open_quote),
  max_open_trades: z.number().int().min(1).max(100_000).describe(LIMIT_WORDS.max_open_trades),
  max_daily_loss_quote: decimalGiven().describe(LIMIT_WORDS.max_daily_loss_quote),
  max_drawdown_percent: decimalUpTo('100').describe(LIMIT_WORDS.max_drawdown_percent),
  max_slippage_bps: z.number().int().min(0).max(10_000).describe(LIMIT_WORDS.max_slippage_bps),
  max_leverage: decimalGiven().describe(LIMIT_WORDS.max_leverage),
  allowed_pairs: symbols.describe(LIMIT_WORDS.allowed_pairs),
  blocked_pairs: symbols.describe(LIMIT_WORDS.blocked_pairs),
  allowed_sides: z
    .array(z.enum(TRADE_SIDES))
    .min(1)
    .max(TRADE_SIDES.length)
    .describe(LIMIT_WORDS.allowed_sides),
};
const signalAge = z.number().int().min(1).max(86_400_000).describe(LIMIT_WORDS.max_signal_age_ms);

/** As they are given with a new copier. */
export const copierLimitsCreate = z
  .strictObject(limitsGiven)
  .partial()
  .extend({ max_signal_age_ms: signalAge.default(SIGNAL_AGE_DEFAULT_MS) })
  .meta({ id: 'CopierLimitsCreate' });

/** The age of signals has a default and no other absence; every other limit may be cleared. */
export const copierLimitsUpdate = z
  .strictObject({
    max_trade_quote: limitsGiven.max_trade_quote.nullable(),
    max_open_quote: limitsGiven.max_open_quote.nullable(),
    max_open_trades: limitsGiven.max_open_trades.nullable(),
    max_daily_loss_quote: limitsGiven.max_daily_loss_quote.nullable(),
    max_drawdown_percent: limitsGiven.max_drawdown_percent.nullable(),
    max_slippage_bps: limitsGiven.max_slippage_bps.nullable(),
    max_signal_age_ms: signalAge,
    max_leverage: limitsGiven.max_leverage.nullable(),
    allowed_pairs: limitsGiven.allowed_pairs.nullable(),
    blocked_pairs: limitsGiven.blocked_pairs.nullable(),
    allowed_sides: limitsGiven.allowed_sides.nullable(),
  })
  .partial()
  .meta({ id: 'CopierLimitsUpdate' });
