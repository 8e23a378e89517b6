'use client';
import { type ReactNode, useId } from 'react';
import { classNames } from '../../../ui/class-names';

export interface ChoiceProps {
  readonly group: string;
  readonly label: ReactNode;
  readonly note?: ReactNode;
  readonly aside?: ReactNode;
  readonly isChosen: boolean;
  /** Why it cannot be chosen. */
  readonly refusal?: string | undefined;
  readonly onChoose: () => void;
}

/** One of several records, chosen with a radio button. */
export function Choice({ group, label, note, aside, isChosen, refusal, onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <div
      className={classNames(
        'flex items-start gap-3 border-t px-4 py-3 text-sm first:border-t-0',
        isChosen && 'shadow-[inset_2px_0_0_var(--iris-9)]',
      )}
    >
      <input
        id={id}
        type="radio"
        name={group}
        checked={isChosen}
        disabled={refusal !== undefined}
        onChange={onChoose}
        aria-describedby={`${id}-note`}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className={classNames('font-medium', refusal !== undefined && 'text-muted')}>
          {label}
        </label>
        <div id={`${id}-note`} className="text-muted text-xs">
          {refusal ?? note}
        </div>
      </div>
      {aside !== undefined && <div className="shrink-0 text-right">{aside}</div>}
    </div>
  );
}
