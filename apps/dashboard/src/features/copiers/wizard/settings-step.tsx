'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { CopierCreate, CopierUpdate } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../../data/api';
import { byId, useAccounts } from '../../../data/names';
import { useSendOnce } from '../../../data/send-once';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { FormError } from '../../../ui/form-error';
import { type CopierValues, NEW_COPIER, settingsBody, updateBody, valuesOf } from '../copier-form.rules';
import { quoteAndEquity } from '../quote-and-equity';
import { SettingsFields } from '../settings-fields';
import type { CopierRow, StrategyRecord } from '../use-copier';
import { useSettingsForm } from '../use-settings-form';

export interface SettingsStepProps {
  readonly strategy: StrategyRecord;
  readonly accountId: string;
  /** Missing until this step has saved it. */
  readonly copier: CopierRow | undefined;
  readonly onBack: () => void;
  readonly onSaved: (copier: CopierRow) => void;
}

/** Sizing and limits. It saves a paused copier, which the simulation needs. */
export function SettingsStep({ strategy, accountId, copier, onBack, onSaved }: SettingsStepProps) {
  const queries = useQueryClient();
  const account = byId(useAccounts().data, accountId);
  const [isBusy, setBusy] = useState(false);
  const once = useSendOnce();
  const { form, submit, failure } = useSettingsForm(
    copier === undefined ? { ...NEW_COPIER, name: strategy.name.slice(0, 100) } : valuesOf(copier),
  );
  const save = async () => {
    setBusy(true);
    const create = (values: CopierValues) => {
      const ids = { strategy_id: strategy.id, exchange_account_id: accountId };
      const body = { ...settingsBody(values), ...ids } as CopierCreate;
      return once(body, (idempotencyKey) => api().copiers.create(body, { idempotencyKey }));
    };
    await submit(async (values) => {
      const saved =
        copier === undefined
          ? await create(values)
          : await api().copiers.update(copier.id, updateBody(values) as CopierUpdate);
      queries.setQueryData(['copiers', saved.id], saved);
      void queries.invalidateQueries({ queryKey: ['copiers', 'list'] });
      onSaved(saved);
    });
    setBusy(false);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Card title="How much do you copy, and where does it stop?">
        <SettingsFields
          register={form.register}
          control={form.control}
          errors={form.formState.errors}
          {...quoteAndEquity(account)}
          allowsMultiplier={strategy.allow_multiplier || strategy.exchange_account_id !== undefined}
          hasLeverage={account?.trading_type === 'perpetual'}
        />
        {failure !== undefined && (
          <div className="pt-4">
            <FormError error={failure} />
          </div>
        )}
      </Card>
      <div className="flex flex-wrap items-center justify-end gap-2 pt-4">
        <p className="mr-auto text-muted text-xs">
          The copier is saved as paused. It places no order before you start it in the last step.
        </p>
        <Button onClick={onBack}>Back</Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Save and simulate
        </Button>
      </div>
    </form>
  );
}
