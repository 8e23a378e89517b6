'use client';
import { useEffect, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useMayTrade } from '../../data/me';
import { Card } from '../../ui/card';
import { PageHeader } from '../../ui/page-header';
import { EmptyState } from '../../ui/states';
import { type Choice, ChooseExchange } from './choose-exchange';
import type { CredentialsForm } from './credential-fields';
import { credentialsResolver } from './edit-dialogs';
import { KeyRights } from './key-rights';
import { SaveAccount } from './save-account';
import { Steps } from './steps';
import { TestCredentials } from './test-credentials';

const STEPS = ['Exchange', 'Rights of the key', 'Credentials', 'Name'] as const;

/**
 * Connects an exchange account, step by step. The credentials stay in this page until the account is stored.
 * `docsUrl`: the address of the documentation, if the installation has one.
 */
export function ConnectExchange({ docsUrl }: { readonly docsUrl: string | undefined }) {
  const [step, setStep] = useState(0);
  const [choice, setChoice] = useState<Choice>();
  const [canWithdraw, setCanWithdraw] = useState<boolean | null>(false);
  const form = useForm<CredentialsForm>({
    resolver: credentialsResolver,
    defaultValues: { credentials: { api_key: '', api_secret: '' } },
  });
  const mayTrade = useMayTrade();
  const heading = useFocusOnStep(step);
  const back = () => setStep((now) => now - 1);
  const next = () => setStep((now) => now + 1);
  return (
    <div className="max-w-200">
      <PageHeader title="Connect exchange" />
      {mayTrade ? (
        <>
          <Steps labels={STEPS} current={step} />
          <Card
            title={
              <span ref={heading} tabIndex={-1} className="outline-none">
                {STEPS[step]}
              </span>
            }
          >
            {step === 0 && <ChooseExchange choice={choice} onChoose={setChoice} onNext={next} />}
            {step === 1 && choice !== undefined && (
              <KeyRights choice={choice} docsUrl={docsUrl} onBack={back} onNext={next} />
            )}
            {step === 2 && choice !== undefined && (
              <TestCredentials
                choice={choice}
                form={form}
                onBack={back}
                onNext={(right) => {
                  setCanWithdraw(right);
                  next();
                }}
              />
            )}
            {step === 3 && choice !== undefined && (
              <SaveAccount
                choice={choice}
                credentials={form.getValues('credentials')}
                canWithdraw={canWithdraw}
                onBack={back}
              />
            )}
          </Card>
        </>
      ) : (
        <Card>
          <EmptyState
            title="This session may not connect exchanges."
            hint="Sign in with a key that has the permission TRADE."
          />
        </Card>
      )}
    </div>
  );
}

/** Moves the focus to the title of a new step, so that screen readers announce it. */
function useFocusOnStep(step: number) {
  const heading = useRef<HTMLSpanElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) heading.current?.focus();
    shown.current = step;
  }, [step]);
  return heading;
}
