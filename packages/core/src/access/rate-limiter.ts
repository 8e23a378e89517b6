/**
 * Which requests are too many?
 *
 * 1. A request with good credentials takes from the buckets of its credential, in one round trip, and nothing from its
 *    address: those who share an address don't use up each other's.
 * 2. A request without credentials takes from the buckets of its address; one whose credentials fail, from the general
 *    one alone.
 * 3. An address whose general bucket is empty is refused before its credentials are looked at. Each process remembers
 *    which addresses it has found empty, so that this costs no round trip; what it has not found yet costs the sender
 *    a token of the bucket that all processes share.
 */
import { DomainError, type RateBucket } from '@trading-automation/contracts';
import type { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import { type BucketResult, type Buckets, LocalBuckets } from './rate-buckets.js';
import { FailoverBuckets } from './rate-failover.js';
import {
  type RateLimits,
  type RatePolicy,
  type RatePolicySet,
  type RatePolicySets,
  ratePolicySets,
} from './rate-limits.js';
import { type NonceClaim, RedisBuckets } from './rate-redis-buckets.js';

/** What an answer tells its receiver of the limits, in the fields of draft-ietf-httpapi-ratelimit-headers. */
export interface RateHeaders {
  /** The value of `RateLimit-Policy`. */
  readonly policy: string;
  /** The value of `RateLimit`: `r` requests are left, and in `t` seconds all of them are again. */
  readonly state: string;
}

/** Where the limits are kept. */
export interface RateLimitStore {
  readonly buckets: Buckets;
  /** Records the nonce with it, or throws; null where the nonce was recorded before. */
  readonly takeWithNonce: RedisBuckets['takeWithNonce'];
}

/** Shared by all processes, by each process alone while Redis is away; a nonce is recorded by Redis or not at all. */
export function createRateLimitStore(redis: Redis): RateLimitStore {
  const shared = new RedisBuckets(redis);
  return {
    buckets: new FailoverBuckets(shared, new LocalBuckets()),
    takeWithNonce: (claim, nonce) => shared.takeWithNonce(claim, nonce),
  };
}

export class RateLimiter {
  private readonly sets: RatePolicySets;
  private readonly refusals = new RefusedAddresses();

  constructor(
    limits: RateLimits,
    private readonly store: RateLimitStore,
  ) {
    this.sets = ratePolicySets(limits);
  }

  /** Makes the limits of each request to an operation, from the address it comes from. @param bucket as declared */
  limitsFor(bucket: RateBucket | undefined): (address: string) => RequestLimits {
    const { store, refusals, sets } = this;
    const limits = { store, refusals, general: sets.general, all: sets.of(bucket) };
    return (address) => new RequestLimits(limits, addressGroup(address));
  }
}

interface RequestLimitsDependencies {
  readonly store: RateLimitStore;
  readonly refusals: RefusedAddresses;
  readonly general: RatePolicySet;
  readonly all: RatePolicySet;
}

export class RequestLimits {
  private lastResult: { set: RatePolicySet; untilFullUs: readonly number[] } | undefined;

  constructor(
    private readonly dependencies: RequestLimitsDependencies,
    private readonly address: string,
  ) {}

  /** What the answer tells; undefined where no limit was asked. */
  get headers(): RateHeaders | undefined {
    if (this.lastResult === undefined) return undefined;
    const { set, untilFullUs } = this.lastResult;
    let state = '';
    for (let i = 0; i < set.policies.length; i++)
      state += `${i === 0 ? '' : ', '}${stateOf(set.policies[i]!, untilFullUs[i]!)}`;
    return { policy: set.header, state };
  }

  /** @throws {DomainError} `rate_limited` where this process has found the address's general bucket empty */
  assertAddressAdmitted(): void {
    const { refusals, general } = this.dependencies;
    const untilFullUs = refusals.untilFullUs(this.address, general.policies[0]!);
    if (untilFullUs === null) return;
    this.lastResult = { set: general, untilFullUs: [untilFullUs] };
    throw rateLimited(general.policies, [untilFullUs]);
  }

  /** For a request without credentials. @throws {DomainError} `rate_limited` */
  async takeByAddress(): Promise<void> {
    await this.takeFor(this.dependencies.all, this.address);
  }

  /** For a request whose credentials failed. @throws {DomainError} `rate_limited` */
  async takeForFailure(): Promise<void> {
    await this.takeFor(this.dependencies.general, this.address);
  }

  /** @param credentialId a uuid @throws {DomainError} `rate_limited` */
  async takeByCredential(credentialId: string): Promise<void> {
    await this.takeFor(this.dependencies.all, credentialId);
  }

  /**
   * As `takeByCredential`, and records the nonce; false where it was recorded before: then nothing is taken.
   *
   * @throws {DomainError} `rate_limited`, the nonce not recorded; `service_unavailable` where it could not be
   */
  async takeWithNonce(credentialId: string, nonce: NonceClaim): Promise<boolean> {
    const set = this.dependencies.all;
    let taken: BucketResult | null;
    try {
      taken = await this.dependencies.store.takeWithNonce(this.claim(set, credentialId), nonce);
    } catch (cause) {
      throw new DomainError('service_unavailable', undefined, [], { cause });
    }
    if (taken === null) return false;
    this.settle(set, taken);
    return true;
  }

  private async takeFor(set: RatePolicySet, owner: string): Promise<void> {
    const taken = await this.dependencies.store.buckets.take(this.claim(set, owner));
    if (owner === this.address)
      this.dependencies.refusals.note(this.address, set.policies[0]!, taken.refillUs[0]!);
    this.settle(set, taken);
  }

  private claim(set: RatePolicySet, owner: string) {
    const keys = set.policies.map(
      ({ keyPrefix, isByAddress }) => keyPrefix + (isByAddress ? this.address : owner),
    );
    return { keys, set };
  }

  private settle(set: RatePolicySet, { isAllowed, refillUs }: BucketResult): void {
    this.lastResult = { set, untilFullUs: refillUs };
    if (!isAllowed) throw rateLimited(set.policies, refillUs);
  }
}

const ADDRESSES_MAX = 100_000;

/** Addresses whose general bucket this process has found empty, until a token is back. */
class RefusedAddresses {
  private readonly emptySince = new Map<string, { fullAtMs: number; untilMs: number }>();

  note(address: string, policy: RatePolicy, untilFullUs: number): void {
    if (!isEmpty(policy, untilFullUs)) return;
    if (this.emptySince.size >= ADDRESSES_MAX) this.emptySince.clear();
    const fullAtMs = performance.now() + untilFullUs / 1_000;
    this.emptySince.set(address, {
      fullAtMs,
      untilMs: fullAtMs - (policy.capacityUs - policy.intervalUs) / 1_000,
    });
  }

  /** When the bucket is full again; null where it may have a token. */
  untilFullUs(address: string, policy: RatePolicy): number | null {
    if (this.emptySince.size === 0) return null;
    const found = this.emptySince.get(address);
    if (found === undefined) return null;
    const nowMs = performance.now();
    if (nowMs < found.untilMs) return Math.min(policy.capacityUs, (found.fullAtMs - nowMs) * 1_000);
    this.emptySince.delete(address);
    return null;
  }
}

const isEmpty = ({ intervalUs, capacityUs }: RatePolicy, untilFullUs: number) =>
  untilFullUs + intervalUs > capacityUs;

function stateOf({ name, intervalUs, capacityUs }: RatePolicy, untilFullUs: number): string {
  const left = Math.floor((capacityUs - untilFullUs) / intervalUs);
  return `"${name}";r=${left};t=${Math.ceil(untilFullUs / 1_000_000)}`;
}

function rateLimited(policies: readonly RatePolicy[], untilFullUs: readonly number[]): DomainError {
  const empty = policies.filter((policy, i) => isEmpty(policy, untilFullUs[i]!));
  const waitsUs = policies.map(({ intervalUs, capacityUs }, i) => untilFullUs[i]! + intervalUs - capacityUs);
  const details = empty.map(({ name, requests, seconds }) => ({
    code: 'rate_limited',
    message: `The limit ${name} is ${requests} requests in ${seconds} s.`,
    policy: name,
  }));
  return new DomainError('rate_limited', undefined, details, {
    retryAfterSeconds: Math.max(...waitsUs) / 1_000_000,
  });
}

const IPV6_GROUP_PARTS = 4;

/** Who counts as one by address: an IPv4 address, or the /64 of an IPv6 one, which its holder draws from at will. */
function addressGroup(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  const network = parts.slice(0, IPV6_GROUP_PARTS).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
