'use client';
import { type ReactNode } from 'react';
import { supportedExchangesQuery, useExchangeNames } from '../../data/exchange-names';
import { accountsQuery, strategiesQuery } from '../../data/names';
import { bookQuery, PairBookProvider } from '../../data/pair-book';
import { type Pair, usePair } from '../../data/pairs';
import { useEarlyData } from '../../data/server-data';
import { tickerQuery } from '../../data/ticker';
import { Badge } from '../../ui/badge';
import { Card } from '../../ui/card';
import { Detail, Details } from '../../ui/details';
import { PageHeader } from '../../ui/page-header';
import { Skeleton } from '../../ui/skeleton';
import { ErrorState } from '../../ui/states';
import { wordsOf } from '../../ui/status';
import { useRecordName } from '../../ui/use-record-name';
import { Amount, Percent, Time } from '../../ui/values';
import { CandlesCard } from './candles-card';
import { DepthChart } from './depth-chart';
import { OrderBook } from './order-book';
import { TickerRow } from './ticker-row';

export interface MarketProps {
  readonly pairId: string;
  /** The order ticket of the pair. */
  readonly ticket: (pair: Pair) => ReactNode;
}

/** A market: its price, its book, and the order ticket beside them. */
export function Market({ pairId, ticket }: MarketProps) {
  useEarlyData([
    supportedExchangesQuery,
    bookQuery(pairId),
    tickerQuery(pairId),
    accountsQuery,
    strategiesQuery,
  ]);
  const exchangeName = useExchangeNames();
  const { data: pair, isPending, error, refetch } = usePair(pairId);
  useRecordName(pair?.symbol);
  if (isPending)
    return (
      <>
        <PageHeader title="Market" />
        <MarketSkeleton />
      </>
    );
  if (pair === undefined)
    return (
      <>
        <PageHeader title="Market" />
        <Card>
          <ErrorState error={error} onRetry={() => void refetch()} />
        </Card>
      </>
    );
  return (
    <PairBookProvider pairId={pair.id}>
      <PageHeader
        title={
          <>
            {pair.symbol}
            <Badge>{exchangeName(pair.exchange)}</Badge>
            <Badge>{wordsOf(pair.trading_type)}</Badge>
            {!pair.is_active && <Badge tone="warn">Not traded now</Badge>}
          </>
        }
      />
      <div className="pb-4">
        <TickerRow pair={pair} />
      </div>
      <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-[minmax(0,1fr)_minmax(0,288px)_minmax(0,328px)]">
        <div className="flex min-w-0 flex-col gap-4 lg:col-span-2 xl:col-span-1">
          <CandlesCard pair={pair} />
          <Card title="Depth" isFlush className="max-lg:hidden">
            <DepthChart pair={pair} />
          </Card>
          <RulesCard pair={pair} className="max-xl:hidden" />
        </div>
        <Card title="Order book" isFlush className="max-lg:order-3 xl:self-start">
          <OrderBook pair={pair} />
        </Card>
        <Card title="Order" className="max-lg:order-2 xl:self-start">
          {ticket(pair)}
        </Card>
        <Card title="Depth" isFlush className="max-lg:order-4 lg:hidden">
          <DepthChart pair={pair} />
        </Card>
        <RulesCard pair={pair} className="max-lg:order-5 lg:col-span-2 xl:hidden" />
      </div>
    </PairBookProvider>
  );
}

function RulesCard({ pair, className }: { readonly pair: Pair; readonly className: string }) {
  return (
    <Card title="Trading rules" className={className}>
      <div className="grid gap-x-10 sm:grid-cols-2">
        <Details>
          <Detail name="Price step">
            <Amount value={pair.price_tick} asset={pair.quote} />
          </Detail>
          <Detail name="Amount step">
            <Amount value={pair.amount_step} asset={pair.base} />
          </Detail>
          <Detail name="Smallest amount">
            <Amount value={pair.min_amount} asset={pair.base} />
          </Detail>
          <Detail name="Largest amount">
            <Amount value={pair.max_amount} asset={pair.base} />
          </Detail>
        </Details>
        <Details>
          <Detail name="Smallest value">
            <Amount value={pair.min_notional} asset={pair.quote} />
          </Detail>
          <Detail name="Maker fee">
            <Percent ratio={pair.maker_fee} />
          </Detail>
          <Detail name="Taker fee">
            <Percent ratio={pair.taker_fee} />
          </Detail>
          <Detail name="Rules read">
            <Time at={pair.rules_updated_at} />
          </Detail>
        </Details>
      </div>
    </Card>
  );
}

const MarketSkeleton = () => (
  <div role="status" aria-label="Loading">
    <Skeleton className="mb-4 h-18" />
    <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,288px)_minmax(0,328px)]">
      <Skeleton className="h-144" />
      <Skeleton className="h-144" />
      <Skeleton className="h-144" />
    </div>
  </div>
);
