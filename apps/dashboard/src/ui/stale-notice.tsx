'use client';
import { describeFailure } from '../data/failures';

export interface StaleNoticeProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Says that what is on screen could not be loaded again. */
export function StaleNotice({ error, onRetry }: StaleNoticeProps) {
  const { title } = describeFailure(error);
  return (
    <p
      role="alert"
      className="flex flex-wrap items-center gap-2 rounded-card border border-warn-line bg-warn-soft px-4 py-2 text-sm"
    >
      {title} These figures may be old.
      <button type="button" onClick={onRetry} className="text-accent-text underline">
        Try again
      </button>
    </p>
  );
}
