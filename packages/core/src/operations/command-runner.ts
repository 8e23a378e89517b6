/**
 * Runs the state changes of a use-case in one transaction, and once per Idempotency-Key.
 *
 * 1. The claim of the key, the effect and the stored response commit together or not at all.
 * 2. A domain error that would recur on every retry is stored too, after its effect is rolled back.
 * 3. Without a key the effect runs in a plain transaction.
 */
import { DomainError, ERRORS } from '@trading-automation/contracts';
import {
  type IdempotencyStore,
  type IdempotentRequest,
  inTransaction,
  isReplayable,
  type StoredResponse,
  type Tx,
} from '@trading-automation/persistence';
import { FairGate, type FairGateLimits, type Platform } from '../platform/index.js';

export type Outcome<T> = { readonly value: T } | { readonly error: DomainError };

/** The Idempotency-Key of a request, and the function that converts its outcome to the stored response. */
export interface IdempotencyContext {
  readonly request: IdempotentRequest;
  readonly serialize: (outcome: Outcome<unknown>) => StoredResponse;
}

/** Ends a request with the stored response of an earlier request. The transport renders it for the new request. */
export class ResponseReplayed extends Error {
  override readonly name = 'ResponseReplayed';
  constructor(readonly response: StoredResponse) {
    super('the Idempotency-Key already has a stored response');
  }
}

/**
 * The shares of users in one API process, whose pool has 10 connections. One user never runs more than two
 * use-cases, so requests of other users find a connection, whatever the user sends. Two are enough for hundreds of requests
 * a second, more than the rate limits allow. A request that finds no slot is rejected before a query that begins then could
 * exceed 10 s: a Postgres that does not respond ends queries after 7 s.
 */
const USE_CASE_LIMITS: FairGateLimits = {
  total: 64,
  perUser: 2,
  openPerUser: 256,
  waiting: 4_096,
  waitMaxMs: 2_500,
};

export class CommandRunner {
  private readonly useCases: FairGate;

  constructor(
    private readonly platform: Platform,
    private readonly idempotencyStore: IdempotencyStore,
    limits: FairGateLimits = USE_CASE_LIMITS,
  ) {
    this.useCases = new FairGate('requests', limits);
  }

  /**
   * Runs a use-case when the user has a slot. Use-cases of one user wait for each other, and users take turns.
   *
   * @throws {DomainError} `rate_limited`, `service_unavailable` if too many use-cases wait
   */
  share<T>(userId: string, useCase: () => T | Promise<T>): Promise<T> {
    return this.useCases.run(userId, useCase);
  }

  /**
   * Runs `effect` in a transaction. `effect` may run again after a deadlock, so it must not change anything outside
   * the database.
   */
  async run<T>(idempotency: IdempotencyContext | undefined, effect: (tx: Tx) => Promise<T>): Promise<T> {
    if (idempotency === undefined) return inTransaction(this.platform.database, effect);
    const outcome = await inTransaction(this.platform.database, async (tx): Promise<Outcome<T>> => {
      await this.claim(tx, idempotency);
      await tx.query('SAVEPOINT effect');
      const result = await outcomeOf(() => effect(tx));
      if ('error' in result) await tx.query('ROLLBACK TO SAVEPOINT effect');
      await this.idempotencyStore.store(tx, idempotency.request, idempotency.serialize(result));
      return result;
    });
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /**
   * Runs `prepare`, then runs `effect` like `run`. `prepare` may wait seconds for another process, so no transaction is
   * open while it runs. It does not run if the key already has a stored response. Two concurrent requests with the same
   * key may both run `prepare`, but only one runs `effect`.
   */
  async runPrepared<P, T>(
    idempotency: IdempotencyContext | undefined,
    prepare: () => Promise<P>,
    effect: (tx: Tx, prepared: P) => Promise<T>,
  ): Promise<T> {
    if (idempotency !== undefined)
      await inTransaction(this.platform.database, (tx) => this.claim(tx, idempotency));
    const prepared = await outcomeOf(prepare);
    return this.run(idempotency, (tx) => {
      if ('error' in prepared) throw prepared.error;
      return effect(tx, prepared.value);
    });
  }

  private async claim(tx: Tx, { request }: IdempotencyContext): Promise<void> {
    const claim = await this.idempotencyStore.claim(tx, request);
    if (claim.kind === 'replay') throw new ResponseReplayed(claim.response);
    if (claim.kind === 'reused') throw new DomainError('idempotency_key_reused');
    if (claim.kind === 'in_progress') {
      throw new DomainError('idempotency_in_progress', undefined, [], { retryAfterSeconds: 1 });
    }
  }
}

/** Returns the result of `work`, or the domain error that is stored as the response; rethrows any other error. */
async function outcomeOf<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof DomainError && isReplayable(ERRORS[error.code].status)) return { error };
    throw error;
  }
}
