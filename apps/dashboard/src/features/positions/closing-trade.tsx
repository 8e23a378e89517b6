'use client';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { api } from '../../data/api';
import { baseOf, quoteOf } from '../../format/money';
import { Button } from '../../ui/button';
import { Detail, Details } from '../../ui/details';
import { Dialog } from '../../ui/dialog';
import { Skeleton } from '../../ui/skeleton';
import { ErrorState } from '../../ui/states';
import { Status, wordsOf } from '../../ui/status';
import { Amount, Change } from '../../ui/values';

const FINAL = ['FILLED', 'CANCELLED', 'FAILED'];
const POLL_MS = 1_000;

/** The order that closes a lot, until it is final. */
export function ClosingTrade({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const trade = useQuery({
    queryKey: ['trades', id],
    queryFn: ({ signal }) => api().trades.get(id, { signal }),
    refetchInterval: ({ state }) => (FINAL.includes(state.data?.status ?? '') ? false : POLL_MS),
  });
  const { data } = trade;
  const quote = quoteOf(data?.symbol ?? '');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Order sent"
      footer={
        <>
          <Button asChild>
            <Link href={`/trades/${id}`}>View trade</Link>
          </Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {trade.isError && data === undefined ? (
        <ErrorState error={trade.error} onRetry={() => void trade.refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-36" />
      ) : (
        <div role="status">
          <Details>
            <Detail name="Status">
              <Status value={data.status} />
            </Detail>
            {data.failure !== undefined && <Detail name="Why it failed">{data.failure.message}</Detail>}
            {data.cancel_reason !== undefined && (
              <Detail name="Why the rest was cancelled">{wordsOf(data.cancel_reason)}</Detail>
            )}
            <Detail name="Filled">
              <Amount value={data.filled_amount} asset={baseOf(data.symbol)} />
            </Detail>
            <Detail name="Average price">
              <Amount value={data.average_price} asset={quote} />
            </Detail>
            <Detail name="Fee">
              <Amount value={data.fee.amount} asset={data.fee.currency} />
            </Detail>
            <Detail name="Realised result">
              <Change value={data.realized_pnl} asset={quote} />
            </Detail>
          </Details>
        </div>
      )}
    </Dialog>
  );
}
