'use client';
import { type ReactNode, useState } from 'react';
import { classNames } from './class-names';

/** Lights a figure up for a moment when it has changed. The layout does not move. */
export function Flash({
  value,
  className,
  children,
}: {
  /** A decimal; a rise is shown as a gain, a fall as a loss. */
  readonly value: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const [shown, setShown] = useState({ value, changes: 0, isRise: true });
  // Only the direction is shown, so a double is precise enough.
  if (shown.value !== value)
    setShown({ value, changes: shown.changes + 1, isRise: Number(value) > Number(shown.value) });
  return (
    <span
      // A new element starts the animation again.
      key={shown.changes}
      className={classNames(
        'rounded-sm',
        shown.changes > 0 && (shown.isRise ? 'animate-flash-gain' : 'animate-flash-loss'),
        className,
      )}
    >
      {children}
    </span>
  );
}
