'use client';
/**
 * Copies a strategy, step by step. The address keeps the choices, so that a reload loses nothing.
 *
 * The simulation needs a copier, so the step of the limits saves a paused one. From then on strategy and account are fixed.
 */
import { useRouter } from 'next/navigation';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTradeRefusal } from '../../../data/me';
import { Card } from '../../../ui/card';
import { PageHeader } from '../../../ui/page-header';
import { TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../../ui/states';
import { useCopier, useStrategy } from '../use-copier';
import { AccountStep } from './account-step';
import { ChosenStrategy } from './chosen-strategy';
import { ConfirmStep } from './confirm-step';
import { DiscardDraft } from './discard-draft';
import { SettingsStep } from './settings-step';
import { SimulationStep } from './simulation-step';
import { STEPS, type Step, Steps } from './steps';
import { StrategyStep } from './strategy-step';

const PARAMETERS = {
  strategy: parseAsString,
  account: parseAsString,
  copier: parseAsString,
  step: parseAsStringLiteral(STEPS),
};

export function CopyWizard() {
  const router = useRouter();
  const refusal = useTradeRefusal();
  const [choices, choose] = useQueryStates(PARAMETERS, { history: 'push' });
  const copier = useCopier(choices.copier ?? undefined);
  const strategyId = copier.data?.strategy_id ?? choices.strategy ?? undefined;
  const strategy = useStrategy(strategyId);
  const accountId = copier.data?.exchange_account_id ?? choices.account ?? undefined;
  const step = reachable(choices.step, {
    hasCopier: choices.copier !== null,
    hasStrategy: strategyId !== undefined,
    hasAccount: accountId !== undefined,
  });
  const goTo = (next: Step) => void choose({ step: next });
  const isLoading =
    (choices.copier !== null && copier.isPending) || (strategyId !== undefined && strategy.isPending);
  const failed =
    copier.isError && copier.data === undefined ? copier : strategy.isError ? strategy : undefined;
  const stale = [copier, strategy].find(({ isError, data }) => isError && data !== undefined);
  const draft = copier.data;
  const isBesideChosen =
    strategy.data !== undefined && (step === 'strategy' || step === 'account' || step === 'limits');

  const content = () => {
    if (refusal !== undefined)
      return (
        <Card>
          <EmptyState title="This session may not create copiers." hint={refusal} />
        </Card>
      );
    if (failed !== undefined && strategy.data === undefined)
      return (
        <Card>
          <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
        </Card>
      );
    if (isLoading)
      return (
        <Card isFlush>
          <TableSkeleton rows={5} />
        </Card>
      );
    if (step === 'strategy' || strategy.data === undefined)
      return (
        <StrategyStep
          strategy={strategy.data}
          onChoose={(id) => void choose({ strategy: id }, { history: 'replace' })}
          onNext={() => goTo('account')}
        />
      );
    if (step === 'account' || accountId === undefined)
      return (
        <AccountStep
          strategy={strategy.data}
          accountId={accountId}
          onChoose={(id) => void choose({ account: id }, { history: 'replace' })}
          onBack={() => goTo('strategy')}
          onNext={(account) => void choose({ account, step: 'limits' })}
        />
      );
    if (step === 'limits' || draft === undefined)
      return (
        <SettingsStep
          key={draft?.id ?? 'new'}
          strategy={strategy.data}
          accountId={accountId}
          copier={draft}
          onBack={() => (draft === undefined ? goTo('account') : router.push(`/copiers/${draft.id}`))}
          onSaved={({ id }) => void choose({ copier: id, step: 'simulation' })}
        />
      );
    const parts = { strategy: strategy.data, copier: draft };
    return step === 'simulation' ? (
      <SimulationStep {...parts} onBack={() => goTo('limits')} onNext={() => goTo('confirm')} />
    ) : (
      <ConfirmStep
        {...parts}
        onBack={() => goTo('simulation')}
        onStarted={() => router.push(`/copiers/${draft.id}`)}
      />
    );
  };
  return (
    <>
      <PageHeader
        title={strategy.data === undefined ? 'Copy a strategy' : `Copy ${strategy.data.name}`}
        actions={draft !== undefined && draft.started_at === undefined && <DiscardDraft copier={draft} />}
      />
      <Steps current={step} />
      {stale !== undefined && (
        <div className="pb-4">
          <StaleNotice error={stale.error} onRetry={() => void stale.refetch()} />
        </div>
      )}
      <div className={isBesideChosen ? 'grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_20rem]' : ''}>
        <StepContent step={step}>{content()}</StepContent>
        {isBesideChosen && strategy.data !== undefined && <ChosenStrategy strategy={strategy.data} />}
      </div>
    </>
  );
}

/** Moves the focus to a new step, so that a screen reader continues there. */
function StepContent({ step, children }: { readonly step: Step; readonly children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    box.current?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  }, [step]);
  return (
    <div ref={box} tabIndex={-1} className="outline-none">
      {children}
    </div>
  );
}

interface Chosen {
  readonly hasCopier: boolean;
  readonly hasStrategy: boolean;
  readonly hasAccount: boolean;
}

/** The asked step, or the last one whose choices have been made. */
function reachable(asked: Step | null, { hasCopier, hasStrategy, hasAccount }: Chosen): Step {
  if (hasCopier) return asked === 'simulation' || asked === 'confirm' ? asked : 'limits';
  if (!hasStrategy) return 'strategy';
  if (asked === 'strategy') return 'strategy';
  if (!hasAccount || asked === null) return 'account';
  return asked === 'account' ? 'account' : 'limits';
}
