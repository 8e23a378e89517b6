'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { api } from '../../data/api';
import { useSendOnce } from '../../data/send-once';
import { Button } from '../../ui/button';
import { Detail, Details } from '../../ui/details';
import { Field, Input } from '../../ui/field';
import { wordsOf } from '../../ui/status';
import { rightOf } from './account.rules';
import type { Choice } from './choose-exchange';
import { ConfirmNoWithdrawal } from './confirm-no-withdrawal';
import type { CredentialsForm } from './credential-fields';
import { CredentialsError } from './credentials-error';
import { nameResolver } from './edit-dialogs';

interface SaveAccountProps {
  readonly choice: Choice;
  readonly credentials: CredentialsForm['credentials'];
  /** Null if the exchange does not report it. */
  readonly canWithdraw: boolean | null;
  readonly onBack: () => void;
}

/** Names the account and stores it. The API tests the credentials once more. */
export function SaveAccount({ choice, credentials, canWithdraw, onBack }: SaveAccountProps) {
  const router = useRouter();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [isConfirmed, setIsConfirmed] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const once = useSendOnce();
  const { exchange, tradingType } = choice;
  const { register, handleSubmit, formState } = useForm({
    resolver: nameResolver,
    defaultValues: { account_name: `${exchange.name} ${tradingType}` },
  });
  const save = handleSubmit(async ({ account_name }) => {
    const request = {
      exchange: exchange.id,
      trading_type: tradingType as 'spot' | 'margin' | 'perpetual',
      credentials,
      account_name,
      allow_withdraw_keys: isConfirmed,
    };
    setError(undefined);
    try {
      const { id } = await once(request, (idempotencyKey) =>
        api().exchanges.create(request, { idempotencyKey }),
      );
      setSaved(true);
      await queries.invalidateQueries({ queryKey: ['exchanges'] });
      router.push(`/exchanges/${id}`);
    } catch (failure) {
      setError(failure);
    }
  });
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
      <Field
        label="Name"
        hint="How you recognise the account in lists and orders."
        error={formState.errors.account_name?.message}
      >
        <Input {...register('account_name')} autoComplete="off" />
      </Field>
      <Details>
        <Detail name="Exchange">{exchange.name}</Detail>
        <Detail name="Type">{wordsOf(tradingType)}</Detail>
        <Detail name="API key">
          <code className="font-mono text-xs">{`…${credentials.api_key.slice(-6)}`}</code>
        </Detail>
        <Detail name="Key can withdraw">{rightOf(canWithdraw)}</Detail>
      </Details>
      {canWithdraw === null && <ConfirmNoWithdrawal isConfirmed={isConfirmed} onChange={setIsConfirmed} />}
      {error !== undefined && <CredentialsError error={error} exchange={exchange} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onBack}>Back</Button>
        <Button type="submit" variant="primary" isBusy={formState.isSubmitting || isSaved}>
          {formState.isSubmitting || isSaved ? 'Connecting account' : 'Connect account'}
        </Button>
      </div>
    </form>
  );
}
