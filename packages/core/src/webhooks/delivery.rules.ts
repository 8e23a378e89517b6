/**
 * What follows from an attempt that failed. Pure: the clock, the dice and the rows are the caller's.
 *
 * 1. A delivery has five attempts. Each wait counts from the end of the failed one, and is never shortened: jitter
 *    is only added, and only to waits long enough that a herd could gather.
 * 2. After the fifth, or where its webhook is no longer active, a delivery goes to the dead letters: it never
 *    just ends. Only with its webhook deleted is it discarded, for then nobody could see it.
 * 3. A webhook is deactivated at ten failed attempts in a row with a dead letter among them. Ten alone could be ten
 *    events of one bad second; a dead letter says that the outage lasted the whole schedule.
 */

export const ATTEMPTS_MAX = 5;
/** Before attempts 2 to 5. */
export const RETRY_DELAYS_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000];
const JITTER_PART = 0.1;
const JITTER_FROM_MS = 30_000;
const DEACTIVATION_FAILURES = 10;

/** The wait after failed attempt number `attempt`; `random` lies in [0, 1). */
export function retryDelayMs(delaysMs: readonly number[], attempt: number, random: number): number {
  const delayMs = delaysMs[attempt - 1];
  if (delayMs === undefined) throw new RangeError(`no attempt follows attempt ${attempt}`);
  return delayMs < JITTER_FROM_MS ? delayMs : delayMs + Math.floor(delayMs * JITTER_PART * random);
}

/** How many attempts may be in flight at once, over all dispatchers, and how long a dispatcher may be silent. */
export interface DeliveryLimits {
  /** To one webhook. */
  readonly perWebhookMax: number;
  /** To all webhooks of one user, in each lane. */
  readonly perUserMax: number;
  /** A dispatcher that was not heard of for so long is gone: its leases bind nobody any more. */
  readonly heartbeatTimeoutMs: number;
}
export const DELIVERY_LIMITS: DeliveryLimits = {
  perWebhookMax: 4,
  perUserMax: 16,
  heartbeatTimeoutMs: 8_000,
};
/** What may be in flight to a webhook whose last attempt failed. */
export const FAILING_CAP = 1;
/** A webhook that failed so often in a row is served by the slow lane alone. */
export const SLOW_FROM_FAILURES = 3;
/** An attempt that was begun so often, and never ended, is what ends dispatchers: it is not sent any more. */
export const CLAIMS_MAX = 10;

export interface WebhookState {
  readonly isActive: boolean;
  readonly isDeleted: boolean;
  /** Before the failure that is judged. */
  readonly consecutiveFailures: number;
  readonly consecutiveDeadLetters: number;
}

export interface FailureOutcome {
  readonly delivery: 'DUE' | 'DEAD' | 'DISCARDED';
  /** The attempt was the delivery's last by number. */
  readonly isExhausted: boolean;
  readonly consecutiveFailures: number;
  readonly consecutiveDeadLetters: number;
  /** The webhook is to be deactivated now; everything still owed to it goes to the dead letters. */
  readonly deactivates: boolean;
}

export function afterFailure(attempt: number, webhook: WebhookState): FailureOutcome {
  const isExhausted = attempt >= ATTEMPTS_MAX;
  const consecutiveFailures = webhook.consecutiveFailures + 1;
  const consecutiveDeadLetters = webhook.consecutiveDeadLetters + (isExhausted ? 1 : 0);
  const isOut = consecutiveFailures >= DEACTIVATION_FAILURES && consecutiveDeadLetters > 0;
  const deactivates = webhook.isActive && !webhook.isDeleted && isOut;
  const isOver = isExhausted || deactivates || !webhook.isActive;
  return {
    delivery: webhook.isDeleted ? 'DISCARDED' : isOver ? 'DEAD' : 'DUE',
    isExhausted,
    consecutiveFailures,
    consecutiveDeadLetters,
    deactivates,
  };
}

/** Which lane serves a webhook that failed so often in a row. */
export function laneAfter(consecutiveFailures: number): 'main' | 'slow' {
  return consecutiveFailures >= SLOW_FROM_FAILURES ? 'slow' : 'main';
}
