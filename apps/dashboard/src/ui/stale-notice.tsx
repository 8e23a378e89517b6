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
      {title} What you see may be old.
      <button type="button" onClick={onRetry} className="min-h-6 text-accent-text underline">
        Try again
      </button>
    </p>
  );
}
