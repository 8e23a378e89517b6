/**
 * How a use-case changes something: in one transaction, and once per Idempotency-Key.
 *
 * 1. The claim of the key, the effect and the kept answer are one transaction: none stands without the others.
 * 2. A refusal that says something lasting of the request is kept too; its effect is undone first.
 * 3. Without a key it is a plain transaction.
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
import type { Platform } from '../platform/index.js';

export type Outcome<T> = { readonly value: T } | { readonly error: DomainError };

/** A request that carries an Idempotency-Key, and how its outcome is written down as the answer to come again. */
export interface IdempotencyContext {
  readonly request: IdempotentRequest;
  readonly render: (outcome: Outcome<unknown>) => StoredResponse;
}

/** Not a fault: the request was answered before, and this is that answer. The transport sends it as it is. */
export class ResponseReplayed extends Error {
  override readonly name = 'ResponseReplayed';
  constructor(readonly response: StoredResponse) {
    super('answered before');
  }
}

export class CommandRunner {
  constructor(
    private readonly platform: Platform,
    private readonly idempotencyStore: IdempotencyStore,
  ) {}

  /** Runs `effect` in a transaction. It may be run again after a deadlock: nothing outside the database in it. */
  async run<T>(idempotency: IdempotencyContext | undefined, effect: (tx: Tx) => Promise<T>): Promise<T> {
    if (idempotency === undefined) return inTransaction(this.platform.database, effect);
    const outcome = await inTransaction(this.platform.database, async (tx): Promise<Outcome<T>> => {
      await this.claim(tx, idempotency);
      await tx.query('SAVEPOINT effect');
      const result = await outcomeOf(() => effect(tx));
      if ('error' in result) await tx.query('ROLLBACK TO SAVEPOINT effect');
      await this.idempotencyStore.store(tx, idempotency.request, idempotency.render(result));
      return result;
    });
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /**
   * As `run`, after work that another process does and that may take seconds. No transaction is open meanwhile:
   * two equal requests at once may both prepare, and one of them has the effect.
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

/** What `work` gives, or the refusal that is kept as its answer; any other error leaves. */
async function outcomeOf<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof DomainError && isReplayable(ERRORS[error.code].status)) return { error };
    throw error;
  }
}
