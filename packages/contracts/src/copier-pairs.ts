/** Settings of a copier for exchanges that name or quote their pairs differently, and for single pairs. */
import { z } from 'zod';
import { overrideLimits, overrideLimitsInput, symbolInput } from './copier-limits.js';
import { copierSizing, sizingInput } from './copier-sizing.js';
import type { DetailCode } from './detail-codes.js';
import { text } from './operation.js';

export const ALIAS_GROUPS_MAX = 10;
export const ALIASES_PER_GROUP_MAX = 10;
export const SYMBOL_MAP_MAX = 200;
export const OVERRIDES_MAX = 100;

const ALIASES_DESCRIPTION =
  'Groups of quote currencies that count as the same, such as `[["USD", "USDT", "USDC"]]`. If the exchange of the copier lacks a pair of the strategy, ' +
  'the copier uses a pair of the same base with another quote currency of the group, the first one in the order of the group. ' +
  "For perpetuals, this includes the settlement currency. The copier uses the strategy's prices as they are, without conversion.";
const MAP_DESCRIPTION =
  'Pairs to use instead of pairs of the strategy: `{"<strategy\'s symbol>": "<copier\'s symbol>"}`. An entry applies before the same symbol and before `quote_aliases`, ' +
  'unless its pair is inactive. Spot pairs map to spot pairs, and perpetuals to perpetuals. The base currencies must be the same asset, and the quote currencies must have the same value.';
const OVERRIDES_DESCRIPTION =
  "Sizing and limits for single pairs, by the strategy's symbol. `sizing` replaces that of the copier. Each limit in `limits` replaces that of the copier, and the copier's other limits apply. " +
  '`max_open_quote`, `max_open_trades`, `max_daily_loss_quote` and `max_drawdown_percent` still measure all lots of the copier; here they only prevent or reduce entries of the pair, and do not trigger `on_breach`.';

/** Describes when a change takes effect. */
const KEEPS_PAIR = ' A change replaces all entries and applies to new lots only. Open lots keep their pair.';
const KEEPS_SETTINGS =
  ' A change replaces all overrides and applies to new lots only. Open lots keep their settings.';

export const quoteAliases = z.array(z.array(z.string())).describe(ALIASES_DESCRIPTION);
export type QuoteAliases = z.output<typeof quoteAliases>;

export const symbolMap = z.record(z.string(), z.string()).describe(MAP_DESCRIPTION);
export type SymbolMap = z.output<typeof symbolMap>;

const copierOverride = z
  .object({ sizing: copierSizing.optional(), limits: overrideLimits.optional() })
  .meta({ id: 'CopierOverride' });
export type CopierOverride = z.output<typeof copierOverride>;

export const copierOverrides = z.record(z.string(), copierOverride).describe(OVERRIDES_DESCRIPTION);
export type CopierOverrides = z.output<typeof copierOverrides>;

const currency = text({ max: 50 }).regex(/^[A-Za-z0-9._-]+$/, { error: 'Expected a currency, like USDT.' });

export const quoteAliasesInput = z
  .array(z.array(currency).min(2).max(ALIASES_PER_GROUP_MAX))
  .max(ALIAS_GROUPS_MAX)
  .superRefine((groups, context) => {
    const groupOf = new Map<string, number>();
    groups.forEach((group, index) => {
      group.forEach((name, position) => {
        const first = groupOf.get(name);
        groupOf.set(name, index);
        if (first === undefined) return;
        context.addIssue({
          code: 'custom',
          path: [index, position],
          message:
            first === index
              ? 'The currency occurs twice in the group. Remove one of the two.'
              : `The currency is also in quote_aliases.${first}. Keep it in one group, or merge the groups.`,
          params: { code: 'duplicate' satisfies DetailCode },
        });
      });
    });
  })
  .describe(ALIASES_DESCRIPTION + KEEPS_PAIR);

const isPerpetual = (symbol: string) => symbol.includes(':');

/** Reports a map with too many entries. */
const atMost = (max: number) => (entries: object, context: z.RefinementCtx) => {
  if (Object.keys(entries).length <= max) return;
  context.addIssue({
    code: 'custom',
    message: `Expected at most ${max} entries.`,
    params: { code: 'too_big' satisfies DetailCode },
  });
};

export const symbolMapInput = z
  .record(symbolInput, symbolInput)
  .superRefine(atMost(SYMBOL_MAP_MAX))
  .superRefine((map, context) => {
    for (const [from, to] of Object.entries(map)) {
      const areSymbols = [from, to].every((symbol) => symbolInput.safeParse(symbol).success);
      if (!areSymbols || isPerpetual(from) === isPerpetual(to)) continue;
      context.addIssue({
        code: 'custom',
        path: [from],
        message: isPerpetual(from)
          ? 'A perpetual cannot be copied to a spot pair. Choose a perpetual, like BTC/USDT:USDT.'
          : 'A spot pair cannot be copied to a perpetual. Choose a spot pair, like BTC/USDT.',
        params: { code: 'other_exchange' satisfies DetailCode },
      });
    }
  })
  .describe(MAP_DESCRIPTION + KEEPS_PAIR);

const overrideInput = z
  .strictObject({ sizing: sizingInput.optional(), limits: overrideLimitsInput.optional() })
  .superRefine(({ sizing, limits }, context) => {
    if (sizing !== undefined || limits !== undefined) return;
    context.addIssue({
      code: 'custom',
      message: 'An override needs sizing or limits. Add one, or remove the override.',
      params: { code: 'required' satisfies DetailCode },
    });
  })
  .meta({ id: 'CopierOverrideGiven' });

export const copierOverridesInput = z
  .record(symbolInput, overrideInput)
  .superRefine(atMost(OVERRIDES_MAX))
  .describe(OVERRIDES_DESCRIPTION + KEEPS_SETTINGS);
