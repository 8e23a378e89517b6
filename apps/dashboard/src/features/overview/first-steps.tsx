'use client';
/** Until the first steps are done, their checklist has the place of the events, which are shown further down. */
import { useEffect } from 'react';
import { useUserId } from '../../data/user-id';
import { storeStepsDone } from './finished-steps';
import { LiveEvents } from './live-events';
import { Onboarding } from './onboarding';
import { useOnboarding } from './use-onboarding';

export interface StepsOrEventsProps {
  /** Whether it is known that there is nothing left to do. */
  readonly areStepsDone: boolean;
}

export const StepsOrEvents = ({ areStepsDone }: StepsOrEventsProps) =>
  areStepsDone ? <LiveEvents /> : <StepsUntilDone />;

function StepsUntilDone() {
  const onboarding = useOnboarding();
  const userId = useUserId();
  const { steps } = onboarding;
  const areDone = steps.length > 0 && steps.every(({ isDone }) => isDone);
  useEffect(() => {
    if (areDone) storeStepsDone(userId);
  }, [areDone, userId]);
  return onboarding.isShown ? <Onboarding onboarding={onboarding} /> : <LiveEvents />;
}

export function EventsBelowSteps() {
  return useOnboarding().isShown ? <LiveEvents /> : null;
}
