import { Check } from 'lucide-react';
import { classNames } from './class-names';

/** The steps of a flow, in order; `current` is the index of the one on screen. */
export function Steps({
  label,
  names,
  current,
}: {
  readonly label: string;
  readonly names: readonly string[];
  readonly current: number;
}) {
  return (
    <ol aria-label={label} className="flex flex-wrap items-center gap-x-5 gap-y-2 pb-5 text-sm">
      {names.map((name, i) => (
        <li
          key={name}
          aria-current={i === current ? 'step' : undefined}
          className={classNames('flex items-center gap-2', i === current ? 'font-medium' : 'text-muted')}
        >
          <span
            className={classNames(
              'grid size-5 shrink-0 place-items-center rounded-full text-2xs',
              i < current && 'border border-accent bg-accent-soft text-accent-text',
              i === current && 'bg-accent text-white',
              i > current && 'border',
            )}
          >
            {i < current ? <Check aria-hidden className="size-3" /> : i + 1}
          </span>
          <span className={i === current ? '' : 'max-sm:sr-only'}>{name}</span>
          {i < current && <span className="sr-only">, done</span>}
        </li>
      ))}
    </ol>
  );
}
