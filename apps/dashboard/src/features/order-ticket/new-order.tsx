'use client';
import { parseAsString, useQueryState } from 'nuqs';
import { usePairs } from '../../data/names';
import { PairBookProvider } from '../../data/pair-book';
import { Card } from '../../ui/card';
import { PageHeader } from '../../ui/page-header';
import { Skeleton } from '../../ui/skeleton';
import { EmptyState, ErrorState } from '../../ui/states';
import { OrderTicket } from './order-ticket';
import { PairPicker } from './pair-picker';

/** The order ticket as a page of its own. `?pair=` names the pair. */
export function NewOrder() {
  const pairs = usePairs();
  const [pairId, setPairId] = useQueryState('pair', parseAsString);
  const pair = pairs.data?.find(({ id }) => id === pairId) ?? pairs.data?.find(({ is_active }) => is_active);
  return (
    <div className="mx-auto max-w-140">
      <PageHeader
        title="Place order"
        description="You see and confirm the whole order before it is placed."
      />
      <Card>
        {pairs.isPending && <TicketSkeleton />}
        {pairs.isError && pairs.data === undefined && (
          <ErrorState error={pairs.error} onRetry={() => void pairs.refetch()} />
        )}
        {pairs.data !== undefined && pair === undefined && (
          <EmptyState title="No exchange has a pair that can be traded now." />
        )}
        {pairs.data !== undefined && pair !== undefined && (
          <div className="flex flex-col gap-3">
            <PairPicker pairs={pairs.data} value={pair} onChange={({ id }) => void setPairId(id)} />
            <PairBookProvider key={pair.id} pairId={pair.id}>
              <OrderTicket pair={pair} />
            </PairBookProvider>
          </div>
        )}
      </Card>
    </div>
  );
}

export const TicketSkeleton = () => (
  <div role="status" aria-label="Loading" className="flex flex-col gap-3">
    {['a', 'b', 'c', 'd', 'e', 'f'].map((line) => (
      <Skeleton key={line} className="h-12 w-full" />
    ))}
  </div>
);
