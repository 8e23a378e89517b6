'use client';
/** Until the first steps are done, their checklist has the place of the events, which are shown further down. */
import { LiveEvents } from './live-events';
import { Onboarding } from './onboarding';
import { useOnboarding } from './use-onboarding';

export function StepsOrEvents() {
  const onboarding = useOnboarding();
  return onboarding.isShown ? <Onboarding onboarding={onboarding} /> : <LiveEvents />;
}

export function EventsBelowSteps() {
  return useOnboarding().isShown ? <LiveEvents /> : null;
}
