import { decimalGiven, WORLDS } from '@trading-automation/contracts';
import { z } from 'zod';
import { rateLimitsSchema, rateLimitsSetting } from '../access/index.js';
import { serverKeysSetting } from '../platform/index.js';
import { sealingKeySetting } from '../sealing/index.js';

/** What the environment says to every API of a deployment, the same to each. */
export const apiSettings = {
  WORLD: z.enum(WORLDS),
  DATABASE_URL: z.string().min(1),
  REDIS_URL: z.string().min(1),
  /** The first seals; the others still open. A cursor of one API is good at the other. */
  SERVER_KEYS: serverKeysSetting,
  /** Public key of the trading worker. */
  EXCHANGE_SEALING_KEY: sealingKeySetting,
  /** Public key of the webhook dispatcher. */
  WEBHOOK_SEALING_KEY: sealingKeySetting,
  RATE_LIMITS: rateLimitsSetting.default(() => rateLimitsSchema.parse({})),
  /** In reward tokens; taken out of each withdrawal. */
  WITHDRAWAL_FEE: decimalGiven('non_negative').default('0'),
};
