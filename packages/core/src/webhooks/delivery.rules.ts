/**
 * Decides the consequences of a failed attempt. The functions are pure: the clock, randomness and rows are inputs.
 *
 * 1. A delivery has five attempts. Each delay counts from the end of the failed attempt. Jitter only extends delays,
 *    and only long ones, after which many retries could coincide.
 * 2. A failed delivery becomes a dead letter after its fifth attempt or if its webhook is inactive; it never ends
 *    silently. It is discarded only if its webhook is deleted, because then no user could see the dead letter.
 * 3. A webhook is deactivated after ten consecutive failed attempts that include a dead letter. Ten failures alone
 *    may come from ten events in one second. A dead letter shows that the outage lasted the whole schedule.
 */

export const ATTEMPTS_MAX = 5;
/** Delays before attempts 2 to 5. */
export const RETRY_DELAYS_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000];
const JITTER_RATIO = 0.1;
const JITTER_FROM_MS = 30_000;
const DEACTIVATION_FAILURES = 10;

/** Returns the delay in ms after the failure of attempt number `attempt`. @param random a number in [0, 1) */
export function retryDelayMs(delaysMs: readonly number[], attempt: number, random: number): number {
  const delayMs = delaysMs[attempt - 1];
  if (delayMs === undefined) throw new RangeError(`no attempt follows attempt ${attempt}`);
  return delayMs < JITTER_FROM_MS ? delayMs : delayMs + Math.floor(delayMs * JITTER_RATIO * random);
}

/** Limits of attempts in flight over all dispatchers, and the heartbeat timeout. */
export interface DeliveryLimits {
  /** Maximum number of attempts in flight to one webhook. */
  readonly perWebhookMax: number;
  /** Maximum number of attempts in flight to all webhooks of one user, in each lane. */
  readonly perUserMax: number;
  /** A dispatcher without a heartbeat for this long counts as dead, and its leases end. */
  readonly heartbeatTimeoutMs: number;
}
export const DELIVERY_LIMITS: DeliveryLimits = {
  perWebhookMax: 4,
  perUserMax: 16,
  heartbeatTimeoutMs: 8_000,
};
/** The in-flight limit of a webhook whose last attempt failed. */
export const FAILING_WEBHOOK_MAX = 1;
/** With this many consecutive failures or more, only the slow lane serves a webhook. */
export const SLOW_FROM_FAILURES = 3;
/** An attempt that was claimed this often and never ended probably crashes dispatchers, so it is no longer sent. */
export const CLAIMS_MAX = 10;

export interface WebhookState {
  readonly isActive: boolean;
  readonly isDeleted: boolean;
  /** The number of consecutive failed attempts before this one. */
  readonly consecutiveFailures: number;
  /** How many of these failures were the last attempt of a delivery. */
  readonly consecutiveDeadLetters: number;
}

export interface FailureOutcome {
  readonly delivery: 'DUE' | 'DEAD' | 'DISCARDED';
  /** Whether the attempt was the last allowed one. */
  readonly isExhausted: boolean;
  readonly consecutiveFailures: number;
  readonly consecutiveDeadLetters: number;
  /** Whether the webhook must be deactivated now; its due deliveries then become dead letters. */
  readonly deactivates: boolean;
}

/** Returns the consequences of the failure of attempt number `attempt`. @param webhook its state before the failure */
export function afterFailure(attempt: number, webhook: WebhookState): FailureOutcome {
  const isExhausted = attempt >= ATTEMPTS_MAX;
  const consecutiveFailures = webhook.consecutiveFailures + 1;
  const consecutiveDeadLetters = webhook.consecutiveDeadLetters + (isExhausted ? 1 : 0);
  const isFailing = consecutiveFailures >= DEACTIVATION_FAILURES && consecutiveDeadLetters > 0;
  const deactivates = webhook.isActive && !webhook.isDeleted && isFailing;
  const isDead = isExhausted || deactivates || !webhook.isActive;
  return {
    delivery: webhook.isDeleted ? 'DISCARDED' : isDead ? 'DEAD' : 'DUE',
    isExhausted,
    consecutiveFailures,
    consecutiveDeadLetters,
    deactivates,
  };
}

/** Returns the lane for a webhook with this many consecutive failures. */
export function laneAfter(consecutiveFailures: number): 'main' | 'slow' {
  return consecutiveFailures >= SLOW_FROM_FAILURES ? 'slow' : 'main';
}
