'use client';
import { useExchangeNames } from '../../../data/exchange-names';
import { useAccounts } from '../../../data/names';
import { Button, ButtonLink } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../../ui/states';
import { Amount } from '../../../ui/values';
import { quoteAndEquity } from '../quote-and-equity';
import type { StrategyRecord } from '../use-copier';
import { refusalOf } from './account-refusal.rules';
import { Choice } from './choice';

export interface AccountStepProps {
  readonly strategy: StrategyRecord;
  readonly accountId: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly onBack: () => void;
  readonly onNext: (accountId: string) => void;
}

export function AccountStep({ strategy, accountId, onChoose, onBack, onNext }: AccountStepProps) {
  const accounts = useAccounts();
  const exchangeName = useExchangeNames();
  const { data } = accounts;
  const onlyId = onlyOf(data?.filter((account) => refusalOf(account, strategy) === undefined));
  const chosenId = accountId ?? onlyId;
  const retry = () => void accounts.refetch();
  const { min_copy_equity: minimum } = strategy;
  return (
    <>
      <Card title="On which account do you copy?" isFlush>
        {accounts.isPending && <TableSkeleton rows={3} />}
        {accounts.isError &&
          (data === undefined ? (
            <ErrorState error={accounts.error} onRetry={retry} />
          ) : (
            <div className="px-4 pb-3">
              <StaleNotice error={accounts.error} onRetry={retry} />
            </div>
          ))}
        {data?.length === 0 && (
          <EmptyState
            title="No exchange account is connected."
            hint="A copier places its orders on one of your accounts."
            action={<ButtonLink href="/exchanges">Connect an account</ButtonLink>}
          />
        )}
        <fieldset>
          <legend className="sr-only">Account</legend>
          {data?.map((account) => {
            const { quote, equity } = quoteAndEquity(account);
            return (
              <Choice
                key={account.id}
                group="account"
                label={account.account_name}
                note={`${exchangeName(account.exchange_name)}, ${account.trading_type}`}
                aside={<Amount value={equity} asset={quote} digits={2} />}
                isChosen={account.id === chosenId}
                refusal={refusalOf(account, strategy)}
                onChoose={() => onChoose(account.id)}
              />
            );
          })}
        </fieldset>
        <p className="border-t px-4 py-2 text-muted text-xs">
          The copier trades with what is free on the account.
          {minimum !== undefined && (
            <>
              {' '}
              The strategy needs an equity of at least <Amount value={minimum} digits={2} /> in quote
              currency; a start with less is refused.
            </>
          )}
        </p>
      </Card>
      <div className="flex justify-end gap-2 pt-4">
        <Button onClick={onBack}>Back</Button>
        <Button
          variant="primary"
          disabled={chosenId === undefined}
          onClick={() => chosenId !== undefined && onNext(chosenId)}
        >
          Continue to the limits
        </Button>
      </div>
    </>
  );
}

const onlyOf = (accounts: readonly { readonly id: string }[] = []) =>
  accounts.length === 1 ? accounts[0]?.id : undefined;
