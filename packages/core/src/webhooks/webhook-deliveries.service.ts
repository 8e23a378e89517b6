import type { DeliveryError } from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { Batcher, type Platform } from '../platform/index.js';
import {
  listAdmissible,
  listOverdue,
  listParkedUsers,
  type OverdueDelivery,
  type OverduePage,
} from './admission.queries.js';
import {
  abandonDelivery,
  type ClaimRequest,
  claimAttempts,
  type DeliveryState,
  readDeliveryStates,
} from './claim.queries.js';
import {
  type ClaimedAttempt,
  insertDeadLetters,
  type Lane,
  type LanedDelivery,
  recordSuccesses,
  type SuccessRecord,
  WEBHOOK_INACTIVE,
} from './delivery.queries.js';
import { DELIVERY_LIMITS, type DeliveryLimits, RETRY_DELAYS_MS } from './delivery.rules.js';
import { recordDispatcherHeartbeat, removeDispatcher } from './lease.queries.js';
import { type FailedAttempt, type RecordOutcome, recordFailures } from './record-failures.js';

/** How deliveries are paced; the application gives it, globally. */
export class DeliverySettings {
  constructor(
    /** Longer than an attempt may take and be recorded. */
    readonly leaseMs: number = 45_000,
    /** The waits before attempts 2 to 5. */
    readonly retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
    readonly limits: DeliveryLimits = DELIVERY_LIMITS,
  ) {}
}

export type ClaimResult =
  | { readonly kind: 'send'; readonly attempt: ClaimedAttempt }
  /** Not yet due, or somebody else's for now: to be asked again then. */
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** Its webhook or its user has all it may have in flight; admission tells when there is room. */
  | { readonly kind: 'parked'; readonly userId: string }
  /** The slow lane's. */
  | { readonly kind: 'slow' }
  /** Done already, or no longer wanted. */
  | { readonly kind: 'over' };

/** How an attempt ended; without `error` it succeeded. */
export interface AttemptResult {
  readonly statusCode?: number | undefined;
  readonly error?: DeliveryError | undefined;
  readonly responseTimeMs: number;
  /** At most 1 KiB of text that Postgres takes. */
  readonly responseBody?: string | undefined;
}

/** A claim that lost to a change of the same moment looks again soon. */
const RECHECK_MS = 50;
/** A leased attempt is looked at so often: its holder may fall silent long before the lease ends. */
const LEASE_RECHECK_MS = 2_000;
/** The payloads of one answer of the database, 64 KiB each at most. */
const CLAIMS_AT_ONCE = 64;
/** The delivery side of webhooks: who sends what when, and what became of it. One of them is one dispatcher. */
export class WebhookDeliveriesService {
  private readonly holderId = newUuid();
  private readonly claims = new Batcher(
    (requests: readonly ClaimRequest[]) => this.claimAll(requests),
    CLAIMS_AT_ONCE,
  );
  private readonly successes = new Batcher((records: readonly SuccessRecord[]) =>
    this.recordSuccesses(records),
  );
  private readonly failures = new Batcher((failed: readonly FailedAttempt[]) => this.recordFailures(failed));

  constructor(
    private readonly platform: Platform,
    private readonly settings: DeliverySettings,
  ) {}

  /** Shows that this dispatcher lives. To be called several times within `silenceMs`. */
  heartbeat(): Promise<void> {
    return recordDispatcherHeartbeat(
      this.platform.database,
      this.holderId,
      this.settings.limits.heartbeatTimeoutMs,
    );
  }

  /** Gives up what is leased and not recorded: others may take it from now on. */
  releaseLeases(): Promise<void> {
    return removeDispatcher(this.platform.database, this.holderId);
  }

  /** Claims that are asked for at the same time are decided together. */
  claim(deliveryId: string, attempt: number, lane: Lane = 'main'): Promise<ClaimResult> {
    return this.claims.add({ deliveryId, attempt, lane });
  }

  /** Writes down an attempt with everything that follows from it, all or nothing. */
  record(attempt: ClaimedAttempt, result: AttemptResult): Promise<RecordOutcome> {
    const { error } = result;
    if (error === undefined) return this.successes.add({ ...result, attempt });
    return this.failures.add({ ...result, error, attempt });
  }

  /** What was parked of these users and has room now: a job should stand for each. */
  admissible(userIds: readonly string[]): Promise<readonly LanedDelivery[]> {
    return listAdmissible(this.platform.database, userIds, this.settings.limits);
  }

  /** Whose deliveries are parked. */
  parkedUsers(): Promise<readonly string[]> {
    return listParkedUsers(this.platform.database);
  }

  /** What is due, is not parked, and was not begun. */
  overdue(page: OverduePage): Promise<readonly OverdueDelivery[]> {
    return listOverdue(this.platform.database, this.settings.limits.heartbeatTimeoutMs, page);
  }

  private async claimAll(requests: readonly ClaimRequest[]): Promise<readonly ClaimResult[]> {
    const { database } = this.platform;
    const { leaseMs, limits } = this.settings;
    // A second job of the same delivery is told what the first one did.
    const firsts = new Map(requests.toReversed().map((request) => [request.deliveryId, request]));
    const claimant = { holderId: this.holderId, leaseMs, limits };
    const claimed = await claimAttempts(database, [...firsts.values()], claimant);
    const answerTo = (request: ClaimRequest) =>
      firsts.get(request.deliveryId) === request ? claimed.get(request.deliveryId) : undefined;
    const open = requests.filter((request) => answerTo(request) === undefined);
    const standings =
      open.length === 0
        ? undefined
        : await readDeliveryStates(
            database,
            open.map(({ deliveryId }) => deliveryId),
          );
    const claims: ClaimResult[] = [];
    for (const request of requests)
      claims.push(answerTo(request) ?? (await this.explain(request, standings?.get(request.deliveryId))));
    return claims;
  }

  /** Why nothing was claimed; what its webhook does not take any more ends here. */
  private async explain(
    { deliveryId, attempt }: ClaimRequest,
    standing: DeliveryState | undefined,
  ): Promise<ClaimResult> {
    if (standing === undefined || !standing.isOpen || standing.attempts !== attempt - 1)
      return { kind: 'over' };
    if (standing.isLeased)
      return { kind: 'wait', waitMs: Math.min(Math.max(standing.waitMs, RECHECK_MS), LEASE_RECHECK_MS) };
    if (standing.isActive) return { kind: 'wait', waitMs: Math.max(standing.waitMs, RECHECK_MS) };
    await inTransaction(this.platform.database, async (tx) => {
      const status = standing.isDeleted ? 'DISCARDED' : 'DEAD';
      const isAbandoned = await abandonDelivery(tx, deliveryId, status);
      if (isAbandoned && status === 'DEAD')
        await insertDeadLetters(tx, [{ deliveryId, error: WEBHOOK_INACTIVE }]);
    });
    return { kind: 'over' };
  }

  private async recordSuccesses(records: readonly SuccessRecord[]): Promise<readonly RecordOutcome[]> {
    const recorded = await recordSuccesses(this.platform.database, records);
    return records.map(({ attempt }) => ({
      kind: recorded.has(attempt.deliveryId) ? 'ended' : 'superseded',
    }));
  }

  private recordFailures(failed: readonly FailedAttempt[]): Promise<readonly RecordOutcome[]> {
    const { retryDelaysMs } = this.settings;
    return inTransaction(this.platform.database, (tx) => recordFailures(tx, failed, retryDelaysMs));
  }
}
