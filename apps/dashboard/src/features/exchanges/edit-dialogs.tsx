'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { api } from '../../data/api';
import { useSupportedExchanges } from '../../data/exchange-names';
import { lazyResolver } from '../../data/lazy-resolver';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Field, Input } from '../../ui/field';
import { FormError } from '../../ui/form-error';
import type { Account } from './account.rules';
import { ConfirmNoWithdrawal } from './confirm-no-withdrawal';
import { CredentialFields, type CredentialsForm, lacksPassphrase } from './credential-fields';
import { CredentialsError } from './credentials-error';

interface EditDialogProps {
  readonly account: Account;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const nameResolver = lazyResolver<{ account_name: string }>(({ exchangeAccountCreate }) =>
  exchangeAccountCreate.pick({ account_name: true }),
);

export function RenameDialog({ account, isOpen, onClose }: EditDialogProps) {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const { register, handleSubmit, formState } = useForm({
    resolver: nameResolver,
    defaultValues: { account_name: account.account_name },
  });
  const save = handleSubmit(async ({ account_name }) => {
    setError(undefined);
    try {
      await api().exchanges.update(account.id, { account_name });
      await queries.invalidateQueries({ queryKey: ['exchanges'] });
      onClose();
    } catch (failure) {
      setError(failure);
    }
  });
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Rename account"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" isBusy={formState.isSubmitting} onClick={() => void save()}>
            Rename account
          </Button>
        </>
      }
    >
      <form onSubmit={(event) => void save(event)} className="flex flex-col gap-3">
        <Field label="Name" error={formState.errors.account_name?.message}>
          <Input {...register('account_name')} autoComplete="off" />
        </Field>
        {error !== undefined && <FormError error={error} />}
      </form>
    </Dialog>
  );
}

export const credentialsResolver = lazyResolver<CredentialsForm>(({ exchangeAccountCreate }) =>
  exchangeAccountCreate.pick({ credentials: true }),
);

/** Replaces the credentials. The exchange tests them first; the old ones work until then. */
export function CredentialsDialog({ account, isOpen, onClose }: EditDialogProps) {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [isConfirmed, setIsConfirmed] = useState(false);
  const form = useForm<CredentialsForm>({ resolver: credentialsResolver });
  const close = () => {
    form.reset({});
    setIsConfirmed(false);
    setError(undefined);
    onClose();
  };
  const exchange = useSupportedExchanges().data?.find(({ id }) => id === account.exchange_name);
  const save = form.handleSubmit(async ({ credentials }) => {
    setError(undefined);
    if (lacksPassphrase(form, exchange)) return;
    try {
      await api().exchanges.update(account.id, { credentials, allow_withdraw_keys: isConfirmed });
      await queries.invalidateQueries({ queryKey: ['exchanges'] });
      close();
    } catch (failure) {
      setError(failure);
    }
  });
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title="Replace credentials"
      description="They must belong to the same account at the exchange. They are tested before they replace the old ones, and open orders are not touched."
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" isBusy={form.formState.isSubmitting} onClick={() => void save()}>
            Test and replace
          </Button>
        </>
      }
    >
      <form onSubmit={(event) => void save(event)} className="flex flex-col gap-3">
        <CredentialFields form={form} exchange={exchange} />
        {account.can_withdraw === null && (
          <ConfirmNoWithdrawal isConfirmed={isConfirmed} onChange={setIsConfirmed} />
        )}
        {error !== undefined && <CredentialsError error={error} exchange={exchange} />}
      </form>
    </Dialog>
  );
}
