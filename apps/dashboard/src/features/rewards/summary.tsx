'use client';
import { useRewardBalance } from '../../data/rewards';
import { Balance } from '../../ui/balance';
import { ButtonLink } from '../../ui/button';
import { Skeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { Stat } from '../../ui/stat';
import { ErrorState } from '../../ui/states';
import { Amount } from '../../ui/values';
import { ClaimAll } from './claim-all';
import { useOpenRewards } from './data';
import { sumOf } from './rewards.rules';

/** What can be claimed, and the balance. */
export function RewardSummary() {
  const open = useOpenRewards();
  const balance = useRewardBalance();
  const retry = () => {
    void open.refetch();
    void balance.refetch();
  };
  const error = open.error ?? balance.error;
  if (error !== null && (open.data === undefined || balance.data === undefined))
    return (
      <div className="mb-4 rounded-card border bg-surface">
        <ErrorState error={error} onRetry={retry} />
      </div>
    );
  const currency = balance.data?.currency;
  const claimable = open.data?.filter(({ status }) => status === 'CLAIMABLE').length;
  return (
    <>
      {error !== null && <StaleNotice error={error} onRetry={retry} />}
      <section
        aria-label="Balance"
        className="mb-4 grid gap-x-10 gap-y-5 rounded-card border bg-surface p-5 md:grid-cols-[auto_1fr] md:items-center"
      >
        <div className="min-w-0 md:border-r md:pr-10">
          <h2 className="text-muted text-sm">Claimable now</h2>
          {open.data === undefined || currency === undefined ? (
            <Skeleton className="my-1.5 h-7 w-44" />
          ) : (
            <p className="font-semibold text-2xl sm:text-figure">
              <Amount value={sumOf(open.data, 'CLAIMABLE')} asset={currency} />
            </p>
          )}
          <div className="flex flex-wrap items-center gap-3 pt-2">
            <ClaimAll rewards={open.data ?? []} />
            {open.data !== undefined && claimable !== undefined && (
              <p className="text-muted text-sm">
                {claimable === 0
                  ? 'No reward waits for you'
                  : `${claimable} ${claimable === 1 ? 'reward' : 'rewards'}`}
              </p>
            )}
          </div>
        </div>
        <div className="grid gap-4 sm:grid-cols-3 lg:grid-cols-[repeat(3,1fr)_auto] lg:items-center">
          <Stat
            label="Available"
            value={<Balance value={balance.data?.available} asset={currency} />}
            note="Can be withdrawn"
            isLoading={balance.data === undefined}
          />
          <Stat
            label="Held"
            value={<Amount value={balance.data?.held} asset={currency} />}
            note="In open withdrawals"
            isLoading={balance.data === undefined}
          />
          <Stat
            label="Pending"
            value={<Amount value={sumOf(open.data ?? [], 'PENDING')} asset={currency} />}
            note="Claimable later"
            isLoading={open.data === undefined || currency === undefined}
          />
          <ButtonLink href="/withdrawals/new" className="self-center justify-self-start lg:justify-self-end">
            Withdraw tokens
          </ButtonLink>
        </div>
      </section>
    </>
  );
}
