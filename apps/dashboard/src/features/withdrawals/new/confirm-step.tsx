'use client';
import { useQueryClient } from '@tanstack/react-query';
import { ConnectionError, type Withdrawal } from '@trading-automation/sdk';
import { type FormEvent, useState } from 'react';
import { api } from '../../../data/api';
import { formErrorsOf } from '../../../data/form-errors';
import type { SendOnce } from '../../../data/send-once';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { Detail, Details } from '../../../ui/details';
import { Checkbox } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { wordsOf } from '../../../ui/status';
import { Amount, Missing } from '../../../ui/values';
import { netOf } from '../amount.rules';
import { FullAddress } from '../parts';
import type { KnownTerms, WithdrawalDraft } from './flow';

/** Repeats everything, and requests the withdrawal once, however often the button is used. */
export function ConfirmStep({
  draft,
  terms,
  once,
  onBack,
  onDone,
}: {
  readonly draft: WithdrawalDraft;
  readonly terms: KnownTerms;
  readonly once: SendOnce;
  readonly onBack: () => void;
  readonly onDone: (withdrawal: Withdrawal<'string'>) => void;
}) {
  const queries = useQueryClient();
  const [isCompared, setCompared] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { amount, address, label } = draft;
  const { currency, fee, network } = terms;
  const request = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !isCompared) return;
    setBusy(true);
    setError(undefined);
    try {
      const body = { amount, wallet_address: address };
      onDone(await once(body, (idempotencyKey) => api().withdrawals.create(body, { idempotencyKey })));
      for (const key of ['withdrawals', 'rewards']) void queries.invalidateQueries({ queryKey: [key] });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Card title="Check and confirm">
      <form onSubmit={request} className="flex flex-col gap-4">
        <Details>
          <Detail name="Amount, held at once">
            <Amount value={amount} asset={currency} digits={18} />
          </Detail>
          <Detail name="Fee, deducted from it">
            {fee === undefined ? (
              'Shown after the request'
            ) : (
              <Amount value={fee} asset={currency} digits={18} />
            )}
          </Detail>
          <Detail name="You receive">
            <span className="font-medium">
              <Amount value={netOf(amount, fee)} asset={currency} digits={18} />
            </span>
          </Detail>
          <Detail name="Network">{network === undefined ? <Missing /> : wordsOf(network)}</Detail>
          {label !== undefined && <Detail name="Address book">{label}</Detail>}
        </Details>
        <section aria-label="Address" className="rounded-card border bg-hover px-4 py-3">
          <p className="pb-1 text-muted text-xs">To this address</p>
          <FullAddress address={address} />
        </section>
        <p className="text-muted text-sm">
          A payout cannot be taken back. Until it begins, you can cancel the withdrawal.
        </p>
        <Checkbox
          checked={isCompared}
          onChange={(event) => setCompared(event.target.checked)}
          label="I compared the address with the one in my wallet."
        />
        {error !== undefined && <RequestError error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onBack} disabled={isBusy}>
            Back
          </Button>
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={!isCompared}>
            Withdraw {amount} {currency}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** What the API refuses about the amount or the address, in its own words; any other failure as in every form. */
function RequestError({ error }: { readonly error: unknown }) {
  const { fields, isGeneral } = formErrorsOf(error, ['amount', 'wallet_address']);
  if (isGeneral)
    return (
      <>
        <FormError error={error} />
        {error instanceof ConnectionError && (
          <p className="text-sm">
            The request may have arrived. Requesting again here does not withdraw twice.
          </p>
        )}
      </>
    );
  return (
    <div role="alert" className="rounded-card border border-loss-line bg-loss-soft px-3 py-2 text-sm">
      <p className="font-medium">Nothing was withdrawn. Go back and change the withdrawal.</p>
      {Object.values(fields).map((message) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  );
}
