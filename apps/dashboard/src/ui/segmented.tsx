'use client';
import { type ReactNode, useId } from 'react';

export interface SegmentedProps<T extends string> {
  readonly label: string;
  /** Undefined until it is known. */
  readonly value: T | undefined;
  readonly onChange: (value: T) => void;
  readonly options: readonly { readonly value: T; readonly label: ReactNode }[];
}

/** One choice of a few, such as a range of time. */
export function Segmented<T extends string>({ label, value, onChange, options }: SegmentedProps<T>) {
  const name = useId();
  return (
    <fieldset className="inline-flex rounded-control border bg-hover p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="flex h-7 cursor-pointer items-center rounded px-2.5 text-muted text-xs hover:text-text has-checked:bg-surface dark:has-checked:bg-line has-checked:font-medium has-checked:text-text has-checked:shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:h-9"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
