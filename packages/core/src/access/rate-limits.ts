/**
 * Rate limits: the published defaults and their configuration.
 *
 * Each limit is a number of requests per period. No limit can be omitted or unlimited; tests and benchmarks raise
 * them.
 */
import { RATE_BUCKETS, type RateBucket } from '@trading-automation/contracts';
import { z } from 'zod';
import { jsonSetting } from '../platform/index.js';

export const RATE_POLICIES = ['general', ...RATE_BUCKETS] as const;
export type RatePolicyName = (typeof RATE_POLICIES)[number];

const REQUESTS_MAX = 1_000_000_000;
const SECONDS_MAX = 86_400;
const MICROSECONDS_PER_SECOND = 1_000_000;

/** A bucket holds `requests` tokens and fills from empty in `seconds`. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

const limitSchema = (defaultLimit: RateLimit) =>
  z
    .strictObject({
      requests: z.int().min(1).max(REQUESTS_MAX),
      seconds: z.int().min(1).max(SECONDS_MAX),
    })
    .default(defaultLimit);

/** Configured limits; an omitted limit has its published default. */
export const rateLimitsSchema = z.strictObject({
  general: limitSchema({ requests: 600, seconds: 60 }),
  trade_writes: limitSchema({ requests: 20, seconds: 1 }),
  sensitive_writes: limitSchema({ requests: 10, seconds: 60 }),
  identity_writes: limitSchema({ requests: 60, seconds: 60 }),
}) satisfies z.ZodType<Readonly<Record<RatePolicyName, RateLimit>>>;

export type RateLimits = z.output<typeof rateLimitsSchema>;

/** The schema of an environment variable with JSON such as `{"general": {"requests": 1200, "seconds": 60}}`. */
export const rateLimitsSetting = jsonSetting(rateLimitsSchema);

/** One limit in the units of the buckets. */
export interface RatePolicy extends RateLimit {
  readonly name: RatePolicyName;
  /** Whether the bucket belongs to the address even if the caller is authenticated. */
  readonly isByAddress: boolean;
  readonly keyPrefix: string;
  /** Microseconds to refill one token; an integer, so that sums are never rounded. */
  readonly intervalUs: number;
  /** Microseconds to fill an empty bucket. */
  readonly capacityUs: number;
}

/** The limits of one request. A token is taken from every bucket or from none. */
export interface RatePolicySet {
  readonly policies: readonly RatePolicy[];
  /** Alternating interval and capacity of each policy, in microseconds, as strings. */
  readonly amounts: readonly string[];
  /** The value of `RateLimit-Policy`. */
  readonly header: string;
}

export interface RatePolicySets {
  readonly general: RatePolicySet;
  /** Returns the general limit plus the operation's own bucket, if it has one. */
  of(bucket: RateBucket | undefined): RatePolicySet;
}

export function ratePolicySets(limits: RateLimits): RatePolicySets {
  const general = policyOf('general', limits.general);
  const generalOnly = setOf(general);
  const withBucket = new Map(
    RATE_BUCKETS.map((bucket) => [bucket, setOf(general, policyOf(bucket, limits[bucket]))]),
  );
  return {
    general: generalOnly,
    of: (bucket) => (bucket === undefined ? generalOnly : withBucket.get(bucket)!),
  };
}

function policyOf(name: RatePolicyName, { requests, seconds }: RateLimit): RatePolicy {
  const intervalUs = Math.ceil((seconds * MICROSECONDS_PER_SECOND) / requests);
  return {
    name,
    requests,
    seconds,
    isByAddress: name === 'identity_writes',
    // The key contains the limit: a changed limit starts with full buckets.
    keyPrefix: `rate:${name}:${requests}/${seconds}:`,
    intervalUs,
    capacityUs: intervalUs * requests,
  };
}

function setOf(...policies: RatePolicy[]): RatePolicySet {
  const header = policies.map(({ name, requests, seconds }) => `"${name}";q=${requests};w=${seconds}`);
  const amounts = policies.flatMap(({ intervalUs, capacityUs }) => [String(intervalUs), String(capacityUs)]);
  return { policies, amounts, header: header.join(', ') };
}
