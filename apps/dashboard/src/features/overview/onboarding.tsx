'use client';
import { ArrowRight, Circle, CircleCheck } from 'lucide-react';
import Link from 'next/link';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { FormError } from '../../ui/form-error';
import type { OnboardingStep } from './onboarding.rules';
import type { OnboardingState } from './use-onboarding';

/** The checklist of the first steps. */
export function Onboarding({ onboarding }: { readonly onboarding: OnboardingState }) {
  const { steps, isHiding, error, hide } = onboarding;
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <Card
      title="Get started"
      isFlush
      actions={
        <div className="flex items-center gap-2">
          <span className="text-muted text-xs">
            {done} of {steps.length} done
          </span>
          <Button
            variant="ghost"
            className="-mr-3"
            isBusy={isHiding}
            onClick={() => void hide()}
            aria-label="Hide the checklist"
          >
            Hide
          </Button>
        </div>
      }
    >
      <ol>
        {steps.map((step) => (
          <Step key={step.label} step={step} isNext={step === next} />
        ))}
      </ol>
      {error !== undefined && (
        <div className="p-4">
          <FormError error={error} />
        </div>
      )}
    </Card>
  );
}

function Step({ step, isNext }: { readonly step: OnboardingStep; readonly isNext: boolean }) {
  const { label, hint, href, isDone } = step;
  if (isDone)
    return (
      <li className="flex min-h-11 items-center gap-3 border-t px-4 py-2 text-muted text-sm">
        <CircleCheck aria-hidden className="size-4 shrink-0 text-gain" />
        <span>
          {label} <span className="sr-only">(done)</span>
        </span>
      </li>
    );
  return (
    <li className="border-t">
      <Link href={href} className="flex min-h-14 items-center gap-3 px-4 py-2 text-sm hover:bg-hover">
        <Circle aria-hidden className={`size-4 shrink-0 ${isNext ? 'text-accent-text' : 'text-muted'}`} />
        <span className="min-w-0 flex-1">
          <span className={isNext ? 'block font-medium' : 'block'}>{label}</span>
          <span className="block text-muted text-xs">{hint}</span>
        </span>
        <ArrowRight aria-hidden className="size-4 shrink-0 text-muted" />
      </Link>
    </li>
  );
}
