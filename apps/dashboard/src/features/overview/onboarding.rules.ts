/** The first steps with the product. */

/** How many records of each kind exist; undefined while unknown. */
export interface OnboardingCounts {
  readonly accounts: number | undefined;
  readonly trades: number | undefined;
  readonly strategies: number | undefined;
  readonly copiers: number | undefined;
  readonly webhooks: number | undefined;
}

export interface OnboardingStep {
  readonly label: string;
  readonly hint: string;
  readonly href: string;
  readonly isDone: boolean;
}

const STEPS: readonly (Omit<OnboardingStep, 'isDone'> & { readonly counted: keyof OnboardingCounts })[] = [
  {
    counted: 'accounts',
    label: 'Connect an exchange',
    hint: 'With a key that can trade and cannot withdraw.',
    href: '/exchanges/new',
  },
  {
    counted: 'trades',
    label: 'Place a test trade',
    hint: 'A small order shows that the account works.',
    href: '/trades/new',
  },
  {
    counted: 'strategies',
    label: 'Create your first strategy',
    hint: 'It turns your trades into signals that copiers follow.',
    href: '/strategies/new',
  },
  {
    counted: 'copiers',
    label: 'Copy a strategy',
    hint: 'A copier repeats its trades with limits that you set.',
    href: '/copiers/new',
  },
  {
    counted: 'webhooks',
    label: 'Add a webhook',
    hint: 'Your server receives every event, signed.',
    href: '/developers/webhooks',
  },
];

/** Returns the steps with what is done; undefined while a count is unknown, so that no step is wrongly open. */
export function stepsOf(counts: OnboardingCounts): OnboardingStep[] | undefined {
  if (Object.values(counts).includes(undefined)) return undefined;
  return STEPS.map(({ counted, ...step }) => ({ ...step, isDone: (counts[counted] ?? 0) > 0 }));
}
