/** The details of errors: which error codes have details, and which members a detail of each code has. */
import { z } from 'zod';
import { DETAIL_CODES } from './detail-codes.js';
import type { ErrorCode } from './errors.js';
import { instant, PERMISSIONS } from './operation.js';

const amount = z.string().regex(/^-?[0-9]+([.][0-9]+)?$/);
const state = z.string().describe('The state that forbids the operation, as the API shows it.').optional();
const usableAt = instant
  .describe('The time from which the operation is possible, if only time is missing.')
  .optional();

/** The members of a detail in addition to `field`, `code` and `message`. A code that is missing here has no details. */
const MEMBERS: Partial<Record<ErrorCode, z.core.$ZodLooseShape>> = {
  already_exists: {},
  credential_in_query: {},
  exchange_credentials_rejected: {},
  exchange_rule_violated: {
    rule: z
      .string()
      .describe("The trade pair's field that holds the limit, such as `price_tick`.")
      .optional(),
    value: z.string().describe('The value that breaks the rule: a decimal, or a word of the API.').optional(),
    limit: z.string().describe('The limit: a decimal, or the allowed words.').optional(),
  },
  exchange_unavailable: {},
  idempotency_in_progress: {},
  insufficient_balance: {
    asset: z.string().describe('The asset that is missing.').optional(),
    needed: amount.describe('The amount that the operation needs.').optional(),
    free: amount.describe('The amount that is free.').optional(),
    available: amount.describe('The amount that is available.').optional(),
  },
  invalid_api_key: {},
  invalid_query: {},
  invalid_signature: {},
  invalid_signature_headers: {},
  invalid_state: { state, usable_at: usableAt },
  limit_reached: {
    limit: z.union([z.number(), amount]).describe('The limit.').optional(),
    remaining: amount.describe('What is left of the limit today.').optional(),
    state,
    usable_at: usableAt,
  },
  malformed_json: {},
  not_found: {},
  permission_denied: {
    permission: z.enum(PERMISSIONS).describe('The permission that the operation needs.').optional(),
    limit: z
      .union([instant, z.array(z.string())])
      .describe(
        'What the credential of the request may grant at most: the latest expiry, or the allowed addresses and ranges.',
      )
      .optional(),
    usable_at: usableAt,
  },
  rate_limited: {
    policy: z.string().describe('The name of the limit, as in `RateLimit-Policy`.').optional(),
  },
  timestamp_out_of_window: {
    server_time: z.number().int().describe("The server's time, in Unix milliseconds."),
  },
  validation_failed: {},
};

const CODE = z
  .string()
  .describe(
    `The problem, in one stable word; new ones may be added. The words: ${Object.keys(DETAIL_CODES).join(', ')}.`,
  );
const MESSAGE = z.string().describe('What is wrong, and how to fix it.');
const FIELD = z
  .string()
  .describe('The field, parameter or header at fault; members of members are separated by dots.')
  .optional();

/** Returns the schema of one detail of errors with this code; undefined if such errors have no details. */
export function errorDetailOf(code: ErrorCode): z.ZodObject | undefined {
  const members = MEMBERS[code];
  return members && z.strictObject({ field: FIELD, code: CODE, message: MESSAGE, ...members });
}
