import type { DeliveryError, DeliveryReason } from '@trading-automation/contracts';
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

/** The timing and limits of deliveries, which the application provides globally. */
export class DeliverySettings {
  constructor(
    /** The duration of a lease. It must be longer than the longest attempt and its recording. */
    readonly leaseMs: number = 45_000,
    /** The delays before attempts 2 to 5. */
    readonly retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
    readonly limits: DeliveryLimits = DELIVERY_LIMITS,
  ) {}
}

export type ClaimResult =
  | { readonly kind: 'send'; readonly attempt: ClaimedAttempt }
  /** The delivery is not due yet, or another dispatcher holds its lease. Claim it again after `waitMs`. */
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** The webhook or its user has reached the in-flight limit; admission queues the delivery when a slot is free. */
  | { readonly kind: 'parked'; readonly userId: string }
  /** The delivery belongs to the slow lane. */
  | { readonly kind: 'slow' }
  /** The attempt is already complete or no longer needed. */
  | { readonly kind: 'over' };

/** The result of an attempt; without `error` it succeeded. */
export interface AttemptResult {
  readonly statusCode?: number | undefined;
  readonly error?: DeliveryError | undefined;
  /** More specific than `error`, if more is known. */
  readonly reason?: DeliveryReason | undefined;
  readonly responseTimeMs: number;
  /** At most 1 KiB of text that Postgres accepts. */
  readonly responseBody?: string | undefined;
}

/** The minimum wait before an unsuccessful claim is repeated, for example one that lost to a concurrent change. */
const RECHECK_MS = 50;
/** The maximum wait before a leased attempt is claimed again: its holder may die long before the lease ends. */
const LEASE_RECHECK_MS = 2_000;
/** Limits the size of one query result, which contains up to 64 KiB of payload per claim. */
const CLAIM_BATCH_SIZE = 64;

/** Claims attempts and records their results. One instance is one dispatcher. */
export class WebhookDeliveriesService {
  private readonly holderId = newUuid();
  private readonly claims = new Batcher(
    (requests: readonly ClaimRequest[]) => this.claimAll(requests),
    CLAIM_BATCH_SIZE,
  );
  private readonly successes = new Batcher((records: readonly SuccessRecord[]) =>
    this.recordSuccesses(records),
  );
  private readonly failures = new Batcher((failed: readonly FailedAttempt[]) => this.recordFailures(failed));

  constructor(
    private readonly platform: Platform,
    private readonly settings: DeliverySettings,
  ) {}

  /** Records a heartbeat. Call it several times within `heartbeatTimeoutMs`. */
  heartbeat(): Promise<void> {
    return recordDispatcherHeartbeat(
      this.platform.database,
      this.holderId,
      this.settings.limits.heartbeatTimeoutMs,
    );
  }

  /** Ends all leases of this dispatcher, so that others can claim the attempts immediately. */
  releaseLeases(): Promise<void> {
    return removeDispatcher(this.platform.database, this.holderId);
  }

  /** Claims an attempt; one statement decides on concurrent calls together. */
  claim(deliveryId: string, attempt: number, lane: Lane = 'main'): Promise<ClaimResult> {
    return this.claims.add({ deliveryId, attempt, lane });
  }

  /** Records an attempt and all its consequences, or nothing. */
  record(attempt: ClaimedAttempt, result: AttemptResult): Promise<RecordOutcome> {
    const { error, reason = error, ...rest } = result;
    if (reason === undefined) return this.successes.add({ ...rest, attempt });
    return this.failures.add({ ...rest, error: reason, attempt });
  }

  /** Returns the parked deliveries of these users that now have a free slot. Each needs a job. */
  admissible(userIds: readonly string[]): Promise<readonly LanedDelivery[]> {
    return listAdmissible(this.platform.database, userIds, this.settings.limits);
  }

  /** Returns the users with parked deliveries. */
  parkedUsers(): Promise<readonly string[]> {
    return listParkedUsers(this.platform.database);
  }

  /** Returns overdue deliveries; see {@link listOverdue}. */
  overdue(page: OverduePage): Promise<readonly OverdueDelivery[]> {
    return listOverdue(this.platform.database, this.settings.limits.heartbeatTimeoutMs, page);
  }

  private async claimAll(requests: readonly ClaimRequest[]): Promise<readonly ClaimResult[]> {
    const { database } = this.platform;
    const { leaseMs, limits } = this.settings;
    // Of several jobs for one delivery, only the first claims it. The others get its state after the claim.
    const firstRequests = new Map(requests.toReversed().map((request) => [request.deliveryId, request]));
    const claimant = { holderId: this.holderId, leaseMs, limits };
    const claimed = await claimAttempts(database, [...firstRequests.values()], claimant);
    const resultOf = (request: ClaimRequest) =>
      firstRequests.get(request.deliveryId) === request ? claimed.get(request.deliveryId) : undefined;
    const open = requests.filter((request) => resultOf(request) === undefined);
    const states =
      open.length === 0
        ? undefined
        : await readDeliveryStates(
            database,
            open.map(({ deliveryId }) => deliveryId),
          );
    const claims: ClaimResult[] = [];
    for (const request of requests)
      claims.push(
        resultOf(request) ?? (await this.resolveUnclaimed(request, states?.get(request.deliveryId))),
      );
    return claims;
  }

  /** Returns why the attempt could not be claimed. Ends a delivery whose webhook is inactive or deleted. */
  private async resolveUnclaimed(
    { deliveryId, attempt }: ClaimRequest,
    state: DeliveryState | undefined,
  ): Promise<ClaimResult> {
    if (state === undefined || !state.isUnfinished || state.attempts !== attempt - 1) return { kind: 'over' };
    if (state.isLeased)
      return { kind: 'wait', waitMs: Math.min(Math.max(state.waitMs, RECHECK_MS), LEASE_RECHECK_MS) };
    if (state.isActive) return { kind: 'wait', waitMs: Math.max(state.waitMs, RECHECK_MS) };
    await inTransaction(this.platform.database, async (tx) => {
      const status = state.isDeleted ? 'DISCARDED' : 'DEAD';
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
