import { WORLDS } from '@trading-automation/contracts';
import { z } from 'zod';
import { rateLimitsSchema, rateLimitsSetting } from '../access/index.js';
import { serverKeysSetting } from '../platform/index.js';
import { publicKeySetting } from '../sealing/index.js';
import { withdrawalVariables } from '../withdrawals/index.js';

/** Settings that must have equal values in all APIs of a deployment. */
export const apiSettings = {
  WORLD: z.enum(WORLDS),
  DATABASE_URL: z.url('expected a URL'),
  REDIS_URL: z.url('expected a URL'),
  /**
   * The first key encrypts and signs new values; all keys read older ones. Both APIs need equal keys, so that
   * a cursor of one API is valid at the other.
   */
  SERVER_KEYS: serverKeysSetting,
  /** Public key of the trading worker. */
  EXCHANGE_SEALING_KEY: publicKeySetting,
  /** Public key of the webhook dispatcher. */
  WEBHOOK_SEALING_KEY: publicKeySetting,
  RATE_LIMITS: rateLimitsSetting.default(() => rateLimitsSchema.parse({})),
  /** How many event streams, and how many sockets, a user may have open with all credentials together. */
  STREAMS_PER_USER: z.coerce.number().int().min(1).max(10_000).default(15),
  ...withdrawalVariables,
};
