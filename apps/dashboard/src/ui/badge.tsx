import type { ReactNode } from 'react';
import { classNames } from './class-names';

const TONES = {
  neutral: 'bg-selected text-text',
  gain: 'bg-gain-soft text-gain',
  loss: 'bg-loss-soft text-loss',
  warn: 'bg-warn-soft text-warn',
  accent: 'bg-accent-soft text-accent-text',
} as const;

export type Tone = keyof typeof TONES;

/** A short state in words. The colour only repeats what the words say. */
export function Badge({
  tone = 'neutral',
  children,
  icon,
}: {
  readonly tone?: Tone;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 items-center align-middle gap-1 rounded px-1.5 font-medium text-xs whitespace-nowrap',
        TONES[tone],
      )}
    >
      {icon}
      {children}
    </span>
  );
}
