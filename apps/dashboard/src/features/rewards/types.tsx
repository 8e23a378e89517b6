'use client';
import type { RewardType } from '@trading-automation/sdk';
import { useRewardBalance } from '../../data/rewards';
import { Badge } from '../../ui/badge';
import { Card } from '../../ui/card';
import { TableSkeleton } from '../../ui/skeleton';
import { EmptyState, ErrorState } from '../../ui/states';
import { Amount, Percent } from '../../ui/values';
import { useRewardTypes } from './data';
import { periodWords } from './rewards.rules';

/** The kinds of rewards and how each amount is calculated. */
export function RewardTypes() {
  const types = useRewardTypes();
  return (
    <Card title="How you earn rewards" isFlush className="mt-4">
      {types.isPending && <TableSkeleton rows={3} />}
      {types.isError && types.data === undefined && (
        <ErrorState error={types.error} onRetry={() => void types.refetch()} />
      )}
      {types.data?.length === 0 && <EmptyState title="No rewards are offered at the moment." />}
      {types.data !== undefined && types.data.length > 0 && (
        <ul>
          {types.data.map((type) => (
            <TypeLine key={type.id} type={type} />
          ))}
        </ul>
      )}
      <p className="border-t px-4 py-3 text-muted text-xs">
        Rewards are paid in a token of the platform. It is not traded here and has no price, so no worth in
        another currency is shown.
      </p>
    </Card>
  );
}

function TypeLine({ type }: { readonly type: RewardType<'string'> }) {
  const { name, description, rule, is_active } = type;
  return (
    <li className="grid gap-x-8 gap-y-1 border-t px-4 py-3 text-sm md:grid-cols-[1fr_auto]">
      <div className="min-w-0">
        <h3 className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          {!is_active && <Badge>Not offered now</Badge>}
        </h3>
        <p className="max-w-3xl pt-0.5 text-muted">{description}</p>
      </div>
      <div className="md:text-right">
        <p className="font-medium">
          <Rule rule={rule} />
        </p>
        <p className="text-muted text-xs">{periodWords(rule.period)}</p>
      </div>
    </li>
  );
}

function Rule({ rule }: { readonly rule: RewardType<'string'>['rule'] }) {
  const { data } = useRewardBalance();
  const { basis, rate, cap } = rule;
  const limit = cap !== undefined && (
    <>
      , at most <Amount value={cap} asset={data?.currency} />
    </>
  );
  if (basis === 'FLAT') return <Amount value={rate} asset={data?.currency} />;
  return (
    <>
      {basis === 'PROFIT_SHARE' ? 'Up to ' : ''}
      <Percent ratio={rate} /> of the {basis === 'VOLUME' ? 'volume' : 'profit'}
      {limit}
    </>
  );
}
