'use client';
import { parseAsString, useQueryState } from 'nuqs';
import { type ReactNode, useMemo } from 'react';
import { supportedExchangesQuery } from '../../data/exchange-names';
import { accountsQuery, strategiesQuery, useAccounts } from '../../data/names';
import { bookQuery, PairBookProvider } from '../../data/pair-book';
import { firstPairQuery, pairQuery } from '../../data/pairs';
import { keepPreviousData, useQuery } from '../../data/query';
import { marketsOf } from '../../data/search-pairs.rules';
import { useEarlyData } from '../../data/server-data';
import { tickerQuery } from '../../data/ticker';
import { ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { onDemand } from '../../ui/on-demand';
import { PageHeader } from '../../ui/page-header';
import { EmptyState, ErrorState } from '../../ui/states';
import type { Pair } from './order.rules';
import { PairPicker } from './pair-picker';
import { TicketSkeleton } from './ticket-skeleton';

const OrderTicket = onDemand(
  () => import('./order-ticket').then((module) => module.OrderTicket),
  <TicketSkeleton />,
);

export interface NewOrderProps {
  /** The order book of a pair. */
  readonly book: (pair: Pair) => ReactNode;
}

/** The order ticket as a page of its own, with the book beside it. `?pair=` names the pair. */
export function NewOrder({ book }: NewOrderProps) {
  useEarlyData([supportedExchangesQuery, accountsQuery, strategiesQuery]);
  const accounts = useAccounts();
  const markets = useMemo(() => marketsOf(accounts.data ?? []), [accounts.data]);
  const [pairId, setPairId] = useQueryState('pair', parseAsString);
  const named = useQuery({ ...pairQuery(pairId ?? ''), enabled: pairId !== null });
  const first = useQuery({
    ...firstPairQuery(markets),
    enabled: pairId === null && !accounts.isPending,
    // The ticket stays as it is if another account becomes active meanwhile.
    placeholderData: keepPreviousData,
  });
  const chosen = pairId === null ? first : named;
  const pair = chosen.data;
  useEarlyData(pair ? [bookQuery(pair.id), tickerQuery(pair.id)] : []);
  if (pair === undefined || pair === null)
    return (
      <Frame>
        <Card>
          {chosen.isPending && <TicketSkeleton />}
          {chosen.isError && <ErrorState error={chosen.error} onRetry={() => void chosen.refetch()} />}
          {pair === null && (
            <EmptyState
              title="No exchange has a pair that can be traded now."
              action={<ButtonLink href="/status">Show status</ButtonLink>}
            />
          )}
        </Card>
      </Frame>
    );
  return (
    <Frame>
      <PairBookProvider pairId={pair.id}>
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,320px)]">
          <Card title="Order">
            <div className="flex flex-col gap-3">
              <PairPicker markets={markets} value={pair} onChange={({ id }) => void setPairId(id)} />
              <OrderTicket key={pair.id} pair={pair} />
            </div>
          </Card>
          <Card title="Order book" isFlush>
            {book(pair)}
          </Card>
        </div>
      </PairBookProvider>
    </Frame>
  );
}

const Frame = ({ children }: { readonly children: ReactNode }) => (
  <div className="max-w-240">
    <PageHeader title="Place order" description="You see and confirm the whole order before it is placed." />
    {children}
  </div>
);
