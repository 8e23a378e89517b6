/**
 * The rate limits: published defaults, and what configuration may make of them.
 *
 * Every limit is a number of requests in a time. None can be left out, and none can be endless: a test or a benchmark
 * raises them.
 */
import { RATE_BUCKETS, type RateBucket } from '@trading-automation/contracts';
import { z } from 'zod';
import { jsonSetting } from '../platform/index.js';

export const RATE_POLICIES = ['general', ...RATE_BUCKETS] as const;
export type RatePolicyName = (typeof RATE_POLICIES)[number];

const REQUESTS_MAX = 1_000_000_000;
const SECONDS_MAX = 86_400;
const MICROSECONDS = 1_000_000;

/** A bucket holds `requests` tokens, and an empty one is full again after `seconds`. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

const limitOf = (published: RateLimit) =>
  z
    .strictObject({
      requests: z.int().min(1).max(REQUESTS_MAX),
      seconds: z.int().min(1).max(SECONDS_MAX),
    })
    .default(published);

/** Limits as configuration gives them; what is left out has its published default. */
export const rateLimitsSchema = z.strictObject({
  general: limitOf({ requests: 600, seconds: 60 }),
  trade_writes: limitOf({ requests: 20, seconds: 1 }),
  sensitive_writes: limitOf({ requests: 10, seconds: 60 }),
  identity_writes: limitOf({ requests: 60, seconds: 60 }),
}) satisfies z.ZodType<Readonly<Record<RatePolicyName, RateLimit>>>;

export type RateLimits = z.output<typeof rateLimitsSchema>;

/** The limits as a variable of the environment: JSON, like `{"general": {"requests": 1200, "seconds": 60}}`. */
export const rateLimitsSetting = jsonSetting(rateLimitsSchema);

/** One limit, in the units that buckets count in. */
export interface RatePolicy extends RateLimit {
  readonly name: RatePolicyName;
  /** Counts by address even where the caller is known. */
  readonly isByAddress: boolean;
  readonly keyPrefix: string;
  /** Microseconds in which one token comes back; whole, so that no sum of them is ever rounded. */
  readonly intervalUs: number;
  /** Microseconds in which an empty bucket fills. */
  readonly capacityUs: number;
}

/** What one request has to satisfy, all of it or nothing. */
export interface RatePolicySet {
  readonly policies: readonly RatePolicy[];
  /** The interval and the capacity of each policy in turn, in microseconds, as text. */
  readonly amounts: readonly string[];
  /** The value of `RateLimit-Policy`. */
  readonly header: string;
}

export interface RatePolicySets {
  readonly general: RatePolicySet;
  /** General, and the bucket of its own that an operation declares. */
  of(bucket: RateBucket | undefined): RatePolicySet;
}

export function ratePolicySets(limits: RateLimits): RatePolicySets {
  const general = policyOf('general', limits.general);
  const alone = setOf(general);
  const withBucket = new Map(
    RATE_BUCKETS.map((bucket) => [bucket, setOf(general, policyOf(bucket, limits[bucket]))]),
  );
  return { general: alone, of: (bucket) => (bucket === undefined ? alone : withBucket.get(bucket)!) };
}

function policyOf(name: RatePolicyName, { requests, seconds }: RateLimit): RatePolicy {
  const intervalUs = Math.ceil((seconds * MICROSECONDS) / requests);
  return {
    name,
    requests,
    seconds,
    isByAddress: name === 'identity_writes',
    // With the limit in it: a limit that is changed begins with full buckets, and owes nothing to the former one.
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
