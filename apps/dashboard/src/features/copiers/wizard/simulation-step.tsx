'use client';
/** Replays past signals with the settings. A change of a setting is saved and simulated again. */
import { useQueryClient } from '@tanstack/react-query';
import type { CopierUpdate } from '@trading-automation/sdk';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../../data/api';
import { byId, useAccounts } from '../../../data/names';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { FormError } from '../../../ui/form-error';
import { onDemand } from '../../../ui/on-demand';
import { Segmented } from '../../../ui/segmented';
import { Skeleton } from '../../../ui/skeleton';
import { ErrorState } from '../../../ui/states';
import { updateBody, valuesOf } from '../copier-form.rules';
import { quoteAndEquity } from '../quote-and-equity';
import { SettingsFields } from '../settings-fields';
import type { CopierRow, StrategyRecord } from '../use-copier';
import { useSettingsForm } from '../use-settings-form';
import { type SimulationState, useCountdown, useSimulation } from './use-simulation';

const SimulationResults = onDemand(
  () => import('./simulation-results').then((module) => module.SimulationResults),
  <Skeleton className="h-96" />,
);

const PAUSE_MS = 1_200;
const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: 'all', label: 'All' },
] as const;

/** Whether the settings on screen are those of the copier. */
type Saving = 'saved' | 'changed' | 'refused';
const SAVING_WORDS = {
  changed: 'The settings have changed. They are simulated in a moment.',
  refused: 'A setting is not valid. Correct it to simulate it.',
} as const;

export interface SimulationStepProps {
  readonly strategy: StrategyRecord;
  readonly copier: CopierRow;
  readonly onBack: () => void;
  readonly onNext: () => void;
}

export function SimulationStep({ strategy, copier, onBack, onNext }: SimulationStepProps) {
  const [range, setRange] = useState<(typeof RANGES)[number]['value']>('all');
  const [version, setVersion] = useState(0);
  const [saving, setSaving] = useState<Saving>('saved');
  const days = range === 'all' ? undefined : Number(range);
  const simulation = useSimulation({ copierId: copier.id, days, version });
  const { result, error } = simulation;
  const { sizing } = copier;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 pb-4">
        <Segmented label="Time that is replayed" value={range} onChange={setRange} options={RANGES} />
        <Progress simulation={simulation} saving={saving} />
      </div>
      <div className="grid items-start gap-4 xl:grid-cols-[22rem_minmax(0,1fr)]">
        <Card title="Settings" className="max-xl:order-2">
          <LiveSettings
            strategy={strategy}
            copier={copier}
            onSaving={(next) => {
              setSaving(next);
              if (next === 'saved') setVersion((now) => now + 1);
            }}
          />
        </Card>
        <div className="min-w-0">
          {error !== undefined ? (
            <Card>
              <ErrorState error={error} onRetry={simulation.retry} />
            </Card>
          ) : result === undefined ? (
            <div className="flex flex-col gap-4">
              <Skeleton className="h-24" />
              <Skeleton className="h-72" />
            </div>
          ) : (
            <SimulationResults result={result} strategy={strategy} sizing={sizing} />
          )}
        </div>
      </div>
      <div className="flex justify-end gap-2 pt-4">
        <Button onClick={onBack}>Back</Button>
        <Button variant="primary" disabled={saving !== 'saved'} onClick={onNext}>
          Continue to the terms
        </Button>
      </div>
    </>
  );
}

function Progress({ simulation, saving }: { readonly simulation: SimulationState; readonly saving: Saving }) {
  const seconds = useCountdown(simulation.retryAt);
  const text =
    simulation.retryAt !== undefined
      ? `6 simulations a minute are allowed. The next one starts in ${seconds} s.`
      : saving !== 'saved'
        ? SAVING_WORDS[saving]
        : simulation.isRunning
          ? 'Simulating'
          : simulation.error === undefined
            ? 'Simulated with the settings below.'
            : '';
  return (
    <p role="status" className="text-muted text-sm">
      {text}
    </p>
  );
}

interface LiveSettingsProps {
  readonly strategy: StrategyRecord;
  readonly copier: CopierRow;
  readonly onSaving: (saving: Saving) => void;
}

function LiveSettings({ strategy, copier, onSaving }: LiveSettingsProps) {
  const queries = useQueryClient();
  const account = byId(useAccounts().data, copier.exchange_account_id);
  const { form, submit, failure } = useSettingsForm(valuesOf(copier));
  const latest = useRef(onSaving);
  useEffect(() => {
    latest.current = onSaving;
  });
  const { watch } = form;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const save = async () => {
      const isSaved = await submit(async (values) => {
        const saved = await api().copiers.update(copier.id, updateBody(values) as CopierUpdate);
        queries.setQueryData(['copiers', saved.id], saved);
      }, false);
      latest.current(isSaved ? 'saved' : 'refused');
    };
    const { unsubscribe } = watch(() => {
      latest.current('changed');
      clearTimeout(timer);
      timer = setTimeout(() => void save(), PAUSE_MS);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [watch, submit, queries, copier.id]);
  return (
    <form noValidate onSubmit={(event) => event.preventDefault()}>
      <SettingsFields
        register={form.register}
        control={form.control}
        errors={form.formState.errors}
        {...quoteAndEquity(account)}
        allowsMultiplier={strategy.allow_multiplier || strategy.exchange_account_id !== undefined}
        hasLeverage={account?.trading_type === 'perpetual'}
        isNarrow
      />
      {failure !== undefined && (
        <div className="pt-4">
          <FormError error={failure} />
        </div>
      )}
    </form>
  );
}
