import { WORLDS } from '@trading-automation/contracts';
import { openingKeysSetting } from '@trading-automation/core/sealing';
import { venuesSetting } from '@trading-automation/exchanges/ccxt';
import { z } from 'zod';

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
});

export type Config = z.infer<typeof configSchema>;
