import type { Delivery } from '@trading-automation/sdk';

export type DeliveryState = 'DELIVERED' | 'PENDING' | 'FAILED';

/** Another attempt may begin this much later than planned before it counts as missing. */
const LATE_MS = 15_000;

/**
 * Returns the state of an attempt: PENDING is a failed one that is followed by another, whose time has not come. Without
 * an active webhook nothing follows.
 */
export function deliveryState(
  { status, next_attempt_at }: Pick<Delivery, 'status' | 'next_attempt_at'>,
  nowMs: number,
  isActive: boolean,
): DeliveryState {
  if (status === 'SUCCEEDED') return 'DELIVERED';
  if (!isActive) return 'FAILED';
  return next_attempt_at !== undefined && Date.parse(next_attempt_at) + LATE_MS > nowMs
    ? 'PENDING'
    : 'FAILED';
}

/** Returns whether an attempt is the latest one of its run: the others are no longer pending. */
export function isLatestOfRun(
  { run, attempt }: Pick<Delivery, 'run' | 'attempt'>,
  attempts: readonly Pick<Delivery, 'run' | 'attempt'>[],
): boolean {
  return attempts.every((other) => other.run !== run || other.attempt <= attempt);
}

/** A delivery begins at most this long after its event, unless the webhook is busy. */
const BEGIN_MS = 10_000;
const CHECK_MIN_MS = 1_000;
const CHECK_MAX_MS = 60_000;

type Scheduled = Pick<Delivery, 'event_id' | 'run' | 'attempt' | 'status' | 'next_attempt_at'>;

/**
 * Returns after how many milliseconds to look for another attempt; undefined if none is expected.
 *
 * @param attempts the newest ones
 * @param eventAtMs when the account's last event happened
 */
export function nextCheckMs(
  attempts: readonly Scheduled[],
  nowMs: number,
  eventAtMs: number,
): number | undefined {
  const due = attempts
    .filter(
      (attempt) =>
        deliveryState(attempt, nowMs, true) === 'PENDING' &&
        isLatestOfRun(
          attempt,
          attempts.filter(({ event_id }) => event_id === attempt.event_id),
        ),
    )
    .map(({ next_attempt_at }) => Date.parse(next_attempt_at ?? '') - nowMs);
  if (nowMs < eventAtMs + BEGIN_MS) due.push(0);
  if (due.length === 0) return undefined;
  return Math.min(Math.max(Math.min(...due), CHECK_MIN_MS), CHECK_MAX_MS);
}

type Attempt = Pick<Delivery, 'event_id' | 'event_type' | 'status' | 'attempted_at'>;

/**
 * Returns the ids of the events to send again, oldest first, each once. With `isFailedOnly`, an event whose latest
 * attempt succeeded is left out. Test events cannot be sent again.
 */
export function eventsToReplay(attempts: readonly Attempt[], isFailedOnly: boolean): readonly string[] {
  const latest = new Map<string, Attempt>();
  const oldestFirst = [...attempts].sort((a, b) => Date.parse(a.attempted_at) - Date.parse(b.attempted_at));
  for (const attempt of oldestFirst) latest.set(attempt.event_id, attempt);
  return [...latest.values()]
    .filter(({ event_type }) => event_type !== 'webhook.test')
    .filter(({ status }) => !isFailedOnly || status === 'FAILED')
    .map(({ event_id }) => event_id);
}
