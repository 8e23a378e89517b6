import type { Copier } from '@trading-automation/sdk';

export interface StoppedCopiers {
  readonly count: number;
  /** When the last one was paused. */
  readonly at: string;
}

/**
 * Returns the paused copiers if the user has stopped all copying: none runs, and each that was ever started was paused by
 * hand or by an emergency stop. The API stores the same reason for both.
 */
export function stoppedByUser(
  copiers: readonly Pick<Copier<'string'>, 'status' | 'status_reason' | 'started_at' | 'stopped_at'>[],
): StoppedCopiers | undefined {
  if (copiers.some(({ status }) => status !== 'PAUSED')) return undefined;
  const times = copiers.flatMap(({ started_at, status_reason, stopped_at }) =>
    started_at !== undefined && status_reason === 'USER' && stopped_at !== undefined ? [stopped_at] : [],
  );
  const at = times.sort().at(-1);
  return at === undefined ? undefined : { count: times.length, at };
}
