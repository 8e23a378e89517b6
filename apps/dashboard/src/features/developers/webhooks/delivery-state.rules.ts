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
