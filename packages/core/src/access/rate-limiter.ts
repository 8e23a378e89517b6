/**
 * Limits the rate of requests.
 *
 * 1. A request with valid credentials takes from the buckets of its credential and of its user, in one round trip. A
 *    user with many credentials therefore has at most the user's limit. The request takes nothing from its address, so
 *    clients behind one address do not use up each other's limits.
 * 2. A request without credentials takes from the buckets of its address. A request with invalid credentials takes
 *    from the general bucket of its address only.
 * 3. An address with an empty general bucket is rejected before its credentials are checked.
 * 4. Each process remembers the buckets that it found empty (rate-empty-buckets.ts), so a further rejection costs no round
 *    trip.
 */
import { DomainError, type RateBucket } from '@trading-automation/contracts';
import type { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import type { Actor } from '../operations/index.js';
import type { NonceEpoch } from './nonce-epoch.js';
import { type BucketRequest, type BucketResult, type Buckets, LocalBuckets } from './rate-buckets.js';
import { EmptyBuckets, isEmpty } from './rate-empty-buckets.js';
import { FailoverBuckets } from './rate-failover.js';
import {
  type RateLimits,
  type RatePolicy,
  type RatePolicySet,
  type RatePolicySets,
  ratePolicySets,
} from './rate-limits.js';
import { type NonceClaim, RedisBuckets } from './rate-redis-buckets.js';

/** The rate-limit response headers, as in draft-ietf-httpapi-ratelimit-headers. */
export interface RateHeaders {
  /** The value of `RateLimit-Policy`. */
  readonly policy: string;
  /** The value of `RateLimit`: `r` requests are left, and `t` is the time until the bucket is full, in seconds. */
  readonly state: string;
}

/** The credential and the user that an authenticated request is charged to. The ids are uuids. */
export type ChargedCaller = Pick<Actor, 'userId'> & {
  readonly credential: Pick<Actor['credential'], 'kind' | 'id'>;
};

/** Stores token buckets and nonces. */
export interface RateLimitStore {
  readonly buckets: Buckets;
  /**
   * Takes tokens and records the nonce; resolves to null if the nonce was already recorded. Rejects if the nonce
   * cannot be recorded.
   */
  readonly takeWithNonce: RedisBuckets['takeWithNonce'];
}

/**
 * Creates a store in Redis, shared by all processes. While Redis is unavailable, each process uses its own buckets,
 * and nonces cannot be recorded.
 *
 * @param epoch required to record nonces
 */
export function createRateLimitStore(redis: Redis, epoch?: NonceEpoch): RateLimitStore {
  const shared = new RedisBuckets(redis, epoch);
  return {
    buckets: new FailoverBuckets(shared, new LocalBuckets()),
    takeWithNonce: (request, nonce) => shared.takeWithNonce(request, nonce),
  };
}

export class RateLimiter {
  private readonly sets: RatePolicySets;

  constructor(
    limits: RateLimits,
    private readonly store: RateLimitStore,
    private readonly emptyBuckets = new EmptyBuckets(),
  ) {
    this.sets = ratePolicySets(limits);
  }

  /**
   * Returns a function that creates the limits of a request from its address. @param bucket the operation's own
   * bucket
   */
  limitsFor(bucket: RateBucket | undefined): (address: string) => RequestLimits {
    const { store, emptyBuckets, sets } = this;
    const limits = {
      store,
      emptyBuckets,
      generalOnly: sets.general,
      ofAddress: sets.ofAddress(bucket),
      ofCaller: sets.ofCaller(bucket),
    };
    return (address) => new RequestLimits(limits, addressGroup(address));
  }
}

interface RequestLimitsDependencies {
  readonly store: RateLimitStore;
  readonly emptyBuckets: EmptyBuckets;
  /** The general limit of the address only. */
  readonly generalOnly: RatePolicySet;
  /** The limits of the address, with the operation's own bucket if it has one. */
  readonly ofAddress: RatePolicySet;
  /** The limits of the credential and its user, with the operation's own bucket if it has one. */
  readonly ofCaller: RatePolicySet;
}

export class RequestLimits {
  private lastResult: { set: RatePolicySet; untilFullUs: readonly number[] } | undefined;
  private identified: ChargedCaller | undefined;

  constructor(
    private readonly dependencies: RequestLimitsDependencies,
    private readonly address: string,
  ) {}

  /**
   * The headers for the response; undefined if no limit was checked. Where a limit of the credential has a limit of the
   * user above it, only the one with fewer requests left is shown.
   */
  get headers(): RateHeaders | undefined {
    if (this.lastResult === undefined) return undefined;
    const { set, untilFullUs } = this.lastResult;
    const shown: BucketState[] = [];
    set.policies.forEach((policy, i) => {
      const next = { policy, untilFullUs: untilFullUs[i]! };
      const last = shown.at(-1);
      if (last?.policy.limit !== policy.limit) shown.push(next);
      else if (tokensLeft(next) < tokensLeft(last)) shown[shown.length - 1] = next;
    });
    return {
      policy: shown.map(({ policy }) => policy.header).join(', '),
      state: shown.map(stateOf).join(', '),
    };
  }

  /** The holder of the request's valid credential, even if the request was refused; undefined without one. */
  get caller(): ChargedCaller | undefined {
    return this.identified;
  }

  /** Notes whose request this is. */
  noteCaller(caller: ChargedCaller): void {
    this.identified = caller;
  }

  /** @throws {DomainError} `rate_limited` if this process has found the address's general bucket empty */
  assertAddressNotLimited(): void {
    this.assertNotRefused(this.requestOfAddress(this.dependencies.generalOnly));
  }

  /** Charges a request without credentials. @throws {DomainError} `rate_limited` */
  async takeTokensByAddress(): Promise<void> {
    await this.take(this.requestOfAddress(this.dependencies.ofAddress));
  }

  /** Charges a request with invalid credentials. @throws {DomainError} `rate_limited` */
  async takeTokensForFailure(): Promise<void> {
    await this.take(this.requestOfAddress(this.dependencies.generalOnly));
  }

  /** Charges an authenticated request to its credential and its user. @throws {DomainError} `rate_limited` */
  async takeTokensByCaller(caller: ChargedCaller): Promise<void> {
    this.noteCaller(caller);
    await this.take(this.requestOfCaller(caller));
  }

  /**
   * Like `takeTokensByCaller`, and records the nonce. Returns false, and takes no token, if the nonce was already
   * recorded.
   *
   * @throws {DomainError} `rate_limited`, without recording the nonce; `service_unavailable` if the nonce cannot be
   *   recorded
   */
  async takeWithNonce(caller: ChargedCaller, nonce: NonceClaim): Promise<boolean> {
    this.noteCaller(caller);
    const request = this.requestOfCaller(caller);
    this.assertNotRefused(request);
    let taken: BucketResult | null;
    try {
      taken = await this.dependencies.store.takeWithNonce(request, nonce);
    } catch (cause) {
      if (cause instanceof DomainError) throw cause;
      throw new DomainError('service_unavailable', undefined, [], { cause });
    }
    if (taken === null) return false;
    this.applyResult(request, taken);
    return true;
  }

  /** Takes tokens from the buckets of a request. @throws {DomainError} `rate_limited` */
  private async take(request: BucketRequest): Promise<void> {
    this.assertNotRefused(request);
    this.applyResult(request, await this.dependencies.store.buckets.take(request));
  }

  private requestOfAddress(set: RatePolicySet): BucketRequest {
    return { keys: set.policies.map(({ keyPrefix }) => keyPrefix + this.address), set };
  }

  private requestOfCaller({ credential, userId }: ChargedCaller): BucketRequest {
    const owners = { credential: credential.id, user: userId, address: this.address };
    const set = this.dependencies.ofCaller;
    return { keys: set.policies.map(({ keyPrefix, scope }) => keyPrefix + owners[scope]), set };
  }

  /** @throws {DomainError} `rate_limited` if this process knows that a bucket of the request is empty */
  private assertNotRefused(request: BucketRequest): void {
    const refusal = this.dependencies.emptyBuckets.refusalOf(request);
    if (refusal !== undefined) this.enforce(request, refusal);
  }

  private applyResult(request: BucketRequest, result: BucketResult): void {
    this.dependencies.emptyBuckets.record(request, result);
    this.enforce(request, result);
  }

  private enforce({ set }: BucketRequest, { isAllowed, untilFullUs }: BucketResult): void {
    this.lastResult = { set, untilFullUs };
    if (!isAllowed) throw rateLimited(set.policies, untilFullUs);
  }
}

interface BucketState {
  readonly policy: RatePolicy;
  readonly untilFullUs: number;
}

const tokensLeft = ({ policy: { intervalUs, capacityUs }, untilFullUs }: BucketState) =>
  Math.floor((capacityUs - untilFullUs) / intervalUs);

function stateOf(state: BucketState): string {
  const seconds = Math.ceil(state.untilFullUs / 1_000_000);
  return `"${state.policy.name}";r=${tokensLeft(state)};t=${seconds}`;
}

function rateLimited(policies: readonly RatePolicy[], untilFullUs: readonly number[]): DomainError {
  const empty = policies.filter((policy, i) => isEmpty(policy, untilFullUs[i]!));
  const waitsUs = policies.map(({ intervalUs, capacityUs }, i) => untilFullUs[i]! + intervalUs - capacityUs);
  const details = empty.map(({ name, scope, requests, seconds }) => ({
    code: 'rate_limited' as const,
    message: `The limit ${name} is ${requests} requests in ${seconds} s${scope === 'user' ? ' for all your credentials together' : ''}.`,
    policy: name,
  }));
  return new DomainError('rate_limited', undefined, details, {
    retryAfterSeconds: Math.max(...waitsUs) / 1_000_000,
  });
}

const IPV6_GROUP_SEGMENTS = 4;

/**
 * Returns the unit that limits count by: an IPv4 address, or the /64 network of an IPv6 address, because one client can
 * use any address of its network.
 */
export function addressGroup(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  const network = parts.slice(0, IPV6_GROUP_SEGMENTS).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
