'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { CopierUpdate } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../data/api';
import { byId, useAccounts } from '../../data/names';
import { Button } from '../../ui/button';
import { Drawer } from '../../ui/drawer';
import { FormError } from '../../ui/form-error';
import { notify } from '../../ui/notify';
import { updateBody, valuesOf } from './copier-form.rules';
import { quoteAndEquity } from './quote-and-equity';
import { SettingsFields } from './settings-fields';
import { type CopierRow, useStrategy } from './use-copier';
import { useSettingsForm } from './use-settings-form';

export function EditCopier({
  copier,
  onClose,
}: {
  readonly copier: CopierRow;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const accounts = useAccounts();
  const strategy = useStrategy(copier.strategy_id);
  const { form, submit, failure } = useSettingsForm(valuesOf(copier));
  const [isBusy, setBusy] = useState(false);
  const account = byId(accounts.data, copier.exchange_account_id);
  const save = async () => {
    setBusy(true);
    const isSaved = await submit(async (values) => {
      await api().copiers.update(copier.id, updateBody(values) as CopierUpdate);
      await queries.invalidateQueries({ queryKey: ['copiers'] });
    });
    setBusy(false);
    if (!isSaved) return;
    notify({ kind: 'success', message: 'The settings were changed.' });
    onClose();
  };
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title="Edit settings"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" isBusy={isBusy} onClick={() => void save()}>
            Save settings
          </Button>
        </>
      }
    >
      <p className="pb-4 text-muted text-sm">
        Sizing and limits apply to lots that the strategy opens from now on. Open lots keep theirs.
      </p>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <SettingsFields
          register={form.register}
          control={form.control}
          errors={form.formState.errors}
          {...quoteAndEquity(account)}
          allowsMultiplier={strategy.data?.allow_multiplier !== false || copier.sizing.mode === 'MULTIPLIER'}
          hasLeverage={account?.trading_type === 'perpetual'}
          isNarrow
        />
        {failure !== undefined && (
          <div className="pt-4">
            <FormError error={failure} />
          </div>
        )}
      </form>
    </Drawer>
  );
}
