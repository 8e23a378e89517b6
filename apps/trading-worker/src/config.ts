import { decimalInput, WORLDS } from '@trading-automation/contracts';
import { privateKeysSetting } from '@trading-automation/core/sealing';
import { venuesSetting } from '@trading-automation/exchanges/ccxt';
import { metricsSettings } from '@trading-automation/runtime';
import { z } from 'zod';

const tokensPerQuote = z.record(
  z.string().regex(/^[A-Z0-9]{1,20}$/, 'expected a quote currency, such as USDT'),
  decimalInput('positive'),
);

const tokensPerQuoteSetting = z.string().transform((text, context) => {
  const parsed = tokensPerQuote.safeParse(readJson(text));
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues)
    context.addIssue({ code: 'custom', message: [...path.map(String), message].join(': ') });
  return z.NEVER;
});

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The settings of the process; docs/reference/configuration.md documents each. */
export const configSchema = z
  .object({
    WORLD: z.enum(WORLDS, 'expected test or live'),
    DATABASE_URL: z.url('expected a URL'),
    REDIS_URL: z.url('expected a URL'),
    EXCHANGE_OPENING_KEYS: privateKeysSetting,
    VENUES: venuesSetting,
    LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    /** How often the rules and pairs of each exchange are reloaded, in milliseconds. */
    MARKETS_EVERY_MS: z.coerce.number().int().min(1_000).default(600_000),
    PRICES_EVERY_MS: z.coerce.number().int().min(500).default(5_000),
    /** The age, in milliseconds, at which an account's balances are read again. */
    BALANCES_AGE_MAX_MS: z.coerce.number().int().min(1_000).default(60_000),
    /**
     * The longest time between two reconciliations of an account whose stream works, in milliseconds. Default: 4 h.
     */
    RECONCILE_EVERY_MS: z.coerce.number().int().min(1_000).max(86_400_000).default(14_400_000),
    /** Reward tokens per grant. 0 disables the grant; unset means the default of the world. */
    REWARD_SIGN_UP_AMOUNT: decimalInput('non_negative').optional(),
    REWARD_FIRST_TRADE_AMOUNT: decimalInput('non_negative').optional(),
    /** Reward tokens per unit of shared profit, for each quote currency. Unset means the default of the world. */
    REWARD_TOKENS_PER_QUOTE: tokensPerQuoteSetting.optional(),
    /** Reward tokens that the profit shares of a UTC month may not exceed. Unset means the default of the world. */
    REWARDS_PROFIT_SHARE_BUDGET: decimalInput('non_negative').optional(),
    /** Days until an unclaimed reward expires. Unset means that rewards never expire. */
    REWARD_EXPIRES_DAYS: z.coerce.number().int().min(1).max(3_650).optional(),
    ...metricsSettings,
  })
  .superRefine(({ WORLD, VENUES }, context) => {
    // Requests to a venue carry the users' keys and signatures.
    if (WORLD === 'live' && VENUES.some(({ url }) => url?.startsWith('http:')))
      context.addIssue({ code: 'custom', path: ['VENUES'], message: 'url must be https in the live world' });
  });

export type Config = z.infer<typeof configSchema>;
