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

/** How many times the limit of one credential a user may use over all credentials, if `user_requests` is omitted. */
const USER_MULTIPLE = 3;

const requests = z.int().min(1).max(REQUESTS_MAX);
const seconds = z.int().min(1).max(SECONDS_MAX);

/** A limit of one credential, with the limit of its user over all credentials. */
const credentialLimit = (defaultLimit: RateLimit) =>
  z
    .strictObject({ requests, seconds, user_requests: requests.optional() })
    .refine((limit) => (limit.user_requests ?? limit.requests) >= limit.requests, {
      path: ['user_requests'],
      error: 'must be at least requests',
    })
    .default(defaultLimit);

/** A limit of which there is only one for each caller. */
const singleLimit = (defaultLimit: RateLimit) => z.strictObject({ requests, seconds }).default(defaultLimit);

const limits = {
  general: credentialLimit({ requests: 600, seconds: 60 }),
  trade_writes: credentialLimit({ requests: 20, seconds: 1 }),
  sensitive_writes: credentialLimit({ requests: 10, seconds: 60 }),
  identity_writes: singleLimit({ requests: 60, seconds: 60 }),
  simulations: singleLimit({ requests: 6, seconds: 60 }),
  exchange_tests: singleLimit({ requests: 6, seconds: 60 }),
  webhook_tests: singleLimit({ requests: 6, seconds: 60 }),
};

/** Configured limits; an omitted limit has its published default. */
export const rateLimitsSchema = z.strictObject(limits, {
  error: ({ code }) =>
    code === 'unrecognized_keys'
      ? `there is no such limit; the limits are ${Object.keys(limits).join(', ')}`
      : undefined,
}) satisfies z.ZodType<Readonly<Record<RatePolicyName, RateLimit>>>;

export type RateLimits = z.output<typeof rateLimitsSchema>;

/** The schema of an environment variable with JSON such as `{"general": {"requests": 1200, "seconds": 60}}`. */
export const rateLimitsSetting = jsonSetting(rateLimitsSchema);

/** Whose requests a bucket counts. */
type RateScope = 'credential' | 'user' | 'address';

/** One limit in the units of the buckets. */
export interface RatePolicy extends RateLimit {
  /** The published name. The limit of the user above a limit of credentials has the suffix `_user`. */
  readonly name: RatePolicyName | `${RatePolicyName}_user`;
  /** The configured limit that the policy belongs to. */
  readonly limit: RatePolicyName;
  /** Requests without valid credentials use the bucket of their address, whatever the scope. */
  readonly scope: RateScope;
  readonly keyPrefix: string;
  /** The policy as a member of `RateLimit-Policy`. */
  readonly header: string;
  /** Microseconds to refill one token; an integer, so that sums are never rounded. */
  readonly intervalUs: number;
  /** Microseconds to fill an empty bucket. */
  readonly capacityUs: number;
}

/** The limits of one request. A token is taken from every bucket or from none. */
export interface RatePolicySet {
  /** Policies of one limit follow one another. */
  readonly policies: readonly RatePolicy[];
  /** Alternating interval and capacity of each policy, in microseconds, as strings. */
  readonly amounts: readonly string[];
}

export interface RatePolicySets {
  /** The general limit of an address. */
  readonly general: RatePolicySet;
  /** The limits of a request without credentials: the general one plus the operation's own bucket, if it has one. */
  ofAddress(bucket: RateBucket | undefined): RatePolicySet;
  /** The limits of an authenticated request, each with the limit of the user above it. */
  ofCaller(bucket: RateBucket | undefined): RatePolicySet;
}

/** The scopes of each limit of an authenticated request. */
const CALLER_SCOPES = {
  general: ['credential', 'user'],
  trade_writes: ['credential', 'user'],
  sensitive_writes: ['credential', 'user'],
  identity_writes: ['address'],
  simulations: ['user'],
  exchange_tests: ['user'],
  webhook_tests: ['user'],
} as const satisfies Readonly<Record<RatePolicyName, readonly RateScope[]>>;

export function ratePolicySets(limits: RateLimits): RatePolicySets {
  const forCaller = (name: RatePolicyName) =>
    CALLER_SCOPES[name].map((scope) => policyOf(name, scope, limits[name]));
  const forAddress = (name: RatePolicyName) => [policyOf(name, 'address', limits[name])];
  const setsOf = (policiesOf: (name: RatePolicyName) => RatePolicy[]) => {
    const general = setOf(policiesOf('general'));
    const own = new Map(
      RATE_BUCKETS.map((bucket) => [bucket, setOf([...policiesOf('general'), ...policiesOf(bucket)])]),
    );
    return (bucket: RateBucket | undefined) => (bucket === undefined ? general : own.get(bucket)!);
  };
  const ofAddress = setsOf(forAddress);
  return { general: ofAddress(undefined), ofAddress, ofCaller: setsOf(forCaller) };
}

function policyOf(
  limit: RatePolicyName,
  scope: RateScope,
  configured: RateLimit & { readonly user_requests?: number | undefined },
): RatePolicy {
  const isAboveCredential = scope === 'user' && CALLER_SCOPES[limit].length > 1;
  const name = isAboveCredential ? (`${limit}_user` as const) : limit;
  const { requests: credentialRequests, seconds, user_requests } = configured;
  const requests = isAboveCredential
    ? (user_requests ?? USER_MULTIPLE * credentialRequests)
    : credentialRequests;
  const intervalUs = Math.ceil((seconds * MICROSECONDS_PER_SECOND) / requests);
  return {
    name,
    limit,
    scope,
    requests,
    seconds,
    // The key contains the limit: a changed limit starts with full buckets.
    keyPrefix: `rate:${name}:${requests}/${seconds}:`,
    header: `"${name}";q=${requests};w=${seconds}`,
    intervalUs,
    capacityUs: intervalUs * requests,
  };
}

function setOf(policies: RatePolicy[]): RatePolicySet {
  const amounts = policies.flatMap(({ intervalUs, capacityUs }) => [String(intervalUs), String(capacityUs)]);
  return { policies, amounts };
}
