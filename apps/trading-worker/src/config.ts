import { decimalGiven, WORLDS } from '@trading-automation/contracts';
import { openingKeysSetting } from '@trading-automation/core/sealing';
import { venuesSetting } from '@trading-automation/exchanges/ccxt';
import { z } from 'zod';

const tokensPerQuote = z.record(
  z.string().regex(/^[A-Z0-9]{1,20}$/, 'expected a quote currency, such as USDT'),
  decimalGiven('positive'),
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

/** The environment of the process; docs/reference/configuration.md says what each means. */
export const configSchema = z.object({
  WORLD: z.enum(WORLDS, 'expected test or live'),
  DATABASE_URL: z.url('expected a URL'),
  REDIS_URL: z.url('expected a URL'),
  EXCHANGE_OPENING_KEYS: openingKeysSetting,
  VENUES: venuesSetting,
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  /** How often rules and pairs of each exchange are read again, in milliseconds. */
  MARKETS_EVERY_MS: z.coerce.number().int().min(1_000).default(600_000),
  PRICES_EVERY_MS: z.coerce.number().int().min(500).default(5_000),
  /** How old an account's balances may grow before they are read again unasked. */
  BALANCES_AGE_MAX_MS: z.coerce.number().int().min(1_000).default(60_000),
  /** How often each account is compared with its exchange, however well its stream seems to be. */
  RECONCILE_EVERY_MS: z.coerce.number().int().min(1_000).default(60_000),
  /** Reward tokens of one grant; 0 grants none, and unset is the default of the world. */
  REWARD_SIGN_UP_AMOUNT: decimalGiven('non_negative').optional(),
  REWARD_FIRST_TRADE_AMOUNT: decimalGiven('non_negative').optional(),
  /** Reward tokens for one unit of each quote currency that profit is shared in; unset is the default of the world. */
  REWARD_TOKENS_PER_QUOTE: tokensPerQuoteSetting.optional(),
  /** How long a reward can be claimed; for ever unless set. */
  REWARD_EXPIRES_DAYS: z.coerce.number().int().min(1).max(3_650).optional(),
});

export type Config = z.infer<typeof configSchema>;
