import { Check } from 'lucide-react';
import { classNames } from '../../../ui/class-names';

export const STEPS = ['strategy', 'account', 'limits', 'simulation', 'confirm'] as const;
export type Step = (typeof STEPS)[number];

const LABELS: Readonly<Record<Step, string>> = {
  strategy: 'Strategy',
  account: 'Account',
  limits: 'Size and limits',
  simulation: 'Simulation',
  confirm: 'Terms and start',
};

/** Where the reader is. */
export function Steps({ current }: { readonly current: Step }) {
  const at = STEPS.indexOf(current);
  return (
    <ol aria-label="Steps" className="flex flex-wrap gap-x-5 gap-y-2 pb-5 text-sm">
      {STEPS.map((step, i) => (
        <li
          key={step}
          aria-current={i === at ? 'step' : undefined}
          className={classNames('flex items-center gap-2', i === at ? 'font-medium' : 'text-muted')}
        >
          <span
            className={classNames(
              'grid size-5 place-items-center rounded-full border text-2xs',
              i < at && 'border-accent bg-accent-soft text-accent-text',
              i === at && 'border-accent bg-accent text-white',
            )}
          >
            {i < at ? <Check aria-label="Done" className="size-3" /> : i + 1}
          </span>
          <span className={i === at ? '' : 'max-sm:sr-only'}>{LABELS[step]}</span>
        </li>
      ))}
    </ol>
  );
}
