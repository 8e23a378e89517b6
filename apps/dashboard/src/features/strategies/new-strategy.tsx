'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { StrategyCreate } from '@trading-automation/sdk';
import { useRouter } from 'next/navigation';
import { api } from '../../data/api';
import { supportedExchangesQuery } from '../../data/exchange-names';
import { useTradeRefusal } from '../../data/me';
import { accountsQuery, useAccounts } from '../../data/names';
import { useEarlyData } from '../../data/server-data';
import { Button, ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { FormError } from '../../ui/form-error';
import { PageHeader } from '../../ui/page-header';
import { Skeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { StrategyFields } from './strategy-fields';
import { EMPTY_STRATEGY } from './strategy-form.rules';
import { useStrategyForm } from './use-strategy-form';

export function NewStrategy() {
  useEarlyData([accountsQuery, supportedExchangesQuery]);
  return (
    <>
      <PageHeader
        title="New strategy"
        description="A strategy groups trades of one account. Copiers repeat the trades that you place with it."
      />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0">
          <WithAccounts />
        </div>
        <WhatOthersSee />
      </div>
    </>
  );
}

/** The form needs an account, whose trades become the signals. */
function WithAccounts() {
  const { data, isError, error, refetch } = useAccounts();
  const retry = () => void refetch();
  if (data === undefined)
    return isError ? (
      <Card>
        <ErrorState error={error} onRetry={retry} />
      </Card>
    ) : (
      <div role="status" aria-label="Loading">
        <Skeleton className="h-144" />
      </div>
    );
  if (data.length === 0)
    return (
      <Card>
        <EmptyState
          title="No exchange account is connected yet."
          hint="The trades of one account are the signals of a strategy."
          action={
            <ButtonLink href="/exchanges/new" variant="primary">
              Connect exchange
            </ButtonLink>
          }
        />
      </Card>
    );
  return (
    <>
      {isError && (
        <div className="pb-4">
          <StaleNotice error={error} onRetry={retry} />
        </div>
      )}
      <StrategyForm onlyAccountId={data.length === 1 ? data[0]?.id : undefined} />
    </>
  );
}

function StrategyForm({ onlyAccountId }: { readonly onlyAccountId: string | undefined }) {
  const router = useRouter();
  const queries = useQueryClient();
  const refusal = useTradeRefusal();
  const { form, submit, failure, isBusy } = useStrategyForm({
    initial: { ...EMPTY_STRATEGY, exchange_account_id: onlyAccountId ?? '' },
    isNew: true,
    send: async (body, idempotencyKey) => {
      const { id } = await api().strategies.create(body as unknown as StrategyCreate, { idempotencyKey });
      await queries.invalidateQueries({ queryKey: ['strategies'] });
      router.push(`/strategies/${id}`);
    },
  });
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Card>
        <StrategyFields
          register={form.register}
          control={form.control}
          errors={form.formState.errors}
          hasAccount
        />
        {failure !== undefined && (
          <div className="pt-4">
            <FormError error={failure} />
          </div>
        )}
        <div className="flex flex-wrap items-center justify-end gap-2 pt-5">
          {refusal !== undefined && <p className="mr-auto text-muted text-sm">{refusal}</p>}
          <ButtonLink href="/strategies">Cancel</ButtonLink>
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={refusal !== undefined}>
            Create strategy
          </Button>
        </div>
      </Card>
    </form>
  );
}

const WhatOthersSee = () => (
  <Card title="What others see of a public strategy">
    <ul className="flex list-disc flex-col gap-2 pl-4 text-sm">
      <li>Its return, drawdown, win rate and curve, with the size of the sample.</li>
      <li>What its copiers really earned, once at least 5 other users have copied it.</li>
      <li>Its terms: profit share, minimum equity and free places.</li>
      <li>Never your balances, amounts or account.</li>
      <li>Its results even after you archive it, if another user has copied it.</li>
    </ul>
  </Card>
);
