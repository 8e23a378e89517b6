/**
 * How a use-case changes something: in one transaction, and once per Idempotency-Key.
 *
 * 1. The claim of the key, the effect and the kept answer are one transaction: none stands without the others.
 * 2. A refusal that says something lasting of the request is kept too; its effect is undone first.
 * 3. Without a key it is a plain transaction.
 */
import { DomainError, ERRORS } from '@trading-automation/contracts';
import {
  type Idempotency,
  type IdempotentRequest,
  inTransaction,
  isAnswerKept,
  type KeptAnswer,
  type Tx,
} from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';

export type Outcome<T> = { readonly value: T } | { readonly error: DomainError };

/** A request that carries an Idempotency-Key, and how its outcome is written down as the answer to come again. */
export interface OnceRequest {
  readonly request: IdempotentRequest;
  readonly render: (outcome: Outcome<unknown>) => KeptAnswer;
}

/** Not a fault: the request was answered before, and this is that answer. The transport sends it as it is. */
export class AnswerReplayed extends Error {
  override readonly name = 'AnswerReplayed';
  constructor(readonly answer: KeptAnswer) {
    super('answered before');
  }
}

export class Commands {
  constructor(
    private readonly platform: Platform,
    private readonly idempotency: Idempotency,
  ) {}

  /** Runs `effect` in a transaction. It may be run again after a deadlock: nothing outside the database in it. */
  async run<T>(once: OnceRequest | undefined, effect: (tx: Tx) => Promise<T>): Promise<T> {
    if (once === undefined) return inTransaction(this.platform.database, effect);
    const outcome = await inTransaction(this.platform.database, async (tx): Promise<Outcome<T>> => {
      await this.claim(tx, once);
      await tx.query('SAVEPOINT effect');
      const result = await outcomeOf(() => effect(tx));
      if ('error' in result) await tx.query('ROLLBACK TO SAVEPOINT effect');
      await this.idempotency.store(tx, once.request, once.render(result));
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
    once: OnceRequest | undefined,
    prepare: () => Promise<P>,
    effect: (tx: Tx, prepared: P) => Promise<T>,
  ): Promise<T> {
    if (once !== undefined) await inTransaction(this.platform.database, (tx) => this.claim(tx, once));
    const prepared = await outcomeOf(prepare);
    return this.run(once, (tx) => {
      if ('error' in prepared) throw prepared.error;
      return effect(tx, prepared.value);
    });
  }

  private async claim(tx: Tx, { request }: OnceRequest): Promise<void> {
    const claim = await this.idempotency.claim(tx, request);
    if (claim.kind === 'replay') throw new AnswerReplayed(claim.answer);
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
    if (error instanceof DomainError && isAnswerKept(ERRORS[error.code].status)) return { error };
    throw error;
  }
}
