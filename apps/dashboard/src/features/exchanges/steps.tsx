import { Check } from 'lucide-react';
import { classNames } from '../../ui/class-names';

/** Where a person is in a flow. */
export function Steps({ labels, current }: { readonly labels: readonly string[]; readonly current: number }) {
  return (
    <ol aria-label="Steps" className="flex flex-wrap gap-x-5 gap-y-2 pb-5 text-sm">
      {labels.map((label, i) => (
        <li
          key={label}
          aria-current={i === current ? 'step' : undefined}
          className={classNames('flex items-center gap-2', i === current ? 'font-medium' : 'text-muted')}
        >
          <span
            className={classNames(
              'grid size-5 place-items-center rounded-full border text-2xs',
              i < current && 'border-accent bg-accent-soft text-accent-text',
              i === current && 'border-accent bg-accent text-white',
            )}
          >
            {i < current ? <Check aria-label="Done" className="size-3" /> : i + 1}
          </span>
          <span className={i === current ? '' : 'max-sm:sr-only'}>{label}</span>
        </li>
      ))}
    </ol>
  );
}
