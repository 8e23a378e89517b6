'use client';
import type { Withdrawal } from '@trading-automation/sdk';
import { useEffect, useRef, useState } from 'react';
import { useMay, useMe } from '../../../data/me';
import { useRewardBalance } from '../../../data/rewards';
import { useSendOnce } from '../../../data/send-once';
import { ButtonLink } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { PageHeader } from '../../../ui/page-header';
import { Skeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../../ui/states';
import { Steps } from '../../../ui/steps';
import { useLatestWithdrawal } from '../data';
import { AddressStep } from './address-step';
import { AmountStep } from './amount-step';
import { ConfirmStep } from './confirm-step';
import { type KnownTerms, STEP_NAMES, type WithdrawalDraft } from './flow';
import { ResultStep } from './result-step';
import { Summary } from './summary';

/** Withdraws reward tokens in four steps. Nothing is requested before the third one is confirmed. */
export function NewWithdrawal() {
  const balance = useRewardBalance();
  const latest = useLatestWithdrawal();
  const me = useMe();
  const mayWithdraw = useMay('WITHDRAW');
  const retry = () => {
    void balance.refetch();
    void latest.refetch();
    if (me.isError) void me.refetch();
  };
  const error = balance.error ?? latest.error ?? me.error;
  const isLoading = balance.data === undefined || latest.data === undefined || mayWithdraw === undefined;
  return (
    <>
      <PageHeader
        title="Withdraw tokens"
        description="Sends reward tokens from your available balance to a wallet of yours. Payouts are not processed yet: the amount is held, and you can cancel the withdrawal until then."
        actions={<ButtonLink href="/withdrawals">All withdrawals</ButtonLink>}
      />
      {error !== null && !isLoading && <StaleNotice error={error} onRetry={retry} />}
      {isLoading ? (
        error === null ? (
          <FlowSkeleton />
        ) : (
          <Card>
            <ErrorState error={error} onRetry={retry} />
          </Card>
        )
      ) : mayWithdraw ? (
        <Flow
          terms={{
            available: balance.data.available,
            currency: balance.data.currency,
            fee: latest.data?.fee,
            network: latest.data?.network,
          }}
        />
      ) : (
        <Card>
          <EmptyState
            title="This session may not withdraw."
            hint="It has no WITHDRAW permission. Sign in with a key that has it."
          />
        </Card>
      )}
    </>
  );
}

function FlowSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-4 lg:grid-cols-[1fr_320px]">
      <Skeleton className="h-72" />
      <Skeleton className="h-72" />
    </div>
  );
}

const EMPTY: WithdrawalDraft = { amount: '', address: '' };

function Flow({ terms }: { readonly terms: KnownTerms }) {
  const [step, setStep] = useState(0);
  const [draft, setDraft] = useState(EMPTY);
  const [result, setResult] = useState<Withdrawal<'string'>>();
  // It outlives the step of the confirmation: going back and forth without a change must not withdraw twice.
  const once = useSendOnce();
  const content = useFocusOnChange(step);
  const next = (changes: Partial<WithdrawalDraft>) => {
    setDraft({ ...draft, ...changes });
    setStep(step + 1);
  };
  const restart = () => {
    setDraft(EMPTY);
    setResult(undefined);
    setStep(0);
  };
  const back = () => setStep(step - 1);
  return (
    <>
      <Steps label="Steps of the withdrawal" names={STEP_NAMES} current={step} />
      <div className="grid items-start gap-4 lg:grid-cols-[1fr_320px]">
        <div ref={content} tabIndex={-1} className="min-w-0 outline-none">
          {step === 0 && <AmountStep draft={draft} terms={terms} onNext={(amount) => next({ amount })} />}
          {step === 1 && <AddressStep draft={draft} onBack={back} onNext={next} />}
          {step === 2 && (
            <ConfirmStep
              draft={draft}
              terms={terms}
              once={once}
              onBack={back}
              onDone={(withdrawal) => {
                setResult(withdrawal);
                setStep(3);
              }}
            />
          )}
          {step === 3 && result !== undefined && <ResultStep withdrawal={result} onRestart={restart} />}
        </div>
        <Summary draft={draft} terms={terms} result={result} />
      </div>
    </>
  );
}

/** Moves the focus to the content of a new step, whose predecessor had it. */
function useFocusOnChange(step: number) {
  const content = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    content.current?.focus();
  }, [step]);
  return content;
}
