'use client';
import Link from 'next/link';
import { api } from '../../../data/api';
import { useStrategies } from '../../../data/names';
import { useQuery } from '../../../data/query';
import { Button, ButtonLink } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { ProfitShareTerms } from '../../../ui/profit-share';
import { TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../../ui/states';
import { Percent } from '../../../ui/values';
import type { StrategyRecord } from '../use-copier';
import { Choice } from './choice';

const TITLE = 'Which strategy do you copy?';

export interface StrategyStepProps {
  readonly strategy: StrategyRecord | undefined;
  readonly onChoose: (id: string) => void;
  readonly onNext: () => void;
}

export function StrategyStep({ strategy, onChoose, onNext }: StrategyStepProps) {
  const open = useQuery({
    queryKey: ['strategies', 'copyable'],
    queryFn: ({ signal }) =>
      api().strategies.list(
        { visibility: 'PUBLIC', status: 'ACTIVE', sort: 'copier_roi', order: 'desc', limit: 20 },
        { signal },
      ),
    structuralSharing: false,
  });
  const retry = () => void open.refetch();
  const own = useStrategies();
  const listed = [
    ...(strategy === undefined ? [] : [strategy]),
    ...(open.data?.data ?? []),
    ...(own.data ?? []).filter(({ status }) => status === 'ACTIVE'),
  ];
  const shown = [...new Map(listed.map((one) => [one.id, one])).values()];
  // The parts below the list appear with it, so that nothing moves.
  if (open.isPending || own.isPending)
    return (
      <Card title={TITLE} isFlush>
        <TableSkeleton />
      </Card>
    );
  return (
    <>
      <Card title={TITLE} isFlush>
        {open.isError &&
          (shown.length === 0 ? (
            <ErrorState error={open.error} onRetry={retry} />
          ) : (
            <div className="px-4 pb-3">
              <StaleNotice error={open.error} onRetry={retry} />
            </div>
          ))}
        {open.isSuccess && shown.length === 0 && (
          <EmptyState
            title="No strategy can be copied yet."
            hint="Create a strategy of your own, and copy it to another account."
            action={<ButtonLink href="/strategies/new">New strategy</ButtonLink>}
          />
        )}
        <fieldset>
          <legend className="sr-only">Strategy</legend>
          {shown.map((one) => (
            <Choice
              key={one.id}
              group="strategy"
              label={one.name}
              note={<Note strategy={one} />}
              aside={<Return strategy={one} />}
              isChosen={one.id === strategy?.id}
              refusal={refusalOf(one)}
              onChoose={() => onChoose(one.id)}
            />
          ))}
        </fieldset>
        <p className="border-t px-4 py-2 text-muted text-xs">
          The 20 public strategies whose copiers earned most, and your own. All of them are on{' '}
          <Link href="/discover" className="text-accent-text underline">
            Discover
          </Link>
          .
        </p>
      </Card>
      <div className="flex justify-end gap-2 pt-4">
        <ButtonLink href="/copiers">Cancel</ButtonLink>
        <Button variant="primary" disabled={strategy === undefined} onClick={onNext}>
          Continue to the account
        </Button>
      </div>
    </>
  );
}

function Note({ strategy }: { readonly strategy: StrategyRecord }) {
  const { performance: results, profit_share: share } = strategy;
  const isFree = share === undefined || Number(share.rate) === 0;
  return (
    <>
      {results.closed_count} closed {results.closed_count === 1 ? 'trade' : 'trades'}
      {results.low_sample && ', small sample'}.{' '}
      {isFree ? (
        'No profit share'
      ) : (
        <>
          Profit share: <ProfitShareTerms terms={share} />
        </>
      )}
    </>
  );
}

function Return({ strategy }: { readonly strategy: StrategyRecord }) {
  const { copier_roi: copiers, roi } = strategy.performance;
  return (
    <>
      <Percent ratio={copiers ?? roi} isChange />
      <span className="block text-muted text-xs">{copiers === null ? 'Own return' : "Copiers' return"}</span>
    </>
  );
}

function refusalOf({ status, capacity, copier_count: count }: StrategyRecord): string | undefined {
  if (status === 'ARCHIVED') return 'It is archived and cannot be copied.';
  if (capacity !== undefined && count >= capacity) return `All ${capacity} places are taken.`;
  return undefined;
}
